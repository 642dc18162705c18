from __future__ import annotations

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import groupby, islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whybench.seeds import digest, item_digest
from whybench.suites.compose import SUITE
from whybench.suites.compose.design import DESIGNS, LEVELS
from whybench.suites.compose.generation import TOGETHER, compose_items, item_at
from whybench.suites.compose.items import COLUMNS, DRAWN, draw_graph
from whybench.suites.compose.prompt_parser import parse_prompt
from whybench.suites.compose.questions import EXAMPLES
from whybench.suites.compose.units import parse_world
from whybench.suites.compose.world import split_of_world

SMALL = SUITE.make_design(
    {
        "kinds": "cycle3+bridge,bridge+cycle3+bridge",
        "gates": "or,mixed",
        "theme": "feast,glims",
        "detail": "none,some",
        "style": "direct,worked-example",
        "units": 3,
        "worlds": 2,
    }
)


@pytest.fixture(scope="module")
def core():
    return list(compose_items(DESIGNS["core"]))


@pytest.fixture(scope="module")
def small():
    return list(compose_items(SMALL))


def holds(world, counts, intervention):
    """Return the values of all nodes, by the definition of a world."""
    values: list[bool] = []
    for node in world.nodes:
        reasons = [counts[node] >= world.thresholds[node]]
        reasons += [values[parent] for parent in world.parents[node]]
        value = any(reasons) if world.gates[node] == "or" else all(reasons)
        values.append(intervention[1] if intervention and node == intervention[0] else value)
    return values


def test_truths_are_those_of_the_rules_and_counts(small) -> None:
    for item in small:
        asked = item.question
        values = holds(asked.world, asked.counts, asked.intervention)
        assert item.truth == values[asked.effect]
        assert item.actual == holds(asked.world, asked.counts, None)[asked.effect]
        (first, one), (second, two) = item.certificate.derivations
        assert (first, second) == ("causal order", "block composition")
        assert one == two == item.truth


def test_all_questions_of_a_unit_stand_together_each_once(core, small) -> None:
    for items in (core, small):
        runs = [(key, list(members)) for key, members in groupby(items, key=SUITE.group_key)]
        assert len({key for key, _ in runs}) == len(runs)
        for _, members in runs:
            world = members[0].question.world
            asked = {(item.question.effect, item.question.intervention) for item in members}
            assert len(asked) == len(members) == len(world.blocks) * (len(world.blocks) + 2)
            shared = {
                (item.question.counts, item.question.names, item.question.order, item.weight)
                for item in members
            }
            assert len(shared) == 1


def test_factors_are_declared_and_say_what_is_asked(small) -> None:
    for item in small:
        factors = item.factors
        assert {name: type(value) for name, value in factors.items()} == dict(COLUMNS)
        world = parse_world(factors["world"])
        assert world == item.question.world
        assert factors["blocks"] == len(world.blocks)
        assert factors["distance"] == len(world.blocks_between(factors["cause"], factors["effect"]))
        made = item.question.intervention
        if factors["rung"] == "factual":
            assert (made, factors["setting"], factors["cause"]) == (None, "none", world.root)
        else:
            assert made == (factors["cause"], factors["setting"] == "true")


def test_ids_are_unique_and_follow_prompt_and_truth(core, small) -> None:
    for items in (core, small):
        assert len({item.id for item in items}) == len(items)
    for item in small:
        assert item.digest == item_digest("compose", SUITE.render(item), item.truth)
        assert item.digest.rpartition("-")[2].startswith(item.id.rpartition("-")[2])


def test_prompts_give_back_the_world(small) -> None:
    for item in small:
        assert parse_prompt(item.prompt) == item.world


def test_prefixes_of_whole_blocks_are_balanced(small) -> None:
    def levels(items):
        return Counter(
            (factor, level)
            for item in items
            for factor, level in item.factors.items()
            if factor not in DRAWN
        )

    length = SMALL.block
    first = levels(small[:length])
    for start in range(0, len(small), length):
        assert levels(small[start : start + length]) == first
    # Of each factor that is crossed, each level has as many units.
    for factor in ("gates", "theme", "detail", "style"):
        assert len({count for (name, _), count in first.items() if name == factor}) == 1


@given(data=st.data())
@settings(max_examples=settings.default.max_examples * 2 // 5)
def test_item_i_is_the_same_alone_and_however_many_there_are(data) -> None:
    few = replace(DESIGNS[data.draw(st.sampled_from(sorted({*DESIGNS} - {"numbers"})))], units=3)
    many = replace(few, units=10_000_000)
    # Worlds are asked eight together; with more units, the ninth comes later.
    together = replace(few, worlds=min(few.worlds, TOGETHER))
    index = data.draw(st.integers(0, together.size - 1))
    streamed = next(islice(compose_items(many), index, None))
    for found in (item_at(few, index), item_at(many, index)):
        assert (found, found.id) == (streamed, streamed.id)


def test_places_far_away_can_be_had_and_places_outside_are_refused() -> None:
    many = replace(DESIGNS["core"], units=10_000_000, worlds=1000)
    last = item_at(many, many.size - 1)
    assert (last.unit, last.draw) == (9_999_999, 999)
    for wrong in (-1, many.size):
        with pytest.raises(IndexError, match="index must be from 0 to"):
            item_at(many, wrong)


def test_more_worlds_leave_the_first_as_they_are() -> None:
    one, three = (replace(SMALL, worlds=worlds) for worlds in (1, 3))
    items = list(compose_items(three))
    assert list(compose_items(one)) == [item for item in items if item.draw == 0]
    assert len({item.id for item in items}) == len(items)


@pytest.mark.slow
def test_equal_worlds_of_a_series_have_units_of_their_own() -> None:
    tiny = SUITE.make_design({"kinds": "bridge+bridge", "gates": "or", "worlds": 60, "units": 1})
    items = list(compose_items(tiny))
    texts = Counter(item.question.world.text for item in items)
    assert max(texts.values()) > 8  # there are few worlds of this shape, and some come again
    assert len({item.id for item in items}) == len(items)


def test_tellings_share_units_names_and_orders(small) -> None:
    def units(**levels):
        chosen = (
            item.question
            for item in small
            if all(item.factors[factor] == level for factor, level in levels.items())
        )
        return Counter(
            (asked.world.text, asked.counts, asked.effect, asked.intervention)
            + ((asked.names, asked.order) if "theme" in levels else ())
            for asked in chosen
        )

    for factor in ("detail", "style"):
        one, two = (units(theme="feast", **{factor: level}) for level in getattr(SMALL, factor))
        assert one == two
    # The same units in other words, too.
    assert units(detail="some") == units(detail="none")
    assert [*units(theme="feast")] != [*units(theme="glims")]
    themes = [Counter(key[:4] for key in units(theme=name)) for name in ("feast", "glims")]
    assert themes[0] == themes[1]


def test_details_and_examples_are_there_where_they_should_be(small) -> None:
    for item in small:
        asked = item.question
        some = asked.world.size // 2 if item.detail == "some" else 0
        assert len(asked.details) == some
        assert all(detail in item.prompt for detail in asked.details)
        assert ("Here is an example" in item.prompt) == (asked.style == "worked-example")
        assert 0 <= asked.example < EXAMPLES


def test_splits_share_no_world() -> None:
    for split in LEVELS["split"]:
        for item in compose_items(replace(SMALL, split=split, units=1)):
            assert split_of_world(item.question.world) == split == item.factors["split"]


def test_another_process_makes_the_same_items(core) -> None:
    code = (
        "from itertools import islice; from whybench.seeds import digest; "
        "from whybench.suites.compose.design import DESIGNS; "
        "from whybench.suites.compose.generation import compose_items; "
        "print(digest([i.id for i in islice(compose_items(DESIGNS['core']), 900)]).hex())"
    )
    there = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": "12345"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert there.stdout.strip() == digest([item.id for item in core[:900]]).hex()


def test_a_picture_shows_what_is_made_and_what_is_asked(core) -> None:
    item = core[8]
    lines = list(draw_graph(item))
    cause, made = item.question.intervention
    assert len(lines) == item.question.world.size
    assert lines[cause].endswith(f"made {str(made).lower()}")
    assert lines[item.question.effect].endswith("<- asked")
    assert sum("cutpoint" in line for line in lines) == 2
