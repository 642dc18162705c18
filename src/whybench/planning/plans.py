"""A plan counts calls and tokens before the first call.

Counts of items are exact. Tokens are rough: four characters each, replies as long as the suite
expects; and where conversations go on, the number of calls is rough as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from whybench.suites import registry
from whybench.suites.errors import UserError
from whybench.suites.shards import WHOLE, in_samples, take_shard

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.planning.prices import Prices
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

__all__ = ["Plan", "check_counts", "count_calls", "plan", "plan_budget"]

TOKEN = 4
"""Characters a token, roughly."""


@dataclass(frozen=True)
class Plan:
    """What asking a design comes to, before the first call.

    Attributes:
        suite: The suite.
        design: Its design.
        limit: Only the first so many samples; None for all.
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
        about = "" if not self.suite.multi_turn else "about "
        return (
            f"{self.suite.name}, design {self.design.name}: {self.items} items x {self.epochs} = "
            f"{about}{self.calls} calls to {model}, roughly {self.sent:,} tokens sent and "
            f"{self.received:,} received"
        )

    def advice(self) -> Iterator[str]:
        """Yield what the suite has to say about such a run."""
        yield from self.suite.costs.advice(self.design, self.epochs)

    def cost(self, model: str, prices: Prices | None = None) -> float | None:
        """Return what it costs in US dollars with a model; None where its price is not known."""
        from whybench.planning.prices import Prices  # noqa: PLC0415

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
        limit: Only the first so many samples.
        epochs: How often everything is asked.
        shard: `i/n`, the i-th of n equal parts of the design.
        group: Items a sample asks; None for one, or those that belong together.
        **factors: Levels in place of the design's, such as `style="cot"`.

    >>> plan("judge", limit=60).calls
    60
    """
    one = registry.get_suite(suite)
    made = one.make_design(one.settings(design, **factors))
    return count_calls(one, made, limit=limit, epochs=epochs, shard=shard, group=group)


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
        limit = len(in_samples(list(first), together=suite.grouping))
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
    samples = in_samples(chosen, group, suite.grouping)[:limit]
    items = [item for members in samples for item in members]
    turns = [suite.costs.turns(item.factors) * epochs for item in items]
    letters = sum(len(suite.render(item)) * n for item, n in zip(items, turns, strict=True))
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
        sent=letters // TOKEN,
        received=sum(replies),
    )
