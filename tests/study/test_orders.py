from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.study.plan import williams_square


@given(st.integers(1, 30))
def test_every_item_is_at_every_place_and_behind_every_other_equally_often(size: int) -> None:
    orders = williams_square(size)
    assert all(sorted(order) == list(range(size)) for order in orders)
    times = 1 if size % 2 == 0 or size == 1 else 2
    assert len(orders) == size * times
    places = Counter((item, place) for order in orders for place, item in enumerate(order))
    assert places == dict.fromkeys(((i, p) for i in range(size) for p in range(size)), times)
    follows = Counter(pair for order in orders for pair in pairwise(order))
    assert follows == dict.fromkeys(
        ((i, j) for i in range(size) for j in range(size) if i != j), times
    )


@pytest.mark.parametrize(
    ("size", "orders"),
    [
        (1, [[0]]),
        (2, [[0, 1], [1, 0]]),
        (3, [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 2, 1], [1, 0, 2]]),
        (4, [[0, 1, 3, 2], [1, 2, 0, 3], [2, 3, 1, 0], [3, 0, 2, 1]]),
    ],
)
def test_small_squares_by_hand(size: int, orders: list[list[int]]) -> None:
    assert williams_square(size) == orders
