"""How evidence is stated: what is claimed, what was measured, and whether it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

__all__ = ["Figure", "Parts", "figures_of", "print_figures"]


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


Parts: TypeAlias = "Mapping[str, Callable[[bool], Iterator[Figure]]]"
"""The parts of a subject by name; each is told whether to be small."""


def figures_of(parts: Parts, small: bool = False, only: str = "") -> Iterator[Figure]:
    """Yield the figures of the parts whose name contains `only`."""
    for name, part in parts.items():
        if only in name:
            yield from part(small)


def print_figures(figures: Iterable[Figure]) -> bool:
    """Print figures as they come; say whether all claims hold."""
    all_hold = True
    for figure in figures:
        mark = "ok  " if figure.holds else "MISS"
        print(f"{mark} {figure.claim}\n       {figure.measured}", flush=True)
        all_hold &= figure.holds
    return all_hold
