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
from typing import TYPE_CHECKING

import numpy as np

from whybench.scm import BinaryMechanism
from whybench.scm.cells import Cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["Responses", "WeighedResponses", "antithetic_rows", "merge_cells", "shared_draw"]

WeighedResponses = dict[tuple[int, ...], Fraction]
"""Response, by configuration of the causes, to its chance."""


@dataclass(frozen=True)
class Responses(BinaryMechanism):
    """A mechanism that chooses one way to respond to the causes, by chance.

    Attributes:
        chances: Of each way.
        responses: For each way, the variable's value by configuration of the causes.
    """

    chances: tuple[Fraction, ...]
    responses: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, cells: Mapping[tuple[int, ...], Fraction]) -> Responses:
        """Return the mechanism of responses and their chances."""
        return cls(tuple(cells.values()), tuple(cells))

    @property
    def parameters(self) -> tuple[Fraction, ...]:
        """The chances."""
        return self.chances

    @property
    def arity(self) -> int:
        """As many causes as make that many configurations."""
        return len(self.responses[0]).bit_length() - 1

    def table(self, parents: int) -> NDArray[np.object_]:  # noqa: ARG002
        """P(v = 1 | configuration)."""
        return self._table

    @cached_property
    def _table(self) -> NDArray[np.object_]:
        rows = [
            sum((p for p, way in zip(self.chances, self.responses, strict=True) if way[row]), ZERO)
            for row in range(len(self.responses[0]))
        ]
        return np.array(rows, dtype=object)[:, None]

    def cells(self, parents: int) -> Cells:  # noqa: ARG002 - the responses say how many
        """The ways to respond."""
        return self._cells

    @cached_property
    def _cells(self) -> Cells:
        response = np.array(self.responses, dtype=np.uint8)[..., None]
        return Cells(np.array(self.chances, dtype=object)[:, None], response)


ZERO = Fraction(0)


ALL = 100
"""Percent."""


def merge_cells(cells: Iterable[tuple[int, tuple[int, ...]]], whole: int) -> WeighedResponses:
    """Return responses with the chances of all noise values that lead to them.

    Args:
        cells: Chance and response of noise values.
        whole: What chances are parts of.
    """
    merged: dict[tuple[int, ...], int] = {}
    for chance, response in cells:
        if chance:
            merged[response] = merged.get(response, 0) + chance
    return {response: Fraction(chance, whole) for response, chance in merged.items()}


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
    return merge_cells(cells, ALL)
