"""Valid or not, consistent or not: every composition as a point in the plane of both differences.

Across stands how far the product of the answered steps is from the true whole, up how far it is
from the answered whole, each as a share of the larger number. The bands of ±delta cut the plane
into the four classes. A composition has one only if both its intervals lie within a band or beyond
it; else its point is open. A composition without any answered effect has no place in the plane and
is counted beside it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from whybench.drawing.canvas import styled
from whybench.drawing.marks import add_key, draw_points, key_of
from whybench.drawing.panels import agent_panels
from whybench.drawing.style import MARKER, SIZE, SMALL, Look, colour, read_table
from whybench.suites.compose.verdicts import CLASSES, DELTA
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.suites.compose.comparisons import Composition
    from whybench.suites.compose.figures.run import Classified

__all__ = ["class_plane"]

TABLE = read_table(__package__, "style.yaml")["classes"]
LOOKS = {name: Look.of(entry) for name, entry in TABLE.items()}
COLUMNS = 3
PANEL = 60
"""Height of a row of panels in mm."""
EDGE = 1.1
"""Where the plane ends, if no point lies farther out: differences of positive numbers end at 1."""


@styled
def class_plane(agents: Sequence[Classified], delta: float = DELTA) -> Figure:
    """Draw the compositions of each agent by validity and consistency, a panel for each agent.

    Agents stand in the order of their share of valid and consistent compositions. Bars are 95%
    intervals.

    Args:
        agents: The compositions of each agent.
        delta: The share that is too small to matter, by which verdicts were given.
    """
    if not any(agent.compositions for agent in agents):
        raise UserError("agents must have compositions to draw, got none")
    ordered = sorted(agents, key=_share, reverse=True)
    figure, panels = agent_panels(
        [agent.labels for agent in ordered],
        COLUMNS,
        PANEL,
        "consistency: against the answered whole",
    )
    edge = max([EDGE, *(1.1 * end for agent in agents for end in _ends(agent))])
    for axes, agent in zip(panels, ordered, strict=True):
        axes.set_title(f"{axes.get_title()}\n{_counted(agent)}")
        _draw_regions(axes, delta, edge)
        _draw_compositions(axes, agent.compositions)
    panels[0].set(xlim=(-edge, edge), ylim=(-edge, edge))
    ticks = [-1, -delta, 0, delta, 1]
    labels = [f"{tick:g}".replace("-", "−") for tick in ticks]
    panels[0].set_xticks(ticks, labels)
    panels[0].set_yticks(ticks, labels)
    figure.supxlabel(
        "validity: product of the answered steps against the true whole", fontsize=SIZE
    )
    add_key(figure, _keys(agents))
    return figure


def _share(agent: Classified) -> float:
    kinds = [found.kind for found in agent.compositions]
    return kinds.count("VC") / max(len(kinds), 1)


def _ends(agent: Classified) -> list[float]:
    """Return how far out the ends of all intervals lie."""
    return [
        abs(end)
        for found in agent.compositions
        for side in (found.valid, found.consistent)
        for end in (side.ratio.estimate, side.ratio.low, side.ratio.high)
        if end is not None
    ]


def _counted(agent: Classified) -> str:
    """Return how many compositions there are of each class that was met."""
    met = Counter(found.kind for found in agent.compositions)
    return ", ".join(f"{met[kind]} {kind}" for kind in CLASSES if met[kind]) or "no compositions"


def _draw_regions(axes: Axes, delta: float, edge: float) -> None:
    """Draw the bands of what is too small to matter, and name what they cut out."""
    axes.set_aspect("equal")
    axes.axvspan(-delta, delta, color=colour("pale"), alpha=0.45, linewidth=0, zorder=0)
    axes.axhspan(-delta, delta, color=colour("pale"), alpha=0.45, linewidth=0, zorder=0)
    square = Rectangle(
        (-delta, -delta), 2 * delta, 2 * delta, facecolor="none", edgecolor=colour("grey"),
        linewidth=0.7, linestyle="--", zorder=1, gid="equal",
    )  # fmt: skip
    axes.add_patch(square)
    inside, outside = -delta + 0.03, -edge + 0.04
    # Each name stands in the upper left of its region, where few points are.
    for name, x, y in (
        ("VC", inside, delta),
        ("VI", inside, edge),
        ("VI", inside, -delta),
        ("IC", outside, delta),
        ("IC", delta + 0.03, delta),
        *(("II", across, up) for across in (outside, delta + 0.03) for up in (edge, -delta)),
    ):
        axes.text(x, y - 0.03, name, fontsize=SMALL, color=colour("grey"), va="top", zorder=1)


def _draw_compositions(axes: Axes, compositions: Sequence[Composition]) -> None:
    for kind, look in LOOKS.items():
        mine = [found for found in compositions if found.kind == kind]
        for found in mine:
            _draw_intervals(axes, found, look)
        across = [found.valid.ratio.estimate or 0.0 for found in mine]
        up = [found.consistent.ratio.estimate or 0.0 for found in mine]
        draw_points(axes, across, up, look, [kind == "inconclusive"] * len(mine), kind)


def _draw_intervals(axes: Axes, found: Composition, look: Look) -> None:
    x, y = (side.ratio.estimate or 0.0 for side in (found.valid, found.consistent))
    for side, upright in ((found.valid.ratio, False), (found.consistent.ratio, True)):
        if side.low is None or side.high is None:
            continue
        ends = [side.low, side.high]
        line = ([x, x], ends) if upright else (ends, [y, y])
        axes.plot(*line, color=look.colour, linewidth=0.7, zorder=3, gid="interval")


def _keys(agents: Sequence[Classified]) -> list[Line2D]:
    met = {found.kind for agent in agents for found in agent.compositions}
    keys = [key_of(look, TABLE[kind]["name"]) for kind, look in LOOKS.items() if kind in met]
    if "inconclusive" in met:
        keys[-1] = Line2D(
            [], [], linestyle="none", marker="o", markersize=MARKER, markerfacecolor="white",
            markeredgecolor=LOOKS["inconclusive"].colour, label="open: inconclusive",
        )  # fmt: skip
    return keys
