from __future__ import annotations

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.stats import spearman_brown, split_half
from whybench.stats.correlation import _draw_halves


def test_spearman_brown_by_hand() -> None:
    assert spearman_brown([0.0, 0.5, 1.0]).tolist() == [0.0, pytest.approx(2 / 3), 1.0]


def test_halves_are_equal_within_strata_and_random() -> None:
    home = np.array([0, 1, 0, 1, 1, 0, 0])
    halves = _draw_halves(home, 400, ("test",))
    assert set(halves[:, home == 0].sum(axis=1)) == {2.0}
    assert set(halves[:, home == 1].sum(axis=1)) == {1.0, 2.0}
    assert np.abs(halves.mean(axis=0) - 0.5).max() < 0.1


def test_two_people_by_hand() -> None:
    # One way to split two people; their ranks 1 2 3 4 and 2 1 4 3 correlate at 0.6.
    found = split_half(
        [1, 2, 3, 4, 20, 10, 40, 30], list("wxyz") * 2, ["p"] * 4 + ["q"] * 4, ["s"] * 8, ("test",)
    )
    assert found.half == pytest.approx(0.6)
    assert found.reliability == pytest.approx(0.75)
    assert found.ceiling == pytest.approx(0.75**0.5)
    assert (found.low, found.high) == (found.ceiling, found.ceiling)
    assert (found.n, found.units, found.flags) == (4, 2, ())


def test_reliability_is_that_of_the_mean_over_people() -> None:
    # True values with variance 9, noise 16/8 in the mean of eight: reliability 9/(9 + 2).
    draw = generator("test", "ceiling")
    truth = draw.normal(0, 3, 1500)
    values = truth + draw.normal(0, 4, (8, 1500))
    found = split_half(
        values.ravel(),
        np.tile(np.arange(1500), 8).tolist(),
        np.repeat(np.arange(8), 1500).tolist(),
        ["s"] * values.size,
        ("test",),
        splits=60,
        correlation="pearson",
    )
    assert found.reliability == pytest.approx(9 / 11, abs=0.02)
    reached = np.corrcoef(values.mean(axis=0), truth)[0, 1]
    assert found.ceiling == pytest.approx(reached, abs=0.01)


def test_laws() -> None:
    draw = generator("test", "ceiling laws")
    values = draw.integers(0, 21, 240) * 5.0
    cells = [str(i % 40) for i in range(240)]
    people = [str(i // 20) for i in range(240)]
    strata = [str(i // 20 % 2) for i in range(240)]
    found = split_half(values, cells, people, strata, ("test",), splits=50)
    assert found == split_half(values, cells, people, strata, ("test",), splits=50), "seeded"
    assert found.half == pytest.approx(
        split_half(-values * 2, cells, people, strata, ("test",), splits=50).half
    ), "affine"
    order = draw.permutation(240)
    moved = split_half(
        values[order], *([labels[i] for i in order] for labels in (cells, people, strata)),
        ("test",), splits=50,
    )  # fmt: skip
    assert moved.half == pytest.approx(found.half), "order of rows"


def test_a_stratum_of_one_is_left_out_and_noise_is_flagged() -> None:
    values = [1, 2, 3, 3, 2, 1, 9, 9, 9]
    found = split_half(
        values, list("abcabcxyz"), list("pppqqqrrr"), list("ssssssttt"), ("test",), splits=20
    )
    assert found.flags == ("strata_left_out", "negative_reliability")
    assert (found.ceiling, found.n, found.units) == (0.0, 3, 2)
    with pytest.raises(ValueError, match="strata must hold each person once"):
        split_half([1, 2], ["a", "b"], ["p", "p"], ["s", "t"], ("test",))
    with pytest.raises(ValueError, match="must have judged its cells, got an empty half"):
        split_half([1, 2, 3, 4], list("abcd"), list("ppqq"), ["s"] * 4, ("test",))
    for correlation in ("spearman", "pearson"):
        same = split_half(
            [5, 5, 5, 5], list("abab"), list("ppqq"), ["s"] * 4, ("test",), correlation=correlation
        )
        assert (same.ceiling, same.flags) == (None, ("constant_means",))
    alone = split_half([1, 2], ["a", "b"], ["p", "p"], ["s", "s"], ("test",))
    assert (alone.ceiling, alone.flags) == (None, ("strata_left_out",))
