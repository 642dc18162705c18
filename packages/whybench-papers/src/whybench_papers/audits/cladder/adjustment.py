"""What a graph says about an effect: whether it is there, and what it must be adjusted for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.scm import Graph

if TYPE_CHECKING:
    from collections.abc import Collection


def _without_arrows_from(graph: Graph, node: str) -> Graph:
    return Graph(graph.nodes, tuple(edge for edge in graph.edges if edge[0] != node))


def is_adjusted(graph: Graph, cause: str, effect: str, among: Collection[str] = ()) -> bool:
    """Whether looking case by case at `among` leaves the whole effect and nothing else.

    This is the back-door criterion; in graphs without descendants of mediators, as here, there is
    no other set that will do.
    """
    if set(among) & graph.descendants(cause):
        return False
    return _without_arrows_from(graph, cause).d_separated(cause, effect, given=among)


def is_front_door(graph: Graph, cause: str, mediator: str, effect: str) -> bool:
    """Whether the effect can be put together from cause to mediator and mediator to effect."""
    cut = Graph(graph.nodes, tuple(edge for edge in graph.edges if mediator not in edge))
    return (
        effect not in cut.descendants(cause)
        and is_adjusted(graph, cause, mediator)
        and is_adjusted(graph, mediator, effect, [cause])
    )


def is_instrument(graph: Graph, instrument: str, cause: str, effect: str) -> bool:
    """Whether the instrument moves the cause, and the effect in no other way."""
    without = _without_arrows_from(graph, cause)
    return without.d_separated(instrument, effect) and not graph.d_separated(instrument, cause)


def mediates(
    graph: Graph, cause: str, mediator: str, effect: str, among: Collection[str] = ()
) -> bool:
    """Whether natural effects through `mediator` follow from shares given cause and `among`."""
    return (
        is_adjusted(graph, cause, effect)
        and is_adjusted(graph, cause, mediator)
        and is_adjusted(graph, mediator, effect, [cause, *among])
    )
