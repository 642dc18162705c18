"""Figures of judge, as they go into a paper: 170 mm wide, readable in grey and colour-blind safe.

Every function takes plain results (measures, fitted models) and returns a chart, or a
drawing of matplotlib.
`judge_figures` makes a `Figure` of each from the records of runs, and `replication_figures` from
the published data. Needs the extra `figures` (matplotlib).
"""

from whybench.suites.contract import UserError

try:
    import whybench.drawing.canvas  # noqa: F401
except ImportError as missing:
    raise UserError(str(missing)) from missing

from whybench.suites.judge.figures.determinacy import (
    determinacy_by_condition,
    determinacy_panels,
)
from whybench.suites.judge.figures.distribution import judgment_shares
from whybench.suites.judge.figures.forest import (
    alignment_by_story,
    alignment_forest,
    change_forest,
    measure_by_condition,
    measures_forest,
)
from whybench.suites.judge.figures.heat_map import parameter_map
from whybench.suites.judge.figures.release import measures_by_release
from whybench.suites.judge.figures.replication import replication_figures
from whybench.suites.judge.figures.run import judge_figures
from whybench.suites.judge.figures.tasks_panel import tasks_panel

__all__ = [
    "alignment_by_story",
    "alignment_forest",
    "change_forest",
    "determinacy_by_condition",
    "determinacy_panels",
    "judge_figures",
    "judgment_shares",
    "measure_by_condition",
    "measures_by_release",
    "measures_forest",
    "parameter_map",
    "replication_figures",
    "tasks_panel",
]
