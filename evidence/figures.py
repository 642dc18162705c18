"""How evidence is stated: what is claimed, what was measured, and whether it holds.

A claim has its bound in one place, the part that measures it. `python -m evidence` prints all
figures of a part (`print_figures`). Tests assert the same figures except those about time (`held`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from scipy.stats import binom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


LEAST_COVERED = 0.935
"""The share of simulated runs in which a 95% interval should contain the true value, or more."""

ALPHA = 0.01
"""The level of tests of a coverage and of a rate of false alarms."""


@dataclass(frozen=True)
class Figure:
    """One measured figure.

    Attributes:
        claim: What is claimed, with its bound.
        measured: What was measured, in words.
        holds: Whether the claim holds.
        timed: Whether the claim is about time, so that it depends on the machine and its load.
    """

    claim: str
    measured: str
    holds: bool
    timed: bool = False

    def __str__(self) -> str:
        return f"{'ok  ' if self.holds else 'MISS'} {self.claim}\n       {self.measured}"


def covers_enough(covered: int, runs: int) -> bool:
    """Return whether a coverage is not significantly below `LEAST_COVERED` (binomial test)."""
    return bool(binom.cdf(covered, runs, LEAST_COVERED) >= ALPHA)


Part: TypeAlias = "Callable[[bool], Iterable[Figure]]"
"""What measures; it is told whether to be small."""

Parts: TypeAlias = "Mapping[str, Part]"
"""The parts of a subject by name."""


def figures_of(parts: Parts, small: bool = False, only: str = "") -> Iterator[Figure]:
    """Yield the figures of the parts whose name contains `only`."""
    for name, part in parts.items():
        if only in name:
            yield from part(small)


def print_figures(figures: Iterable[Figure]) -> bool:
    """Print figures as they come; say whether all claims hold."""
    all_hold = True
    for figure in figures:
        print(figure, flush=True)
        all_hold &= figure.holds
    return all_hold


def held(part: Part) -> list[Figure]:
    """Return the figures of a part that are not about time, at its small size, if all of them hold.

    Raises:
        AssertionError: If one does not hold, with its printed form, or if there is none.
    """
    found = [figure for figure in part(True) if not figure.timed]
    missed = [str(figure) for figure in found if not figure.holds]
    if missed or not found:
        claimed = f"{part} must make a claim that is not about time, got none; remove its test"
        raise AssertionError("\n".join(missed) or claimed)
    return found
