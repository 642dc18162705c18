"""How well agents agree with people: a forest of correlations and what could be reached.

What an agent does with causes, in one row: its measures with intervals, beside people's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from whybench.drawing.canvas import sheet, styled
from whybench.drawing.figure import distinct_names, is_people, short_names
from whybench.drawing.marks import (
    add_key,
    draw_people_line,
    general_key,
    is_small,
    key_of,
    known_ends,
    people_key,
    small_key,
)
from whybench.drawing.panels import ROW, draw_rows, dress_rows, rank
from whybench.drawing.style import SIZE, colour
from whybench.suites.contract import UserError
from whybench.suites.judge.figures.looks import look, measure_axis, measure_name, style_name
from whybench.suites.judge.figures.results import StyledCondition, estimated, of_people, places_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.stats import Measure

__all__ = [
    "MEASURES",
    "alignment_forest",
    "measures_forest",
]


@styled
def alignment_forest(measures: Sequence[Measure], ceiling: Measure | None = None) -> Figure:
    """Draw each agent's alignment with its interval, a panel for each condition and style.

    Agents stand in the order of their alignment in the first panel; below a line those that have
    none there, or too few answers to be ranked. A cross is an agent without a rho.

    Args:
        measures: Measures `alignment`; those of single stories and of people are left out.
        ceiling: People's `alignment_ceiling`, drawn as a band.
    """
    pooled = [
        measure
        for measure in measures
        if measure.name == "alignment" and not measure.at and not is_people(measure.labels["agent"])
    ]
    if not pooled:
        raise UserError("measures must hold pooled alignments, got none")
    places = places_of(pooled)
    found = {(m.labels["agent"], StyledCondition.of(m)): m for m in pooled}
    agents = list(dict.fromkeys(m.labels["agent"] for m in pooled))
    ranked = {agent: rank([found.get((agent, place)) for place in places]) for agent in agents}
    agents.sort(key=lambda agent: ranked[agent])

    figure = sheet(ROW * len(agents) + 22)
    panels = figure.subplots(1, len(places), sharex=True, sharey=True, squeeze=False)[0]
    for axes, place in zip(panels, places, strict=True):
        mine = [found.get((agent, place)) for agent in agents]
        if ceiling is not None:
            _draw_ceiling(axes, ceiling)
        draw_rows(axes, mine, [look("styles", place.style)] * len(mine), place.style)
        axes.set_title(f"{place.condition.replace(chr(10), ' ')}, {style_name(place.style)}")
    names = short_names(agents)
    dress_rows(panels[0], [names[agent] for agent in agents], [ranked[a] for a in agents])
    panels[0].set_xlim(min([0.0, *known_ends(pooled)]) - 0.02, 1.0)
    panels[0].set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1], ["0", "0.2", "0.4", "0.6", "0.8", "1"])
    other = any("other_stimuli" in measure.flags for measure in pooled)
    note = "; people read other words" if other else ""
    figure.supxlabel(measure_name("alignment") + note, fontsize=SIZE)
    keys = [key_of(look("styles", style), style_name(style)) for style in _styles(places)]
    keys += general_key(pooled, look("styles", places[0].style))
    if any(is_small(m) for m in pooled):
        keys.append(small_key())
    line = Line2D([], [], color=colour("grey"), linewidth=0.8)
    band = (Patch(color=colour("pale")), line, "ceiling: what people's noise allows")
    add_key(figure, keys, None if ceiling is None else band)
    return figure


def _draw_ceiling(axes: Axes, ceiling: Measure) -> None:
    if ceiling.low is not None and ceiling.high is not None:
        axes.axvspan(ceiling.low, ceiling.high, color=colour("pale"), zorder=0, linewidth=0)
    if ceiling.estimate is not None:
        axes.axvline(ceiling.estimate, color=colour("grey"), linewidth=0.8, zorder=1)


def _styles(places: Sequence[StyledCondition]) -> dict[str, None]:
    return dict.fromkeys(place.style for place in places)


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
        measure_axis(axes, name, known_ends(drawn), "x")
        axes.set_xlabel(measure_name(name))
    dress_rows(panels[0], distinct_names(labels), [ranks[row] for row in rows])
    styles = dict.fromkeys(place.style for place in places_of(known))
    keys = [key_of(look("styles", style), style_name(style)) for style in styles]
    keys += general_key((m for mine in found.values() for m in mine.values()), looks[0])
    if any(is_small(measure) for mine in found.values() for measure in mine.values()):
        keys.append(small_key())
    beside = any(of_people(known, name) for name in shown)
    add_key(figure, keys, people_key() if beside else None)
    return figure
