"""What tokens cost: a table that comes with the package, and the user's own before it.

A table is a YAML file with a date and, for each model as Inspect names it, US dollars per million
tokens sent (`input`) and received (`output`). Prices change without notice, so the bundled table is
short, and every cost is told with the date of its price. The user's own stands in
`~/.config/whybench/prices.yaml`, or is named on the command line. Reference agents and people are
asked without a provider and cost nothing.
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

    from whybench.cli.evaluation import Plan

__all__ = ["Price", "cost_lines", "own_table", "price_table", "refuse_above", "total_cost"]

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


def own_table() -> Path:
    """Return where the user's own table is looked for."""
    return Path(click.get_app_dir("whybench")) / "prices.yaml"


def price_table(named: str | None = None) -> dict[str, Price]:
    """Return the price of each model: of the bundled table, the user's own, the named one.

    The later go before the earlier.
    """
    table = _read(BUNDLED)
    if own_table().is_file():
        table |= _read(own_table())
    return table | (_read(Path(named)) if named else {})


def total_cost(model: str, plans: Iterable[Plan], prices: Mapping[str, Price]) -> float | None:
    """Return what the plans cost with a model; None where its price is not known."""
    if model.startswith(FREE):
        return 0.0
    price = prices.get(model)
    return None if price is None else sum(price.of(plan) for plan in plans)


def cost_lines(model: str, plans: Iterable[Plan], prices: Mapping[str, Price]) -> Iterable[str]:
    """Yield what a model will cost, in words."""
    cost = total_cost(model, plans, prices)
    if model.startswith(FREE):
        yield f"{model} costs nothing"
    elif cost is None:
        yield (
            f"{model}: price unknown; add it to {own_table()}, or name a file by --prices, as "
            f"`models: {{{model}: {{input: DOLLARS, output: DOLLARS}}}}` per million tokens"
        )
    else:
        price = prices[model]
        yield (
            f"{model} costs roughly ${cost:.2f} (${price.input:g} and ${price.output:g} per "
            f"million tokens sent and received, read on {price.read_on}); thinking is not counted"
        )


def refuse_above(
    limit: float | None,
    models: Iterable[str],
    plans: Mapping[str, list[Plan]],
    prices: Mapping[str, Price],
) -> None:
    """Raise an error if a profile would cost more than the limit, or nobody knows how much."""
    if limit is None:
        return
    costs = {model: total_cost(model, plans[model], prices) for model in models}
    unknown = [model for model, cost in costs.items() if cost is None]
    if unknown:
        raise UserError(
            f"--max-cost must be held against known prices, got none for {', '.join(unknown)}; "
            f"add them to {own_table()} or leave --max-cost out"
        )
    total = sum(cost for cost in costs.values() if cost is not None)
    if total > limit:
        raise UserError(
            f"--max-cost must be at least the planned ${total:.2f}, got {limit:g}; take a smaller "
            "--budget, fewer models or fewer suites"
        )


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
        raise UserError(f"--prices must be a file that can be read, got {path}: {error}") from None
    except (yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError):
        raise UserError(f"a price table must have {form}, got something else in {path}") from None
