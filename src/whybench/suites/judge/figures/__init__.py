"""Figures of judge, as they go into a paper: 170 mm wide, readable in grey and colour-blind safe.

Every function takes plain results (measures, fitted models) and returns a chart, or a
drawing of matplotlib.
`judge_figures` makes a `Figure` of each from the records of runs. Needs the extra `figures`
(matplotlib).
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
    change_forest,
    human_correlation_by_story,
    human_correlation_forest,
    measure_by_condition,
    measures_forest,
)
from whybench.suites.judge.figures.heat_map import parameter_map
from whybench.suites.judge.figures.run import judge_figures
from whybench.suites.judge.figures.tasks_panel import tasks_panel

__all__ = [
    "change_forest",
    "determinacy_by_condition",
    "determinacy_panels",
    "human_correlation_by_story",
    "human_correlation_forest",
    "judge_figures",
    "judgment_shares",
    "measure_by_condition",
    "measures_forest",
    "parameter_map",
    "tasks_panel",
]
