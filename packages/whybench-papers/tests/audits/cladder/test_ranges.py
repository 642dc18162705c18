"""Ranges over models, against another way to find them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from whybench_papers.audits.cladder.instrument import find_instrument_range, maximise
from whybench_papers.audits.cladder.natural import Arrowhead, find_natural_range
from whybench_papers.audits.cladder.prompt_parser import PrintedShare
from whybench_papers.audits.cladder.ranges import (
    HALF_POINT,
    AmountRange,
    ContradictoryPrintError,
    PrintedShares,
    find_range,
)

some = settings(max_examples=settings.default.max_examples // 4)
percents = st.integers(0, 100).map(lambda number: Fraction(number, 100))


def exactly(share: Fraction) -> AmountRange:
    return AmountRange(share, share)


@some
@given(st.data())
def test_a_linear_programme_has_the_value_that_scipy_finds(data: st.DataObject) -> None:
    small = st.integers(-3, 3)
    count, rows = data.draw(st.integers(2, 5)), data.draw(st.integers(1, 3))
    gains = [Fraction(data.draw(small)) for _ in range(count)]
    limits = [([1] * count, AmountRange(Fraction(0), Fraction(2)))]
    for _ in range(rows):
        low, width = data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))
        line = [data.draw(small) for _ in range(count)]
        limits.append((line, AmountRange(Fraction(low), Fraction(low + width))))
    above = [line for line, _ in limits] + [[-number for number in line] for line, _ in limits]
    bounds = [float(b.high) for _, b in limits] + [-float(b.low) for _, b in limits]
    solved = linprog([-float(gain) for gain in gains], A_ub=above, b_ub=bounds)
    found = maximise(gains, limits)
    assert (found is None) == (solved.status == 2)
    if found is not None:
        assert float(found) == pytest.approx(-solved.fun, abs=1e-7)


def test_an_instrument_that_all_obey_shows_the_effect_itself() -> None:
    obeyed = exactly(Fraction(0)), exactly(Fraction(1))
    seen = exactly(Fraction(1, 5)), exactly(Fraction(7, 10))
    assert find_instrument_range(obeyed, seen) == AmountRange(Fraction(1, 2), Fraction(1, 2))


def test_an_instrument_that_moves_nobody_cannot_move_the_effect() -> None:
    still = exactly(Fraction(0)), exactly(Fraction(0))
    seen = exactly(Fraction(1, 5)), exactly(Fraction(7, 10))
    with pytest.raises(ContradictoryPrintError, match="no hidden confounder"):
        find_instrument_range(still, seen)


def arrowhead(numbers: list[Fraction], slack: Fraction) -> Arrowhead:
    boxes = [
        AmountRange(max(number - slack, Fraction(0)), min(number + slack, Fraction(1)))
        for number in numbers
    ]
    return Arrowhead(boxes[0], tuple(boxes[1:5]), tuple(boxes[5:]))


@some
@given(st.lists(st.integers(1, 99), min_size=9, max_size=9), st.sampled_from(["nde", "nie"]))
def test_natural_effects_range_as_a_linear_programme_over_all_tables_says(
    whole: list[int], kind: str
) -> None:
    numbers = [Fraction(number, 100) for number in whole]
    k_share, mediator, effect = numbers[0], numbers[1:5], numbers[5:]

    def frequency(x: int, k: int, m: int) -> float:
        share = mediator[2 * x + k]
        return float((k_share if k else 1 - k_share) * (share if m else 1 - share))

    cells = list(product((0, 1), repeat=3))  # the unknown P(effect | x, k, m)
    means = [
        [frequency(x, k, m) if (x, m) == own else 0.0 for x, k, m in cells]
        for own in product((0, 1), repeat=2)
    ]
    totals = [
        float(effect[2 * x + m]) * sum(frequency(x, k, m) for k in (0, 1))
        for x, m in product((0, 1), repeat=2)
    ]
    if kind == "nde":
        gains = [frequency(0, k, m) * (1 if x else -1) for x, k, m in cells]
    else:
        gains = [0.0 if x else frequency(1, k, m) - frequency(0, k, m) for x, k, m in cells]
    exact = arrowhead(numbers, Fraction(0))
    found = find_natural_range(kind, exact, exact)
    for sign, end in ((1, found.low), (-1, found.high)):
        solved = linprog([sign * gain for gain in gains], A_eq=means, b_eq=totals, bounds=(0, 1))
        assert float(end) == pytest.approx(sign * solved.fun, abs=1e-6)


@some
@given(st.lists(st.integers(2, 98), min_size=9, max_size=9), st.data())
def test_natural_effects_of_rounded_shares_hold_those_of_shares_within(
    whole: list[int], data: st.DataObject
) -> None:
    middle = [Fraction(number, 100) for number in whole]
    within = [number + Fraction(data.draw(st.integers(-5, 5)), 1000) for number in middle]
    for kind in ("nde", "nie"):
        outer = find_natural_range(
            kind, arrowhead(middle, Fraction(0)), arrowhead(middle, HALF_POINT)
        )
        exact = arrowhead(within, Fraction(0))
        inner = find_natural_range(kind, exact, exact)
        assert outer.low <= inner.low <= inner.high <= outer.high


def test_a_share_that_is_not_printed_is_anything() -> None:
    shares = PrintedShares([PrintedShare((("Y", 1),), (), 30)])
    found = find_range(lambda chance: chance("Y") * chance("Z", {"Y": 1}), shares, Fraction(0))
    assert found == AmountRange(Fraction(0), Fraction(3, 10))


def test_a_share_that_is_printed_twice_contradicts_itself() -> None:
    told = [PrintedShare((("Y", 1),), (), percent) for percent in (30, 31)]
    with pytest.raises(ContradictoryPrintError, match="printed twice"):
        PrintedShares(told)


def test_an_absence_is_printed_as_well_as_a_presence() -> None:
    shares = PrintedShares([PrintedShare((("Y", 0),), (), 30)])
    assert shares.bounds(("Y", frozenset()), HALF_POINT) == AmountRange(
        Fraction(139, 200), Fraction(141, 200)
    )
