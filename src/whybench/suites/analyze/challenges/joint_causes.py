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

from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.columns import binary, derived
from whybench.suites.analyze.effects import contrast
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Parameters
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.effects import Effect

CLASSES = ("min", "max", "sum", "noisy_or")
PAIRS = tuple(f"produced_{cause}{other}" for cause in (0, 1) for other in (0, 1))


def class_of(at: Parameters) -> str:
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


def parameters(_variant: str, rng: np.random.Generator, kind: str) -> dict[str, float]:
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


def joint(at: Parameters) -> Array:
    """P(cause, context, outcome), summed over the other cause."""
    table = np.zeros((2, 2, 2))
    for cause, context in np.ndindex(2, 2):
        had = at[f"cause_{context}"] if cause else 1 - at[f"cause_{context}"]
        weight = had * (at["context"] if context else 1 - at["context"])
        acts = (1 - at["other"]) * at[f"produced_{cause}0"] + at["other"] * at[f"produced_{cause}1"]
        spared = (1 - at[f"background_{context}"]) * (1 - acts)
        table[cause, context] = weight * spared, weight * (1 - spared)
    return table


def _otherwise(table: Array, had: int) -> tuple[float, float]:
    """Return P(outcome) of those whose cause is `had`: as it is, and had it been otherwise."""
    seen = table[had, :, 1].sum() / table[had].sum()
    in_group = table[1 - had, :, 1] / table[1 - had].sum(axis=1)
    share = table[had].sum(axis=1) / table[had].sum()
    return float(seen), float(share @ in_group)


def necessity(table: Array) -> float:
    """PN from P(cause, group, outcome), where a cause never prevents (Tian and Pearl).

    Within a group those with and without the cause are alike; where a lot decided on it, one group
    is enough.
    """
    seen, otherwise = _otherwise(table, 1)
    return (seen - otherwise) / seen


def sufficiency(table: Array) -> float:
    """PS from P(cause, group, outcome), where a cause never prevents (Tian and Pearl)."""
    seen, otherwise = _otherwise(table, 0)
    return (otherwise - seen) / (1 - seen)


def world(variant: str, at: Parameters) -> World:
    """Return the world in the order in which a variant is told."""
    pairs = np.array([at[pair] for pair in PAIRS])
    told = World(
        (
            binary("context", at["context"], time=0),
            binary("other", at["other"], time=0),
            binary(
                "cause", lambda context: np.where(context, at["cause_1"], at["cause_0"]), time=1
            ),
            binary(
                "background",
                lambda context: np.where(context, at["background_1"], at["background_0"]),
            ),
            binary("acts", lambda cause, other: pairs[2 * cause + other]),
            derived("outcome", lambda background, acts: background | acts, "binary", time=3),
        )
    )
    return told if variant == "trap" else told.turn("context", "cause", time=2)


def effects(_variant: str, _at: Parameters) -> dict[str, Effect]:
    """Take away the cause where both were there; give it where neither was."""
    return {
        "estimate": contrast({}, {"cause": 0}, given={"cause": 1, "outcome": 1}),
        "ps": contrast({"cause": 1}, {}, given={"cause": 0, "outcome": 0}),
    }


def closed_form(variant: str, at: Parameters) -> dict[str, float]:
    """Put the table of chances into the formulas for causes that never prevent."""
    table = joint(at) if variant == "trap" else joint(at).sum(axis=1, keepdims=True)
    return {"estimate": necessity(table), "ps": sufficiency(table)}
