"""What the printed shares leave open: the range of a quantity over all shares that agree with them.

A share that is printed as 26% is known to be from 25.5% to 26.5%, and exactly 26% if the print is
taken at its word; a share that is not printed is anything from 0 to 1. The quantities here are
*multilinear*: straight in each share while the others are held. So each is extreme at a corner of
the box of shares, and going through the corners gives the exact range.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from whybench_papers.audits.cladder.phrases import State
    from whybench_papers.audits.cladder.prompt_parser import PrintedShare

HALF_POINT = Fraction(1, 200)
"""How far a share may be from the whole percent that is printed."""

ShareKey: TypeAlias = "tuple[str, frozenset[State]]"
"""Stands for P(name = 1 | states)."""


class ContradictoryPrintError(ValueError):
    """No model agrees with what is printed."""


class AmountRange(NamedTuple):
    """The least and the greatest value that a quantity can have."""

    low: Fraction
    high: Fraction

    def scale(self, factor: int) -> AmountRange:
        """Return the range of `factor` times the quantity."""
        return AmountRange(*sorted((factor * self.low, factor * self.high)))


class PrintedShares:
    """The shares of an item, to be looked up.

    Raises:
        ContradictoryPrintError: One share is printed with two values.
    """

    def __init__(self, shares: Iterable[PrintedShare]) -> None:
        self._single: dict[ShareKey, Fraction] = {}
        self._joint: dict[frozenset[State], Fraction] = {}
        for share in shares:
            number = Fraction(share.percent, 100)
            if len(share.event) == 1:
                (name, value), key = share.event[0], frozenset(share.given)
                number = number if value else 1 - number
                if self._single.setdefault((name, key), number) != number:
                    raise ContradictoryPrintError(f"{name} given {share.given} is printed twice")
            else:
                self._joint[frozenset(share.event)] = number

    def has(self, name: str, *given: str) -> bool:
        """Whether P(name | given) is printed for all values of what is given."""
        return all(
            (name, frozenset(zip(given, values, strict=True))) in self._single
            for values in product((0, 1), repeat=len(given))
        )

    def bounds(self, key: ShareKey, slack: Fraction) -> AmountRange:
        """Return what a share can be, from 0 to 1 if it is not printed."""
        if key not in self._single:
            return AmountRange(Fraction(0), Fraction(1))
        return _widen(self._single[key], slack)

    def joint_bounds(self, states: Iterable[State], slack: Fraction) -> AmountRange:
        """Return what the share of cases with all of `states` can be."""
        return _widen(self._joint[frozenset(states)], slack)


def _widen(number: Fraction, slack: Fraction) -> AmountRange:
    return AmountRange(max(number - slack, Fraction(0)), min(number + slack, Fraction(1)))


class Chances:
    """Shares with one value each, in which formulas are written: `chance("Y", {"X": 1})`."""

    def __init__(self, values: Mapping[ShareKey, Fraction]) -> None:
        self._values = values

    def __call__(
        self, name: str, given: Mapping[str, int] | None = None, value: int = 1
    ) -> Fraction:
        """Return P(name = value | given)."""
        number = self._values[name, frozenset((given or {}).items())]
        return number if value else 1 - number


class _Recorder(dict["ShareKey", Fraction]):
    """Takes down which shares a formula asks for."""

    def __missing__(self, key: ShareKey) -> Fraction:
        self[key] = Fraction(1, 3)
        return self[key]


def find_range(
    formula: Callable[[Chances], Fraction], shares: PrintedShares, slack: Fraction
) -> AmountRange:
    """Return the least and greatest value of a multilinear formula of shares.

    What the formula asks for and nobody printed ranges from 0 to 1: the caller vouches that the
    graph and the other shares leave it free.
    """
    asked = _Recorder()
    formula(Chances(asked))
    boxes = [shares.bounds(key, slack) for key in asked]
    corners = {
        formula(Chances(dict(zip(asked, corner, strict=True))))
        for corner in product(*(sorted(set(box)) for box in boxes))
    }
    return AmountRange(min(corners), max(corners))
