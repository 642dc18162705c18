"""A plan counts calls and tokens before the first call, and prices say what they cost.

Counts of items are exact. Tokens are rough: four characters each, replies as long as the suite
expects; and where conversations go on, the number of calls is rough as well.

A table of prices is a YAML file with a date and, for each model as Inspect names it, US dollars per
million tokens sent (`input`) and received (`output`). Prices change without notice, so the bundled
table is short, and every cost comes with the date of its price. The user's own table is in
`~/.config/whybench/prices.yaml`, or is named; it goes before the bundled one. Reference agents and
people are asked without a provider and cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml

from whybench.errors import UserError
from whybench.suites import registry
from whybench.suites.catalog import WHOLE, split_into_samples, take_shard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

__all__ = [
    "Plan",
    "Price",
    "Prices",
    "check_counts",
    "count_calls",
    "plan",
    "plan_budget",
    "user_price_file",
]


TOKEN = 4
"""Characters of a token, roughly."""


@dataclass(frozen=True)
class Plan:
    """What asking a design comes to, before the first call.

    Attributes:
        suite: The suite.
        design: Its design.
        limit: The number of samples, from the start; None for all.
        items: Items in these samples.
        epochs: How often each is asked.
        calls: Calls, roughly where conversations go on.
        sent: Tokens sent, roughly.
        received: Tokens received, roughly.
    """

    suite: AnySuite
    design: Design
    limit: int | None
    items: int
    epochs: int
    calls: int
    sent: int
    received: int

    def __repr__(self) -> str:
        return f"<Plan: {self.line('a model')}>"

    def line(self, model: str) -> str:
        """Return the plan in one line."""
        roughly = "about " if self.suite.multi_turn else ""
        return (
            f"{self.suite.name}, design {self.design.name}: {self.items} items x {self.epochs} = "
            f"{roughly}{self.calls} calls to {model}, roughly {self.sent:,} tokens sent and "
            f"{self.received:,} received"
        )

    def advice(self) -> Iterator[str]:
        """Yield what the suite has to say about such a run."""
        yield from self.suite.costs.advice(self.design, self.epochs)

    def cost(self, model: str, prices: Prices | None = None) -> float | None:
        """Return what it costs in US dollars with a model; None where its price is not known."""
        return (prices or Prices.read()).cost(model, [self])


def plan(
    suite: str,
    design: str | None = None,
    *,
    limit: int | None = None,
    epochs: int = 1,
    shard: str = WHOLE,
    group: int | None = None,
    **factors: Any,
) -> Plan:
    """Count the calls and tokens of a run, without making it.

    Args:
        suite: The suite's name.
        design: A named design or a YAML file; the suite's first if there is none.
        limit: The number of samples, from the start of the design.
        epochs: How often everything is asked.
        shard: `i/n`, the i-th of n equal parts of the design.
        group: Items a sample asks; None for one, or those that belong together.
        **factors: Levels in place of the design's, such as `style="cot"`.

    >>> plan("judge", limit=60).calls
    60
    """
    chosen = registry.get_suite(suite)
    built = chosen.make_design(chosen.settings(design, **factors))
    return count_calls(chosen, built, limit=limit, epochs=epochs, shard=shard, group=group)


def check_counts(**counts: int | None) -> None:
    """Refuse a count that is not a whole number from 1; None stands for all."""
    for name, count in counts.items():
        if count is not None and (type(count) is not int or count < 1):
            raise UserError(f"`{name}` must be a whole number from 1, got {count!r}")


def plan_budget(suite: AnySuite, budget: str) -> Plan:
    """Return the plan of a suite's budget: whole blocks of its design."""
    chosen = suite.budget(budget)
    design = suite.make_design(chosen.settings)
    limit = None
    if chosen.blocks is not None:
        first = islice(suite.items(design), chosen.blocks * design.block)
        limit = len(split_into_samples(list(first), group_key=suite.grouping))
    return count_calls(suite, design, limit=limit, epochs=chosen.epochs)


def count_calls(
    suite: AnySuite,
    design: Design,
    *,
    limit: int | None = None,
    epochs: int = 1,
    shard: str = WHOLE,
    group: int | None = None,
) -> Plan:
    """Count the calls and tokens of asking a design; arguments are those of `plan`."""
    check_counts(limit=limit, epochs=epochs, group=group)
    chosen = take_shard(list(suite.items(design)), shard, suite.grouping)
    samples = split_into_samples(chosen, group, suite.grouping)[:limit]
    items = [item for members in samples for item in members]
    turns = [suite.costs.turns(item.factors) * epochs for item in items]
    characters = sum(len(suite.render(item)) * n for item, n in zip(items, turns, strict=True))
    replies = (
        suite.costs.reply_tokens(item.factors) * n for item, n in zip(items, turns, strict=True)
    )
    return Plan(
        suite=suite,
        design=design,
        limit=limit,
        items=len(items),
        epochs=epochs,
        calls=sum(turns),
        sent=characters // TOKEN,
        received=sum(replies),
    )


BUNDLED = Path(__file__).with_name("prices.yaml")
FREE = ("reference/", "person/", "mockllm/")
MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """What a model costs: US dollars per million tokens, and when that was so."""

    input: float
    output: float
    read_on: str


@dataclass(frozen=True)
class Prices:
    """The prices of models, by the name that Inspect has for them."""

    models: Mapping[str, Price]

    @classmethod
    def read(cls, prices: str | Path | None = None) -> Prices:
        """Return the bundled table, the user's own and a named one; the later go before."""
        models = _read(BUNDLED)
        if user_price_file().is_file():
            models |= _read(user_price_file())
        return cls(models | (_read(Path(prices)) if prices else {}))

    def cost(self, model: str, plans: Iterable[Plan]) -> float | None:
        """Return what plans cost with a model; None where its price is not known."""
        if model.startswith(FREE):
            return 0.0
        if (price := self.models.get(model)) is None:
            return None
        dollars = (plan.sent * price.input + plan.received * price.output for plan in plans)
        return sum(dollars) / MILLION

    def explain(self, model: str, plans: Iterable[Plan]) -> str:
        """Say what plans cost with a model, or where its price may be written."""
        cost = self.cost(model, plans)
        if model.startswith(FREE):
            return f"{model} costs nothing"
        if cost is None:
            return (
                f"{model}: price unknown; add it to {user_price_file()}, or name a file of "
                f"`prices`, as `models: {{{model}: {{input: DOLLARS, output: DOLLARS}}}}` "
                "per million tokens"
            )
        price = self.models[model]
        return (
            f"{model} costs roughly ${cost:.2f} (${price.input:g} and ${price.output:g} per "
            f"million tokens sent and received, read on {price.read_on}); thinking is not counted"
        )

    def check_max_cost(self, limit: float | None, plans: Mapping[str, Iterable[Plan]]) -> None:
        """Raise an error if plans, by model, cost more than a limit, or nobody knows how much."""
        if limit is None:
            return
        costs = {model: self.cost(model, planned) for model, planned in plans.items()}
        if unknown := [model for model, cost in costs.items() if cost is None]:
            raise UserError(
                "`max_cost` must be held against known prices, got none for "
                f"{', '.join(unknown)}; add them to {user_price_file()} or leave `max_cost` out"
            )
        total = sum(cost for cost in costs.values() if cost is not None)
        if total > limit:
            raise UserError(
                f"`max_cost` must be at least the planned ${total:.2f}, got {limit:g}; take a "
                "smaller `budget`, fewer models or fewer suites"
            )


def user_price_file() -> Path:
    """Return where the user's own table is looked for."""
    return Path(click.get_app_dir("whybench")) / "prices.yaml"


def _read(path: Path) -> dict[str, Price]:
    form = "`read_on: DATE` and `models: {NAME: {input: DOLLARS, output: DOLLARS}}`"
    try:
        table: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        read_on = str(table.get("read_on", "an unstated date"))
        return {
            str(name): Price(float(price["input"]), float(price["output"]), read_on)
            for name, price in table["models"].items()
        }
    except OSError as error:
        raise UserError(f"`prices` must be a file that can be read, got {path}: {error}") from None
    except (yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError):
        raise UserError(f"a price table must have {form}, got something else in {path}") from None
