"""How often agents are right, and right for a reason, as worlds grow."""

from __future__ import annotations

from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from whybench.drawing.canvas import styled
from whybench.drawing.marks import add_key, draw_points, is_small, small_key
from whybench.drawing.panels import agent_panels
from whybench.drawing.style import MARKER, SIZE, Look, colour, read_table
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.stats import Measure

__all__ = ["accuracy_by_size", "is_sized"]

SHARES = read_table(__package__, "style.yaml")["shares"]
LOOKS = {name: Look.of(entry) for name, entry in SHARES.items()}
ASIDE = {"accuracy": -0.07, "justified_accuracy": 0.07}
"""How far a share stands beside its size, so that intervals do not hide each other."""
CHANCE = 0.5
GUESSING: dict[str, Any] = {"color": colour("grey"), "linewidth": 0.8, "linestyle": ":"}
SETTLED: dict[str, Any] = {"color": colour("black"), "linewidth": 0.8, "linestyle": (0, (6, 3))}
COLUMNS = 4
PANEL = 42
"""Height of a row of panels in mm."""


@styled
def accuracy_by_size(
    measures: Sequence[Measure], entailed: Mapping[int, float] = MappingProxyType({})
) -> Figure:
    """Draw accuracy and justified accuracy by the number of entities, a panel for each agent.

    Agents stand in the order of their justified accuracy, where it is known. Bars are 95%
    intervals; a dotted line is what guessing yields.

    Args:
        measures: `accuracy` and `justified_accuracy` at numbers of `entities`; others are left out.
        entailed: By number of entities, the share of questions that the first state alone settles:
            what an agent could justify without acting. Drawn as a dashed line.
    """
    groups = _groups(measures)
    sizes = sorted({_size(measure) for group in groups for measure in group})
    known = {place: entailed[n] for place, n in enumerate(sizes) if n in entailed}
    labels = [group[0].labels for group in groups]
    figure, panels = agent_panels(labels, COLUMNS, PANEL)
    for axes, group in zip(panels, groups, strict=True):
        _draw_panel(axes, group, sizes, known)
    panels[0].set(xlim=(-0.4, len(sizes) - 0.6), ylim=(-0.03, 1.03))
    panels[0].set_xticks(range(len(sizes)), [str(n) for n in sizes])
    panels[0].set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    figure.supxlabel("number of entities", fontsize=SIZE)
    figure.supylabel("share of questions, 95% interval", fontsize=SIZE)
    add_key(figure, _keys(groups, known))
    return figure


def is_sized(measure: Measure) -> bool:
    """Say whether a measure is an accuracy at one size that can be drawn."""
    return measure.estimate is not None and measure.name in SHARES and {*measure.at} == {"entities"}


def _size(measure: Measure) -> int:
    return int(measure.at["entities"])


def _groups(measures: Iterable[Measure]) -> list[list[Measure]]:
    """Return the shares of each agent under each condition, the most justified first."""
    found: dict[tuple[tuple[str, str], ...], list[Measure]] = {}
    for measure in filter(is_sized, measures):
        found.setdefault(tuple(measure.labels.items()), []).append(measure)
    if not found:
        raise UserError("measures must hold an accuracy at numbers of entities, got none")
    return sorted(found.values(), key=_justified, reverse=True)


def _justified(group: Iterable[Measure]) -> float:
    mine = [measure.estimate for measure in group if measure.name == "justified_accuracy"]
    return fmean([value for value in mine if value is not None] or [-1.0])


def _draw_panel(
    axes: Axes, group: Sequence[Measure], sizes: Sequence[int], entailed: Mapping[int, float]
) -> None:
    axes.axhline(CHANCE, **GUESSING, zorder=0, gid="guessing")
    axes.plot([*entailed], [*entailed.values()], **SETTLED, zorder=1, gid="entailed")
    for share, drawn in LOOKS.items():
        mine = sorted((measure for measure in group if measure.name == share), key=_size)
        across = [sizes.index(_size(measure)) + ASIDE[share] for measure in mine]
        up = [measure.estimate or 0.0 for measure in mine]  # those without were left out
        axes.plot(across, up, color=drawn.colour, linestyle=drawn.line, linewidth=0.9, zorder=2)
        for x, measure in zip(across, mine, strict=True):
            low, high = measure.low, measure.high
            if low is not None and high is not None:
                axes.plot([x, x], [low, high], color=drawn.colour, linewidth=1.1, zorder=3,
                          gid=f"interval-{share}")  # fmt: skip
        draw_points(axes, across, up, drawn, [is_small(measure) for measure in mine], share)


def _keys(groups: Sequence[Sequence[Measure]], entailed: Mapping[int, float]) -> list[Line2D]:
    met = {measure.name for group in groups for measure in group}
    keys = [
        Line2D([], [], color=drawn.colour, linestyle=drawn.line,
               marker=drawn.marker, markersize=MARKER, linewidth=0.9, label=SHARES[share]["name"])
        for share, drawn in LOOKS.items()
        if share in met
    ]  # fmt: skip
    keys.append(Line2D([], [], **GUESSING, label="guessing"))
    if entailed:
        keys.append(Line2D([], [], **SETTLED, label="settled before any action"))
    if any(is_small(measure) for group in groups for measure in group):
        keys.append(small_key())
    return keys
