"""Items to train on: the same however many are taken, nothing twice, apart from tests."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice

import pytest
from tests.altered import altered

from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite
from whybench.training import reward
from whybench.training.canary import CANARY, canary, find_canaries
from whybench.training.items import NOTHING_NEW, SplitItems, evaluation_items, training_items


@pytest.mark.parametrize(
    ("name", "few", "many"),
    [("calculate", 20, 130), ("compose", 50, 1500), ("intervene", 30, 1100), ("analyze", 4, 31)],
)
def test_items_are_the_same_however_many_are_taken_and_none_comes_twice(
    name: str, few: int, many: int
) -> None:
    chosen = training_items(get_suite(name), {})
    items = list(chosen.take(many))
    assert list(chosen.take(few)) == items[:few]
    assert len({item.id for item in items}) == len(items) == many
    assert len({(chosen.suite.render(item), str(item.factors)) for item in items}) == many


@pytest.mark.parametrize("name", ["intervene", "analyze", "compose", "calculate"])
def test_no_world_to_train_on_is_in_a_test(name: str) -> None:
    asked = get_suite(name)
    stream = asked.training
    count = {"analyze": 31, "calculate": 120}.get(name, 600)
    trained = {stream.world_key(item) for item in training_items(asked, {}).take(count)}
    design = next(iter(asked.designs.values()))
    tested = {stream.world_key(item) for item in asked.items(design)}
    assert trained
    assert not trained & tested


def test_no_opening_to_train_on_is_that_of_a_test() -> None:
    """Openings do not say the hidden world, and would else be the same now and then."""
    asked = get_suite("intervene")
    tested = {asked.render(item) for one in asked.designs.values() for item in asked.items(one)}
    plain = training_items(asked, {"entities": 4}).design
    assert any(asked.render(item) in tested for item in islice(asked.items(plain), 1300))
    chosen = training_items(asked, {"entities": 4})
    assert not any(asked.render(item) in tested for item in chosen.take(1300))


def test_repeats_are_left_out_and_the_end_is_told() -> None:
    asked = get_suite("compose")
    items = list(islice(asked.items(asked.designs["core"]), 30))
    twice = altered(asked, items=lambda _: iter(items[:20] + items[10:]))
    chosen = SplitItems(twice, asked.designs["core"], "train")
    assert list(chosen.take(30)) == items
    with pytest.raises(UserError, match="count must be at most 30, the number of different items"):
        list(chosen.take(31))
    endless = SplitItems(altered(asked, items=lambda _: cycle(items)), chosen.design, "train")
    with pytest.raises(UserError, match="count must be at most 30"):
        list(endless.take(31 + NOTHING_NEW))


def test_a_few_repeats_in_a_row_are_not_the_end() -> None:
    asked = get_suite("compose")
    items = list(islice(asked.items(asked.designs["core"]), 31))
    late = altered(asked, items=lambda _: iter([*items[:30], *[items[0]] * 300, items[30]]))
    assert list(SplitItems(late, asked.designs["core"], "train").take(31)) == items


def test_what_an_id_tells_apart_but_nobody_sees_is_a_repeat() -> None:
    """Ids of intervene hold the number of the draw."""
    asked = get_suite("intervene")
    item = next(iter(asked.items(training_items(asked, {}).design)))
    again = replace(item, digest="intervene-other", draw=item.draw + 2)
    twins = altered(asked, designs={}, items=lambda _: iter([item, again]))
    chosen = SplitItems(twins, asked.designs["core"], "train")
    assert list(chosen.take(1)) == [item]
    with pytest.raises(UserError, match="count must be at most 1"):
        list(chosen.take(2))


def test_a_digest_is_of_what_is_asked_and_how_it_is_read() -> None:
    asked = get_suite("compose")
    chosen = training_items(asked, {})
    assert chosen.hash == training_items(asked, {}).hash
    others = [
        training_items(asked, {"theme": "vault"}),
        evaluation_items(asked, {"design": "core"}),
        replace(chosen, suite=altered(asked, version=99)),
        replace(chosen, suite=altered(asked, golden_replies=("perhaps",))),
    ]
    assert len({chosen.hash, *(other.hash for other in others)}) == 5


def test_a_suite_for_testing_alone_says_so() -> None:
    asked = altered(get_suite("compose"), training=None)
    with pytest.raises(UserError, match="compose is for testing alone: it has no `training`"):
        training_items(asked, {})


def test_a_test_of_a_suite_for_testing_alone_has_rows_without_a_reward() -> None:
    (row,) = evaluation_items(get_suite("judge"), {"design": "core"}).rows(1)
    assert row["world"] == "collider-economy-ppp-I"
    assert row["canary"] == canary("test")
    with pytest.raises(UserError, match="judge is for testing alone: it has no `training`"):
        reward(row, "50")


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("compose", {"design": "party"}, "party is one world"),
        ("intervene", {"design": "core"}, "split must be test for core worlds"),
        ("compose", {"split": "test"}, "split must be train for items to train on, got 'test'"),
        ("calculate", {"split": "both"}, "split must be train for items to train on, got 'both'"),
    ],
)
def test_designs_for_testing_alone_are_not_for_training(
    name: str, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        training_items(get_suite(name), settings)


def test_the_canary_tells_its_side() -> None:
    assert find_canaries(f"a {canary('train')} b") == {"train"}
    assert find_canaries(f"{canary('train')}{canary('test')}") == {"train", "test"}
    assert find_canaries(CANARY) == {"test"}
    assert find_canaries(CANARY[:-1]) == set()
    assert CANARY == "whybench:canary:6b1f0e57-2d94-4c8e-9a3b-d05c7e41f826"
