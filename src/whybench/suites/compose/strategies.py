"""The rules by which the reference agents of compose answer.

A rule turns what is true of a question into an answer. It works on single questions and on arrays
of any shape alike, so the agent that answers in words and the simulation of a thousand runs follow
the same lines of code. Each stands for one place in the taxonomy of `verdicts`:

| rule | answers | class |
|---|---|---|
| `exact` | the truth | VC |
| `local_only` | the truth across few blocks; across more, that the cause changes nothing | VI |
| `exact`, asked about another world | what is true where one gate is swapped | IC |
| `coin` | yes or no, evenly | II |
| `flip` | the truth, turned around with probability e | depends on e |
| `always` | yes, or no, to everything | none: it answers no effect |

How is `local_only` wrong? It cannot carry a change past a cutpoint: asked what would be if a far
cause were made true or false, it says what is the case. So it answers that far causes have no
effect, which is wrong in every world; guessing would come out right by accident where the truth is
near 1/4. By default it is far-sighted enough for all but the whole: then every composition is made
of right steps, and each is VI. With `reach=1` it knows single blocks only, and that is so for the
composition of all blocks alone; the others contain a far step and are products of nothing.

The other world of the wrong-world agent comes from `wrong_worlds`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whybench.scm import InvalidParameter
from whybench.suites.compose.profiles import anchor_pairs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = [
    "Asked",
    "Rule",
    "always",
    "asked_of",
    "coin",
    "exact",
    "flip",
    "local_only",
]


@dataclass(frozen=True, eq=False)
class Asked:
    """What is true of a question, or of an array of questions.

    Attributes:
        truth: The right answer.
        actual: Whether the effect asked about holds in fact.
        span: Number of blocks from the cause made true or false to the effect; 0 where nothing is
            made true or false.
        blocks: Number of blocks of the world.
    """

    truth: NDArray[np.bool_]
    actual: NDArray[np.bool_]
    span: NDArray[np.intp]
    blocks: int

    @classmethod
    def of(cls, truth: ArrayLike, actual: ArrayLike, span: ArrayLike, blocks: int) -> Asked:
        """Return the questions with these truths; shapes are broadcast to one."""
        right, holds, far = np.broadcast_arrays(
            np.asarray(truth, dtype=bool),
            np.asarray(actual, dtype=bool),
            np.asarray(span, dtype=np.intp),
        )
        return cls(right, holds, far, blocks)


Rule = Callable[[Asked, np.random.Generator], NDArray[np.bool_]]
"""Questions to answers of the same shape; what is random comes from the generator."""


def exact(asked: Asked, _: np.random.Generator) -> NDArray[np.bool_]:
    """Answer what is true."""
    return asked.truth.copy()


def local_only(reach: int | None = None) -> Rule:
    """Return the rule that is right up to `reach` blocks, and beyond sees no effect.

    Args:
        reach: Number of blocks, at least 1; None for all but one, so that only the whole is wrong.
    """
    if reach is not None and reach < 1:
        raise InvalidParameter(f"reach must be at least 1, got {reach}")

    def rule(asked: Asked, _: np.random.Generator) -> NDArray[np.bool_]:
        limit = asked.blocks - 1 if reach is None else reach
        return np.where(asked.span <= limit, asked.truth, asked.actual)

    return rule


def flip(error: float) -> Rule:
    """Return the rule that turns the truth around with probability `error`."""
    if not 0 <= error <= 1:
        raise InvalidParameter(f"error must lie between 0 and 1, got {error}")

    def rule(asked: Asked, rng: np.random.Generator) -> NDArray[np.bool_]:
        return asked.truth ^ (rng.random(asked.truth.shape) < error)

    return rule


def coin(asked: Asked, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Answer yes or no, evenly."""
    return rng.random(asked.truth.shape) < 0.5


def always(answer: bool) -> Rule:
    """Return the rule that gives one answer to everything."""
    return lambda asked, _: np.full(asked.truth.shape, answer)


def asked_of(
    y1: ArrayLike, y0: ArrayLike, factual: ArrayLike, epochs: int = 1
) -> tuple[Asked, Asked, Asked]:
    """Return all questions about units: cause made true, made false, and nothing made so.

    Args:
        y1: The true y1, units x pairs, with pairs in the order of `World.pairs`.
        y0: The true y0.
        factual: Whether each anchor but the root holds, units x blocks.
        epochs: How often each is asked; the first axis of what is returned.
    """
    actual = np.asarray(factual, dtype=bool)
    units, blocks = actual.shape
    pairs = anchor_pairs(blocks)
    span = np.array([effect - cause for cause, effect in pairs])
    of_pair = actual[:, [effect - 1 for _, effect in pairs]]

    def repeated(truth: ArrayLike, actual: ArrayLike, span: ArrayLike, width: int) -> Asked:
        shape = (epochs, units, width)
        return Asked.of(np.broadcast_to(np.asarray(truth), shape), actual, span, blocks)

    return (
        repeated(y1, of_pair, span, len(pairs)),
        repeated(y0, of_pair, span, len(pairs)),
        repeated(actual, actual, 0, blocks),
    )
