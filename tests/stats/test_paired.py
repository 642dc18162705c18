from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from whybench.seeds import generator
from whybench.stats import equivalence, paired_difference, sign_flip_test

pairs = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=2, max_size=12)


def drawn(key: str, n: int = 25, shift: float = 0.4) -> tuple[np.ndarray, np.ndarray]:
    draw = generator("test", "paired", key)
    shared = draw.normal(0, 3, n)
    return shared + shift + draw.normal(size=n), shared + draw.normal(size=n)


def test_the_difference_is_the_paired_t_interval() -> None:
    first, second = drawn("t")
    found = paired_difference(first, second)
    expected = stats.ttest_rel(first, second)
    ends = expected.confidence_interval(0.95)
    assert found.estimate == pytest.approx(np.mean(first - second))
    assert (found.low, found.high) == (pytest.approx(ends.low), pytest.approx(ends.high))
    assert (found.n, found.units, found.flags) == (25, 25, ())
    clustered = paired_difference(first, second, clusters=(np.arange(25) // 5).tolist())
    assert (clustered.units, clustered.flags) == (5, ("few_units",))


def test_sign_flips_by_hand() -> None:
    # Differences 1, 2, 3: of eight signs only + + + and - - - reach the sum 6.
    found = sign_flip_test([1, 2, 3], [0, 0, 0], ("test",))
    assert (found.p, found.effect) == (0.25, 2.0)


def test_sign_flips_agree_with_scipy() -> None:
    first, second = drawn("flip", 11)
    exact = stats.permutation_test(
        (first, second), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=1e6
    )
    assert sign_flip_test(first, second, ("test",)).p == pytest.approx(exact.pvalue)
    first, second = drawn("many flips", 40)
    drawn_at_random = sign_flip_test(first, second, ("test",))
    assert drawn_at_random.p == pytest.approx(stats.ttest_rel(first, second).pvalue, abs=0.01)
    assert drawn_at_random == sign_flip_test(first, second, ("test",))


@given(pairs)
def test_swapping_conditions_turns_effects_around(rows: list[tuple[int, int]]) -> None:
    first, second = ([float(row[side]) for row in rows] for side in (0, 1))
    assume(first != second)
    forward, back = (
        sign_flip_test(*sides, ("law",)) for sides in ((first, second), (second, first))
    )
    assert forward.effect == pytest.approx(-back.effect)
    assert forward.p == pytest.approx(back.p)
    forward, back = (equivalence(*sides, margin=5) for sides in ((first, second), (second, first)))
    assert forward.p == pytest.approx(back.p)


def test_statsmodels_agrees_on_equivalence() -> None:
    weightstats = pytest.importorskip("statsmodels.stats.weightstats")
    for shift in (0.0, 0.4, 1.5):
        first, second = drawn("tost", shift=shift)
        for margin in (0.3, 0.8, 2.0):
            p, _, _ = weightstats.ttost_paired(first, second, -margin, margin)
            assert equivalence(first, second, margin).p == pytest.approx(p)


def test_equivalence_is_a_90_percent_interval_within_the_margin() -> None:
    for seed in range(20):
        first, second = drawn(f"interval {seed}", shift=0.2)
        inner = paired_difference(first, second, level=0.9)
        within = inner.low > -0.8 and inner.high < 0.8
        assert (equivalence(first, second, 0.8).p < 0.05) == within


def test_what_cannot_be_tested_is_flagged() -> None:
    assert sign_flip_test([], [], ("test",)).flags == ("undefined",)
    assert equivalence([1.0], [2.0], 1).flags == ("undefined",)
    sure = equivalence([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], 1)
    assert (sure.p, sure.flags) == (0.0, ("few_units", "no_spread"))
    with pytest.raises(ValueError, match="margin must be above 0, got 0"):
        equivalence([1, 2], [1, 2], 0)
    with pytest.raises(ValueError, match="second must pair with first"):
        paired_difference([1, 2], [1])
