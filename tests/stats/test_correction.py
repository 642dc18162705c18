from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.stats import HypothesisTest, adjust, benjamini_hochberg

pvalues = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_by_hand() -> None:
    # Sorted .01 .02 .03 .50, times 4/i: .04 .04 .04 .50.
    assert benjamini_hochberg([0.02, 0.5, 0.01, 0.03]).tolist() == pytest.approx(
        [0.04, 0.5, 0.04, 0.04]
    )


@given(pvalues)
def test_statsmodels_agrees(p: list[float]) -> None:
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    expected = multitest.multipletests(p, method="fdr_bh")[1]
    assert benjamini_hochberg(p) == pytest.approx(expected)


@given(pvalues)
def test_laws(p: list[float]) -> None:
    adjusted = benjamini_hochberg(p)
    assert np.all(adjusted >= np.array(p) - 1e-15)
    assert np.all(adjusted <= 1)
    assert benjamini_hochberg(p[::-1]).tolist() == adjusted[::-1].tolist()
    assert np.all(np.diff(adjusted[np.argsort(p, kind="stable")]) >= 0)


def test_a_test_that_was_not_made_does_not_count() -> None:
    known = benjamini_hochberg([0.01, 0.04])
    assert benjamini_hochberg([0.01, np.nan, 0.04])[[0, 2]].tolist() == known.tolist()
    assert np.isnan(benjamini_hochberg([0.01, np.nan])[1])
    assert benjamini_hochberg([]).size == 0
    assert np.isnan(benjamini_hochberg([np.nan])).all()
    made = HypothesisTest(1.0, 0.03, 0.1, 10, 2, "a test")
    missing = HypothesisTest(None, None, None, 0, 2, "a test", ("undefined",))
    found = adjust([made, missing])
    assert [finding.adjusted for finding in found] == [0.03, None]
    assert found[0].p == made.p


def test_p_values_lie_between_0_and_1() -> None:
    with pytest.raises(ValueError, match=r"p-values must lie between 0 and 1, got \[1\.5\]"):
        benjamini_hochberg([0.5, 1.5])
