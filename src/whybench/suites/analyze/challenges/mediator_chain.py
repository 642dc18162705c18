"""The world of `sequential`: a treatment, two mediators one after the other, and an outcome.

    treatment → first → second → outcome

with an arrow from every one to all that come after it, so that four ways lead from treatment to
outcome. One normal pair of mediators can be told in two orders: `as_drawn` has b listen to a,
`turned` has the arrows by which a listens to b and the rows are the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.columns import assigned, real
from whybench.suites.analyze.effects import contrast
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Parameters
    from whybench.suites.analyze.effects import Effect

A, B = "mediator_a", "mediator_b"
ALONE = {A: "through_a", B: "estimate"}
"""The field of the way through one mediator and not the other."""


@dataclass(frozen=True)
class Arrows:
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


def as_drawn(at: Parameters) -> Arrows:
    """Return the arrows with a before b."""
    return Arrows(
        order=(A, B),
        onto=(at["onto_a"], at["onto_b"]),
        chain=at["chain"],
        noise=(at["noise_a"], at["noise_b"]),
        upon=(at["from_a"], at["from_b"]),
        direct=at["direct"],
    )


def turned(at: Parameters) -> Arrows:
    """Return the arrows with b before a: a regressed on b, where `as_drawn` has b on a."""
    spread = math.hypot(at["chain"] * at["noise_a"], at["noise_b"])
    chain = at["chain"] * (at["noise_a"] / spread) ** 2
    onto_b = at["onto_b"] + at["chain"] * at["onto_a"]
    return Arrows(
        order=(B, A),
        onto=(onto_b, at["onto_a"] - chain * onto_b),
        chain=chain,
        noise=(spread, at["noise_a"] * at["noise_b"] / spread),
        upon=(at["from_b"], at["from_a"]),
        direct=at["direct"],
    )


def arrows_of(variant: str, at: Parameters) -> Arrows:
    """Return the arrows in the order in which a variant is told."""
    return turned(at) if variant == "reversed" else as_drawn(at)


def world(variant: str, at: Parameters) -> World:
    """Return the world in the order in which a variant is told."""
    arrows = arrows_of(variant, at)
    first, second = arrows.order

    def then(treatment: Any, **mediator: Any) -> Any:
        return arrows.onto[1] * treatment + arrows.chain * mediator[first]

    def outcome(treatment: Any, decoy: Any, **mediators: Any) -> Any:
        through = arrows.upon[0] * mediators[first], arrows.upon[1] * mediators[second]
        return arrows.direct * treatment + through[0] + through[1] + at["decoy"] * decoy

    return World(
        (
            real("decoy", time=0),
            assigned("treatment", time=1),
            real(first, lambda treatment: arrows.onto[0] * treatment, arrows.noise[0], time=2),
            real(second, then, arrows.noise[1], causes=("treatment", first), time=3),
            real("outcome", outcome, causes=("treatment", "decoy", first, second), time=4),
        ),
    )


def effects(variant: str, at: Parameters) -> dict[str, Effect]:
    """Let the treatment act along one way, and be as if it were not there along the others."""
    first, second = arrows_of(variant, at).order
    none = {"treatment": 0}
    ways = {
        "direct": {"treatment": 1, first: none, second: none},
        ALONE[first]: {"treatment": 0, first: {"treatment": 1}, second: none},
        ALONE[second]: {"treatment": 0, first: none, second: {"treatment": 1, first: none}},
        "through_both": {
            "treatment": 0,
            first: none,
            second: {"treatment": 0, first: {"treatment": 1}},
        },
    }
    return {name: contrast(way, none) for name, way in ways.items()}


def closed_form(variant: str, at: Parameters) -> dict[str, float]:
    """Return the product of the arrows along each way."""
    arrows = arrows_of(variant, at)
    first, second = arrows.order
    return {
        "direct": arrows.direct,
        ALONE[first]: arrows.onto[0] * arrows.upon[0],
        ALONE[second]: arrows.onto[1] * arrows.upon[1],
        "through_both": arrows.onto[0] * arrows.chain * arrows.upon[1],
    }
