"""Any measures as a picture: points with 95% intervals, or lines where a level is a number."""

from __future__ import annotations

from functools import partial
from itertools import cycle
from math import inf
from typing import TYPE_CHECKING

from whybench.drawing.charts import ShownEstimate, plot_lines, plot_points, span_of
from whybench.drawing.figure import Figure, distinct_names, is_people
from whybench.drawing.style import PEOPLE, SERIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.drawing.charts import Chart
    from whybench.drawing.style import Look
    from whybench.stats import Measure

LONGEST = 60
"""Characters of a figure's name."""
AGENTS = SERIES[1:]
"""The looks of agents; black is for people."""

Labels = tuple[tuple[str, str], ...]

Rank = tuple[int, float]
"""A class, in which rows belong together, and a place in it."""


def plot_estimates(measures: Iterable[Measure], name: str = "") -> Figure:
    """Return a figure of measures with their 95% intervals.

    There is a panel for each measure, and in it a row for each agent, and for each condition where
    these differ. Rows stand in the order of the first measure. Where all measures are at levels of
    one factor that are numbers, such as the number of entities, there are lines over the levels
    in place of rows. A cross is a measure without an estimate; an open mark rests on few answers;
    people are black.

    Args:
        measures: What is to be seen, at least one.
        name: The stem of its files; the names of the measures if not stated.
    """
    given = list(measures)
    if not given:
        raise ValueError("measures must be at least one, got none")
    stem = name or "-".join(dict.fromkeys(measure.name for measure in given))
    factor = numeric_factor(given)
    chart = partial(_points, given) if factor is None else partial(_lines, given, factor)
    caption = ROWS if factor is None else LINES.format(factor=factor.replace("_", " "))
    rows = [measure.row() for measure in given]
    return Figure(stem[:LONGEST], chart, rows, caption=caption)


ROWS = (
    "Each measure with its 95% interval, agents in the order of the first measure. Where intervals "
    "lie apart, agents differ."
)
LINES = "Each measure with its 95% interval over {factor}. A slope means that it matters."


def numeric_factor(measures: Sequence[Measure]) -> str | None:
    """Return the one factor of which all measures are at levels that are numbers, if there is one.

    One level alone makes no line.
    """
    factors = {tuple(measure.at) for measure in measures}
    if len(factors) > 1 or len(*factors) != 1:
        return None
    ((factor,),) = factors
    levels = {measure.at[factor] for measure in measures}
    numbers = all(isinstance(level, int | float) for level in levels)
    return factor if numbers and len(levels) > 1 else None


def rank(measures: Sequence[Measure | None]) -> Rank:
    """Rank a row by the first of its measures that can be trusted; the rest come last."""
    for place, measure in enumerate(measures):
        if measure is not None and measure.estimate is not None and "small_n" not in measure.flags:
            return place, -measure.estimate
    return len(measures), inf


def _points(measures: Sequence[Measure]) -> Chart:
    """Return a panel for each measure, with a row for each agent and condition."""
    names = _names(measures)
    found: dict[str, dict[str, Measure]] = {}
    for measure in measures:
        found.setdefault(measure.title, {})[names[_labels(measure)]] = measure
    rows = sorted(
        dict.fromkeys(names.values()),
        key=lambda name: rank([found[title].get(name) for title in found]),
    )
    looks = _looks(measures)
    shown = [
        ShownEstimate(m, row, title, _series(m, looks))
        for title in found
        for row, m in found[title].items()
    ]
    return plot_points(shown, rows, list(found), looks=looks)


def _looks(measures: Sequence[Measure]) -> dict[str, Look]:
    """Return one look, or where people are beside agents, one of each."""
    both = {_is_people(measure) for measure in measures}
    if both == {True, False}:
        return {"agents": AGENTS[0], "people": PEOPLE}
    return {"": PEOPLE if both == {True} else AGENTS[0]}


def _series(measure: Measure, looks: Mapping[str, Look]) -> str:
    return "" if len(looks) == 1 else "people" if _is_people(measure) else "agents"


def _lines(measures: Sequence[Measure], factor: str) -> Chart:
    """Return measures over the levels of a factor.

    A few agents are lines in the panels of measures; of more, each has a panel to itself, in which
    measures are lines.
    """
    names = _names(measures)
    people = {names[_labels(measure)] for measure in measures if _is_people(measure)}
    agents = list(dict.fromkeys(names.values()))
    few = len({*agents} - people) <= len(AGENTS)
    titles = list(dict.fromkeys(measure.name for measure in measures))
    panels, series = (titles, agents) if few else (agents, titles)
    looks = dict(zip((name for name in series if name not in people), cycle(AGENTS), strict=False))
    looks |= dict.fromkeys((name for name in series if name in people), PEOPLE)
    shown = [
        ShownEstimate(m, panel=panel, series=line, at=float(m.at[factor]), level=str(m.at[factor]))
        for m in sorted(measures, key=lambda measure: measure.at[factor])
        for whose in (names[_labels(m)],)
        for panel, line in ([(m.name, whose)] if few else [(whose, m.name)])
    ]
    levels = {float(m.at[factor]): f"{float(m.at[factor]):g}" for m in measures}
    whose = ("measure", "agent") if few else ("agent", "measure")
    word = factor.replace("_", " ")
    return plot_lines(
        shown, panels, looks, levels, across=word, columns=2 if few else 4, words=(*whose, word),
        ends=None if few else span_of(measures),
    )  # fmt: skip


def _is_people(measure: Measure) -> bool:
    return is_people(measure.labels.get("agent", ""))


def _labels(measure: Measure) -> Labels:
    return tuple(measure.labels.items())


def _names(measures: Sequence[Measure]) -> dict[Labels, str]:
    """Name agents and conditions; suites have labels of their own, and are named apart."""
    kinds: dict[tuple[str, ...], dict[Labels, None]] = {}
    for measure in measures:
        kinds.setdefault(tuple(measure.labels), {})[_labels(measure)] = None
    return {
        labels: name
        for kind in kinds.values()
        for labels, name in zip(kind, distinct_names([dict(one) for one in kind]), strict=True)
    }
