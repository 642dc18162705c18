"""The world of `sequential`: a treatment, two mediators one after the other, and an outcome.

    treatment → first → second → outcome

with an arrow from every one to all that come after it, so that four ways lead from treatment to
outcome. One normal pair of mediators can be told in two orders: `as_drawn` has b listen to a,
`turned` has the arrows by which a listens to b and the rows are the same. `certified` derives the
effect along each way twice, `simulated` lets the treatment act along one way at a time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.scm import Graph, Linear, Model, agreed
from whybench.scm.linear import solved_effect

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Simulation

__all__ = ["ALONE", "A", "B", "World", "as_drawn", "certified", "simulated", "turned"]

A, B = "mediator_a", "mediator_b"
ALONE = {A: "through_a", B: "through_b"}
"""The field of the way through one mediator and not the other."""


@dataclass(frozen=True)
class World:
    """The arrows of one order.

    Attributes:
        order: The mediators, first and second.
        onto: What the treatment does to each of them.
        chain: What the first does to the second.
        noise: The spread of each one's own noise.
        upon: What each of them does to the outcome.
        direct: What the treatment does to the outcome past both.
    """

    order: tuple[str, str]
    onto: tuple[float, float]
    chain: float
    noise: tuple[float, float]
    upon: tuple[float, float]
    direct: float


def as_drawn(at: Mapping[str, float]) -> World:
    """Return the arrows with a before b."""
    return World(
        order=(A, B),
        onto=(at["onto_a"], at["onto_b"]),
        chain=at["chain"],
        noise=(at["noise_a"], at["noise_b"]),
        upon=(at["from_a"], at["from_b"]),
        direct=at["direct"],
    )


def turned(at: Mapping[str, float]) -> World:
    """Return the arrows with b before a: a regressed on b, where `as_drawn` has b on a."""
    spread = math.hypot(at["chain"] * at["noise_a"], at["noise_b"])
    chain = at["chain"] * (at["noise_a"] / spread) ** 2
    onto_b = at["onto_b"] + at["chain"] * at["onto_a"]
    return World(
        order=(B, A),
        onto=(onto_b, at["onto_a"] - chain * onto_b),
        chain=chain,
        noise=(spread, at["noise_a"] * at["noise_b"] / spread),
        upon=(at["from_b"], at["from_a"]),
        direct=at["direct"],
    )


def certified(world: World) -> dict[str, Certificate]:
    """Derive each way as a product of arrows, and as what is lost when an arrow is taken away."""
    first, second = world.order
    products = {
        "direct": world.direct,
        ALONE[first]: world.onto[0] * world.upon[0],
        ALONE[second]: world.onto[1] * world.upon[1],
        "through_both": world.onto[0] * world.chain * world.upon[1],
    }
    full, broken = _model(world), _model(world, without=(first, second))
    total = solved_effect(full, "treatment", "outcome")
    apart = solved_effect(broken, "treatment", "outcome")
    solved = {
        "direct": solved_effect(full, "treatment", "outcome", (first, second)),
        ALONE[first]: apart - solved_effect(broken, "treatment", "outcome", (first,)),
        ALONE[second]: apart - solved_effect(broken, "treatment", "outcome", (second,)),
        "through_both": total - apart,
    }
    return {
        name: agreed(
            f"effect of treatment on outcome: {name}",
            ("product of arrows", products[name]),
            ("linear solve with and without an arrow", solved[name]),
        )
        for name in products
    }


def _model(world: World, without: tuple[str, str] | None = None) -> Model:
    first, second = world.order
    arrows = {
        ("treatment", first): world.onto[0],
        ("treatment", second): world.onto[1],
        (first, second): world.chain,
        ("treatment", "outcome"): world.direct,
        (first, "outcome"): world.upon[0],
        (second, "outcome"): world.upon[1],
    }
    arrows = {edge: weight for edge, weight in arrows.items() if edge != without}
    graph = Graph(("treatment", first, second, "outcome"), tuple(arrows))
    weights = {
        node: tuple(arrows[parent, node] for parent in graph.parents(node)) for node in graph.nodes
    }
    return Model(graph, {node: Linear(0, weights[node]) for node in graph.nodes})


def simulated(world: World, n: int, rng: np.random.Generator) -> Simulation:
    """Let the treatment act along one way at a time, each in a group of its own."""

    def group(
        direct: int = 0, first: int = 0, second: int = 0, both: int = 0
    ) -> tuple[float, float]:
        of_first, of_second, of_outcome = rng.standard_normal((3, n))
        # The outcome and the second mediator may see the first as it is under other treatments.
        seen = world.onto[0] * first + world.noise[0] * of_first
        seen_by_second = world.onto[0] * both + world.noise[0] * of_first
        then = world.onto[1] * second + world.chain * seen_by_second + world.noise[1] * of_second
        outcome = world.direct * direct + world.upon[0] * seen + world.upon[1] * then + of_outcome
        return float(outcome.mean()), float(outcome.var() / n)

    mean, variance = group()
    treated = {
        "direct": group(direct=1),
        ALONE[world.order[0]]: group(first=1),
        ALONE[world.order[1]]: group(second=1),
        "through_both": group(both=1),
    }
    return {
        name: (here - mean, math.sqrt(spread + variance))
        for name, (here, spread) in treated.items()
    }
