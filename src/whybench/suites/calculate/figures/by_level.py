"""Skill and accuracy by rung, and by how hard questions are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.drawing.charts import ShownEstimate, plot_lines
from whybench.drawing.figure import distinct_names
from whybench.drawing.style import Look, read_table
from whybench.suites.calculate.figures.results import STEPS
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whybench.drawing.charts import Chart
    from whybench.stats import Level, Measure

STYLE = read_table(__package__, "style.yaml")
LOOKS = {name: Look.of(entry) for name, entry in STYLE["shares"].items()}
NAMES = {name: entry["name"] for name, entry in STYLE["shares"].items()}
LOWEST = -1.0
"""Skill below this is drawn at the lower edge; agents that guess wildly have no lower end."""


def shares_by_level(measures: Sequence[Measure], factor: str) -> Chart:
    """Return skill and accuracy at the levels of a factor, a panel for each agent.

    Agents stand in the order of their mean accuracy, the best first. Bars are 95% intervals.

    Args:
        measures: `number_skill` and `accuracy` at levels of the factor; others are left out.
        factor: `rung`, `relevant` or `operations`.
    """
    groups = _groups(measures, factor)
    every = [measure for group in groups for measure in group]
    met = {measure.at[factor] for measure in every}
    steps: list[Level] = [*STEPS]
    levels = [level for level in (steps if factor == "operations" else sorted(met)) if level in met]
    names = [STYLE["rungs"][level] if factor == "rung" else str(level) for level in levels]
    panels = distinct_names([group[0].labels for group in groups])
    shown = [
        ShownEstimate(
            measure, panel=panel, series=NAMES[measure.name], at=float(place), level=names[place]
        )
        for panel, group in zip(panels, groups, strict=True)
        for measure in group
        for place in (levels.index(measure.at[factor]),)
    ]
    lows = [end for m in every for end in (m.estimate, m.low) if end is not None]
    series = [name for name in LOOKS if any(measure.name == name for measure in every)]
    return plot_lines(
        shown,
        panels,
        {NAMES[name]: LOOKS[name] for name in series},
        {float(place): name for place, name in enumerate(names)},
        across=STYLE["factors"][factor],
        ends=(max(min([0.0, *lows]), LOWEST), 1.0),
        columns=3,
        words=("agent", "measure", factor),
    )


def _groups(measures: Iterable[Measure], factor: str) -> list[list[Measure]]:
    """Return the measures of each agent under each condition, the most accurate first."""
    found: dict[tuple[tuple[str, str], ...], list[Measure]] = {}
    for measure in measures:
        if measure.name in LOOKS and {*measure.at} == {factor} and measure.estimate is not None:
            found.setdefault(tuple(measure.labels.items()), []).append(measure)
    if not found:
        raise UserError(f"measures must hold an accuracy at levels of {factor}, got none")
    return sorted(found.values(), key=_accuracy, reverse=True)


def _accuracy(group: Iterable[Measure]) -> float:
    found = [m.estimate for m in group if m.name == "accuracy" and m.estimate is not None]
    return sum(found) / len(found) if found else -1.0
