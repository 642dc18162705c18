"""Response cells: a node's noise, sorted by what it makes of the parents.

Noise may be several bits or a real number, but a node with k binary parents can respond to them in
no more than 2^(2^k) ways, and a given mechanism uses few of these. All noise values with one
response form a *cell*. Noisy-or with two parents and a leak, for example, has five: the leak is on
and v is 1 whatever the parents; or it is off and v listens to neither, the one, the other, or both
of them.

A cell's response is a row over the parents' configurations, numbered 0 … 2^k - 1 with the first
parent as the highest bit. The rows below depend on the number of parents alone and are kept; only
probabilities vary.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from whybench.scm.parameters import Array, Parameter, as_batch

GateKind = Literal["or", "and", "xor"]


@dataclass(frozen=True, eq=False)
class Cells:
    """A node's noise: the ways in which the node may respond to its parents.

    Attributes:
        probability: Of each cell; shape (cells, batch).
        response: The node's value by cell and configuration; shape (cells, configurations, batch),
            the last of length 1 unless the cells differ between the models of a batch.
    """

    probability: Array
    response: NDArray[np.uint8]


def doubled(absent: Array, present: Array) -> Array:
    """Rows over k parents to rows over k + 1: the new parent is the lowest bit."""
    absent, present = np.broadcast_arrays(absent, present)
    return np.stack([absent, present], axis=1).reshape(-1, absent.shape[-1])


def subset_probabilities(override: Parameter, strengths: tuple[Parameter, ...]) -> Array:
    """P(which parents' bits are on, no override) for each set of parents, then P(override)."""
    always = as_batch("override", override)[None]
    subsets = 1 - always
    for strength in strengths:
        on = as_batch("strength", strength)
        subsets = doubled(subsets * (1 - on), subsets * on)
    last = np.broadcast_to(always, (1, subsets.shape[-1]))
    return np.concatenate([subsets, last])


@lru_cache
def gate_responses(kind: GateKind, parents: int) -> NDArray[np.uint8]:
    """Of u OP parents: row 0 for u = 0, row 1 for u = 1."""
    x = np.arange(2**parents)
    if kind == "or":
        rows = [x != 0, x >= 0]
    elif kind == "and":
        rows = [x < 0, x == len(x) - 1]
    else:
        odd = np.array([int(number).bit_count() % 2 for number in x])
        rows = [odd, 1 - odd]
    return _constant(np.stack(rows))


@lru_cache
def or_responses(parents: int) -> NDArray[np.uint8]:
    """Row S: 1 where some parent in the set S is present. A last row of ones, for the leak."""
    x = np.arange(2**parents)
    by_subset = (x[:, None] & x) != 0
    return _constant(np.concatenate([by_subset, np.ones((1, len(x)))]))


@lru_cache
def and_responses(parents: int) -> NDArray[np.uint8]:
    """Row S: 1 where all parents in the set S are present. A last row of zeros: inhibition."""
    x = np.arange(2**parents)
    by_subset = (x[:, None] & ~x) == 0
    return _constant(np.concatenate([by_subset, np.zeros((1, len(x)))]))


def _constant(rows: Array) -> NDArray[np.uint8]:
    responses = rows.astype(np.uint8)[..., None]
    responses.setflags(write=False)
    return responses
