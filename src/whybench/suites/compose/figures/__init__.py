"""Figures of compose, as they go into a paper: 170 mm wide, readable in grey, colour-blind safe.

Every function takes plain results (cut trees, compositions, measures) and returns a chart, or a
drawing of matplotlib. `compose_figures` makes a `Figure` of each from the records of a run. Needs
the extra `figures`.
"""

from whybench.suites.contract import UserError

try:
    import whybench.drawing.canvas  # noqa: F401
except ImportError as missing:
    raise UserError(str(missing)) from missing

from whybench.suites.compose.figures.by_length import error_by_length
from whybench.suites.compose.figures.cut_tree import CutTree, PairEffect, cut_trees
from whybench.suites.compose.figures.plane import Classified, class_plane
from whybench.suites.compose.figures.run import compose_figures

__all__ = [
    "Classified",
    "CutTree",
    "PairEffect",
    "class_plane",
    "compose_figures",
    "cut_trees",
    "error_by_length",
]
