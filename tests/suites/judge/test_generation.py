"""Strengths that prompts state, worlds that are generated from them, and their sides."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.seeds import split_of
from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE
from whybench.suites.judge.prompt_parser import Strengths, find_strengths
from whybench.suites.judge.questions import GRAPHS

if TYPE_CHECKING:
    from pathlib import Path

PERCENT = st.integers(1, 99)


def generated(worlds: int, **settings: object) -> list:
    return list(
        SUITE.items(SUITE.make_design({"stimuli": "generated", "worlds": worlds, **settings}))
    )


@given(a=PERCENT, b=PERCENT, c=PERCENT, v=PERCENT, w=PERCENT)
def test_worlds_that_differ_in_names_alone_are_the_same(
    a: int, b: int, c: int, v: int, w: int
) -> None:
    for graph in ("collider", "fork"):
        one, other = Strengths(graph, (a, b, c), (v, w)), Strengths(graph, (b, a, c), (w, v))
        assert one.canonical == other.canonical
        assert one.split == other.split
    chain, turned = Strengths("chain", (a, b, c), (v, w)), Strengths("chain", (c, b, a), (w, v))
    assert (chain.canonical == turned.canonical) == (chain == turned)


def test_a_canonical_world_is_written_in_one_line() -> None:
    assert Strengths("collider", (58, 38, 28), (90, 84)).canonical == "collider; 38 58 28; 84 90"
    assert Strengths("chain", (58, 38, 28), (90, 84)).canonical == "chain; 58 38 28; 90 84"


@pytest.mark.parametrize(
    "stated",
    [
        Strengths("collider", (50, 50, 10), (80, 80)),
        Strengths("fork", (10, 10, 50), (80, 80)),
        Strengths("chain", (50, 10, 10), (80, 80)),
    ],
)
def test_the_world_of_the_bundled_stories_is_for_testing(stated: Strengths) -> None:
    assert stated.split == "test"
    near = Strengths(stated.graph, stated.base_rates, (80, 81))
    assert near.split == split_of(near.canonical)


def test_the_rule_for_the_bundled_world_is_needed() -> None:
    """At least one of the three would else lie on the train side."""
    usual = ("collider; 50 50 10; 80 80", "fork; 10 10 50; 80 80", "chain; 50 10 10; 80 80")
    assert "train" in {split_of(world) for world in usual}


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("split", ["train", "test"])
def test_generated_worlds_lie_on_their_side_and_are_told_by_their_prompts(
    graph: str, split: str
) -> None:
    for item in generated(20, graph=graph, split=split, style="direct,cot"):
        assert item.strengths.split == split
        read = SUITE.parse_prompt(SUITE.render(item))
        assert read == item.world
        assert find_strengths(read).canonical == item.strengths.canonical
        assert SUITE.training.split_of(read) == split
        assert SUITE.training.world_key(item) == item.strengths.canonical


def test_truths_are_those_that_follow_by_hand() -> None:
    for item in generated(30):
        c1, c2, leak = (number / 100 for number in item.strengths.base_rates)
        v, w = (number / 100 for number in item.strengths.link_strengths)
        given = dict(item.question.given)

        def effect(one: int, two: int, leak: float = leak, v: float = v, w: float = w) -> float:
            return 1 - (1 - leak) * (1 - v) ** one * (1 - w) ** two

        if item.question.target == "E":
            assert item.truth == pytest.approx(100 * effect(given["C1"], given["C2"]), abs=1e-9)
        elif item.question.target == "C1" and given == {"E": 1, "C2": 1}:
            yes, no = c1 * effect(1, 1), (1 - c1) * effect(0, 1)
            assert item.truth == pytest.approx(100 * yes / (yes + no), abs=1e-9)
        elif item.question.target == "C2" and given == {"C1": 0}:
            assert item.truth == pytest.approx(100 * c2, abs=1e-9)


def test_a_world_is_the_same_however_many_there_are() -> None:
    few = generated(3, split="train")
    endless = SUITE.make_design(SUITE.training.settings)
    assert few == list(islice(SUITE.items(endless), len(few)))
    # World 256 opens a new sheet.
    many = generated(257, split="train", task="I")
    assert many[-1].story.name == "generated-256"
    assert len({item.id for item in many}) == len(many) == 257


def test_a_story_says_nothing_of_strengths() -> None:
    item = next(iter(SUITE.items(SUITE.designs["core"])))
    read = SUITE.parse_prompt(SUITE.render(item))
    assert read.numbers == frozenset()
    assert find_strengths(read) is None
    assert SUITE.training.split_of(read) is None
    assert SUITE.training.world_key(item) == f"collider; story {item.story.name}"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"split": "train"}, "worlds and split are for generated worlds"),
        ({"worlds": 3}, "worlds and split are for generated worlds"),
        ({"stimuli": "generated", "worlds": 0}, "worlds must be 1 or more"),
        ({"stimuli": "generated", "worlds": "many"}, "worlds must be a whole number, got 'many'"),
        ({"stimuli": "generated", "story": "economy"}, "story must be left out with generated"),
        ({"stimuli": "generated", "overload": "e"}, "overload must be left out with generated"),
        ({"stimuli": "generated", "split": "both"}, "split must be among train, test, got 'both'"),
        ({"stimuli": "generated", "polarity": "qqq"}, "polarity must be among"),
    ],
)
def test_what_does_not_go_together_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        SUITE.make_design(settings)


def test_designs_of_stories_keep_their_hashes() -> None:
    """Records of runs made before there were generated worlds still belong to their designs."""
    assert SUITE.designs["core"].hash == "f74e5e0df7ad7531"
    assert SUITE.designs["chain-abstract"].hash == "600bd7d8841fba32"
    made = [
        SUITE.make_design({"stimuli": "generated", "worlds": n, "split": "train"}) for n in (3, 4)
    ]
    assert len({design.hash for design in made}) == 2
    assert made[0].summary == (
        "60 items: 20 questions of the collider about each of 3 generated worlds; direct; train"
    )


def test_people_were_not_asked_about_generated_worlds(mirror: Path) -> None:
    agent = SUITE.agent("human-rw17")
    settings = agent.settings({})
    assert agent.expected(settings, SUITE.designs["core"])
    assert not agent.expected(settings, SUITE.make_design({"stimuli": "generated"}))
