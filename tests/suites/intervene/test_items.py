from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import permutations

import networkx
import pytest
from evidence.figures import held
from evidence.worlds import PARTS

from whybench.seeds import digest, item_digest
from whybench.suites.contract import UserError
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.design import DESIGNS, OWN_DENSITY
from whybench.suites.intervene.generation import intervene_items, item_at
from whybench.suites.intervene.items import COLUMNS, DRAWN, describe_item
from whybench.suites.intervene.sets import (
    classify_initial,
    draw_advanced_world,
    list_core_cases,
    shape_text,
    split_of_world,
)


@pytest.fixture(scope="module", params=DESIGNS)
def items(request):
    return list(intervene_items(DESIGNS[request.param]))


@pytest.fixture(scope="module")
def core():
    return list(intervene_items(DESIGNS["core"]))


@pytest.fixture(scope="module")
def advanced():
    return list(intervene_items(DESIGNS["advanced"]))


def test_the_core_set_is_complete(core) -> None:
    assert Counter(item.structure for item in core) == {
        "direct": 6,
        "mediation": 24,
        "confounder": 30,
        "confounder-perturbed": 24,
    }
    assert sum(item.truth for item in core) == 37


def test_the_core_set_has_45_cases_that_differ_in_more_than_names() -> None:
    def behaviour(world, state, pair):
        return min(
            (
                sorted(
                    (place[x], place[y])
                    for x, y in permutations(range(world.n), 2)
                    if world.causes(x, y)
                ),
                sorted(place[entity] for entity in state),
                [place[entity] for entity in pair],
                world.n,
            )
            for place in permutations(range(world.n))
        )

    distinct = {
        name: {
            repr(behaviour(*case)) for structure, *case, _ in list_core_cases() if structure == name
        }
        for name in ("direct", "mediation", "confounder", "confounder-perturbed")
    }
    assert distinct["mediation"] == distinct["confounder-perturbed"]
    assert len(set.union(*distinct.values())) == 45


def test_listing_first_says_nothing(core, advanced) -> None:
    for items in (core, advanced):
        assert 2 * sum(item.truth == (item.order == "along") for item in items) == len(items)


def test_advanced_blocks_are_alike_and_half_true(advanced) -> None:
    length = DESIGNS["advanced"].block
    blocks = [advanced[start : start + length] for start in range(0, len(advanced), length)]
    levels = [
        Counter(
            (factor, level)
            for item in block
            for factor, level in item.factors.items()
            if factor not in DRAWN
        )
        for block in blocks
    ]
    assert all(counted == levels[0] for counted in levels)
    assert {sum(item.truth for item in block) for block in blocks} == {length / 2}
    for n in DESIGNS["advanced"].entities:
        assert {sum(item.truth for item in block if item.hidden.n == n) for block in blocks} == {
            4.0
        }


def test_advanced_worlds_are_as_asked_for(advanced) -> None:
    for item in advanced:
        graph = networkx.DiGraph(item.hidden.edges)
        assert graph.number_of_nodes() == item.hidden.n
        assert networkx.is_weakly_connected(graph)
        assert len(item.hidden.edges) == round(item.hidden.n * (item.hidden.n - 1) / 4)
        assert item.truth == networkx.has_path(graph, *item.pair)
        assert len(item.initial) == item.hidden.n
        assert split_of_world(item.hidden) == item.split == "test"


def test_one_pair_of_a_world_is_asked_in_both_orders() -> None:
    for mirrored in (False, True):
        drawn = draw_advanced_world(6, 0.5, 3, mirrored, "train")
        cause, effect, second, unrelated = drawn.pairs
        assert effect == cause[::-1]
        assert second not in {cause, effect}
        truths = [drawn.world.causes(*pair) for pair in drawn.pairs]
        assert truths == [True, False, True, False]
        assert not drawn.world.causes(*unrelated[::-1])
        orders = [x < y for x, y in drawn.pairs]
        assert orders == [not mirrored, mirrored, mirrored, not mirrored]


def test_the_source_set_asks_along_the_causal_order_only() -> None:
    items = list(intervene_items(DESIGNS["source-advanced"]))
    assert {item.order for item in items} == {"along"}
    assert all(x < y for item in items for x, y in item.hidden.edges)
    assert 0.65 < sum(item.truth for item in items) / len(items) < 0.8


def test_ids_are_unique_and_follow_description_and_truth(items) -> None:
    assert len({item.id for item in items}) == len(items)
    for item in items:
        assert item.digest == item_digest("intervene", describe_item(item), item.truth)
        assert item.digest.rpartition("-")[2].startswith(item.id.rpartition("-")[2])


def test_limited_worlds_are_balanced_within_each_kind_of_first_state() -> None:
    design = SUITE.make_design({"design": "limited", "graphs": 3})
    limited = list(intervene_items(design))
    for item in limited:
        # Cause and effect move, and all others or all but one.
        assert {*item.pair} <= item.initial
        still = item.hidden.n - len(item.initial)
        assert still == (item.factors["initial"] == "some-moving")
        assert item.limit == item.hidden.n - still - 1
        assert split_of_world(item.hidden) == "test"
    kinds = Counter(
        (item.hidden.n, item.factors["initial"], item.truth, item.order) for item in limited
    )
    assert set(kinds.values()) == {3}
    assert len(kinds) == 16
    assert len({item.case for item in limited}) == len(limited)


def test_the_side_of_a_world_does_not_depend_on_names_or_listing() -> None:
    for n in (4, 6):
        for draw in range(6):
            world = draw_advanced_world(n, 0.5, draw, False, "test").world
            turned = world.renumber([*range(1, n), 0])
            assert shape_text(turned) == shape_text(world)
            assert split_of_world(turned) == "test"
    shapes = {
        split: {
            shape_text(item.hidden)
            for item in intervene_items(SUITE.make_design({"design": "limited", "split": split}))
        }
        for split in ("train", "test")
    }
    assert min(map(len, shapes.values())) > 15
    assert not shapes["train"] & shapes["test"]


def test_factors_are_declared_and_truths_certified(items) -> None:
    for item in items:
        assert {name: type(value) for name, value in item.factors.items()} == dict(COLUMNS)
        (first, one), (second, two) = item.certificate.derivations
        if item.asks == "links":
            assert (first, second) == ("hidden edges", "equal matrix closure")
            assert one == two == item.truth == item.dotted.index(item.pair)
            assert set(item.dotted) & set(item.hidden.edges) == {item.pair}
        elif item.asks == "graph":
            assert (first, second) == ("graph search", "matrix closure")
            related = [item.hidden.causes(*pair) for pair in permutations(range(item.hidden.n), 2)]
            assert one == two == sum(1 << bit for bit, caused in enumerate(related) if caused)
            assert item.truth == 1
        else:
            assert (first, second) == ("graph search", "matrix closure")
            assert one == two == item.truth == item.hidden.causes(*item.pair)
        assert item.hidden.is_closed(item.initial)
        if item.worlds not in {*OWN_DENSITY, "links"}:
            assert item.limit == 2 * item.hidden.n
        assert len({*item.names}) == item.hidden.n


def test_a_situation_says_what_an_agent_may_know(core) -> None:
    item = next(item for item in core if len(item.initial) == 1)
    told = item.world
    (moving,) = item.initial
    assert told.moving == {item.names[moving]}
    assert (told.cause, told.effect) == tuple(item.names[entity] for entity in item.pair)


@pytest.mark.parametrize("name", ["advanced", "source-advanced"])
def test_item_i_is_the_same_however_many_there_are(name: str) -> None:
    few, many = (replace(DESIGNS[name], graphs=graphs) for graphs in (4, 10_000_000))
    assert [item_at(many, index) for index in range(few.size)] == list(intervene_items(few))
    assert item_at(many, many.size - 1).hidden.n in many.entities


def test_items_do_not_depend_on_the_other_levels_of_a_design() -> None:
    alone = {
        item.id
        for item in intervene_items(SUITE.make_design({"design": "advanced", "entities": 6}))
    }
    assert alone == {item.id for item in intervene_items(DESIGNS["advanced"]) if item.hidden.n == 6}


def test_train_and_test_share_no_world() -> None:
    few = replace(DESIGNS["advanced"], graphs=40, entities=(4, 5))
    train, test = (
        {item.hidden.reaches for item in intervene_items(replace(few, split=split))}
        for split in ("train", "test")
    )
    assert train
    assert test
    assert not train & test


def test_first_states_are_of_the_kind_asked_for() -> None:
    design = SUITE.make_design(
        {"design": "advanced", "initial": "rest,some-moving,all-moving", "graphs": 10}
    )
    counts = Counter(item.factors["initial"] for item in intervene_items(design))
    assert len(set(counts.values())) == 1
    assert set(counts) == {"rest", "some-moving", "all-moving"}
    for item in intervene_items(design):
        assert classify_initial(item.hidden, item.initial) == item.factors["initial"]
        assert item.hidden.is_closed(item.initial)


def test_large_and_sparse_worlds_can_be_had() -> None:
    design = SUITE.make_design({"design": "advanced", "entities": 30, "density": 0.12, "graphs": 2})
    assert {item.hidden.n for item in intervene_items(design)} == {30}
    assert all(len(set(item.names)) == 30 for item in intervene_items(design))


def test_worlds_that_cannot_be_found_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whybench.suites.intervene.sets.TRIES", 20)
    with pytest.raises(UserError, match=r"no test world with n = 40 and density 0.05 was found"):
        draw_advanced_world(40, 0.05, 0, False, "test")


def test_another_process_makes_the_same_items(items, request) -> None:
    name = request.node.callspec.params["items"]
    code = (
        "from whybench.seeds import digest; "
        "from whybench.suites.intervene.design import DESIGNS; "
        "from whybench.suites.intervene.generation import intervene_items; "
        f"print(digest([i.id for i in intervene_items(DESIGNS[{name!r}])]).hex())"
    )
    there = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == digest([item.id for item in items]).hex()


def test_places_outside_a_design_are_refused() -> None:
    with pytest.raises(IndexError, match="index must be from 0 to 83, got 84"):
        item_at(DESIGNS["core"], 84)


def test_the_figures_hold() -> None:
    # The rate is a matter of the machine and left to `python -m evidence`; all transitions are
    # compared by the tests of worlds.
    for part in ("core", "balance", "sameness"):
        held(PARTS[part])
