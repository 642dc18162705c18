"""What changes for each agent from one condition, or one style, to another."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from matplotlib.lines import Line2D

from whybench.drawing.canvas import inches, sheet, styled
from whybench.drawing.figure import is_people, short_names
from whybench.drawing.marks import add_key, draw_points, is_small, key_of, small_key
from whybench.drawing.style import PEOPLE, SMALL, Look, colour
from whybench.suites.contract import UserError
from whybench.suites.judge.figures.looks import measure_axis, measure_name, style_name
from whybench.suites.judge.figures.results import StyledCondition, of_people

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from whybench.stats import Measure

__all__ = ["slope_chart"]

NAMED = 6
"""How many agents a panel names: those that change most."""
PANEL = 58
"""Height of a panel in mm."""


class _Kind(NamedTuple):
    """How a line is drawn."""

    colour: str
    dash: Literal["-", "--"]
    width: float


UP = _Kind(colour("blue"), "-", 1.2)
DOWN = _Kind(colour("vermilion"), "--", 1.2)
QUIET = _Kind("#B5B5B5", "-", 0.6)


class _ConditionPair(NamedTuple):
    agent: str
    before: Measure
    after: Measure


@styled
def slope_chart(before: Sequence[Measure], after: Sequence[Measure]) -> Figure:
    """Draw a line for each agent from one place to the other, a panel for each measure.

    The agents that change most are drawn in colour and named. Agents found at one place only are
    left out; people, who were asked once, are a mark on their side.

    Args:
        before: Measures of one condition and style.
        after: The same measures of another.
    """
    names = [name for name in dict.fromkeys(m.name for m in before) if _pairs(before, after, name)]
    if not names:
        raise UserError("before and after must share agents and measures, got none in common")
    columns = min(2, len(names))
    rows = -(-len(names) // columns)
    figure = sheet(PANEL * rows + 10)
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    short = short_names({m.labels["agent"] for m in (*before, *after)})
    for axes, name in zip(panels, names, strict=False):
        _draw_panel(axes, name, _pairs(before, after, name), of_people(before, name), short)
        axes.set_xticks([0, 1], [_place_name(before), _place_name(after)])
    for axes in panels[len(names) :]:
        axes.set_axis_off()
    _add_keys(figure, before, after, names)
    return figure


def _add_keys(
    figure: Figure, before: Sequence[Measure], after: Sequence[Measure], names: Sequence[str]
) -> None:
    keys = [
        Line2D([], [], color=kind.colour, linestyle=kind.dash, linewidth=kind.width, label=label)
        for kind, label in (
            (UP, "largest rises"),
            (DOWN, "largest falls"),
            (QUIET, "other agents"),
        )
    ]
    if any(of_people(before, name) for name in names):
        keys.append(key_of(PEOPLE, "people"))
    if any(is_small(m) for name in names for p in _pairs(before, after, name) for m in p[1:]):
        keys.append(small_key())
    add_key(figure, keys)


def _place_name(measures: Sequence[Measure]) -> str:
    place = StyledCondition.of(next(m for m in measures if not is_people(m.labels["agent"])))
    return f"{place.condition}\n{style_name(place.style)}"


def _pairs(before: Sequence[Measure], after: Sequence[Measure], name: str) -> list[_ConditionPair]:
    """Return the agents that have a measure on both sides."""
    later = {m.labels["agent"]: m for m in after if m.name == name and m.estimate is not None}
    return [
        _ConditionPair(m.labels["agent"], m, later[m.labels["agent"]])
        for m in before
        if m.name == name
        and m.estimate is not None
        and m.labels["agent"] in later
        and not is_people(m.labels["agent"])
    ]


def _draw_panel(
    axes: Axes,
    name: str,
    pairs: Sequence[_ConditionPair],
    people: Measure | None,
    short: Mapping[str, str],
) -> None:
    """Draw one measure: every agent's line, and names for those that change most."""
    starts = [pair.before.estimate or 0.0 for pair in pairs]
    ends = [pair.after.estimate or 0.0 for pair in pairs]
    known = [] if people is None or people.estimate is None else [people.estimate]
    measure_axis(axes, name, [*starts, *ends, *known], until=0.54)
    exact = np.array(ends) - np.array(starts)
    changes = np.round(exact, 2)  # What is too small to be written is no change.
    small = [is_small(pair.before) or is_small(pair.after) for pair in pairs]
    order = np.argsort(-np.abs(np.where(small, 0, exact)), kind="stable")
    most = [int(place) for place in order[:NAMED] if not small[place] and changes[place]]
    for place, ends_of in enumerate(zip(starts, ends, strict=True)):
        kind = _kind(float(changes[place])) if place in most else QUIET
        _draw_line(axes, ends_of, kind, small[place], f"{name}-{place}")
    for value in known:
        draw_points(axes, [0], [value], PEOPLE, [False], f"{name}-people")
    rising, falling = int((changes > 0).sum()), int((changes < 0).sum())
    same = f", {len(pairs) - rising - falling} same" if rising + falling < len(pairs) else ""
    axes.set_title(f"{measure_name(name)}: {rising} up, {falling} down{same}", loc="left")
    axes.set_xlim(-0.12, 2.05)
    axes.spines["bottom"].set_bounds(0, 1)
    _write_names(
        axes,
        [ends[place] for place in most],
        [f"{short[pairs[place].agent]}  {_signed(changes[place])}" for place in most],
        [_kind(float(changes[place])).colour for place in most],
    )


def _signed(change: float) -> str:
    return f"{change:+.2f}".replace("-", "\u2212")


def _kind(change: float) -> _Kind:
    return UP if change > 0 else DOWN


def _draw_line(axes: Axes, ends: tuple[float, float], kind: _Kind, small: bool, gid: str) -> None:
    axes.plot(
        [0, 1],
        ends,
        color=kind.colour,
        linewidth=kind.width,
        linestyle=":" if small else kind.dash,
        zorder=2 if kind is QUIET else 3,
    )
    draw_points(axes, [0, 1], ends, Look(kind.colour, "o"), [small, small], gid)


def _write_names(
    axes: Axes, heights: Sequence[float], texts: Sequence[str], colours: Sequence[str]
) -> None:
    """Write names beside the right ends, moved up or down until they do not touch."""
    to_axes = axes.transData + axes.transAxes.inverted()
    wanted = np.array([to_axes.transform((1, height))[1] for height in heights])
    at = spread(wanted, SMALL * 1.35 / 72 / inches(PANEL - 14))
    for height, up, text, shade in zip(heights, at, texts, colours, strict=True):
        axes.annotate(
            text,
            (1.03, height),
            (1.14, float(up)),
            xycoords="data",
            textcoords=axes.get_xaxis_transform(),
            va="center",
            fontsize=SMALL,
            arrowprops={"arrowstyle": "-", "linewidth": 0.5, "color": shade, "shrinkA": 0,
                        "shrinkB": 1, "relpos": (0, 0.5)},
        )  # fmt: skip


def spread(wanted: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Move heights between 0 and 1 apart, at least `gap` from each other, keeping their order.

    Heights that would touch become a stack around their middle.
    """
    order = np.argsort(wanted, kind="stable")
    stacks: list[list[float]] = []
    for height in wanted[order]:
        stacks.append([height])
        while len(stacks) > 1 and _bottom(stacks[-1], gap) < _bottom(stacks[-2], gap) + gap * len(
            stacks[-2]
        ):
            stacks[-2:] = [stacks[-2] + stacks[-1]]
    moved = np.empty(len(order))
    moved[order] = [
        _bottom(stack, gap) + gap * place for stack in stacks for place in range(len(stack))
    ]
    return moved


def _bottom(stack: Sequence[float], gap: float) -> float:
    """Return where the lowest of a stack stands: around its middle, and within 0 and 1."""
    height = gap * (len(stack) - 1)
    return max(0.0, min(1 - height, fmean(stack) - height / 2))
