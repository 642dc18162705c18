from __future__ import annotations

from fractions import Fraction

import pytest
from evidence.compositions import broken, random_blocks, theorem_failures

from whybench.scm import InvalidGraph, InvalidParameter
from whybench.seeds import split_of
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.units import make_world
from whybench.suites.compose.world import ComposeWorld, draw_world, split_of_world

CYCLE, BRIDGE = Block("cycle", 3), Block("bridge", 2)
GATES = ("or", "or", "and", "or")
THRESHOLDS = (6, 7, 4, 8)


def test_the_model_has_the_gates_and_chances() -> None:
    model = ComposeWorld((CYCLE, BRIDGE), GATES, THRESHOLDS).model()
    assert [mechanism.kind for mechanism in model.mechanisms] == list(GATES)
    chances = [mechanism.p for mechanism in model.mechanisms]
    assert chances == [Fraction(n, 10) for n in (5, 4, 7, 3)]
    assert model.graph.parents("2") == ("0", "1")


@pytest.mark.parametrize(
    ("gates", "thresholds", "message"),
    [
        (GATES[1:], THRESHOLDS, "gates must be one for each of 4 nodes"),
        (GATES, (*THRESHOLDS, 5), "thresholds must be one for each of 4 nodes"),
        (("or", "or", "xor", "or"), THRESHOLDS, "gate of node 2 must be or or and, got xor"),
        (("and", "or", "and", "or"), THRESHOLDS, "gate of the root must be or, got and"),
        (GATES, (6, 7, 1, 8), "threshold of node 2 must be a whole number from 2 to 10, got 1"),
        (GATES, (6, 7, 4, 11), "threshold of node 3 must be .* got 11"),
        (GATES, (6, 7.5, 4, 8), "threshold of node 1 must be .* got 7.5"),
    ],
)
def test_what_is_no_world_is_refused(gates, thresholds, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        ComposeWorld((CYCLE, BRIDGE), gates, thresholds)


def test_generation_refuses_what_breaks_the_product() -> None:
    with pytest.raises(InvalidParameter, match="gates must be one of or, and, mixed, got xor"):
        draw_world((CYCLE, BRIDGE), "xor", 0)
    for blocks in ((), (BRIDGE,), (CYCLE,)):
        for gates in ("or", "mixed"):
            with pytest.raises(InvalidGraph, match="so that there is a cutpoint"):
                draw_world(blocks, gates, 0)


@pytest.mark.parametrize("reason", ["xor", "shared noise", "no cutpoint"])
def test_and_rightly_so(reason: str) -> None:
    assert broken(reason, 25) == (25, 25)


@pytest.mark.slow
@pytest.mark.parametrize("gates", ["or", "and", "mixed"])
def test_the_product_holds_in_random_worlds(gates) -> None:
    assert theorem_failures(gates, 200) == 0


@pytest.mark.parametrize("gates", ["or", "and", "mixed"])
def test_random_worlds_let_parents_decide_at_six_to_nine_counts(gates) -> None:
    kinds, letting = set(), set()
    for number in range(60):
        world = draw_world(random_blocks(number), gates, number)
        assert 4 <= world.thresholds[0] <= 8
        assert gates != "mixed" or set(world.gates[1:]) == {"or", "and"}
        for node in world.nodes[1:]:
            p = world.chance(node)
            letting.add(1 - p if world.gates[node] == "or" else p)
            kinds.add(world.gates[node])
    assert letting == {Fraction(n, 10) for n in (6, 7, 8, 9)}
    assert kinds == ({"or", "and"} if gates == "mixed" else {gates})


def test_two_bridges_can_be_mixed() -> None:
    drawn = {draw_world((BRIDGE, BRIDGE), "mixed", number).gates for number in range(40)}
    assert drawn == {("or", "or", "and"), ("or", "and", "or")}


def test_worlds_belong_to_their_keys() -> None:
    blocks = (CYCLE, Block("wheel", 4), BRIDGE)
    worlds = [draw_world(blocks, "mixed", "a", number) for number in range(50)]
    assert worlds == [draw_world(blocks, "mixed", "a", number) for number in range(50)]
    assert len({world.text for world in worlds}) == len(set(worlds)) == 50


def test_a_world_lies_on_the_side_that_its_text_decides() -> None:
    world = ComposeWorld((CYCLE, BRIDGE), GATES, THRESHOLDS)
    assert world.text == "cycle 3, bridge 2; or or and or; 6 7 4 8"
    assert split_of_world(world) == split_of("cycle 3, bridge 2; or or and or; 6 7 4 8")
    for split in ("train", "test"):
        drawn = [draw_world((CYCLE, BRIDGE), "or", n, split=split) for n in range(20)]
        assert {split_of_world(world) for world in drawn} == {split}


def test_a_world_with_a_name_is_for_testing_though_chance_may_draw_it() -> None:
    """Its text alone would put it on the train side."""
    party = make_world("party", "or", 0, "test")
    assert split_of(party.text) == "train"
    assert split_of_world(party) == "test"
    other = ComposeWorld(party.blocks, party.gates, (8, *party.thresholds[1:]))
    assert split_of_world(other) == split_of(other.text)
