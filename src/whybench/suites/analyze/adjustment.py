"""Which sets of columns are enough to adjust for, by the graph.

The back-door criterion: nothing in the set follows from the cause, and it blocks every path into
the cause. So a set may hold more than it must, such as everything that was known beforehand.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from whybench.scm import Graph
from whybench.suites.analyze.challenges.contract import AdjustmentTruth

if TYPE_CHECKING:
    from collections.abc import Collection

    from whybench.suites.analyze.world import World


def adjustment_truth(
    world: World,
    smallest: Collection[str],
    cause: str = "treatment",
    effect: str = "outcome",
    beside: Collection[str] = (),
) -> AdjustmentTruth:
    """Return the truth of what to adjust for, where `beside` is held in any case.

    Raises:
        ValueError: The smallest set is not enough.
    """
    suffices = partial(
        is_enough, world.find_graph(), cause=cause, effect=effect, beside=frozenset(beside)
    )
    if not suffices(frozenset(smallest)):
        raise ValueError(f"{sorted(smallest)} must be enough to adjust for, by the graph")
    return AdjustmentTruth(frozenset(smallest), suffices=suffices)


def is_enough(
    graph: Graph,
    held: frozenset[str],
    cause: str,
    effect: str,
    beside: frozenset[str] = frozenset(),
) -> bool:
    """Whether holding a set, beside others, leaves nothing but the effect of the cause."""
    if not held <= set(graph.nodes) - {cause, effect}:
        return False  # a decoy that came after everything
    if held & graph.descendants(cause, *beside):
        return False
    blocked = Graph(graph.nodes, tuple(edge for edge in graph.edges if edge[0] != cause))
    return blocked.d_separated({cause}, {effect}, held | beside)
