"""Leak-adjusted determinacy against consistency, explaining away and the Markov violation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from whybench.drawing.canvas import settle, sheet, styled
from whybench.drawing.figure import is_people, short_names
from whybench.drawing.labels import label_points, squared_axis
from whybench.drawing.marks import add_key, draw_points, is_small, key_of, small_key
from whybench.drawing.style import PEOPLE, colour
from whybench.suites.judge.figures.looks import look, measure_name, style_name
from whybench.suites.judge.figures.results import by_place, estimated, places_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.stats import Measure

__all__ = ["determinacy_panels"]

AGAINST = ("consistency", "ea", "mv")
NAMED = 7
"""The most names in a panel."""


class _MeasurePair(NamedTuple):
    """An agent's LAD and another measure."""

    agent: str
    style: str
    lad: Measure
    other: Measure

    @property
    def kind(self) -> tuple[str, str]:
        return ("people", "people") if is_people(self.agent) else ("styles", self.style)

    @property
    def point(self) -> tuple[float, float]:
        # Both have an estimate: others were left out.
        return self.lad.estimate or 0.0, self.other.estimate or 0.0


@styled
def determinacy_panels(measures: Sequence[Measure]) -> Figure:
    """Draw LAD against the three other measures, a point for each agent and style.

    Args:
        measures: Measures `lad`, `consistency`, `ea` and `mv` of one condition, people among them.
            Points need both measures of a panel.
    """
    known = estimated(measures, "lad", *AGAINST)
    found = by_place(known)
    styles = list(dict.fromkeys(place.style for place in places_of(known)))
    figure = sheet(72)
    panels = figure.subplots(1, len(AGAINST))
    pairs = {
        name: [
            _MeasurePair(agent, place.style, of["lad"], of[name])
            for (agent, place), of in found.items()
            if "lad" in of and name in of
        ]
        for name in AGAINST
    }
    for axes, name in zip(panels, AGAINST, strict=True):
        _draw_panel(axes, name, pairs[name])
    keys = [key_of(look("styles", style), style_name(style)) for style in styles]
    if any(is_people(agent) for agent, _ in found):
        keys.append(key_of(PEOPLE, "people"))
    if any(is_small(m) for m in known):
        keys.append(small_key())
    add_key(figure, keys)
    figure.supxlabel(measure_name("lad"), fontsize="medium")
    settle(figure)
    names = short_names({agent for agent, _ in found})
    names |= dict.fromkeys((agent for agent in names if is_people(agent)), "")
    for axes, name in zip(panels, AGAINST, strict=True):
        points = [pair.point for pair in pairs[name]]
        label_points(axes, *_columns(points), [names[pair.agent] for pair in pairs[name]], NAMED)
    return figure


def _draw_panel(axes: Axes, name: str, pairs: Sequence[_MeasurePair]) -> None:
    axes.set_title(measure_name(name))
    across, up = _columns([pair.point for pair in pairs])
    if name == "consistency":
        squared_axis(axes, up)
    else:
        axes.axhline(0, color=colour("grey"), linewidth=0.5, zorder=0)
        axes.margins(y=0.08)
    axes.axvline(0, color=colour("grey"), linewidth=0.5, zorder=0)
    axes.set_xlim(*_limits(across))
    for kind in sorted({pair.kind for pair in pairs}):
        mine = [pair for pair in pairs if pair.kind == kind]
        draw_points(
            axes,
            *_columns([pair.point for pair in mine]),
            look(*kind),
            [is_small(pair.lad) or is_small(pair.other) for pair in mine],
            f"{name}-{kind[1]}",
        )


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]


def _limits(values: Sequence[float]) -> tuple[float, float]:
    low, high = min([0.0, *values]), max([1.0, *values])
    return low - 0.06, high + 0.06
