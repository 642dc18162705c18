"""How often answers about made causes are wrong, the farther the effect is from its cause."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from matplotlib.lines import Line2D

from whybench.drawing.canvas import styled
from whybench.drawing.marks import add_key, draw_points, is_small, small_key
from whybench.drawing.panels import agent_panels
from whybench.drawing.style import MARKER, SERIES, SIZE, colour, read_table
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.stats import Measure

__all__ = ["Length", "error_by_length", "has_length"]

Length = Literal["mediators", "distance"]

LENGTHS = read_table(__package__, "style.yaml")["lengths"]
LOOK = SERIES[1]
CHANCE = 0.5
GUESSING: dict[str, Any] = {"color": colour("grey"), "linewidth": 0.8, "linestyle": ":"}
OTHERS: dict[str, Any] = {"color": colour("pale"), "linewidth": 0.8}
COLUMNS = 4
PANEL = 42
"""Height of a row of panels in mm."""


class _Error(NamedTuple):
    """The share of wrong answers at one length."""

    length: int
    measure: Measure


@styled
def error_by_length(measures: Sequence[Measure], length: Length = "mediators") -> Figure:
    """Draw the share of wrong answers by the length of the way, a panel for each agent.

    Agents stand in the order of their errors, the best first, each with the others in pale behind
    it. Bars are 95% intervals; a dotted line is what guessing yields.

    Args:
        measures: Measures `error` at lengths; others are left out.
        length: What is counted on the way, `mediators` or `distance`.
    """
    groups = _groups(measures, length)
    figure, panels = agent_panels(
        [group[0].measure.labels for group in groups],
        COLUMNS,
        PANEL,
        "wrong answers, 95% interval",
    )
    for axes, group in zip(panels, groups, strict=True):
        axes.axhline(CHANCE, **GUESSING, zorder=1.5, gid="guessing")
        for other in groups:
            if other is not group:
                axes.plot(*_course(other), **OTHERS, zorder=1, gid="other")
        _draw_errors(axes, group)
    lengths = sorted({error.length for group in groups for error in group})
    ends = [error.measure.high or 0.0 for group in groups for error in group]
    panels[0].set(xlim=(lengths[0] - 0.4, lengths[-1] + 0.4))
    panels[0].set_ylim(-0.02, max([0.56, *(end + 0.03 for end in ends)]))
    panels[0].set_xticks(lengths)
    figure.supxlabel(LENGTHS[length], fontsize=SIZE)
    add_key(figure, _keys(groups))
    return figure


def has_length(measure: Measure) -> bool:
    """Say whether a measure is an error at one length of either kind that can be drawn."""
    return measure.estimate is not None and measure.name == "error" and bool(measure.at)


def _groups(measures: Iterable[Measure], length: Length) -> list[list[_Error]]:
    """Return the errors of each agent under each condition by length, the best agent first."""
    found: dict[tuple[tuple[str, str], ...], list[_Error]] = {}
    for measure in filter(has_length, measures):
        if length in measure.at:
            error = _Error(int(measure.at[length]), measure)
            found.setdefault(tuple(measure.labels.items()), []).append(error)
    if not found:
        raise UserError(f"measures must hold errors at levels of {length}, got none")
    groups = [sorted(group, key=lambda error: error.length) for group in found.values()]
    return sorted(groups, key=lambda group: fmean(_course(group)[1]))


def _course(group: Iterable[_Error]) -> tuple[list[int], list[float]]:
    """Return lengths and errors; measures without an estimate were left out."""
    errors = [(error.length, error.measure.estimate or 0.0) for error in group]
    return [length for length, _ in errors], [value for _, value in errors]


def _draw_errors(axes: Axes, group: Sequence[_Error]) -> None:
    across, up = _course(group)
    axes.plot(across, up, color=LOOK.colour, linewidth=0.9, zorder=2)
    for length, measure in group:
        if measure.low is not None and measure.high is not None:
            axes.plot([length] * 2, [measure.low, measure.high], color=LOOK.colour, linewidth=1.1,
                      zorder=3, gid="interval")  # fmt: skip
    draw_points(axes, across, up, LOOK, [is_small(error.measure) for error in group], "error")


def _keys(groups: Sequence[Sequence[_Error]]) -> list[Line2D]:
    keys = [
        Line2D([], [], color=LOOK.colour, marker=LOOK.marker, markersize=MARKER, linewidth=0.9,
               label="this agent"),
    ]  # fmt: skip
    if len(groups) > 1:
        keys.append(Line2D([], [], **OTHERS, label="the others"))
    keys.append(Line2D([], [], **GUESSING, label="guessing"))
    if any(is_small(error.measure) for group in groups for error in group):
        keys.append(small_key())
    return keys
