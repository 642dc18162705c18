"""Comparing like with like: what is left of columns among rows that are alike in another one.

Rows are put in the order of one column and cut into small blocks; from each value goes the mean of
its block. Whatever that one column does to the others, in whatever shape, is gone but for what it
varies within a block. It is the analysts' way to adjust where the scorer's reference is a
regression.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from whybench.suites.analyze.estimators import share_by_cell

__all__ = ["BLOCK", "among_alike"]

Array = NDArray[Any]

BLOCK = 25
"""How many rows make a block; the last one has what is left over, too."""


def among_alike(by: Array, *columns: Array) -> list[Array]:
    """Return what is left of each column when the means of rows alike in `by` are taken off.

    Raises:
        ValueError: There are not enough rows for a block.
    """
    if len(by) < BLOCK:
        raise ValueError(f"rows must be {BLOCK} or more, got {len(by)}")
    rank = np.empty(len(by), dtype=np.int64)
    rank[np.argsort(by, kind="stable")] = np.arange(len(by))
    block = np.minimum(rank // BLOCK, len(by) // BLOCK - 1)
    return [values - share_by_cell(values, block) for values in columns]
