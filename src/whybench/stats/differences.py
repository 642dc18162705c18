"""A difference between two sides: one row of every comparison.

The sides are two agents, two levels of a factor, or an agent and people. Side B is the reference,
and the difference is A - B. The interval and the p-value come from one method
(`whybench.stats.paired`), so p is below 0.05 exactly where the interval excludes 0.

A verdict names the p-value that decided it:

- `higher` and `lower`: the corrected p-value is below 0.05;
- `not significant after correction (k tests)`: only the p-value before correction is;
- `no significant difference`: neither is.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from whybench.stats.clustered import clustered_mean
from whybench.stats.paired import ALPHA, IDENTICAL, difference_between, mean_change
from whybench.stats.permutation import benjamini_hochberg

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from whybench.stats.paired import Jackknifed, PairedDifference
    from whybench.stats.results import Estimate

HIGHER, LOWER = "higher", "lower"
NOT_SIGNIFICANT = "no significant difference"
AFTER_CORRECTION = "not significant after correction"
NO_DIFFERENCE = "no difference"
NO_DIFFERENCE_OF_INTEREST = "no difference of interest"
TOO_SMALL = "too small to matter"
UNDEFINED = "cannot be determined"

WITHIN_SMALLEST = "within_smallest"
"""The flag of a difference that a sequential test showed to be smaller than the smallest."""

WORDS_OF_FLAGS: Mapping[str, str] = {
    "many_lost": "too many answers lost",
    "default_cap": "too many replies cut off",
    IDENTICAL: NO_DIFFERENCE,
    WITHIN_SMALLEST: NO_DIFFERENCE_OF_INTEREST,
}
"""Flags of a difference that decide its verdict without a p-value."""


NAMED = 3
"""The number of agents that a mean names at either end."""


@dataclass(frozen=True)
class Difference:
    """A measure of two sides, and how much A differs from B.

    Attributes:
        measure: The measure.
        labels: The condition that both sides share.
        a: The estimate of side A, with its own interval.
        b: The estimate of side B, the reference.
        difference: A - B; None where it is not defined.
        low: Lower end of the 95% interval of the difference.
        high: Upper end of it.
        p: The p-value of no difference, before correction.
        n: Answers of the smaller side.
        units: Sampled units that both sides share.
        method: How the interval was made, or how many items differ where none does.
        flags: Limits of the difference.
        suite: The suite.
        by: The kind of the sides: `agent`, a factor or model setting, or `people`.
        agent: The agent that both sides share, if the sides are not agents.
        side_a: The agent or level of side A.
        side_b: The agent or level of side B, or `people`.
        smallest: The smallest difference of interest.
        corrected_p: The p-value corrected over the family.
        tests: The size of the family.
    """

    measure: str
    labels: Mapping[str, str]
    a: Estimate
    b: Estimate
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int
    units: int
    method: str = ""
    flags: tuple[str, ...] = ()
    suite: str = ""
    by: str = "agent"
    agent: str = ""
    side_a: str = "A"
    side_b: str = "B"
    smallest: float = 0.0
    corrected_p: float | None = None
    tests: int = 0

    @classmethod
    def between(
        cls, measure: str, labels: Mapping[str, str], reference: Jackknifed, other: Jackknifed
    ) -> Difference:
        """Return the difference of two estimates on the same units, `other` - `reference`."""
        sides = other.estimate, reference.estimate
        return cls.of(measure, labels, sides, difference_between(reference, other))

    @classmethod
    def of(
        cls,
        measure: str,
        labels: Mapping[str, str],
        sides: tuple[Estimate, Estimate],
        found: PairedDifference,
        **more: Any,
    ) -> Self:
        """Return a difference from the estimates of A and B and the statistic of the pair."""
        own = found.estimate
        return cls(
            *(measure, labels, *sides, own.estimate, own.low, own.high, found.p, own.n, own.units),
            method=own.method,
            flags=own.flags,
            **more,
        )

    @property
    def verdict(self) -> str:
        """The result in words, by the p-value that decided it."""
        if self.difference is None or self.p is None or self.corrected_p is None:
            return UNDEFINED
        for flag, words in WORDS_OF_FLAGS.items():
            if flag in self.flags:
                return words
        if self.corrected_p >= ALPHA:
            after = f"{AFTER_CORRECTION} ({self.tests} tests)"
            return NOT_SIGNIFICANT if self.p >= ALPHA else after
        if abs(self.difference) < self.smallest:
            return TOO_SMALL
        return HIGHER if self.difference > 0 else LOWER

    @property
    def sides(self) -> tuple[str, str]:
        """The names of sides A and B."""
        return self.side_a, self.side_b

    @property
    def is_significant(self) -> bool:
        """Whether A is higher or lower than B by the corrected p-value, and by enough to matter."""
        return self.verdict in {HIGHER, LOWER}

    @property
    def is_identical(self) -> bool:
        """Whether the sides are equal in every unit, so that there is no interval."""
        return IDENTICAL in self.flags

    @property
    def condition(self) -> str:
        """The condition in words."""
        return ", ".join(word for word in self.labels.values() if word not in ("", "none"))

    def clip(self, low: float, high: float) -> Self:
        """Return the difference of a measure from `low` to `high`, with an interval in its range.

        The ends stay on their side of the estimate, so the interval still agrees with the p-value.
        """
        if self.difference is None or self.low is None or self.high is None:
            return self
        reach = max(high - low, abs(self.difference))
        return replace(self, low=max(self.low, -reach), high=min(self.high, reach))

    def row(self) -> dict[str, object]:
        """Return one flat row: suite, sides, condition, measure, then the numbers."""
        sides = {"a": self.a, "b": self.b}
        return {
            "suite": self.suite,
            **({"agent": self.agent} if self.agent else {}),
            "by": self.by,
            "side_a": self.side_a,
            "side_b": self.side_b,
            **self.labels,
            "measure": self.measure,
            **{f"estimate_{side}": own.estimate for side, own in sides.items()},
            **{
                f"{end}_{side}": getattr(own, end)
                for side, own in sides.items()
                for end in ("low", "high")
            },
            **{
                name: getattr(self, name)
                for name in (
                    *("difference", "low", "high", "p", "corrected_p", "tests", "verdict"),
                    *("smallest", "n", "units", "method"),
                )
            },
            "flags": " ".join(self.flags),
        }


DifferenceT = TypeVar("DifferenceT", bound=Difference)


@dataclass(frozen=True)
class MeanDifference(Difference):
    """A difference that is the mean over agents, which count as drawn from others like them.

    Attributes:
        by_agent: Agent to its values on sides A and B.
    """

    by_agent: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def ranked(self) -> list[tuple[str, float]]:
        """Agents with their differences, the largest of either sign first."""
        found = [(agent, a - b) for agent, (a, b) in self.by_agent.items()]
        return sorted(found, key=lambda one: -abs(one[1]))

    def row(self) -> dict[str, object]:
        """Return one flat row, with the agents that differ most and least."""
        ranked = [f"{agent} ({value:+.3f})" for agent, value in self.ranked]
        ends = {"most": ranked[:NAMED], "least": ranked[::-1][:NAMED]}
        named = {name: "; ".join(agents) for name, agents in ends.items()}
        return {**super().row(), "agents": len(self.by_agent), **named}


def average_over_agents(
    measure: str,
    labels: Mapping[str, str],
    by_agent: Mapping[str, tuple[float, float]],
    **more: Any,
) -> MeanDifference:
    """Return the mean difference over agents, with Student's t over them.

    Args:
        measure: The measure.
        labels: The condition.
        by_agent: Agent to its values on sides A and B.
        **more: Further attributes of the difference: the suite and the sides.
    """
    values = np.array([*by_agent.values()])
    places = np.arange(len(values))
    sides = clustered_mean(values[:, 0], places), clustered_mean(values[:, 1], places)
    found = mean_change(values[:, 0] - values[:, 1])
    return MeanDifference.of(measure, labels, sides, found, by_agent=by_agent, **more)


def correct_family(differences: Iterable[DifferenceT]) -> list[DifferenceT]:
    """Return differences with p-values corrected over all of them (Benjamini and Hochberg)."""
    family = list(differences)
    corrected = benjamini_hochberg([np.nan if one.p is None else one.p for one in family])
    tests = sum(one.p is not None for one in family)
    return [
        replace(one, corrected_p=None if np.isnan(p) else float(p), tests=tests)
        for one, p in zip(family, corrected, strict=True)
    ]
