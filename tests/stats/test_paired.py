from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from whybench.seeds import generator
from whybench.stats import paired_difference


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


def test_values_that_do_not_pair_are_an_error() -> None:
    with pytest.raises(ValueError, match="second must pair with first"):
        paired_difference([1, 2], [1])
