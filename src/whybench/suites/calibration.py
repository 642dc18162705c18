"""Calibration: do the measures recover what is known of the reference agents?

Each agent with expected measures answers a design over many seeds, through the same prompts, parser
and measures as any model. Without noise a measure must hit the expected value exactly; with noise
its 95% interval must cover the expected value about 95 times in a hundred.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.records.table import record_table
from whybench.stats.results import FEW_UNITS_FLAG
from whybench.suites.contract import reply_generator

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from whybench.stats import Measure
    from whybench.suites.contract import Agent, Answer, Design
    from whybench.suites.registry import AnySuite

    _Parsed = dict[tuple[str, str], Answer]

LEVEL = 0.95
FULL = 1000
"""Number of seeds from which on coverage is held to `coverage_bounds` at their narrowest."""

EXACT = 1e-9

AT_ONCE = 50
"""Seeds whose answers are measured in one table."""


@dataclass(frozen=True)
class Calibration:
    """How one measure of one agent came out.

    Attributes:
        agent: The agent, with the settings that differ from its defaults.
        measure: The measure.
        expected: What it is expected to be.
        estimate: Mean of the estimates over the seeds.
        coverage: Share of the seeds whose interval covers the expected value; None without noise.
        seeds: How many seeds.
        conservative: Whether the interval is known to be too wide for this agent.
    """

    agent: str
    measure: str
    expected: float
    estimate: float
    coverage: float | None
    seeds: int
    conservative: bool = False

    @property
    def passed(self) -> bool:
        """Whether the measure recovers the expected value."""
        if self.coverage is None:
            return abs(self.estimate - self.expected) <= EXACT
        low, high = coverage_bounds(self.seeds)
        return low <= self.coverage <= (1.0 if self.conservative else high)


def coverage_bounds(seeds: int) -> tuple[float, float]:
    """Return the shares of covering intervals between which a measure counts as calibrated.

    From 1,000 seeds on 92% to 98%, four standard deviations of what a perfect interval gives
    there. With fewer seeds chance is larger, and as many standard deviations are allowed: over
    200 seeds a perfect interval leaves 92% to 98% in one measure of twenty-five, and there are
    some thirty.
    """
    if seeds >= FULL:
        return 0.92, 0.98
    slack = 4 * (LEVEL * (1 - LEVEL) / seeds) ** 0.5
    return LEVEL - slack, min(1.0, LEVEL + slack)


def calibrate(suite: AnySuite, design: Design, seeds: int) -> Iterator[Calibration]:
    """Calibrate every agent with expected measures, yielding results as they come."""
    items = list(suite.items(design))
    for agent in suite.agents.values():
        for changed in agent.calibrate_at if agent.expected else ():
            settings = agent.settings(changed)
            expected = agent.expected(settings, design) if agent.expected else {}
            noisy = agent.noisy(settings)
            if not expected:
                continue
            runs = _runs(
                suite, design, items, agent, changed, range(seeds if noisy else 1), expected
            )
            label = ",".join(f"{name}={value}" for name, value in changed.items())
            if unknown := [name for name in expected if name not in runs[0]]:
                raise ValueError(
                    f"expected of {agent.name} must name measures of {suite.name} "
                    f"({', '.join(runs[0])}), got {unknown[0]!r}"
                )
            for name, value in expected.items():
                if noisy and all(FEW_UNITS_FLAG in run[name].flags for run in runs):
                    continue  # The flag states that the interval is too short to be held to 95%.
                yield Calibration(
                    agent=f"{agent.name}[{label}]" if label else agent.name,
                    measure=name,
                    expected=value,
                    estimate=fmean(_estimate(run[name]) for run in runs),
                    coverage=fmean(_covers(run[name], value) for run in runs) if noisy else None,
                    seeds=len(runs),
                    conservative=name in agent.conservative,
                )


def _runs(
    suite: AnySuite,
    design: Design,
    items: Sequence[Any],
    agent: Agent[Any],
    changed: Mapping[str, Any],
    seeds: Sequence[int],
    names: Collection[str],
) -> list[dict[str, Measure]]:
    """Measure an agent at every seed, overall. Seeds are agents of their own, many at once."""
    parsed: _Parsed = {}
    runs: dict[str, dict[str, Measure]] = {}
    for start in range(0, len(seeds), AT_ONCE):
        rows = [
            row
            for seed in seeds[start : start + AT_ONCE]
            for row in simulate_rows(
                suite, design, items, agent, {**changed, "seed": seed}, f"seed {seed}", parsed
            )
        ]
        table = record_table(rows, suite.record_columns)
        for measure in suite.named_measures(table, names):
            if not measure.at:
                runs.setdefault(str(measure.labels["agent"]), {})[measure.name] = measure
    return list(runs.values())


def simulate(
    suite: AnySuite,
    design: Design,
    items: Sequence[Any],
    agent: Agent[Any],
    changed: Mapping[str, Any],
) -> list[Measure]:
    """Let an agent answer the items once and measure it."""
    name = f"reference/{suite.name}.{agent.name}"
    rows = simulate_rows(suite, design, items, agent, changed, name, {})
    return suite.measures(record_table(rows, suite.record_columns))


def simulate_rows(
    suite: AnySuite,
    design: Design,
    items: Sequence[Any],
    agent: Agent[Any],
    changed: Mapping[str, Any],
    name: str,
    parsed: _Parsed,
) -> Iterator[dict[str, Any]]:
    """Return the records of an agent's answers to the items.

    `parsed` keeps the answers of replies that were parsed before: over many seeds most replies come
    again. An episode keeps what is worth keeping itself.
    """
    settings = agent.settings(changed)
    return answer_rows(
        suite, design, items, name, lambda item: _answer(suite, item, agent, settings, parsed)
    )


def answer_rows(
    suite: AnySuite,
    design: Design,
    items: Sequence[Any],
    name: str,
    answer: Callable[[Any], Answer],
) -> Iterator[dict[str, Any]]:
    """Yield the records of answers to the items, given the name of the agent that answers."""
    common = {
        "agent": name,
        "suite": suite.name,
        "version": suite.version,
        "design": design.name,
        "design_hash": design.hash,
        "epoch": 1,
    }
    for item in items:
        given = answer(item)
        yield {
            **common,
            "item": item.id,
            "case": item.case,
            "outcome": given.outcome,
            "reason": given.reason,
            "value": given.value,
            "truth": item.truth,
            **item.factors,
            **given.parts,
        }


def _answer(
    suite: AnySuite, item: Any, agent: Agent[Any], settings: Mapping[str, Any], parsed: _Parsed
) -> Answer:
    def respond(context: Any, turn: int) -> str:
        rng = reply_generator(agent.name, settings, item.digest, epoch=1, turn=turn)
        return agent.reply(context, settings, rng)

    if suite.multi_turn:
        return suite.converse(item, respond)
    reply = respond(item, 0)
    if (item.id, reply) not in parsed:
        parsed[item.id, reply] = suite.converse(item, lambda _, __: reply)
    return parsed[item.id, reply]


def _estimate(measure: Measure) -> float:
    if measure.estimate is None:
        raise ValueError(f"{measure.name} must have an estimate for a reference agent, got none")
    return measure.estimate


def _covers(measure: Measure, value: float) -> bool:
    low, high = measure.low, measure.high
    return low is not None and high is not None and low - EXACT <= value <= high + EXACT
