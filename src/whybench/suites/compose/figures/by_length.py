"""How often answers about made causes are wrong, the farther the effect is from its cause."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Literal

from whybench.drawing.charts import Guide, ShownEstimate, plot_lines
from whybench.drawing.figure import distinct_names
from whybench.drawing.style import Look, read_table
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whybench.drawing.charts import Chart
    from whybench.stats import Measure

Length = Literal["mediators", "distance"]

LENGTHS = read_table(__package__, "style.yaml")["lengths"]
CHANCE = 0.5
LOOK = Look("blue", "o")


def error_by_length(measures: Sequence[Measure], length: Length = "mediators") -> Chart:
    """Return the share of wrong answers by the length of the way, a panel for each agent.

    Agents stand in the order of their errors, the best first. Bars are 95% intervals; a dashed line
    is what guessing yields.

    Args:
        measures: Measures `error` at lengths; others are left out.
        length: What is counted on the way, `mediators` or `distance`.
    """
    groups = _groups(measures, length)
    panels = distinct_names([group[0].labels for group in groups])
    shown = [
        ShownEstimate(
            measure, panel=panel, at=float(measure.at[length]), level=str(measure.at[length])
        )
        for panel, group in zip(panels, groups, strict=True)
        for measure in group
    ]
    highest = max([CHANCE, *(one.found.high or 0.0 for one in shown)])
    return plot_lines(
        shown,
        panels,
        {"": LOOK},
        {one.at or 0.0: one.level for one in shown},
        across=LENGTHS[length],
        up="wrong answers",
        ends=(0.0, min(1.0, highest + 0.05)),
        guides=[Guide("guessing", CHANCE)],
        words=("agent", "measure", length),
    )


def has_length(measure: Measure) -> bool:
    """Say whether a measure is an error at one length of either kind that can be drawn."""
    return measure.estimate is not None and measure.name == "error" and bool(measure.at)


def _groups(measures: Iterable[Measure], length: Length) -> list[list[Measure]]:
    """Return the errors of each agent under each condition by length, the best agent first."""
    found: dict[tuple[tuple[str, str], ...], list[Measure]] = {}
    for measure in filter(has_length, measures):
        if length in measure.at:
            found.setdefault(tuple(measure.labels.items()), []).append(measure)
    if not found:
        raise UserError(f"measures must hold errors at levels of {length}, got none")
    groups = [sorted(group, key=lambda error: error.at[length]) for group in found.values()]
    return sorted(groups, key=lambda group: fmean(error.estimate or 0.0 for error in group))
