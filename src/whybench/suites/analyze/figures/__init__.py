"""Figures of analyze, as they go into a paper: 170 mm wide, readable in grey, colour-blind safe.

Every function takes measures and returns a chart. `analyze_figures` makes a `Figure` of each from
the records of a run.

Scores of 15 challenges are often drawn as a radar, and here they are points in rows, because a
radar misleads: its area grows with the square of the scores and changes with the order of the
spokes, its outline joins what has no order, lengths along different spokes are hard to compare, and
there is no room for intervals, without which a wide gap and a chance one look the same.
"""

from whybench.suites.analyze.figures.ladders import flip_ladder, score_by_hint, score_ladder
from whybench.suites.analyze.figures.plane import twin_plane
from whybench.suites.analyze.figures.run import analyze_figures

__all__ = [
    "analyze_figures",
    "flip_ladder",
    "score_by_hint",
    "score_ladder",
    "twin_plane",
]
