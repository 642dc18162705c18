"""What tokens cost: a table that comes with the package, and the user's own before it.

A table is a YAML file with a date and, for each model as Inspect names it, US dollars per million
tokens sent (`input`) and received (`output`). Prices change without notice, so the bundled table is
short, and every cost is told with the date of its price. The user's own stands in
`~/.config/whybench/prices.yaml`, or is named. Reference agents and people are asked without a
provider and cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from whybench.planning.plans import Plan

__all__ = ["Price", "Prices", "own_table"]

BUNDLED = Path(__file__).with_name("prices.yaml")
FREE = ("reference/", "person/", "mockllm/")
MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """What a model costs: US dollars per million tokens, and when that was so."""

    input: float
    output: float
    read_on: str

    def of(self, plan: Plan) -> float:
        """Return what a plan costs."""
        return (plan.sent * self.input + plan.received * self.output) / MILLION


@dataclass(frozen=True)
class Prices:
    """The prices of models, by the name that Inspect has for them."""

    models: Mapping[str, Price]

    @classmethod
    def read(cls, prices: str | Path | None = None) -> Prices:
        """Return the bundled table, the user's own and a named one; the later go before."""
        models = _read(BUNDLED)
        if own_table().is_file():
            models |= _read(own_table())
        return cls(models | (_read(Path(prices)) if prices else {}))

    def cost(self, model: str, plans: Iterable[Plan]) -> float | None:
        """Return what plans cost with a model; None where its price is not known."""
        if model.startswith(FREE):
            return 0.0
        price = self.models.get(model)
        return None if price is None else sum(price.of(plan) for plan in plans)

    def explain(self, model: str, plans: Iterable[Plan]) -> str:
        """Say what plans cost with a model, or where its price may be written."""
        cost = self.cost(model, plans)
        if model.startswith(FREE):
            return f"{model} costs nothing"
        if cost is None:
            return (
                f"{model}: price unknown; add it to {own_table()}, or name a file of `prices`, as "
                f"`models: {{{model}: {{input: DOLLARS, output: DOLLARS}}}}` per million tokens"
            )
        price = self.models[model]
        return (
            f"{model} costs roughly ${cost:.2f} (${price.input:g} and ${price.output:g} per "
            f"million tokens sent and received, read on {price.read_on}); thinking is not counted"
        )

    def refuse_above(self, limit: float | None, plans: Mapping[str, Iterable[Plan]]) -> None:
        """Raise an error if plans, by model, cost more than a limit, or nobody knows how much."""
        if limit is None:
            return
        costs = {model: self.cost(model, planned) for model, planned in plans.items()}
        unknown = [model for model, cost in costs.items() if cost is None]
        if unknown:
            raise UserError(
                "`max_cost` must be held against known prices, got none for "
                f"{', '.join(unknown)}; add them to {own_table()} or leave `max_cost` out"
            )
        total = sum(cost for cost in costs.values() if cost is not None)
        if total > limit:
            raise UserError(
                f"`max_cost` must be at least the planned ${total:.2f}, got {limit:g}; take a "
                "smaller `budget`, fewer models or fewer suites"
            )


def own_table() -> Path:
    """Return where the user's own table is looked for."""
    return Path(click.get_app_dir("whybench")) / "prices.yaml"


def _read(path: Path) -> dict[str, Price]:
    form = "`read_on: DATE` and `models: {NAME: {input: DOLLARS, output: DOLLARS}}`"
    try:
        read: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        read_on = str(read.get("read_on", "an unstated date"))
        return {
            str(name): Price(float(price["input"]), float(price["output"]), read_on)
            for name, price in read["models"].items()
        }
    except OSError as error:
        raise UserError(f"`prices` must be a file that can be read, got {path}: {error}") from None
    except (yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError):
        raise UserError(f"a price table must have {form}, got something else in {path}") from None
