"""Several tests at once: the false discovery rate of Benjamini and Hochberg (1995)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from whybench.stats.results import Finding

__all__ = ["adjust", "benjamini_hochberg"]


def benjamini_hochberg(pvalues: ArrayLike) -> NDArray[np.float64]:
    """Adjust p-values so that rejecting all up to α keeps the false discovery rate at α.

    The i-th smallest of m becomes the smallest of p·m/i over itself and all larger ones, at most
    1. A NaN stays one and does not count among the m.
    """
    p = np.asarray(pvalues, dtype=float)
    if np.any((p < 0) | (p > 1)):
        raise ValueError(f"p-values must lie between 0 and 1, got {p[(p < 0) | (p > 1)].tolist()}")
    from scipy.stats import false_discovery_control  # noqa: PLC0415

    adjusted, known = np.full(p.shape, np.nan), ~np.isnan(p)
    if known.any():
        adjusted[known] = false_discovery_control(p[known])
    return adjusted


def adjust(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings of one family of tests, with adjusted p-values.

    A test that could not be made has no p-value and does not count as one of the family.
    """
    adjusted = benjamini_hochberg([np.nan if f.p is None else f.p for f in findings])
    return [
        replace(finding, adjusted=None if np.isnan(value) else float(value))
        for finding, value in zip(findings, adjusted, strict=True)
    ]
