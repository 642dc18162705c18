"""Mechanisms by their noise: ways to respond to the causes, each with its chance.

Any finite mechanism of a variable that holds or does not can be written so, and the engines of
`whybench.scm` take it: seeing and doing need the sums over ways in which the variable holds, and
what would have been needs the ways themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import truediv
from typing import TYPE_CHECKING

import numpy as np

from whybench.scm import BinaryMechanism
from whybench.scm.cells import Cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from whybench.scm.parameters import Array, Parameter

WeighedResponses = dict[tuple[int, ...], int]
"""Response, by configuration of the causes, to its chance: its part of the sum of all."""


@dataclass(frozen=True, eq=False)
class Responses(BinaryMechanism):
    """A mechanism that chooses one way to respond to the causes, by chance, in one model or many.

    Attributes:
        chances: Of each way; shape (ways, models). Fractions or floats.
        responses: The variable's value by way and configuration; shape (ways, configurations,
            models).
    """

    chances: Array
    responses: NDArray[np.uint8]

    @classmethod
    def of(cls, *models: WeighedResponses, rounded: bool) -> Responses:
        """Return the mechanism of each model's ways, to which chances of 0 are added."""
        ways = range(max(map(len, models)))
        divide = truediv if rounded else Fraction
        rows = [[divide(part, sum(cells.values())) for part in cells.values()] for cells in models]
        chances = [[row[way] if way < len(row) else divide(0, 1) for row in rows] for way in ways]
        keys = [[*cells] for cells in models]
        responses = [[key[min(way, len(key) - 1)] for key in keys] for way in ways]
        return cls(
            np.array(chances, dtype=float if rounded else object),
            np.array(responses, dtype=np.uint8).transpose(0, 2, 1),
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The chances."""
        return tuple(self.chances if self.chances.shape[1] > 1 else self.chances[:, 0].tolist())

    @property
    def arity(self) -> int:
        """As many causes as make that many configurations."""
        return int(self.responses.shape[1]).bit_length() - 1

    def table(self, parents: int) -> Array:  # noqa: ARG002
        """P(v = 1 | configuration)."""
        return self._table

    @cached_property
    def _table(self) -> Array:
        shares: Array = (self.chances[:, None] * self.responses).sum(axis=0)
        return shares

    def cells(self, parents: int) -> Cells:  # noqa: ARG002 - the responses say how many
        """The ways to respond."""
        return Cells(self.chances, self.responses)


ALL = 100
"""Percent."""


def merge_cells(cells: Iterable[tuple[int, tuple[int, ...]]]) -> WeighedResponses:
    """Return responses with the chances of all noise values that lead to them."""
    merged: WeighedResponses = {}
    for chance, response in cells:
        if chance:
            merged[response] = merged.get(response, 0) + chance
    return merged


def shared_draw(rows: Sequence[int]) -> WeighedResponses:
    """Return the responses where one draw decides: v holds if it is within the row's percentage."""
    return _by_intervals([(0, share) for share in rows])


def antithetic_rows(rows: Sequence[int]) -> WeighedResponses:
    """Return the responses where rows with an odd number of present causes use the draw's opposite.

    There v holds if the draw is above what is left of 100.
    """
    odd = [row.bit_count() % 2 for row in range(len(rows))]
    return _by_intervals(
        [(ALL - share, ALL) if turn else (0, share) for share, turn in zip(rows, odd, strict=True)]
    )


def _by_intervals(holds: Sequence[tuple[int, int]]) -> WeighedResponses:
    """Return the responses to one even draw from 0 to 100: in each row, v holds in an interval."""
    edges = sorted({0, ALL, *(edge for interval in holds for edge in interval)})
    cells = (
        (high - low, tuple(int(start <= low and high <= end) for start, end in holds))
        for low, high in pairwise(edges)
    )
    return merge_cells(cells)
