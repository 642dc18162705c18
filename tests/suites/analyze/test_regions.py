"""Parameters of train and test are apart in every range, and reach over the whole of it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.analyze.regions import BANDS, region_generator


@given(st.floats(-9, 9), st.floats(0.1, 9), st.integers(0, 99))
def test_no_value_is_on_both_sides(low: float, width: float, seed: int) -> None:
    bands = {
        split: {
            int(np.floor((value - low) / width * BANDS * (1 - 1e-9)))
            for value in region_generator(split, seed).uniform(low, low + width, 200)
        }
        for split in ("train", "test")
    }
    assert bands["train"] == set(range(0, BANDS, 2))
    assert bands["test"] == set(range(1, BANDS, 2))


def test_the_shape_is_that_of_the_ends_or_the_one_asked_for() -> None:
    rng = region_generator("test", 1)
    assert np.shape(rng.uniform(0, 1)) == ()
    assert np.shape(rng.uniform((0.0, 1.0), (1.0, 2.0))) == (2,)
    assert np.shape(rng.uniform(0, 1, 3)) == (3,)
    assert np.shape(rng.uniform(0, 1, (2, 3))) == (2, 3)


def test_equal_keys_give_equal_numbers() -> None:
    draws = [region_generator("train", "a", 1).uniform(0, 1, 5).tolist() for _ in range(2)]
    assert draws[0] == draws[1] != region_generator("train", "a", 2).uniform(0, 1, 5).tolist()
