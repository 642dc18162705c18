"""Figures of calculate, as they go into a paper: 170 mm wide, readable in grey, colour-blind safe.

Every function takes plain results (diagnosed answers, measures) and returns a chart.
`calculate_figures` makes a `Figure` of each from the records of a run.
"""

from whybench.suites.calculate.figures.answers import answers_on_truths
from whybench.suites.calculate.figures.by_level import shares_by_level
from whybench.suites.calculate.figures.results import Diagnosed, diagnose_groups, level_measures
from whybench.suites.calculate.figures.run import calculate_figures
from whybench.suites.calculate.figures.wrong_answers import mistake_bars

__all__ = [
    "Diagnosed",
    "answers_on_truths",
    "calculate_figures",
    "diagnose_groups",
    "level_measures",
    "mistake_bars",
    "shares_by_level",
]
