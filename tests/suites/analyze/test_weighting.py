from __future__ import annotations

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.suites.analyze.estimators.weighting import BLOCK, subtract_block_means


def test_two_blocks_by_hand() -> None:
    # The first 25 values in the order of `by` are 0 to 24, with a mean of 12; the others 25 to 49.
    by = np.arange(50)[::-1]
    (left,) = subtract_block_means(by, by.astype(float))
    assert left.tolist() == [float(value - (37 if value >= 25 else 12)) for value in by]


def test_the_last_block_takes_what_is_left_over() -> None:
    by = np.arange(BLOCK + 5)
    (left,) = subtract_block_means(by, by.astype(float))
    np.testing.assert_allclose(left, by - by.mean())


def test_any_shape_of_the_column_goes_and_the_rest_stays() -> None:
    rng = generator("neighbours")
    by, own = rng.uniform(-2, 2, 5000), rng.standard_normal(5000)
    bent, kept = subtract_block_means(by, 3 * np.sin(3 * by) + by**2, own)
    assert np.var(bent) < 0.01
    # A block of 25 takes one degree of freedom of 25.
    assert np.var(kept) == pytest.approx(np.var(own) * 24 / 25, rel=0.02)


def test_a_block_must_fill() -> None:
    with pytest.raises(ValueError, match="rows must be 25 or more, got 24"):
        subtract_block_means(np.arange(24), np.arange(24))
