from __future__ import annotations

from collections import Counter
from math import lcm, prod

from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.designs import block_length, cells_in_blocks

SIZES = st.lists(st.integers(1, 6), min_size=1, max_size=4)


@given(SIZES)
def test_every_cell_comes_once(sizes: list[int]) -> None:
    cells = list(cells_in_blocks(sizes))
    assert len(cells) == len(set(cells)) == prod(sizes)


@given(SIZES)
def test_every_block_shows_each_level_of_each_factor_equally_often(sizes: list[int]) -> None:
    length = block_length(sizes)
    assert length == lcm(*sizes)
    cells = list(cells_in_blocks(sizes))
    for start in range(0, len(cells), length):
        block = cells[start : start + length]
        for factor, size in enumerate(sizes):
            counts = Counter(cell[factor] for cell in block)
            assert counts == dict.fromkeys(range(size), length // size)


def test_twenty_questions_three_stories_four_polarities_make_blocks_of_sixty() -> None:
    cells = list(cells_in_blocks([20, 3, 4]))
    pairs = Counter((question, story) for question, story, _ in cells[:60])
    assert block_length([20, 3, 4]) == 60
    assert set(pairs.values()) == {1}
