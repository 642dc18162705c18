"""What an agent does with causes, in one row: its measures with intervals, beside people's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.drawing.canvas import sheet, styled
from whybench.drawing.marks import (
    add_key,
    draw_people_line,
    is_small,
    key_of,
    people_key,
    small_key,
)
from whybench.drawing.names import distinct_names, is_people
from whybench.drawing.rows import ROW, draw_rows, dress_rows, rank
from whybench.suites.judge.figures.looks import look, measure_name, style_name
from whybench.suites.judge.figures.results import estimated, of_people, places_of
from whybench.suites.judge.figures.scales import measure_axis

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from whybench.stats import Measure

__all__ = ["MEASURES", "measures_forest"]

MEASURES = ("consistency", "ea", "mv")


@styled
def measures_forest(measures: Sequence[Measure], names: Sequence[str] = MEASURES) -> Figure:
    """Draw measures of each agent under each condition with 95% intervals, a panel for each.

    Rows stand in the order of the first measure; below a line those that have none, or too few
    answers to be ranked. A cross is a measure without an estimate. People are a line.

    Args:
        measures: Measures of one graph, people's among them if they are to be beside.
        names: Which measures are drawn, where there are any.
    """
    known = estimated(measures, *names)
    shown = [name for name in names if any(m.name == name for m in known)]
    found: dict[tuple[tuple[str, str], ...], dict[str, Measure]] = {}
    for measure in measures:
        if measure.name in shown and not is_people(measure.labels["agent"]):
            found.setdefault(tuple(measure.labels.items()), {})[measure.name] = measure
    ranks = {row: rank([mine.get(shown[0])]) for row, mine in found.items()}
    rows = sorted(found, key=lambda row: ranks[row])
    labels = [dict(row) for row in rows]
    looks = [look("styles", label["style"]) for label in labels]

    figure = sheet(ROW * len(rows) + 22)
    panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    for axes, name in zip(panels, shown, strict=True):
        mine = [found[row].get(name) for row in rows]
        people = of_people(known, name)
        draw_rows(axes, mine, looks, name)
        draw_people_line(axes, people, upright=True)
        drawn = [m for m in (*mine, people) if m is not None]
        ends = [end for m in drawn for end in (m.estimate, m.low, m.high) if end is not None]
        measure_axis(axes, name, ends, "x")
        axes.set_xlabel(measure_name(name))
    dress_rows(panels[0], distinct_names(labels), [ranks[row] for row in rows])
    styles = dict.fromkeys(place.style for place in places_of(known))
    keys = [key_of(look("styles", style), style_name(style)) for style in styles]
    if any(is_small(measure) for mine in found.values() for measure in mine.values()):
        keys.append(small_key())
    beside = any(of_people(known, name) for name in shown)
    add_key(figure, keys, people_key() if beside else None)
    return figure
