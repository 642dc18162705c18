"""What the marks of agents tell and show, without guides, for the tests of charts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.drawing.seen_charts import told

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whybench.drawing.figure import Figure


def values(figure: Figure, field: str) -> list[dict[str, Any]]:
    """Return the data of a chart that have a field."""
    assert figure.spec is not None
    return [datum for datum in figure.spec["data"]["values"] if field in datum]


def check_told(figure: Figure, titles: Iterable[str], rows: Iterable[tuple[float, ...]]) -> None:
    """There is a mark for each row, and it tells the row's numbers, to three decimals."""
    left = [
        tuple(float(mark[title].replace("−", "-")) for title in titles)
        for mark in told(figure)
        if "agent" in mark
    ]
    for row in rows:
        near = [one for one in left if one == pytest.approx(row, abs=0.00051)]
        assert near, row
        left.remove(near[0])
    assert not left
