from fractions import Fraction

import numpy as np
import pytest

from whybench.scm import InvalidParameter
from whybench.scm.parameters import as_batch, as_probability, common_batch, quotient, slices


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), Fraction(3, 2), np.array([0.5, 2.0])])
def test_probabilities_are_checked(value):
    with pytest.raises(InvalidParameter, match="p must be between 0 and 1, got"):
        as_probability("p", value)


@pytest.mark.parametrize("value", [np.zeros((2, 2)), np.array([]), "half"])
def test_shapes_are_checked(value):
    with pytest.raises(InvalidParameter, match="p must be a number or a non-empty array"):
        as_batch("p", value)


def test_common_batch():
    assert common_batch([0.1, Fraction(1, 2)]) is None
    assert common_batch([0.1, np.zeros(1)]) == 1
    assert common_batch([np.zeros(1), np.zeros(4), 0.5]) == 4
    with pytest.raises(InvalidParameter, match=r"share one length, got \[2, 3\]"):
        common_batch([np.zeros(2), np.zeros(3)])


def test_slices_cover_the_batch():
    covered = [row for rows in slices(10, 4, 12) for row in range(10)[rows]]
    assert covered == list(range(10))
    assert len(list(slices(None, 10**9, 1))) == 1


def test_a_quotient_of_exact_integers_stays_exact():
    ones = np.array([1], dtype=object)
    result = quotient(ones, ones, None, "")
    assert isinstance(result, Fraction)
