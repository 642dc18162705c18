"""A question as a small graph: what is known, what is asked, what causes what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.judge.figures.canvas import SMALL, colour

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from whybench.suites.judge.questions import Question, Structure

__all__ = ["KINDS", "draw_node", "draw_question", "layers"]

NODE = 11.0
"""Diameter of a node in points."""
SPREAD = 0.46
"""Distance of two nodes side by side, as a share of a task's width."""

KINDS = {"1": "present", "0": "absent", "?": "asked", "": "unknown"}
"""What stands in a node, and what it means."""


def layers(shape: Structure) -> list[list[str]]:
    """Return the nodes from causes to effects: every node lies below all its causes.

    >>> from whybench.suites.judge.questions import structure
    >>> layers(structure("collider"))
    [['C1', 'C2'], ['E']]
    """
    depth: dict[str, int] = {}
    for node in shape.causes_first:
        depth[node] = max((depth[cause] + 1 for cause, effect in shape.edges if effect == node),
                          default=0)  # fmt: skip
    return [
        [node for node in shape.nodes if depth[node] == level]
        for level in range(max(depth.values()) + 1)
    ]


def draw_question(axes: Axes, shape: Structure, question: Question, x: float) -> None:
    """Draw a question's graph around x, over the height from 0 to 1."""
    rows = layers(shape)
    marks = {node: str(state) for node, state in question.given} | {question.asked: "?"}
    at: dict[str, tuple[float, float]] = {
        node: (x + SPREAD * (place - (len(row) - 1) / 2), 1 - level / (len(rows) - 1))
        for level, row in enumerate(rows)
        for place, node in enumerate(row)
    }
    _draw_links(axes, shape, at)
    for node, (across, up) in at.items():
        draw_node(axes, across, up, marks.get(node, ""))


def _draw_links(axes: Axes, shape: Structure, at: Mapping[str, tuple[float, float]]) -> None:
    for cause, effect in shape.edges:
        axes.annotate(
            "",
            xy=at[effect],
            xytext=at[cause],
            arrowprops={
                "arrowstyle": "-|>,head_width=0.15,head_length=0.3",
                "shrinkA": NODE / 2 + 0.5,
                "shrinkB": NODE / 2 + 0.5,
                "linewidth": 0.7,
                "facecolor": colour("black"),
            },
        )


def draw_node(axes: Axes, x: float, y: float, mark: str) -> None:
    """Draw a node: 1 filled, 0 open, ? ringed, unknown pale."""
    black = colour("black")
    axes.plot(
        [x],
        [y],
        marker="o",
        markersize=NODE,
        markerfacecolor=black if mark == "1" else "white",
        markeredgecolor=black if mark else colour("grey"),
        markeredgewidth=1.5 if mark == "?" else 0.7,
        linestyle="none",
        clip_on=False,
    )
    axes.text(
        x,
        y,
        mark,
        ha="center",
        va="center_baseline",
        fontsize=SMALL,
        fontweight="bold" if mark == "?" else "normal",
        color="white" if mark == "1" else black,
    )
