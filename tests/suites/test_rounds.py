"""Rounds: questions that follow from the answers so far, none of them twice."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from whybench.errors import UserError
from whybench.planning.plans import count_calls
from whybench.suites.catalog import check_rounds
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from whybench.suites.rounds import Rounds

SUITE = get_suite("trace")
DESIGN = SUITE.make_design({"design": "adaptive", "worlds": 6, "most": 40})


def rounds() -> Rounds:
    found = SUITE.rounds(DESIGN)
    assert found is not None
    return found


def climb(reads: int, lose: int = 0) -> list[list[str]]:
    """Return the ids of all rounds of a reader, of whose first answers some are lost."""
    asking, answers, found = rounds(), {}, []
    while True:
        new = [item for item in asking.list_items(answers) if item.id not in answers]
        if not new:
            return found
        found.append([item.id for item in new])
        for item in new:
            lost = len(answers) < lose
            answers[item.id] = None if lost else item.factors["depth"] <= reads


def test_a_design_without_most_is_asked_at_once() -> None:
    assert SUITE.rounds(SUITE.designs["core"]) is None
    assert get_suite("judge").rounds(get_suite("judge").designs["core"]) is None


def test_rounds_follow_from_the_answers() -> None:
    assert climb(4) == climb(4)
    assert climb(4)[0] == climb(12)[0]
    assert climb(4)[1] != climb(12)[1]


@pytest.mark.parametrize("reads", [0, 3, 8, 48])
def test_no_item_is_asked_twice_and_each_horizon_has_its_limit(reads: int) -> None:
    ids = [name for one in climb(reads) for name in one]
    assert len(ids) == len(set(ids))
    items = {item.id: item for item in SUITE.items(DESIGN)}
    assert set(ids) <= set(items)
    asked = Counter(items[name].factors["query"] for name in ids)
    assert set(asked) == {"do", "observe"}
    assert max(asked.values()) <= 40
    worlds = Counter(
        tuple(items[name].factors[key] for key in ("query", "depth", "draw")) for name in ids
    )
    assert max(worlds.values()) == 1


def test_the_items_so_far_stay_when_answers_come_in() -> None:
    asking, answers = rounds(), {}
    before: list[str] = []
    for _ in range(4):
        now = [item.id for item in asking.list_items(answers)]
        assert now[: len(before)] == before
        before = now
        answers |= {name: hash(name) % 2 == 0 for name in now if name not in answers}


def test_a_round_with_a_missing_answer_is_the_last_one() -> None:
    asking = rounds()
    first = [item.id for item in asking.list_items({})]
    answers = dict.fromkeys(first[1:], True)
    assert {item.id for item in asking.list_items(answers)} >= set(first)
    half = [item for item in asking.list_items(answers) if item.factors["query"] == "do"]
    assert len(half) == 22


def test_lost_answers_count_towards_the_limit_and_rounds_end() -> None:
    assert sum(map(len, climb(4, lose=10**6))) == 80


def test_a_plan_has_the_expected_and_the_largest_number_of_calls() -> None:
    plan = count_calls(SUITE, DESIGN)
    assert plan.most_calls == plan.samples == 80
    assert 44 < plan.calls < 80
    assert f"about {plan.calls} and at most 80 calls" in plan.line("a model")
    fixed = count_calls(SUITE, SUITE.designs["core"])
    assert fixed.calls == fixed.most_calls == 176


@pytest.mark.parametrize(("shard", "group"), [("1/2", None), ("1/1", 3)])
def test_rounds_are_not_divided(shard: str, group: int | None) -> None:
    with pytest.raises(UserError, match="must be asked as a whole"):
        check_rounds(shard, group)
    with pytest.raises(UserError, match="must be asked as a whole"):
        count_calls(SUITE, DESIGN, shard=shard, group=group)
