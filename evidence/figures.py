"""How evidence is stated: what is claimed, what was measured, and whether it holds.

A claim has its bound in one place, the part that measures it. `python -m evidence` prints what a
part says (`print_figures`), and tests ask the same part whether all of it holds (`held`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


@dataclass(frozen=True)
class Figure:
    """One measured figure.

    Attributes:
        claim: What is claimed, with its bound.
        measured: What was measured, in words.
        holds: Whether the claim holds.
    """

    claim: str
    measured: str
    holds: bool

    def __str__(self) -> str:
        return f"{'ok  ' if self.holds else 'MISS'} {self.claim}\n       {self.measured}"


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
    """Return the figures of a part at its small size, if it has any and all of them hold.

    Raises:
        AssertionError: With what `python -m evidence` would print of those that do not.
    """
    found = list(part(True))
    missed = [str(figure) for figure in found if not figure.holds]
    if missed or not found:
        raise AssertionError("\n".join(missed) or f"{part} must claim something, got nothing")
    return found
