"""Mechanisms with one uniform per node: v = 1 just when U < P(v = 1 | parents).

A conditional table leaves open what a node would have done had a parent differed (see
`mechanisms`). One uniform number U per node settles it in the plainest way: U is how hard the case
is to bring about, and v happens where its chance exceeds U. So a parent that raises the chance
never prevents v and one that lowers it never produces v. With P(v = 1) = 0.3 if x = 0 and 0.8 if x
= 1, there are three kinds of case: v happens anyway (U < 0.3), if and only if x does (up to 0.8),
or not at all.
"""

from dataclasses import dataclass

import numpy as np

from whybench.scm.cells import Cells, doubled
from whybench.scm.errors import InvalidParameter
from whybench.scm.mechanisms import BinaryMechanism
from whybench.scm.parameters import (
    Array,
    Parameter,
    as_batch,
    as_finite,
    as_probability,
    as_tuple,
)


@dataclass(frozen=True)
class Table(BinaryMechanism):
    """Any conditional table, with one uniform U per node: v = 1 when U < P(v = 1 | parents).

    Attributes:
        probabilities: P(v = 1 | configuration), the first parent as the highest bit.
    """

    probabilities: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        numbers = as_tuple("probability", self.probabilities, as_probability)
        object.__setattr__(self, "probabilities", numbers)
        if len(self.probabilities).bit_count() != 1:
            raise InvalidParameter(
                "probabilities must be one per configuration of the parents (1, 2, 4, …), "
                f"got {len(self.probabilities)}"
            )

    @property
    def arity(self) -> int:
        """As many parents as make that many configurations."""
        return len(self.probabilities).bit_length() - 1

    def table(self, parents: int) -> Array:  # noqa: ARG002 - the probabilities say how many
        """P(v = 1 | configuration)."""
        rows = [as_batch("probability", p) for p in self.probabilities]
        return np.stack(np.broadcast_arrays(*rows))

    def cells(self, parents: int) -> Cells:
        """The intervals between thresholds."""
        return _threshold_cells(self.table(parents))


@dataclass(frozen=True)
class Logistic(BinaryMechanism):
    """P(v = 1 | x) = 1 / (1 + exp(-(intercept + weights · x))), with one uniform per node.

    The logistic function has irrational values: fractions are taken as floats.
    """

    intercept: Parameter
    weights: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        as_finite("intercept", self.intercept)
        object.__setattr__(self, "weights", as_tuple("weight", self.weights, as_finite))

    def table(self, parents: int) -> Array:  # noqa: ARG002 - the weights say how many
        """P(v = 1 | configuration)."""
        score = as_batch("intercept", self.intercept).astype(float)[None]
        for weight in self.weights:
            score = doubled(score, score + as_batch("weight", weight).astype(float))
        # In terms of exp(-|score|) nothing overflows, and small probabilities keep their digits.
        tail = np.exp(-np.abs(score))
        chance: Array = np.where(score < 0, tail, 1) / (1 + tail)
        return chance

    def cells(self, parents: int) -> Cells:
        """The intervals between thresholds."""
        return _threshold_cells(self.table(parents))


def _threshold_cells(table: Array) -> Cells:
    """The noise of v = [U < P(v = 1 | parents)], U uniform: the intervals between thresholds.

    Cell j holds the U at or above j of the table's entries: v is 1 just in the others. Where the
    entries are ordered differently in the models of a batch, so are the responses.
    """
    ranks = table.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    thresholds = np.sort(table, axis=0)
    edge = np.zeros_like(thresholds[:1])
    probability = np.diff(np.concatenate([edge, thresholds, edge + 1]), axis=0)
    if np.all(ranks == ranks[:, :1]):
        ranks = ranks[:, :1]
    below = np.arange(len(table) + 1)[:, None, None]
    return Cells(probability, (ranks >= below).astype(np.uint8))
