"""Small graphs: nodes that hold a letter or a state, and arrows from causes to effects."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING

from whybench.drawing.style import SMALL, colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NODE = 11.0
"""Diameter of a node in points."""

Point = tuple[float, float]


def round_layout(n: int) -> list[Point]:
    """Return n places on the unit circle, clockwise from the top.

    >>> [(round(x), round(y)) for x, y in round_layout(4)]
    [(0, 1), (1, 0), (0, -1), (-1, 0)]
    """
    return [(sin(2 * pi * place / n), cos(2 * pi * place / n)) for place in range(n)]


def round_bend(n: int, start: int, end: int) -> float:
    """Return how a link of a round layout bends so that it passes inside of the nodes between.

    Where few nodes lie between, a straight link is near the circle; across the middle it has room.
    So the nearer the two nodes, the stronger the bend. Up to eight nodes there is room for all.

    >>> round_bend(12, 0, 6), round_bend(12, 0, 3), round_bend(12, 3, 0), round_bend(8, 0, 2)
    (0.0, 0.2, -0.2, 0.0)
    """
    if n <= 8:
        return 0.0
    around = (end - start) % n
    return 0.4 * (1 - 2 * around / n) if 2 * around <= n else -round_bend(n, end, start)


def draw_link(
    axes: Axes,
    start: Point,
    end: Point,
    shade: str = "black",
    *,
    linestyle: str = "-",
    bend: float = 0.0,
    gid: str | None = None,
) -> None:
    """Draw an arrow from one node to another, from rim to rim.

    Args:
        axes: Where.
        start: The middle of the first node.
        end: The middle of the second.
        shade: Name of its colour.
        linestyle: As matplotlib knows it.
        bend: How far it bends to the right, as a share of its length.
        gid: Its name in an SVG.
    """
    axes.annotate(
        "",
        xy=end,
        xytext=start,
        arrowprops={
            "arrowstyle": "-|>,head_width=0.15,head_length=0.3",
            "shrinkA": NODE / 2 + 0.5,
            "shrinkB": NODE / 2 + 0.5,
            "connectionstyle": f"arc3,rad={bend}",
            "linewidth": 0.7,
            "linestyle": linestyle,
            "edgecolor": colour(shade),
            "facecolor": colour(shade),
            "gid": gid,
        },
    )


def draw_node(
    axes: Axes,
    at: Point,
    text: str,
    *,
    filled: bool = False,
    rim: str = "black",
    width: float = 0.7,
    bold: bool = False,
    gid: str | None = None,
) -> None:
    """Draw a node around its text, which is white where the node is filled."""
    axes.plot(
        [at[0]],
        [at[1]],
        marker="o",
        markersize=NODE,
        markerfacecolor=colour("black") if filled else "white",
        markeredgecolor=colour(rim),
        markeredgewidth=width,
        linestyle="none",
        clip_on=False,
        gid=gid,
    )
    axes.text(
        *at,
        text,
        ha="center",
        va="center_baseline",
        fontsize=SMALL,
        fontweight="bold" if bold else "normal",
        color="white" if filled else colour("black"),
    )
