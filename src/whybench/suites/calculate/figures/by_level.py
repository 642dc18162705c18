"""Skill and accuracy by rung, and by how hard questions are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.lines import Line2D

from whybench.drawing.canvas import styled
from whybench.drawing.marks import add_key, draw_interval, draw_points, is_small, small_key
from whybench.drawing.panels import agent_panels
from whybench.drawing.style import MARKER, SIZE, Look, colour, read_table
from whybench.suites.calculate.figures.results import STEPS
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.stats import Level, Measure

__all__ = ["shares_by_level"]

STYLE = read_table(__package__, "style.yaml")
LOOKS = {name: Look.of(entry) for name, entry in STYLE["shares"].items()}
COLUMNS = 3
PANEL = 42
"""Height of a row of panels in mm."""
LOWEST = -1.0
"""Skill below this is drawn at the lower edge; agents that guess wildly have no lower end."""


@styled
def shares_by_level(measures: Sequence[Measure], factor: str) -> Figure:
    """Draw skill and accuracy at the levels of a factor, a panel for each agent.

    Agents stand in the order of their mean accuracy, the best first. Bars are 95% intervals.

    Args:
        measures: `skill` and `accuracy` at levels of the factor; others are left out.
        factor: `rung`, `relevant` or `operations`.
    """
    groups = _groups(measures, factor)
    known = (
        [*STEPS] if factor == "operations" else sorted({m.at[factor] for g in groups for m in g})
    )
    levels = [level for level in known if any(m.at[factor] == level for g in groups for m in g)]
    figure, panels = agent_panels([group[0].labels for group in groups], COLUMNS, PANEL)
    for axes, group in zip(panels, groups, strict=True):
        axes.grid(axis="y", color=colour("pale"), linewidth=0.5)
        axes.set_axisbelow(True)
        _draw_panel(axes, group, levels, factor)
    lows = [end for g in groups for m in g for end in (m.estimate, m.low) if end is not None]
    lowest = max(min([0.0, *lows]), LOWEST)
    panels[0].set(xlim=(-0.4, len(levels) - 0.6), ylim=(lowest - 0.04, 1.04))
    names = [STYLE["rungs"][level] if factor == "rung" else str(level) for level in levels]
    panels[0].set_xticks(range(len(levels)), names)
    figure.supxlabel(STYLE["factors"][factor], fontsize=SIZE)
    figure.supylabel("estimate, 95% interval", fontsize=SIZE)
    add_key(figure, _keys(groups))
    return figure


def _groups(measures: Iterable[Measure], factor: str) -> list[list[Measure]]:
    """Return the measures of each agent under each condition, the most accurate first."""
    found: dict[tuple[tuple[str, str], ...], list[Measure]] = {}
    for measure in measures:
        if measure.name in LOOKS and {*measure.at} == {factor} and measure.estimate is not None:
            found.setdefault(tuple(measure.labels.items()), []).append(measure)
    if not found:
        raise UserError(f"measures must hold an accuracy at levels of {factor}, got none")
    return sorted(found.values(), key=_accuracy, reverse=True)


def _accuracy(group: Iterable[Measure]) -> float:
    found = [m.estimate for m in group if m.name == "accuracy" and m.estimate is not None]
    return sum(found) / len(found) if found else -1.0


def _draw_panel(axes: Axes, group: Sequence[Measure], levels: Sequence[Level], factor: str) -> None:
    for name, look in LOOKS.items():
        mine = sorted(
            (measure for measure in group if measure.name == name),
            key=lambda measure: levels.index(measure.at[factor]),
        )
        aside = STYLE["shares"][name]["aside"] if len({m.name for m in group}) > 1 else 0.0
        across = [levels.index(measure.at[factor]) + aside for measure in mine]
        up = [max(measure.estimate or 0.0, LOWEST) for measure in mine]
        axes.plot(across, up, color=look.colour, linestyle=look.line, linewidth=0.9, zorder=2)
        for x, measure in zip(across, mine, strict=True):
            draw_interval(axes, measure, x, look, upright=True)
        draw_points(axes, across, up, look, [is_small(measure) for measure in mine], name)


def _keys(groups: Sequence[Sequence[Measure]]) -> list[Line2D]:
    met = {measure.name for group in groups for measure in group}
    keys = [
        Line2D([], [], color=look.colour, linestyle=look.line, linewidth=0.9, marker=look.marker,
               markersize=MARKER, label=STYLE["shares"][name]["name"])
        for name, look in LOOKS.items()
        if name in met
    ]  # fmt: skip
    if any(is_small(measure) for group in groups for measure in group):
        keys.append(small_key())
    return keys
