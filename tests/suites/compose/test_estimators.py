"""Estimators on bare arrays, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.compose.estimators import (
    Sample,
    majority,
    share_of_yes,
    unit_effects,
    weighted_means,
)

NAN = np.nan
answers = st.lists(
    st.lists(st.sampled_from([0.0, 1.0, NAN]), min_size=3, max_size=3), min_size=1, max_size=6
)


def column(*epochs: float) -> np.ndarray:
    """One unit, one pair."""
    return np.array(epochs)[:, None, None]


@pytest.mark.parametrize(
    ("epochs", "share", "vote"),
    [
        ((1,), 1, 1),
        ((0, 1), 0.5, 0.5),
        ((0, 1, 1), 2 / 3, 1),
        ((0, 0, 1, NAN), 1 / 3, 0),
        ((0, 1, NAN), 0.5, 0.5),
        ((NAN, NAN), NAN, NAN),
    ],
)
def test_epochs_are_averaged_or_outvoted(epochs, share, vote) -> None:
    assert share_of_yes(column(*epochs)).item() == pytest.approx(share, nan_ok=True)
    assert majority(column(*epochs)).item() == pytest.approx(vote, nan_ok=True)


def test_effects_of_a_unit() -> None:
    y1, y0 = column(1, 1, 0), column(0, 1, 0)
    assert unit_effects(y1, y0, "ate").item() == pytest.approx(1 / 3)
    assert unit_effects(y1, y0, "pns").item() == 1
    # A tie in both: fair coins would find the effect on a quarter of such units.
    assert unit_effects(column(0, 1), column(0, 1), "pns").item() == 0.25
    assert np.isnan(unit_effects(column(1), column(NAN), "pns")).item()
    with pytest.raises(ValueError, match="quantity must be ate or pns, got 'te'"):
        unit_effects(y1, y0, "te")
    with pytest.raises(ValueError, match="answers must be 0, 1 or missing"):
        majority(column(0.5))


@given(answers)
def test_turning_all_answers_around_turns_votes_around(epochs) -> None:
    given_ = np.array(epochs)
    np.testing.assert_allclose(majority(1 - given_), 1 - majority(given_))
    np.testing.assert_allclose(share_of_yes(1 - given_), 1 - share_of_yes(given_))


def estimate(values, weights, strata=None) -> float:
    sample = Sample.of(weights, strata)
    means = weighted_means(np.array(values, dtype=float)[:, None], sample)
    return means(np.ones((1, sample.size))).item()


def test_weighted_means_by_hand() -> None:
    assert estimate([1, 0, 1], [1, 2, 1]) == pytest.approx(0.5)
    assert estimate([1, 0, 0, 1], [3, 3, 1, 1], [0, 0, 1, 1]) == pytest.approx(0.5)


def test_a_stratum_keeps_its_weight_when_answers_are_missing() -> None:
    # Stratum 0 is 3/4 of the population: without its second unit, its mean is 1.
    assert estimate([1, NAN, 0, 1], [3, 3, 1, 1], [0, 0, 1, 1]) == pytest.approx(0.75 + 0.125)
    # Nothing can stand for a stratum without answers.
    assert np.isnan(estimate([NAN, NAN, 0, 1], [3, 3, 1, 1], [0, 0, 1, 1]))


def test_counts_draw_units() -> None:
    sample = Sample.of([1.0, 1, 1, 1], [0, 0, 1, 1])
    means = weighted_means(np.array([[1.0], [0], [0], [0]]), sample)
    assert means(np.array([[2.0, 0, 1, 1], [0, 2, 2, 0]])).ravel() == pytest.approx([0.5, 0.0])


def test_a_sample_is_checked() -> None:
    with pytest.raises(ValueError, match=r"weights must be above 0, got 0.0"):
        Sample.of([1, 0])
    with pytest.raises(ValueError, match="weights and strata must be one a unit"):
        Sample.of([1, 1], [0])
    assert Sample.of([1, 1]).strata.tolist() == [0, 0]
