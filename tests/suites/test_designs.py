from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import lcm, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.errors import UserError
from whybench.suites.designs import (
    Crossing,
    block_length,
    build_design,
    cells_in_blocks,
    design_family,
    factor,
)

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
        for place, size in enumerate(sizes):
            counts = Counter(cell[place] for cell in block)
            assert counts == dict.fromkeys(range(size), length // size)


def test_twenty_questions_three_stories_four_polarities_make_blocks_of_sixty() -> None:
    cells = list(cells_in_blocks([20, 3, 4]))
    pairs = Counter((question, story) for question, story, _ in cells[:60])
    assert block_length([20, 3, 4]) == 60
    assert set(pairs.values()) == {1}


@dataclass(frozen=True)
class Dice(Crossing):
    sides: tuple[int, ...] = factor((6,), "Sides.")
    colour: tuple[str, ...] = factor(("red",), "Colours.")
    throw: tuple[str, ...] = factor(("high",), "How they are thrown.", levels=("high", "low"))


DICE = {"core": Dice()}


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(1, 4))
def test_a_block_of_a_union_holds_every_cell_in_proportion(sizes: list[int], colours: int) -> None:
    cells = [
        {"sides": [100 * cell + side for side in range(size)], "colour": f"c{cell}"}
        for cell, size in enumerate(sizes)
    ]
    cells[0]["colour"] = [f"first{colour}" for colour in range(colours)]
    union = build_design({"union": cells, "throw": "high,low"}, DICE)
    items = [tuple(cell.items()) for cell in union.cells()]
    assert (
        len(items) == len(set(items)) == union.size == 2 * (sum(sizes) + sizes[0] * (colours - 1))
    )
    assert union.size % union.block == 0
    whole = Counter(level for item in items for level in item)
    for start in range(0, union.size, union.block):
        block = Counter(level for item in items[start : start + union.block] for level in item)
        assert {level: n * union.size // union.block for level, n in block.items()} == whole


def test_cells_take_what_they_do_not_say_from_the_design(tmp_path) -> None:
    path = tmp_path / "two.yaml"
    path.write_text("throw: low\nunion:\n- sides: 4,8\n- {sides: 6, colour: blue}\n", "utf-8")
    union = build_design({"design": str(path)}, DICE)
    assert union.name == "two"
    assert sorted(tuple(cell.values()) for cell in union.cells()) == [
        (4, "red", "low"),
        (6, "blue", "low"),
        (8, "red", "low"),
    ]
    assert Dice(union=()).hash == Dice().hash != union.hash
    changed = build_design({"design": str(path), "throw": "high"}, DICE)
    assert {cell["throw"] for cell in changed.cells()} == {"high"}
    with pytest.raises(UserError, match="colour must stay as the cells of the design's union say"):
        build_design({"design": str(path), "colour": "green"}, DICE)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([{"sides": "4,6"}, {"sides": "6,8"}], "must share no items, got some in both 1 and 2"),
        ([{"weight": 3}], "a cell of a union takes sides, colour, throw, got 'weight'"),
        ([{"throw": "far"}], "throw must be among high, low, got 'far'"),
        ([{}], "must be a mapping of factors to levels, got {}"),
        ("sides", "union must be a list, got 'sides'"),
    ],
)
def test_cells_that_make_no_union_are_refused(cells: object, message: str) -> None:
    with pytest.raises(UserError, match=message):
        build_design({"union": cells}, DICE)


def test_a_changed_design_keeps_its_family() -> None:
    changed = build_design({"throw": "low"}, DICE)
    assert (changed.name, design_family(changed.name)) == ("core*", "core")
