"""Numbers that may be one or many, rounded or exact.

A parameter of a mechanism is

- a float: one model;
- a `fractions.Fraction`: one model, all of whose probabilities are exact rationals;
- an array of shape (batch,) of either: as many models as it is long, answered in one sweep of
  NumPy.

Inside, every quantity is an array whose **last axis is the batch**, of length 1 where nothing
varies. Last rather than first, so that the many models lie next to each other in memory and small
tables broadcast over them. Integers stay integers: 0 and 1 are exact in either company.
"""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whybench.scm.errors import ImpossibleEvidence, InvalidParameter

Array: TypeAlias = NDArray[Any]
Parameter: TypeAlias = float | Fraction | Array
Value: TypeAlias = float | Fraction | Array


def as_batch(name: str, value: Parameter) -> Array:
    """`value` as an array of shape (1,) or (batch,)."""
    array = np.asarray(value)
    if array.ndim > 1 or array.size == 0 or array.dtype.kind not in "iufO":
        raise InvalidParameter(
            f"{name} must be a number or a non-empty array of shape (batch,), got {value!r}"
        )
    return array.reshape(-1)


def as_probability(name: str, value: Parameter) -> Array:
    """`value` as a batch of numbers between 0 and 1."""
    array = as_batch(name, value)
    # Written so that NaN, which compares false, is refused.
    if not np.all((array >= 0) & (array <= 1)):
        raise InvalidParameter(f"{name} must be between 0 and 1, got {value!r}")
    return array


def as_finite(name: str, value: Parameter) -> Array:
    """`value` as a batch of finite numbers."""
    array = as_batch(name, value)
    if not np.all((array > -np.inf) & (array < np.inf)):
        raise InvalidParameter(f"{name} must be finite, got {value!r}")
    return array


def as_tuple(
    name: str, values: Iterable[Parameter], check: Callable[[str, Parameter], Array]
) -> tuple[Parameter, ...]:
    """Parameters one per parent, or one per configuration, each checked."""
    numbers = tuple(values)
    for number in numbers:
        check(name, number)
    return numbers


def common_batch(parameters: Iterable[Parameter]) -> int | None:
    """The length shared by all batched parameters, or None where nothing is batched.

    Raises:
        InvalidParameter: Two arrays have different lengths, neither of them 1.
    """
    lengths = {len(value) for value in parameters if isinstance(value, np.ndarray) and value.ndim}
    if len(lengths - {1}) > 1:
        raise InvalidParameter(f"batched parameters must share one length, got {sorted(lengths)}")
    return max(lengths, default=None)


def rows_of(array: Array, rows: slice) -> Array:
    """The models `rows` of an array whose last axis is the batch."""
    return array if array.shape[-1] == 1 else array[..., rows]


def slices(batch: int | None, states: int, at_most: int) -> Iterator[slice]:
    """Cut a batch so that `states` numbers per model stay below `at_most` in memory."""
    step = max(1, at_most // max(states, 1))
    for start in range(0, batch or 1, step):
        yield slice(start, start + step)


def quotient(joint: Array, evidence: Array, batch: int | None, given: str) -> Value:
    """P(joint) / P(evidence), as a number or, for a batched model, an array of shape (batch,).

    Raises:
        ImpossibleEvidence: The evidence has probability 0 in some model of the batch.
    """
    impossible = np.flatnonzero(evidence == 0)
    if impossible.size:
        where = "" if batch is None else f" in {impossible.size} of {batch} models of the batch"
        raise ImpossibleEvidence(
            f"evidence must have a probability above 0, got P({given}) = 0{where}"
        )
    if joint.dtype == object:
        # Two integers would divide to a float; the quotient of exact numbers stays exact.
        joint = joint * Fraction(1)
    return unbatched(joint / evidence, batch)


def unbatched(array: Array, batch: int | None) -> Value:
    """A result of shape (1,) or (batch,) as the caller wants it: a number for a single model."""
    if batch is not None:
        return np.broadcast_to(array, (batch,)).copy() if array.shape[-1] == 1 else array
    number: float | Fraction = array[0] if array.dtype == object else float(array[0])
    return number
