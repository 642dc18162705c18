"""Runs until decided: boundaries, false alarms, power, calls and coverage.

Answers are drawn in units that share their difficulty, as many as suites have, for agents whose
shares of correct answers are known. `python -m evidence sequential` prints these figures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import beta, binom

from evidence import sequential_horizons, sequential_runs
from evidence.figures import ALPHA, LEAST_COVERED, Figure, Parts, covers_enough, figures_of
from whybench.results.sequential import (
    DECIDED,
    NEAR,
    SHARE_OF_RANGE,
    InterimLook,
    SequentialResult,
    decide,
)
from whybench.seeds import generator
from whybench.stats import Difference, Jackknifed, clustered_share
from whybench.stats.sequential import Boundaries, spend

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

PUBLISHED = {
    2: (2.9626, 1.9686),
    3: (3.7103, 2.5114, 1.9930),
    4: (4.3326, 2.9631, 2.3590, 2.0141),
    5: (4.8769, 3.3569, 2.6803, 2.2898, 2.0310),
}
"""Boundaries of O'Brien and Fleming's type at equal looks, level 0.05 (Reboussin et al. 2000)."""

FIXED_CONSTANTS = {
    2: (1.977, 2.178),
    3: (2.004, 2.289),
    4: (2.024, 2.361),
    5: (2.040, 2.413),
    10: (2.087, 2.555),
}
"""Constants of O'Brien and Fleming and of Pocock (Jennison and Turnbull 2000, tables 2.1, 2.3)."""

LEVEL = 0.05
EQUAL_RUNS, NEAR_RUNS, CLEAR_RUNS, SMALLER = 2000, 1000, 400, 10
MOST_LOST = 0.03
MOST_ASKED = {2: 0.55, 3: 0.45}
"""The largest share of the calls for gaps that are 2 and 3 times as large as one near the limit.
A gap of 3 times is clear: the whole design finds it in all but 1 of 10^10 runs."""

LOOKS = 10
CONCENTRATION = 9.0
"""The spread of difficulty between units, an intraclass correlation of 0.1."""


@dataclass(frozen=True)
class Shape:
    """How answers of a suite come in units.

    Attributes:
        suite: The suite.
        measure: A measure of it.
        units: The number of sampled units of the whole design.
        each: Answers in each unit.
    """

    suite: str
    measure: str
    units: int
    each: int


SHAPES = (
    Shape("compose", "compositional_agreement", 40, 6),
    Shape("analyze", "sound_pairs", 90, 1),
    Shape("intervene", "justified_accuracy", 160, 2),
    Shape("calculate", "accuracy", 480, 1),
)


@dataclass(frozen=True)
class Simulated:
    """Simulated runs of one pair of agents.

    Attributes:
        decisions: The decision of each run.
        fixed: Whether the whole design differs, in each run.
        gap: The true difference.
    """

    decisions: tuple[SequentialResult, ...]
    fixed: tuple[bool, ...]
    gap: float

    @property
    def found(self) -> int:
        """The number of runs that differ by the sequential p-value."""
        return sum((one.difference.p or 0.0) < LEVEL for one in self.decisions)

    @property
    def share(self) -> float:
        """The mean share of the design that was asked."""
        return float(np.mean([one.look.share for one in self.decisions]))

    @property
    def covered(self) -> int:
        """The number of intervals that contain the true difference."""
        ends = [(one.difference.low, one.difference.high) for one in self.decisions]
        return sum(low is None or high is None or low <= self.gap <= high for low, high in ends)


@cache
def simulate(
    shape: Shape, lower: float, upper: float, runs: int, smallest: float | None = None
) -> Simulated:
    """Return simulated runs of two agents with these shares of correct answers."""
    rng = generator("evidence", "sequential", shape.suite, lower, upper)
    decisions, fixed = [], []
    for _ in range(runs):
        sides = _answer(shape, lower, upper, rng)
        looks = [
            InterimLook(
                number, number / LOOKS, _compare(shape, sides, shape.units * number // LOOKS)
            )
            for number in range(1, LOOKS + 1)
        ]
        decisions.append(decide(looks, smallest))
        fixed.append((looks[-1].difference.p or 0.0) < LEVEL)
    return Simulated(tuple(decisions), tuple(fixed), upper - lower)


def _answer(shape: Shape, lower: float, upper: float, rng: np.random.Generator) -> list[Array]:
    """Return correct answers of two agents, units x answers, with the same difficulty of units."""
    place = rng.random((shape.units, 1))
    sides = []
    for share in (lower, upper):
        own = share * CONCENTRATION, (1 - share) * CONCENTRATION
        chances = beta.ppf(place, *own)
        sides.append((rng.random((shape.units, shape.each)) < chances).astype(float))
    return sides


def _compare(shape: Shape, sides: list[Array], units: int) -> Difference:
    """Return the difference over the first units."""
    reference, other = (_jackknife(side[:units]) for side in sides)
    found = Difference.between(shape.measure, {}, reference, other)
    return replace(found, suite=shape.suite)


def _jackknife(hits: Array) -> Jackknifed:
    units, each = hits.shape
    places = np.repeat(np.arange(units), each)
    sums = hits.sum(axis=1)
    without = (sums.sum() - sums) / (hits.size - each)
    estimate = clustered_share(hits.ravel(), places)
    return Jackknifed(estimate, dict(enumerate(without.tolist())))


@cache
def limit_gap(shape: Shape, upper: float) -> float:
    """Return the gap that the whole design finds with a power of about 80%."""
    rng = generator("evidence", "sequential", "limit", shape.suite, upper)
    lower = upper
    for _ in range(3):
        draws = [_answer(shape, lower, upper, rng) for _ in range(400)]
        gaps = [float(other.mean() - one.mean()) for one, other in draws]
        lower = upper - NEAR * float(np.std(gaps))
    return upper - lower


def boundaries(small: bool) -> Iterator[Figure]:  # noqa: ARG001  (nothing is drawn)
    """Yield boundaries and levels next to published ones."""
    worst = 0.0
    for looks, published in PUBLISHED.items():
        found = spend(tuple(number / looks for number in range(1, looks + 1)))
        worst = max(worst, float(np.abs(np.subtract(found.bounds, published)).max()))
    yield Figure(
        "boundaries of O'Brien and Fleming's type at 2 to 5 looks are the published ones, "
        "within 0.0002",
        f"largest deviation {worst:.5f}",
        worst < 2e-4,
    )
    levels = []
    for looks, (falling, even) in FIXED_CONSTANTS.items():
        shares = tuple(number / looks for number in range(1, looks + 1))
        of_falling = tuple(falling / share**0.5 for share in shares)
        levels += [Boundaries(shares, of_falling).level, Boundaries(shares, (even,) * looks).level]
    yield Figure(
        "published constants of O'Brien and Fleming and of Pocock at 2 to 10 looks have the "
        "level 0.05, within 0.0002",
        ", ".join(f"{level:.5f}" for level in levels),
        max(abs(level - LEVEL) for level in levels) < 2e-4,
    )


def equality(small: bool) -> Iterator[Figure]:
    """Yield false alarms, calls and coverage of equal agents."""
    runs = EQUAL_RUNS // SMALLER if small else EQUAL_RUNS
    for shape, share in (*((shape, 0.85) for shape in SHAPES), (SHAPES[1], 0.5)):
        found = simulate(shape, share, share, runs)
        yield Figure(
            f"{_words(shape)}: two agents with {share:.0%} correct differ in not "
            f"significantly more than {LEVEL:.0%} of {runs} runs",
            f"{found.found / runs:.1%} (fixed design {sum(found.fixed) / runs:.1%}); "
            f"{found.share:.0%} of the calls; intervals contain 0 in {found.covered / runs:.1%}",
            is_level(found.found, runs) and covers_enough(found.covered, runs),
        )


def near_the_limit(small: bool) -> Iterator[Figure]:
    """Yield power, calls and coverage for gaps that the whole design finds in about 80%.

    A gap below 0.1 is the smallest difference of interest, since smaller ones may be missed.
    """
    runs = NEAR_RUNS // SMALLER if small else NEAR_RUNS
    for shape in SHAPES:
        gap = limit_gap(shape, 0.85)
        found = simulate(shape, 0.85 - gap, 0.85, runs, min(gap, SHARE_OF_RANGE))
        power, fixed = found.found / runs, sum(found.fixed) / runs
        most = MOST_LOST + (0.03 if small else 0.0)
        yield Figure(
            f"{_words(shape)}: with {0.85 - gap:.0%} and 85% correct the power is at most "
            f"{100 * most:.0f} points lower, and intervals cover {LEAST_COVERED:.1%}",
            f"{power:.1%}, fixed design {fixed:.1%}; {found.share:.0%} of the calls; intervals "
            f"cover {found.covered / runs:.1%} of {runs} runs",
            fixed - power <= most and covers_enough(found.covered, runs),
        )


def clear_gaps(small: bool) -> Iterator[Figure]:
    """Yield the calls for gaps that are larger than one near the limit."""
    runs, slack = (CLEAR_RUNS // SMALLER, 0.05) if small else (CLEAR_RUNS, 0.0)
    for shape in SHAPES:
        for times, most in MOST_ASKED.items():
            lower = max(0.02, 0.85 - times * limit_gap(shape, 0.85))
            found = simulate(shape, lower, 0.85, runs)
            early = sum(one.state == DECIDED for one in found.decisions) / runs
            yield Figure(
                f"{_words(shape)}: with {lower:.0%} and 85% correct, a gap {times} times as large, "
                f"at most {most + slack:.0%} of the calls are asked",
                f"{found.share:.1%}; decided in {early:.1%} of {runs} runs; power "
                f"{found.found / runs:.1%}; intervals cover {found.covered / runs:.1%}",
                found.share <= most + slack and covers_enough(found.covered, runs),
            )


def is_level(alarms: int, runs: int) -> bool:
    """Return whether false alarms are not significantly above the level (binomial test)."""
    return bool(binom.sf(alarms - 1, runs, LEVEL) >= ALPHA)


def _words(shape: Shape) -> str:
    return f"{shape.suite}, {shape.units} units of {shape.each}"


PARTS: Parts = {
    "boundaries": boundaries,
    "equality": equality,
    "near the limit": near_the_limit,
    "clear gaps": clear_gaps,
    **sequential_horizons.PARTS,
    **sequential_runs.PARTS,
}

figures = partial(figures_of, PARTS)
