"""Points, lines of people, and their keys: drawn alike in every figure.

An open point rests on too few answers to be ranked; a black diamond or line is people.

Points that would cover each other, moved aside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from whybench.drawing.style import MARKER, PEOPLE, colour
from whybench.stats import SMALL_N

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from whybench.drawing.style import Look
    from whybench.stats import Measure

__all__ = [
    "add_key",
    "draw_interval",
    "draw_people_line",
    "draw_points",
    "general_key",
    "is_small",
    "key_of",
    "known_ends",
    "people_key",
    "small_key",
    "swarm",
]


def is_small(measure: Measure) -> bool:
    """Say whether a measure rests on too few answers to be ranked."""
    return "small_n" in measure.flags


LIGHT = 0.4
"""How strongly the second interval is drawn, which speaks of others like what was seen."""


def known_ends(measures: Iterable[Measure]) -> list[float]:
    """Return the estimates of measures and the ends of their intervals, where there are any."""
    return [
        end
        for m in measures
        for end in (m.estimate, m.low, m.high, m.general_low, m.general_high)
        if end is not None
    ]


def draw_interval(
    axes: Axes, measure: Measure, place: float, drawn: Look, *, upright: bool = False
) -> None:
    """Draw the interval of a measure as a line, across or upright, and the second one lighter."""
    first, second = (measure.low, measure.high), (measure.general_low, measure.general_high)
    for (low, high), alpha in ((second, LIGHT), (first, 1.0)):
        if low is not None and high is not None:
            line = ([place, place], [low, high]) if upright else ([low, high], [place, place])
            axes.plot(*line, color=drawn.colour, linewidth=1.1, alpha=alpha, zorder=2 + alpha)


def draw_points(
    axes: Axes,
    x: Sequence[float],
    y: Sequence[float],
    drawn: Look,
    small: Sequence[bool],
    gid: str,
) -> None:
    """Draw points, open where they rest on few answers; `gid` names them in an SVG."""
    for kind in (False, True):
        mine = [place for place, few in enumerate(small) if few is kind]
        if mine:
            axes.plot(
                [x[place] for place in mine],
                [y[place] for place in mine],
                linestyle="none",
                marker=drawn.marker,
                markersize=MARKER,
                markerfacecolor="white" if kind else drawn.colour,
                # A light rim keeps touching points apart.
                markeredgecolor=drawn.colour if kind else "white",
                markeredgewidth=0.9 if kind else 0.4,
                zorder=4,
                clip_on=False,
                gid=f"points-{gid}{'-small' if kind else ''}",
            )


def draw_people_line(axes: Axes, measure: Measure | None, *, upright: bool = False) -> None:
    """Draw people's value as a line, across or upright, with a band for its interval."""
    if measure is None or measure.estimate is None:
        return
    span, line = (axes.axvspan, axes.axvline) if upright else (axes.axhspan, axes.axhline)
    if measure.low is not None and measure.high is not None:
        span(measure.low, measure.high, color=colour("pale"), linewidth=0, zorder=0)
    line(measure.estimate, color=PEOPLE.colour, linewidth=0.9, zorder=1)


def key_of(drawn: Look, name: str) -> Line2D:
    """Return the key of a kind of point."""
    return Line2D(
        [], [], linestyle="none", marker=drawn.marker, markersize=MARKER, color=drawn.colour,
        label=name,
    )  # fmt: skip


def general_key(measures: Iterable[Measure], drawn: Look) -> list[Line2D]:
    """Return the key of second intervals, if there are any."""
    name = "for others like these"
    line = Line2D([], [], color=drawn.colour, linewidth=1.1, alpha=LIGHT, label=name)
    return [line] if any(measure.general_low is not None for measure in measures) else []


def small_key() -> Line2D:
    """Return the key of points that rest on few answers."""
    return Line2D(
        [], [], linestyle="none", marker="o", markersize=MARKER, markerfacecolor="white",
        markeredgecolor=colour("grey"), label=f"open: fewer than {SMALL_N} answers",
    )  # fmt: skip


def people_key(name: str = "people, with 95% interval") -> tuple[Patch, Line2D, str]:
    """Return the key of people's line and band, and its name."""
    line = Line2D([], [], color=PEOPLE.colour, linewidth=0.9)
    return Patch(color=colour("pale"), linewidth=0), line, name


def add_key(
    figure: Figure,
    keys: Sequence[Line2D],
    band: tuple[Patch, Line2D, str] | None = None,
    where: Literal["outside upper center", "outside lower center"] = "outside upper center",
) -> None:
    """Put the keys above or below everything, in one row or, if they need more room, in two."""
    handles: list[Any] = list(keys)
    names = [str(key.get_label()) for key in keys]
    if band is not None:
        handles.append(band[:2])
        names.append(band[2])
    for rows in (1, 2):
        columns = -(-len(names) // rows)
        legend = figure.legend(handles, names, loc=where, ncols=columns)
        if rows == 2 or legend.get_window_extent().width <= figure.bbox.width:
            break
        legend.remove()


ROOM = 1.75
"""Room of a point in mm."""


def swarm(
    across: NDArray[np.float64],
    up: NDArray[np.float64],
    room: float = ROOM,
    farthest: float = np.inf,
) -> NDArray[np.float64]:
    """Return where points stand across so that no two are nearer than `room`; in mm.

    Heights stay as they are. The highest point is placed first; each goes to the nearest free
    place on either side of its own, and stays where it is if that would be too far.
    """
    found = np.array(across, dtype=float)
    done: list[int] = []
    for place in np.argsort(-up, kind="stable"):
        near = np.array([other for other in done if abs(up[other] - up[place]) < room], dtype=int)
        for step in range(4 * len(near) + 3):
            aside = room / 2 * ((step + 1) // 2) * (-1) ** step
            if abs(aside) > farthest:
                found[place] = across[place]
                break
            found[place] = across[place] + aside
            gaps = np.hypot(found[near] - found[place], up[near] - up[place])
            if np.all(gaps >= room * 0.999):
                break
        done.append(int(place))
    return found
