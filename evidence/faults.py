"""The figures of what goes wrong: stops, costs, crashes, damage and attacks."""

from __future__ import annotations

from functools import partial

from evidence import broken_replies, code_runs, confinement
from evidence.figures import Parts, figures_of

__all__ = ["PARTS", "figures"]

PARTS: Parts = {
    **broken_replies.PARTS,
    **{name: confinement.PARTS[name] for name in ("attacks", "canaries")},
    "blame": code_runs.PARTS["blame"],
}

figures = partial(figures_of, PARTS)
