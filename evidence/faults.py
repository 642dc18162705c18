"""The figures of what goes wrong: stops, costs, crashes, damage and attacks."""

from __future__ import annotations

from functools import partial

from evidence import broken_replies, damaged_studies
from evidence.figures import Parts, figures_of

__all__ = ["PARTS", "figures"]

PARTS: Parts = {
    **broken_replies.PARTS,
    **damaged_studies.PARTS,
}

figures = partial(figures_of, PARTS)
