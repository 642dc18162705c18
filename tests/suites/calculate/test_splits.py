"""Sides of the train/test divide: by numbers alone, apart, and shown by prompts."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from hypothesis import given
from hypothesis import strategies as st

from whybench.seeds import generator
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.drawing import draw_graph, draw_question, draw_rules, leave_out
from whybench.suites.calculate.generation import ItemCell, draw_item
from whybench.suites.calculate.splits import SHARES, move_to_split, split_of_world, write_numbers
from whybench.suites.calculate.world import StatedRule, StatedWorld

SEEDS = st.integers(0, 10**9)
SIZES = st.integers(2, 8)
MECHANISM = st.sampled_from(("tables", "gates", "thresholds"))


def rename(world: StatedWorld) -> StatedWorld:
    """Return the world with other names, told backwards, with the causes of each rule exchanged."""
    names = {name: f"the thing {place}" for place, (name, _) in enumerate(world.rules)}
    rules = []
    for name, rule in reversed(world.rules):
        causes = tuple(names[cause] for cause in reversed(rule.causes))
        numbers = rule.numbers
        if rule.kind == "table" and len(causes) == 2:
            numbers = (numbers[0], numbers[2], numbers[1], numbers[3])
        elif rule.kind != "table":
            numbers = (*reversed(numbers[:-1]), numbers[-1])
        changed = replace(rule, causes=causes, numbers=numbers, active=tuple(reversed(rule.active)))
        rules.append((names[name], changed))
    return StatedWorld(("so", "not so"), tuple(rules))


def test_the_numbers_of_a_world_are_written_in_one_line() -> None:
    rules = {
        "the fan": StatedRule("table", (), (30,)),
        "the pump": StatedRule("or", ("the fan",), (None, 5), (0,)),
        "the horn": StatedRule("table", ("the fan",), (80, 9)),
    }
    world = StatedWorld(("on", "off"), tuple(rules.items()))
    assert write_numbers(world) == "or 5 ?; table 30; table 9 80"


@given(SEEDS, SIZES, MECHANISM)
def test_worlds_that_differ_in_names_and_order_alone_lie_on_one_side(
    seed: int, size: int, mechanism: object
) -> None:
    rng = generator("test", "splits", seed)
    world = draw_rules(rng, draw_graph(rng, size, 2), mechanism)
    assert write_numbers(rename(world)) == write_numbers(world)
    assert split_of_world(rename(world)) == split_of_world(world)


@given(SEEDS, SIZES, MECHANISM, st.sampled_from(("trap", "idle", "missing")))
def test_a_world_is_moved_by_its_first_share_and_by_nothing_else(
    seed: int, size: int, mechanism: object, variant: object
) -> None:
    rng = generator("test", "moved", seed)
    full = draw_rules(rng, draw_graph(rng, size, 2), mechanism)
    asked = draw_question(rng, full.graph, "ate", "missing", two=False)
    told = leave_out(rng, full, asked, variant) if asked else None
    if told is None:
        return
    for split in ("train", "test"):
        placed = move_to_split(full, told, split)
        if placed is None:
            assert told.rules[0][1].numbers == (None,)
            continue
        whole, here = placed
        assert split_of_world(here) == split
        assert whole.rules[1:] == full.rules[1:]
        assert here.rules[1:] == told.rules[1:]
        assert whole.rules[0][1].numbers[0] in SHARES
        if here.unstated is None:
            assert whole == here
        if split_of_world(told) == split:
            assert placed == (full, told)


def test_items_lie_on_the_side_of_their_design_and_prompts_show_it() -> None:
    for split in ("train", "test"):
        design = SUITE.make_design({"split": split})
        for item in islice(SUITE.items(design), 60):
            assert item.factors["split"] == split
            assert SUITE.training.split_of(SUITE.parse_prompt(SUITE.render(item))) == split


def test_the_two_sides_are_different_items_under_different_keys() -> None:
    train, test = (
        next(iter(SUITE.items(SUITE.make_design({"split": split})))) for split in ("train", "test")
    )
    assert train.case == "observe-tables-trap-number-3-2-train-0"
    assert test.case == "observe-tables-trap-number-3-2-0"
    assert train.question != test.question


def test_a_world_with_impossible_evidence_is_drawn_again() -> None:
    """Its evidence has a probability of 0 in fractions, and a little more in floats."""
    cell = ItemCell("observe", "thresholds", "idle", "greater", 4, 2, 5, "train")
    drawn = draw_item(cell)
    assert {method for method, _ in drawn.certificate.derivations} == {"enumeration", "elimination"}
