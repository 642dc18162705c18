"""Strengths that a prompt states, and the side of the train/test divide on which they lie.

A bundled story leaves open how likely things are, as life does. A generated one states it in whole
numbers out of a hundred, so that the normative answer follows from the prompt alone: how many units
have a variable that nothing causes, in how many a caused one comes about by itself, and in how many
a present cause brings about its effect.

Two worlds are the same if one turns into the other by renaming variables, such as the two causes of
a collider. The world at which the bundled stories are normative is for testing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations
from typing import TYPE_CHECKING

from whybench.scm import Graph, Model, NoisyOr
from whybench.seeds import Split, split_of
from whybench.suites.judge.design import Parameters
from whybench.suites.judge.questions import GRAPHS, structure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from whybench.suites.judge.reading import JudgeWorld

__all__ = ["Stated", "noisy_or", "roots", "side_told", "stated_in"]


@dataclass(frozen=True)
class Stated:
    """The strengths of one world, in parts of a hundred.

    Attributes:
        graph: The causal graph.
        alone: For each node, how often it is present without any cause.
        links: For each edge, how often a present cause brings about its effect.
    """

    graph: str
    alone: tuple[int, ...]
    links: tuple[int, ...]

    @cached_property
    def canonical(self) -> str:
        """The world in one line, the same for worlds that differ in names alone."""
        alone, links = min(
            (
                tuple(self.alone[place] for place in nodes),
                tuple(self.links[place] for place in edges),
            )
            for nodes, edges in _symmetries(self.graph)
        )
        return f"{self.graph}; {' '.join(map(str, alone))}; {' '.join(map(str, links))}"

    @property
    def side(self) -> Split:
        """The side of the train/test divide."""
        canonical = self.canonical
        return "test" if canonical == _unstated(self.graph) else split_of(canonical)


@cache
def _symmetries(graph: str) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Return the ways to exchange nodes, and with them edges, that leave a graph as it is."""
    shape = structure(graph)
    edges = [(shape.nodes.index(cause), shape.nodes.index(effect)) for cause, effect in shape.edges]
    moved = [
        (nodes, [(nodes[cause], nodes[effect]) for cause, effect in edges])
        for nodes in permutations(range(len(shape.nodes)))
    ]
    return tuple(
        (nodes, tuple(edges.index(edge) for edge in image))
        for nodes, image in moved
        if set(image) == set(edges)
    )


@cache
def _unstated(graph: str) -> str:
    """Return the world at which the bundled stories of a graph are normative."""
    shape, usual = structure(graph), Parameters()
    alone = tuple(
        round(100 * (usual.prior if node in roots(graph) else usual.leak)) for node in shape.nodes
    )
    return Stated(graph, alone, (round(100 * usual.strength),) * len(shape.edges)).canonical


@cache
def roots(graph: str) -> frozenset[str]:
    """Return the nodes that nothing causes."""
    shape = structure(graph)
    return frozenset(shape.nodes) - {effect for _, effect in shape.edges}


def noisy_or(graph: str, alone: NDArray[np.int64], links: NDArray[np.int64]) -> Model:
    """Return the noisy-OR model of many worlds at once: worlds x nodes, worlds x edges."""
    shape = structure(graph)
    drawn = Graph(shape.nodes, shape.edges)
    strength = dict(zip(shape.edges, (links / 100).T, strict=True))
    return Model(
        drawn,
        {
            node: NoisyOr(base, tuple(strength[cause, node] for cause in drawn.parents(node)))
            for node, base in zip(shape.nodes, (alone / 100).T, strict=True)
        },
    )


def stated_in(world: JudgeWorld) -> Stated | None:
    """Return the strengths that a world read from a prompt states; None where it states none."""
    numbers = dict(world.numbers)
    present = [state for state, _ in world.states]
    for graph in GRAPHS if numbers else ():
        shape = structure(graph)
        for states in permutations(present, len(shape.nodes)):
            called = dict(zip(shape.nodes, states, strict=True))
            links = [(called[cause], called[effect]) for cause, effect in shape.edges]
            if frozenset(links) == world.rules:
                return Stated(
                    graph,
                    tuple(numbers[(state,)] for state in states),
                    tuple(numbers[link] for link in links),
                )
    return None


def side_told(world: JudgeWorld) -> Split | None:
    """Return the side of a world read from a prompt; None where it states no strengths."""
    stated = stated_in(world)
    return None if stated is None else stated.side
