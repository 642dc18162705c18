"""Consistency under each condition: every agent a point, with median and quartiles.

Measures by the date on which a model was released.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.lines import Line2D

from whybench.drawing.canvas import sheet, styled
from whybench.drawing.figure import DATE, SETTINGS, is_people
from whybench.drawing.labels import squared_axis, stretched
from whybench.drawing.marks import (
    add_key,
    draw_people_line,
    draw_points,
    is_small,
    key_of,
    people_key,
    small_key,
    swarm,
)
from whybench.drawing.style import SMALL, colour, read_table
from whybench.suites.contract import UserError
from whybench.suites.judge.figures.looks import (
    SQUARED,
    look,
    measure_axis,
    measure_name,
    style_name,
)
from whybench.suites.judge.figures.results import StyledCondition, estimated, of_people, places_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.stats import Measure

__all__ = [
    "consistency_by_condition",
    "measures_by_release",
    "released",
]


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
        mine = [m for m in agents if StyledCondition.of(m) == place]
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
    axes: Axes, x: float, measures: Sequence[Measure], place: StyledCondition, conditions: int
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


MEASURES = ("ea", "mv", "consistency")
RELEASE_PANEL = 52
"""Height of a row of panels in mm."""
ASIDE = 1.8
"""How far a point may stand beside its date, in mm."""
MM = (44, 44)
"""Width and height of the axes in mm, near enough to keep points apart."""


def released(agent: str) -> tuple[str, date] | None:
    """Return the provider and release date of a model, if the source's table has it.

    >>> released("published/gpt-5-mini-v_low-r_high")
    ('OpenAI', datetime.date(2025, 8, 7))
    """
    name = agent.rsplit("/", maxsplit=1)[-1].split("[", maxsplit=1)[0]
    names = (name, SETTINGS.sub("", name), DATE.sub("", name))
    for provider, dates in read_table(__package__, "release_dates.yaml").items():
        for known in names:
            if known in dates:
                return provider, dates[known]
    return None


@styled
def measures_by_release(measures: Sequence[Measure], names: Sequence[str] = MEASURES) -> Figure:
    """Draw measures against release dates: a column for each measure, a row for each style.

    People are a line. Models of one date stand side by side where they would hide each other.
    Agents without a known date are left out and counted below.

    Args:
        measures: Measures of one condition.
        names: Which measures are drawn.
    """
    known = estimated(measures, *names)
    agents = [m for m in known if not is_people(m.labels["agent"])]
    dated = [m for m in agents if released(m.labels["agent"])]
    if not dated:
        raise UserError("measures must hold models with a known release date, got none")
    places = places_of(dated)
    days = [found[1] for m in dated if (found := released(m.labels["agent"]))]
    figure = sheet(RELEASE_PANEL * len(places) + 12)
    panels = figure.subplots(len(places), len(names), squeeze=False, sharex=True, sharey="col")
    for row, place in enumerate(places):
        for axes, name in zip(panels[row], names, strict=True):
            estimates = [m.estimate for m in known if m.name == name]
            measure_axis(axes, name, [value for value in estimates if value is not None])
            draw_people_line(axes, of_people(known, name))
            mine = [m for m in dated if m.name == name and StyledCondition.of(m) == place]
            if mine:
                _draw_panel(axes, mine, name, days)
            if row == 0:
                axes.set_title(measure_name(name))
        panels[row][0].set_ylabel(f"{place.condition.replace(chr(10), ' ')}, "
                                  f"{style_name(place.style)}")  # fmt: skip
    _date_axis(panels[-1][0], days)
    providers = sorted({found[0] for m in dated if (found := released(m.labels["agent"]))})
    keys = [key_of(look("providers", provider), provider) for provider in providers]
    if any(is_small(m) for m in dated):
        keys.append(small_key())
    add_key(figure, keys, people_key() if of_people(known, names[0]) else None)
    undated = {m.labels["agent"] for m in agents} - {m.labels["agent"] for m in dated}
    note = f"; without a known date: {len(undated)} agents" if undated else ""
    figure.supxlabel(f"release date (models of one date side by side{note})", fontsize="medium")
    return figure


def _draw_panel(axes: Axes, measures: Sequence[Measure], name: str, days: Sequence[date]) -> None:
    """Draw one measure; models of one date stand side by side."""
    values = np.array([m.estimate for m in measures], dtype=float)
    known = [found for m in measures if (found := released(m.labels["agent"]))]
    scale = stretched if name in SQUARED else np.asarray
    bottom, top = scale(np.array(axes.get_ylim()))
    mm = MM[0] / (_span(days)[1] - _span(days)[0])
    heights = scale(values) / (top - bottom) * MM[1]
    across = np.array([day.toordinal() * mm for _, day in known])
    for day in {day for _, day in known}:
        mine = [place for place, (_, other) in enumerate(known) if other == day]
        across[mine] = swarm(across[mine], heights[mine], farthest=ASIDE)
    for provider in sorted({provider for provider, _ in known}):
        mine = [place for place, (other, _) in enumerate(known) if other == provider]
        draw_points(
            axes,
            [float(across[place] / mm) for place in mine],
            [float(values[place]) for place in mine],
            look("providers", provider),
            [is_small(measures[place]) for place in mine],
            f"{name}-{measures[0].labels['style']}-{provider}",
        )


def _span(days: Sequence[date]) -> tuple[float, float]:
    """Return the ends of the axis of dates, in days."""
    first, last = min(days).toordinal(), max(days).toordinal()
    margin = 0.07 * (last - first or 365)
    return first - margin, last + margin


def _date_axis(axes: Axes, days: Sequence[date]) -> None:
    first, last = _span(days)
    years = range(min(days).year, max(days).year + 2)
    halves = [date(year, month, 1) for year in years for month in (1, 7)]
    ticks = [half for half in halves if first <= half.toordinal() <= last]
    axes.set_xlim(first, last)
    axes.set_xticks(
        [tick.toordinal() for tick in ticks],
        [f"{'Jan' if tick.month == 1 else 'Jul'}\n{tick.year}" for tick in ticks],
    )
