"""The effect of a cause whose instrument alone is seen: Balke and Pearl's programme.

A case answers to the instrument in one of four ways (never, as told, the opposite, always) and its
effect answers to the cause in one of four; hidden confounders of any number make the sixteen kinds
of case as frequent as they like. What is printed, P(cause | instrument) and P(effect | instrument),
is linear in the sixteen shares, and so is the effect: its extremes solve a linear programme, here
in rationals.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from whybench_papers.audits.cladder.ranges import AmountRange, ContradictoryPrintError

if TYPE_CHECKING:
    from collections.abc import Sequence

_KINDS = tuple(product(product((0, 1), repeat=2), repeat=2))
"""(cause without and with the instrument, effect without and with the cause)."""


@cache
def find_instrument_range(
    cause: tuple[AmountRange, ...], effect: tuple[AmountRange, ...]
) -> AmountRange:
    """Return the range of the average effect.

    Args:
        cause: P(cause = 1 | instrument), for the instrument at 0 and at 1.
        effect: P(effect = 1 | instrument), likewise.

    Raises:
        ContradictoryPrintError: No frequencies of the kinds agree with these.
    """
    rows: list[tuple[list[int], AmountRange]] = [([1] * 16, AmountRange(Fraction(1), Fraction(1)))]
    for z in (0, 1):
        rows.append(([x[z] for x, _ in _KINDS], cause[z]))
        rows.append(([y[x[z]] for x, y in _KINDS], effect[z]))
    gains = [Fraction(y[1] - y[0]) for _, y in _KINDS]
    high = maximise(gains, rows)
    low = maximise([-gain for gain in gains], rows)
    if high is None or low is None:
        raise ContradictoryPrintError("no hidden confounder makes what the instrument shows")
    return AmountRange(-low, high)


def maximise(
    gains: Sequence[Fraction], rows: Sequence[tuple[Sequence[int], AmountRange]]
) -> Fraction | None:
    """Return the greatest sum of gains times shares, each share at least 0; None if none fit.

    Args:
        gains: What a unit of each share is worth.
        rows: Coefficients of sums of shares, with the range in which each sum must be.
    """
    tableau, basis = _start(len(gains), rows)
    width = len(tableau[0]) - 1
    real = width - len(tableau)
    if _climb(tableau, basis, [Fraction(0)] * real + [Fraction(-1)] * len(tableau), width) != 0:
        return None
    for index in reversed(range(len(basis))):
        if basis[index] >= real:
            column = next((each for each in range(real) if tableau[index][each]), None)
            if column is None:
                del tableau[index], basis[index]
            else:
                _pivot(tableau, basis, index, column)
    return _climb(tableau, basis, [*gains, *[Fraction(0)] * (width - len(gains))], real)


def _start(
    count: int, rows: Sequence[tuple[Sequence[int], AmountRange]]
) -> tuple[list[list[Fraction]], list[int]]:
    """Return equations with slack and helpers, and the helpers as the first basis."""
    lines: list[tuple[list[Fraction], int, Fraction]] = []
    for coefficients, bounds in rows:
        numbers = [Fraction(number) for number in coefficients]
        if bounds.low == bounds.high:
            lines.append((numbers, 0, bounds.low))
        else:
            lines += [(numbers, -1, bounds.low), (numbers, 1, bounds.high)]
    slacks = [index for index, (_, slack, _) in enumerate(lines) if slack]
    tableau = []
    for index, (numbers, slack, bound) in enumerate(lines):
        extra = [Fraction(slack if index == own else 0) for own in slacks]
        helper = [Fraction(int(index == own)) for own in range(len(lines))]
        tableau.append([*numbers, *extra, *helper, bound])
    first = count + len(slacks)
    return tableau, list(range(first, first + len(lines)))


def _climb(
    tableau: list[list[Fraction]], basis: list[int], worth: Sequence[Fraction], width: int
) -> Fraction:
    """Pivot by Bland's rule among the first `width` columns until nothing gains; return the sum."""
    while True:
        for column in range(width):
            gain = worth[column] - sum(
                worth[own] * row[column] for own, row in zip(basis, tableau, strict=True)
            )
            if gain > 0 and column not in basis:
                break
        else:
            return sum(
                (worth[own] * row[-1] for own, row in zip(basis, tableau, strict=True)),
                Fraction(0),
            )
        ratios = [
            (row[-1] / row[column], basis[index], index)
            for index, row in enumerate(tableau)
            if row[column] > 0
        ]
        _pivot(tableau, basis, min(ratios)[2], column)


def _pivot(tableau: list[list[Fraction]], basis: list[int], index: int, column: int) -> None:
    """Bring a column into the basis in the place of a row's."""
    basis[index] = column
    lead = tableau[index][column]
    own = tableau[index] = [number / lead for number in tableau[index]]
    for other, row in enumerate(tableau):
        if other != index and row[column]:
            tableau[other] = [a - row[column] * b for a, b in zip(row, own, strict=True)]
