"""A figure of conditions: measures from level to level of a factor, a line for each agent."""

from __future__ import annotations

from functools import partial
from itertools import cycle
from typing import TYPE_CHECKING

from whybench.drawing.charts import ShownEstimate, plot_lines, span_of
from whybench.drawing.figure import Figure, short_names
from whybench.drawing.style import SERIES
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.drawing.charts import Chart
    from whybench.stats import Difference, Estimate

AGENTS = SERIES[1:]
"""The looks of agents; black is for people."""

CAPTION = (
    "Measures of {suite} at each {by}, on what was asked at both levels, with 95% intervals. A "
    "line is an agent; a slope means that {by} matters. Intervals of the difference itself, which "
    "pairs items, are narrower."
)


def plot_slopes(suite: str, by: str, differences: Sequence[Difference]) -> Figure:
    """Return a figure of a suite's primary measures at the levels of a factor.

    A few agents are lines in panels of measures; of more, each has a panel to itself.
    """
    word = by.replace("_", " ")
    chosen = [one for one in differences if one.measure in get_suite(suite).headline]
    chosen = chosen or [*differences]
    rows = [one.row() for one in chosen]
    caption = CAPTION.format(suite=suite, by=word)
    return Figure(f"conditions-{suite}-{by}", partial(_draw, word, chosen), rows, caption=caption)


def _draw(word: str, differences: Sequence[Difference]) -> Chart:
    found = _by_level(differences)
    names = short_names(agent for agent, *_ in found)
    rest = dict.fromkeys(condition for _, condition, *_ in found)
    lines = {
        (agent, condition): names[agent] + (f", {condition}" if len(rest) > 1 else "")
        for agent, condition, *_ in found
    }
    measures = list(dict.fromkeys(measure for _, _, measure, _ in found))
    levels = list(dict.fromkeys(level for *_, level in found))
    few = len(lines) <= len(AGENTS)
    panels, series = (measures, [*lines.values()]) if few else ([*lines.values()], measures)
    shown = []
    for (agent, condition, measure, level), estimate in found.items():
        line = lines[agent, condition]
        panel, one = (measure, line) if few else (line, measure)
        at = float(levels.index(level))
        shown.append(ShownEstimate(estimate, panel=panel, series=one, at=at, level=level))
    places = {float(number): level for number, level in enumerate(levels)}
    whose = ("measure", "agent") if few else ("agent", "measure")
    looks = dict(zip(series, cycle(AGENTS), strict=False))
    ends = None if few else span_of(found.values())
    return plot_lines(
        shown, panels, looks, places, across=word, columns=2 if few else 4, words=(*whose, word),
        up="estimate", ends=ends,
    )  # fmt: skip


def _by_level(differences: Sequence[Difference]) -> dict[tuple[str, str, str, str], Estimate]:
    """Return agent, condition, measure and level to the estimate there; references first."""
    every: dict[tuple[str, str, str, str], Estimate] = {}
    for one in differences:
        for level, side in ((one.side_b, one.b), (one.side_a, one.a)):
            every.setdefault((one.agent, one.condition, one.measure, level), side)
    return every
