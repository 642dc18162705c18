"""Calibration: do the measures recover what is known of the reference agents?

Each agent of known value answers a design over many seeds, through the same wording, reading and
measures as any model. Without noise a measure must hit the known value exactly; with noise its
95% interval must cover the known value about 95 times in a hundred.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.records.schema import record_table
from whybench.suites.contract import reply_generator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.stats import Measure
    from whybench.suites.contract import Agent, Answer, Design
    from whybench.suites.registry import AnySuite

    _Read = dict[tuple[str, str], Answer]

__all__ = ["EXACT", "Calibration", "calibrate", "coverage_bounds", "simulate"]

LEVEL = 0.95
FULL = 1000
"""Number of seeds from which on coverage is held to `coverage_bounds` at their narrowest."""

EXACT = 1e-9


@dataclass(frozen=True)
class Calibration:
    """How one measure of one agent came out.

    Attributes:
        agent: The agent, with the settings that differ from its defaults.
        measure: The measure.
        known: What it really is.
        estimate: Mean of the estimates over the seeds.
        coverage: Share of the seeds whose interval covers the known value; None without noise.
        seeds: How many seeds.
    """

    agent: str
    measure: str
    known: float
    estimate: float
    coverage: float | None
    seeds: int

    @property
    def passed(self) -> bool:
        """Whether the measure recovers the known value."""
        if self.coverage is None:
            return abs(self.estimate - self.known) <= EXACT
        low, high = coverage_bounds(self.seeds)
        return low <= self.coverage <= high


def coverage_bounds(seeds: int) -> tuple[float, float]:
    """Return the shares of covering intervals between which a measure counts as calibrated.

    From 1,000 seeds on 92% to 98%, four standard deviations of what a perfect interval gives
    there. With fewer seeds chance is larger and three standard deviations are allowed: over 200
    seeds a perfect interval leaves 92% to 98% in one measure of twenty-five.
    """
    if seeds >= FULL:
        return 0.92, 0.98
    slack = 3 * (LEVEL * (1 - LEVEL) / seeds) ** 0.5
    return LEVEL - slack, min(1.0, LEVEL + slack)


def calibrate(suite: AnySuite, design: Design, seeds: int) -> Iterator[Calibration]:
    """Calibrate every agent of known value, yielding results as they come."""
    items = list(suite.items(design))
    read: _Read = {}
    for agent in suite.agents.values():
        if agent.known is None:
            continue
        for changed in agent.calibrate_at:
            settings = agent.settings(changed)
            known = agent.known(settings)
            noisy = agent.noisy(settings)
            runs = [
                {
                    measure.name: measure
                    for measure in simulate(
                        suite, design, items, agent, {**changed, "seed": seed}, read
                    )
                }
                for seed in range(seeds if noisy else 1)
            ]
            label = ",".join(f"{name}={value}" for name, value in changed.items())
            for name, value in known.items():
                yield Calibration(
                    agent=f"{agent.name}[{label}]" if label else agent.name,
                    measure=name,
                    known=value,
                    estimate=fmean(_estimate(run[name]) for run in runs),
                    coverage=fmean(_covers(run[name], value) for run in runs) if noisy else None,
                    seeds=len(runs),
                )


def simulate(
    suite: AnySuite,
    design: Design,
    items: Sequence[Any],
    agent: Agent[Any],
    changed: Mapping[str, Any],
    read: _Read | None = None,
) -> list[Measure]:
    """Let an agent answer the items once and measure it.

    `read` keeps how replies to an item were read: over many seeds most replies come again.
    """
    settings = agent.settings(changed)
    read = {} if read is None else read
    rows = []
    for item in items:
        reply = agent.reply(item, settings, reply_generator(agent.name, settings, item.id, epoch=1))
        if (item.id, reply) not in read:
            read[item.id, reply] = suite.read_answer(item.factors, reply, False)
        answer = read[item.id, reply]
        rows.append(
            {
                "agent": f"reference/{suite.name}.{agent.name}",
                "suite": suite.name,
                "version": suite.version,
                "design": design.name,
                "design_hash": design.hash,
                "item": item.id,
                "epoch": 1,
                "outcome": answer.outcome,
                "reason": answer.reason,
                "value": answer.value,
                "truth": item.truth,
                **item.factors,
                **answer.parts,
            }
        )
    return suite.measures(record_table(rows, {**suite.columns, **suite.parts}))


def _estimate(measure: Measure) -> float:
    if measure.estimate is None:
        raise ValueError(f"{measure.name} must have an estimate for a reference agent, got none")
    return measure.estimate


def _covers(measure: Measure, known: float) -> bool:
    low, high = measure.low, measure.high
    return low is not None and high is not None and low - EXACT <= known <= high + EXACT
