"""The figures of what goes wrong: stops, costs, crashes, damage and attacks."""

from __future__ import annotations

from functools import partial

from evidence import (
    bounds,
    broken_replies,
    code_runs,
    confinement,
    damage,
    damaged_studies,
    profiles,
    spending,
    stops,
    unanswered,
)
from evidence.figures import Parts, figures_of

PARTS: Parts = {
    **stops.PARTS,
    **broken_replies.PARTS,
    **unanswered.PARTS,
    **damage.PARTS,
    **damaged_studies.PARTS,
    **spending.PARTS,
    **{name: confinement.PARTS[name] for name in ("attacks", "canaries")},
    "blame": code_runs.PARTS["blame"],
    **profiles.PARTS,
    **bounds.PARTS,
}

figures = partial(figures_of, PARTS)
