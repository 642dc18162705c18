"""Consistency under each condition: every agent a point, with median and quartiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from whybench.drawing.canvas import sheet, styled
from whybench.drawing.marks import (
    add_key,
    draw_people_line,
    draw_points,
    is_small,
    key_of,
    people_key,
    small_key,
)
from whybench.drawing.names import is_people
from whybench.drawing.scales import squared_axis, stretched
from whybench.drawing.style import SMALL, colour
from whybench.drawing.swarms import swarm
from whybench.suites.judge.figures.looks import look, measure_name, style_name
from whybench.suites.judge.figures.results import Place, estimated, of_people, places_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.stats import Measure

__all__ = ["consistency_by_condition"]

HEIGHT = 95
PANEL = (150, 75)
"""Width and height of the axes in mm, near enough to keep points apart."""


@styled
def consistency_by_condition(measures: Sequence[Measure], name: str = "consistency") -> Figure:
    """Draw the consistency of all agents under each condition, by style.

    Bars span the quartiles around the median of the agents with enough answers; people are a line.

    Args:
        measures: Measures `consistency`.
        name: Another measure on the scale of R², such as `class_consistency`.
    """
    known = estimated(measures, name)
    agents = [m for m in known if not is_people(m.labels["agent"])]
    places = places_of(agents)
    conditions = list(dict.fromkeys(place.condition for place in places))
    styles = list(dict.fromkeys(place.style for place in places))
    figure = sheet(HEIGHT)
    axes = figure.subplots()
    squared_axis(axes, [m.estimate for m in known if m.estimate is not None])
    axes.set_xlim(-0.5, len(conditions) - 0.5)
    draw_people_line(axes, of_people(known, name))
    for place in places:
        mine = [m for m in agents if Place.of(m) == place]
        side = styles.index(place.style) - (len(styles) - 1) / 2
        x = conditions.index(place.condition) + side * 0.9 / len(styles)
        _draw_swarm(axes, x, mine, place, len(conditions))
    axes.set_xticks(range(len(conditions)), conditions)
    axes.tick_params(axis="x", length=0, pad=12)
    for edge in range(1, len(conditions)):
        axes.axvline(edge - 0.5, color=colour("pale"), linewidth=0.6)
    axes.set_ylabel(measure_name(name))
    keys = [key_of(look("styles", style), style_name(style)) for style in styles]
    if any(is_small(m) for m in agents):
        keys.append(small_key())
    keys.append(
        Line2D([], [], color=colour("black"), linewidth=1.6, label="median, in a box of quartiles")
    )
    add_key(figure, keys, people_key() if of_people(known, name) else None)
    return figure


def _draw_swarm(
    axes: Axes, x: float, measures: Sequence[Measure], place: Place, conditions: int
) -> None:
    values = np.array([m.estimate for m in measures], dtype=float)
    bottom, top = stretched(np.array(axes.get_ylim()))
    heights = stretched(values) / (top - bottom) * PANEL[1]
    across = x + swarm(np.zeros(len(values)), heights) / (PANEL[0] / conditions)
    small = [is_small(m) for m in measures]
    gid = f"{place.style}-{x:.2f}"
    drawn = look("styles", place.style)
    draw_points(axes, across.tolist(), values.tolist(), drawn, small, gid)
    enough = values[~np.array(small)]
    if enough.size:
        low, middle, high = np.quantile(enough, [0.25, 0.5, 0.75])
        half = 0.12
        axes.plot([x - half, x + half], [middle] * 2, color=colour("black"), linewidth=1.6,
                  zorder=5)  # fmt: skip
        axes.fill_between([x - half, x + half], low, high, facecolor="none",
                          edgecolor=colour("black"), linewidth=0.6, zorder=5)  # fmt: skip
    axes.annotate(f"n = {enough.size}", (x, 0), (0, -3), xycoords=("data", "axes fraction"),
                  textcoords="offset points", ha="center", va="top", fontsize=SMALL)  # fmt: skip
