"""Figures of intervene, as they go into a paper: 170 mm wide, readable in grey, colour-blind safe.

Every function takes plain results (measures, counts, the course of an episode) and returns a chart,
or a drawing of matplotlib. `intervene_figures` makes a `Figure` of each from the records of a run.
Needs the extra `figures`.
"""

from whybench.suites.contract import UserError

try:
    import whybench.drawing.canvas  # noqa: F401
except ImportError as missing:
    raise UserError(str(missing)) from missing

from whybench.suites.intervene.figures.by_size import accuracy_by_size
from whybench.suites.intervene.figures.episode import Course, episode_steps
from whybench.suites.intervene.figures.run import course_of, intervene_figures
from whybench.suites.intervene.figures.verdicts import count_verdicts, verdict_bars

__all__ = [
    "Course",
    "accuracy_by_size",
    "count_verdicts",
    "course_of",
    "episode_steps",
    "intervene_figures",
    "verdict_bars",
]
