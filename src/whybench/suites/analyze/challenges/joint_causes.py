"""The world of `necessity_sufficiency`: two causes that act together in one of four ways.

    outcome = background (more frequent in some contexts), or what cause and other produce

What the two produce depends on which of them are there, in one of four classes:

| class | chance that they produce the outcome |
|---|---|
| `min` | the lesser counts: only both together do anything |
| `max` | the greater counts: one is as good as both |
| `sum` | their chances add up |
| `noisy_or` | each tries on its own: 1 - (1 - a)(1 - b) |

In none of them does a cause ever prevent the outcome. That settles the probabilities of necessity
and sufficiency though nobody is seen with and without the cause: those who have the outcome with
it, and would have it without, are as many as would have it without, all of them.

One table of chances can be told in two orders: with the context before the cause, on which it
bears, or with the cause set by lot and the context after it, as part of what the cause does. Both
raise each other's chance, so that nothing prevents the outcome in the second order either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from whybench.scm import (
    Bernoulli,
    Gate,
    Graph,
    Model,
    NoisyOr,
    Table,
    agreed,
    counterfactual,
    probability,
)
from whybench.suites.analyze.challenges.contract import to_integers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Array

__all__ = [
    "CLASSES",
    "Order",
    "certified_necessity",
    "certified_sufficiency",
    "class_of",
    "draw_parameters",
    "draw_rows",
    "joint",
    "model",
    "necessity",
    "produced",
    "sufficiency",
]

CLASSES = ("min", "max", "sum", "noisy_or")
PAIRS = tuple(f"produced_{cause}{other}" for cause in (0, 1) for other in (0, 1))

Order = Literal["context first", "cause first"]


def class_of(at: Mapping[str, float]) -> str:
    """Return the class, of which the parameters hold the number."""
    return CLASSES[int(at["class"])]


def produced(kind: str, cause: float, other: float) -> tuple[float, float, float, float]:
    """Chance that the outcome is produced by none, by the other, by the cause, and by both."""
    return {
        "min": (0.0, 0.0, 0.0, min(cause, other)),
        "max": (0.0, max(cause, other), max(cause, other), max(cause, other)),
        "sum": (0.0, other, cause, cause + other),
        "noisy_or": (0.0, other, cause, 1 - (1 - cause) * (1 - other)),
    }[kind]


STRENGTHS = {"min": (0.7, 0.85), "max": (0.42, 0.55), "sum": (0.39, 0.45), "noisy_or": (0.45, 0.55)}
"""From where to where the causes' strengths are drawn: so that all classes show in the rows."""


def draw_parameters(kind: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the chances of a world of a class."""
    cause, other = rng.uniform(*STRENGTHS[kind], 2)
    return {
        "class": float(CLASSES.index(kind)),
        "context": rng.uniform(0.15, 0.7),
        "other": rng.uniform(0.3, 0.6),
        "cause_0": rng.uniform(0.12, 0.35),
        "cause_1": rng.uniform(0.65, 0.88),
        "background_0": rng.uniform(0.03, 0.2),
        "background_1": rng.uniform(0.5, 0.8),
        **dict(zip(PAIRS, map(float, produced(kind, cause, other)), strict=True)),
    }


def draw_rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    """Draw rows; they do not tell in which order context and cause came."""
    size = int(rng.integers(2600, 3001))
    chance = rng.random((5, size))
    context, other = to_integers(chance[0] < at["context"]), to_integers(chance[1] < at["other"])
    cause = to_integers(chance[2] < np.where(context == 1, at["cause_1"], at["cause_0"]))
    background = chance[3] < np.where(context == 1, at["background_1"], at["background_0"])
    acts = chance[4] < np.array([at[pair] for pair in PAIRS])[2 * cause + other]
    return {
        "cause": cause,
        "other": other,
        "context": context,
        "outcome": to_integers(background | acts),
    }


def joint(at: Mapping[str, float]) -> Array:
    """P(cause, context, outcome), summed over the other cause."""
    table = np.zeros((2, 2, 2))
    for cause, context in np.ndindex(2, 2):
        had = at[f"cause_{context}"] if cause else 1 - at[f"cause_{context}"]
        weight = had * (at["context"] if context else 1 - at["context"])
        acts = (1 - at["other"]) * at[f"produced_{cause}0"] + at["other"] * at[f"produced_{cause}1"]
        spared = (1 - at[f"background_{context}"]) * (1 - acts)
        table[cause, context] = weight * spared, weight * (1 - spared)
    return table


def model(order: Order, at: Mapping[str, float]) -> Model:
    """Return the causal model in one of the two orders."""
    if order == "context first":
        first, second = "context", "cause"
        chance, given = at["context"], (at["cause_0"], at["cause_1"])
    else:
        first, second = "cause", "context"
        had = at["context"] * at["cause_1"], (1 - at["context"]) * at["cause_0"]
        chance = sum(had)
        # Bayes' rule: of those without the cause, and of those with it.
        given = ((at["context"] - had[0]) / (1 - chance), had[0] / chance)
    pairs = tuple(at[pair] for pair in PAIRS)
    separate = class_of(at) == "noisy_or"
    edges = (
        (first, second),
        ("context", "background"),
        ("cause", "acts"),
        ("other", "acts"),
        ("background", "outcome"),
        ("acts", "outcome"),
    )
    return Model(
        Graph((first, "other", second, "background", "acts", "outcome"), edges),
        {
            first: Bernoulli(chance),
            "other": Bernoulli(at["other"]),
            second: Table(given),
            "background": Table((at["background_0"], at["background_1"])),
            "acts": NoisyOr(0.0, (pairs[2], pairs[1])) if separate else Table(pairs),
            "outcome": Gate("or", 0.0),
        },
    )


def _without(table: Array, order: Order, had: int) -> tuple[float, float]:
    """Return P(outcome) of those whose cause is `had`: as it is, and had it been otherwise."""
    seen = float(table[had, :, 1].sum() / table[had].sum())
    if order == "cause first":
        return seen, float(table[1 - had, :, 1].sum() / table[1 - had].sum())
    given_context = table[1 - had, :, 1] / table[1 - had].sum(axis=1)
    share = table[had].sum(axis=1) / table[had].sum()
    return seen, float(share @ given_context)


def necessity(table: Array, order: Order) -> float:
    """PN from P(cause, context, outcome), where a cause never prevents (Tian and Pearl)."""
    seen, otherwise = _without(table, order, 1)
    return (seen - otherwise) / seen


def sufficiency(table: Array, order: Order) -> float:
    """PS from P(cause, context, outcome), where a cause never prevents (Tian and Pearl)."""
    seen, otherwise = _without(table, order, 0)
    return (otherwise - seen) / (1 - seen)


def certified_necessity(order: Order, at: Mapping[str, float]) -> Certificate:
    """Derive PN by the formula for causes that never prevent, and in the twin network."""
    query = counterfactual({"outcome": 0}, {"cause": 0}, given={"cause": 1, "outcome": 1})
    return agreed(
        str(query),
        ("monotone formula", necessity(joint(at), order)),
        ("elimination", probability(model(order, at), query)),
    )


def certified_sufficiency(order: Order, at: Mapping[str, float]) -> Certificate:
    """Derive PS by the formula for causes that never prevent, and in the twin network."""
    query = counterfactual({"outcome": 1}, {"cause": 1}, given={"cause": 0, "outcome": 0})
    return agreed(
        str(query),
        ("monotone formula", sufficiency(joint(at), order)),
        ("elimination", probability(model(order, at), query)),
    )
