"""A plan counts calls and tokens before the first call.

Counts of items are exact. Tokens are rough: four characters each; and where conversations go on,
the number of calls is rough as well. What is received is a range, from short replies, as long as
the suite expects, to long ones: a model that explains itself unasked, or reasons before it answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.planning.caps import extend_cap, is_reasoning, reply_cap
from whybench.planning.prices import NO_SERVER, Prices
from whybench.suites import registry
from whybench.suites.catalog import WHOLE, check_rounds, list_samples, split_into_samples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from whybench.planning.caps import Config
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

TOKEN = 4
"""Characters of a token, roughly."""

THOUGHT = 4_000
"""Tokens of reasoning before a reply, where a model reasons long; roughly."""

WORDY, EXPLAINED = 8, 300
"""How many times its expected length a long reply has, and the tokens of a short explanation."""


@dataclass(frozen=True)
class Plan:
    """What asking a design comes to, before the first call.

    Attributes:
        suite: The suite.
        design: Its design.
        limit: The number of samples, from the start; None for all.
        samples: The number of samples in one epoch.
        items: Items in these samples.
        epochs: How often each is asked.
        calls: Calls, roughly where conversations go on; their expected number where questions are
            placed by the answers so far.
        most_calls: The largest number of calls; `calls` where nothing is placed.
        sent: Tokens sent, roughly.
        received: Tokens received with short replies, roughly.
        long: Tokens received with long replies, without reasoning.
        cap: The longest reply, in tokens, without reasoning, where no other is given.
    """

    suite: AnySuite
    design: Design
    limit: int | None
    samples: int
    items: int
    epochs: int
    calls: int
    most_calls: int
    sent: int
    received: int
    long: int
    cap: int

    def __repr__(self) -> str:
        return f"<Plan: {self.line('a model')}>"

    def line(self, model: str, config: Config = None) -> str:
        """Return the plan in one line; `config` is how the model is asked, as in `is_reasoning`."""
        placed = self.most_calls > self.calls
        roughly = "about " if self.suite.multi_turn or placed else ""
        limit = f" and at most {self.most_calls}" if placed else ""
        short, long = self.received_range(model, config)
        return (
            f"{self.suite.name}, design {self.design.name}: {self.items} items x {self.epochs} "
            f"epoch{'s' if self.epochs > 1 else ''} = "
            f"{roughly}{self.calls}{limit} calls to {model}; about {self.sent:,} tokens sent, "
            f"{short:,} (short replies) to {long:,} (long replies) received, at most "
            f"{self.reply_cap(model, config):,} per reply"
        )

    def row(self, model: str, prices: Prices, config: Config = None) -> dict[str, str]:
        """Return the plan as a row of a table."""
        span = prices.cost_range(model, [self], config)
        received = self.received_range(model, config)
        return {
            "suite": self.suite.name,
            **_cells(self.items, (self.calls, self.most_calls), self.sent, received, span),
            "longest reply": f"{self.reply_cap(model, config):,}",
        }

    def received_range(self, model: str, config: Config = None) -> tuple[int, int]:
        """Return the tokens received with short and with long replies of a model, roughly."""
        most = self.calls * self.reply_cap(model, config)
        thought = THOUGHT * self.calls if is_reasoning(model, config) else 0
        long = self.received + thought if thought else self.long
        return min(self.received, most), min(long, most)

    def reply_cap(self, model: str, config: Config = None) -> int:
        """Return the longest reply of a model, in tokens: `max_tokens` if it is given."""
        given = (config or {}).get("max_tokens")
        return int(given) if given else extend_cap(self.cap, model, config)

    def advice(self) -> Iterator[str]:
        """Yield the suite's advice about such a run."""
        yield from self.suite.costs.advice(self.design, self.epochs)

    def recommend_temperature(self, model: str, config: Config = None) -> str:
        """Say which temperature the suite recommends; nothing where one is set or none matters."""
        recommended = self.suite.costs.temperature
        unset = (config or {}).get("temperature") is None and not model.startswith(NO_SERVER)
        if not recommended or not unset:
            return ""
        return f"temperature is not set; recommended for {self.suite.name}: {recommended}"

    def cost(self, model: str, prices: Prices | None = None) -> float | None:
        """Return what it costs in US dollars with short replies; None where nobody knows."""
        return (prices or Prices.read()).cost(model, [self])

    def cost_range(self, model: str, prices: Prices | None = None) -> tuple[float, float] | None:
        """Return what it costs with short and with long replies; None where nobody knows."""
        return (prices or Prices.read()).cost_range(model, [self])


def plan_rows(
    model: str, plans: Iterable[Plan], prices: Prices, config: Config = None
) -> list[dict[str, str]]:
    """Return plans of a model as rows of a table, with their sum below where there are several."""
    planned = list(plans)
    rows = [plan.row(model, prices, config) for plan in planned]
    if len(planned) > 1:
        spans = [plan.received_range(model, config) for plan in planned]
        received = (sum(short for short, _ in spans), sum(long for _, long in spans))
        items, calls, most, sent = (
            sum(getattr(plan, name) for plan in planned)
            for name in ("items", "calls", "most_calls", "sent")
        )
        span = prices.cost_range(model, planned, config)
        whole = _cells(items, (calls, most), sent, received, span)
        rows.append({"suite": "all", **whole, "longest reply": ""})
    return rows


def _cells(
    items: int,
    calls: tuple[int, int],
    sent: int,
    received: tuple[int, int],
    dollars: tuple[float, float] | None,
) -> dict[str, str]:
    """Return the counts of a plan as text."""
    low, high = ("unknown",) * 2 if dollars is None else (f"{end:.2f}" for end in dollars)
    return {
        "items": f"{items:,}",
        "calls": _show_range(*calls),
        "tokens sent": f"{sent:,}",
        "received": f"{received[0]:,} to {received[1]:,}",
        "$": low if low == high else f"{low} to {high}",
    }


def _show_range(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


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
    rounds, most = suite.rounds(design), limit
    if rounds is not None:
        check_rounds(shard, group)
        most = min(limit or rounds.most, rounds.most)
    samples = list_samples(suite, suite.items(design), shard=shard, group=group, limit=most)
    items = [item for members in samples for item in members]
    turns = [suite.costs.turns(item.factors) * epochs for item in items]
    characters = sum(len(suite.render(item)) * n for item, n in zip(items, turns, strict=True))
    short = [suite.costs.reply_tokens(item.factors) for item in items]
    caps = [reply_cap(suite, item.factors) for item in items]
    long = [
        max(tokens, min(max(WORDY * tokens, EXPLAINED), cap))
        for tokens, cap in zip(short, caps, strict=True)
    ]
    # Of rounds, the expected share of the largest number of questions is asked.
    share = min(1.0, rounds.expected / len(items)) if rounds else 1.0
    sums = {
        "items": len(items),
        "calls": sum(turns),
        "sent": characters // TOKEN,
        "received": sum(tokens * n for tokens, n in zip(short, turns, strict=True)),
        "long": sum(tokens * n for tokens, n in zip(long, turns, strict=True)),
    }
    return Plan(
        suite=suite,
        design=design,
        limit=limit,
        samples=len(samples),
        epochs=epochs,
        most_calls=sums["calls"],
        cap=max(caps, default=0),
        **{name: round(share * number) for name, number in sums.items()},
    )
