"""A question as a small graph: what is known, what is asked, what causes what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.drawing import graphs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from whybench.suites.judge.questions import Question, Structure

__all__ = ["KINDS", "draw_node", "draw_question", "layers"]

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
    at: dict[str, graphs.Point] = {
        node: (x + SPREAD * (place - (len(row) - 1) / 2), 1 - level / (len(rows) - 1))
        for level, row in enumerate(rows)
        for place, node in enumerate(row)
    }
    for cause, effect in shape.edges:
        graphs.draw_link(axes, at[cause], at[effect])
    for node, place in at.items():
        draw_node(axes, place, marks.get(node, ""))


def draw_node(axes: Axes, at: graphs.Point, mark: str) -> None:
    """Draw a node: 1 filled, 0 open, ? ringed, unknown pale."""
    graphs.draw_node(
        axes,
        at,
        mark,
        filled=mark == "1",
        rim="black" if mark else "grey",
        width=1.5 if mark == "?" else 0.7,
        bold=mark == "?",
    )
