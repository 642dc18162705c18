from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from whybench.seeds import generator
from whybench.stats.rank_tests import indicator_matrix, midranks, ranks_from_counts, tie_correction


def test_by_hand() -> None:
    # 3 is smallest; the two 5s share ranks 2 and 3; 9 is largest.
    assert midranks([5, 9, 3, 5]).tolist() == [2.5, 4.0, 1.0, 2.5]
    # One tie of two: 2³ - 2 = 6.
    assert tie_correction(midranks([5, 9, 3, 5])) == 6


def test_many_samples_are_ranked_at_once() -> None:
    values = generator("test", "ranks").integers(0, 9, (20, 3, 31))
    ranks = midranks(values)
    for place in np.ndindex(20, 3):
        below = (values[place] < values[place][:, None]).sum(axis=1)
        equal = (values[place] == values[place][:, None]).sum(axis=1)
        assert np.array_equal(ranks[place], below + (equal + 1) / 2)


def test_a_sample_with_nan_has_no_ranks() -> None:
    ranks = midranks([[1.0, np.nan], [2.0, 1.0]])
    assert np.isnan(ranks[0]).all()
    assert ranks[1].tolist() == [2.0, 1.0]


def test_nothing_has_no_ranks() -> None:
    assert midranks([]).shape == (0,)
    assert midranks(np.ones((3, 1))).tolist() == [[1.0]] * 3


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=20).flatmap(
        lambda values: st.tuples(
            st.just(values),
            st.lists(st.integers(0, 4), min_size=len(values), max_size=len(values)),
        )
    )
)
def test_ranks_from_counts_are_the_ranks_of_the_resample(
    drawn: tuple[list[int], list[int]],
) -> None:
    values, counts = drawn
    distinct = np.unique(values)
    ranks = ranks_from_counts(np.array(counts, dtype=float) @ indicator_matrix(values))
    resample = np.repeat(values, counts)
    for value, rank in zip(resample, rankdata(resample), strict=True):
        assert ranks[np.searchsorted(distinct, value)] == rank


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=20), st.randoms())
def test_ranks_follow_their_values(values: list[int], shuffler: object) -> None:
    order = list(range(len(values)))
    shuffler.shuffle(order)  # type: ignore[attr-defined]
    ranks = midranks(values)
    assert midranks([values[place] for place in order]).tolist() == ranks[order].tolist()
    assert midranks(np.exp(np.array(values) / 10)).tolist() == ranks.tolist()
    assert ranks.sum() == len(values) * (len(values) + 1) / 2
