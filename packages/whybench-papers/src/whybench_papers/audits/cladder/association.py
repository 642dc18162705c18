"""Questions of the first rung: how likely, more likely with, less likely among.

Where the graph makes cause and effect independent, as in a collider, the models that agree with the
print are those whose shares are independent, and rounding alone lets printed ones differ.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from whybench_papers.audits.cladder.ranges import (
    HALF_POINT,
    AmountRange,
    ContradictoryPrintError,
    find_range,
)

if TYPE_CHECKING:
    from whybench.scm import Graph
    from whybench_papers.audits.cladder.phrases import State
    from whybench_papers.audits.cladder.ranges import Chances, PrintedShares

_ONE = Fraction(1)


def compare_with_half(
    graph: Graph, x: str, y: str, shares: PrintedShares, slack: Fraction
) -> AmountRange:
    """Return the range of P(y) - P(not y), from P(x) and P(y | x)."""

    def formula(chance: Chances) -> Fraction:
        parts = (chance(x, value=value) * chance(y, {x: value}) for value in (0, 1))
        return 2 * sum(parts, Fraction(0)) - 1

    if not graph.d_separated(x, y):
        return find_range(formula, shares, slack)
    either = [shares.bounds((y, frozenset({(x, value)})), HALF_POINT) for value in (0, 1)]
    low, high = max(box.low for box in either), min(box.high for box in either)
    if low > high:
        raise ContradictoryPrintError(f"{y} must not depend on {x}")
    return AmountRange(2 * low - 1, 2 * high - 1)


def compare_seen(
    graph: Graph, x: str, effect: State, shares: PrintedShares, slack: Fraction
) -> AmountRange:
    """Return the range of P(effect | x) - P(effect | not x), from P(x) and P(x, effect).

    It falls with P(x), rises with P(x, effect) and falls with P(not x, effect), and no part may
    be larger than its whole.
    """
    y = effect[0]
    independent = graph.d_separated(x, y)
    slack = HALF_POINT if independent else slack
    chance = shares.bounds((x, frozenset()), slack)
    without, with_x = (shares.joint_bounds([(x, value), effect], slack) for value in (0, 1))
    if with_x.low > chance.high or without.low > 1 - chance.low:
        raise ContradictoryPrintError(f"{y} with {x} must not be more than {x}")
    high = _part(with_x.high, chance.low) - _part(without.low, 1 - chance.low)
    low = _part(with_x.low, chance.high) - _part(without.high, 1 - chance.high)
    if not independent:
        return AmountRange(low, high)
    if low > 0 or high < 0:
        raise ContradictoryPrintError(f"{y} must not depend on {x}")
    return AmountRange(Fraction(0), Fraction(0))


def _part(part: Fraction, whole: Fraction) -> Fraction:
    """Return a conditional share; that among nothing is taken as its limit, 1 or 0."""
    if not whole:
        return _ONE if part else Fraction(0)
    return min(part / whole, _ONE)


def compare_among(
    graph: Graph, x: str, y: str, seen: State, shares: PrintedShares, slack: Fraction
) -> AmountRange:
    """Return the range of P(y | x, seen) - P(y | not x, seen).

    The question is about P(y | x, seen) - P(y | seen), which has the same sign: the share among all
    that are seen lies between that with x and that without.
    """
    name, value = seen
    if graph.d_separated(x, y):
        _check_independent(x, y, name, shares)
    return find_range(
        lambda chance: chance(y, {x: 1, name: value}) - chance(y, {x: 0, name: value}),
        shares,
        slack,
    )


def _check_independent(x: str, y: str, name: str, shares: PrintedShares) -> None:
    """Raise unless some P(name | x) makes the mean of y the same with and without x."""
    spans = []
    for value in (0, 1):
        boxes = [
            shares.bounds((y, frozenset({(x, value), (name, other)})), HALF_POINT)
            for other in (0, 1)
        ]
        spans.append((min(box.low for box in boxes), max(box.high for box in boxes)))
    if max(low for low, _ in spans) > min(high for _, high in spans):
        raise ContradictoryPrintError(f"{y} must not depend on {x}")
