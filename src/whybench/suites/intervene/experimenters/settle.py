"""The experimenter to compare an agent with, however many entities there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.intervene.experimenters.optimal import bayes
from whybench.suites.intervene.experimenters.sampled import sampled
from whybench.suites.intervene.posets import MAX_ENUMERATED

if TYPE_CHECKING:
    from whybench.suites.intervene.experimenters.inquiry import Inquiry, Intervention

__all__ = ["settle"]


def settle(inquiry: Inquiry) -> Intervention | None:
    """Return what `bayes` would do up to five entities, and `sampled` beyond; None if entailed."""
    return (bayes if inquiry.n <= MAX_ENUMERATED else sampled)(inquiry)
