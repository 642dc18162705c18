"""Rules of exclusion: what they read, whom they meet, what they count."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.study.exclusions import BOUNDED, PLAIN, Rule, exclude
from whybench.study.rows import Participation, StudyRow
from whybench.suites.contract import UserError


def took_part(
    who: str = "ann",
    occasion: int = 1,
    answers: str = "123",
    planned: int = 3,
    attempts: int | None = 1,
    attention: tuple[bool, ...] = (True,),
    seconds: float = 3.0,
) -> Participation:
    rows = [StudyRow("start", "s", who, 0, "x")]
    if attempts is not None:
        rows.append(StudyRow("comprehension", "s", who, 1, "x", attempts=attempts))
    for place, answer in enumerate(answers):
        rows.append(
            StudyRow(
                "item",
                "s",
                who,
                10 + place,
                "x",
                item=f"i{place}",
                replies=(answer,),
                seconds=seconds,
            )
        )
    rows += [
        StudyRow("attention", "s", who, 50 + p, "x", correct=ok) for p, ok in enumerate(attention)
    ]
    return Participation(who, occasion, tuple(rows), planned)


GOOD = took_part()
MET = {
    "incomplete": took_part(answers="12"),
    "constant": took_part(answers="777"),
    "repeated": took_part(occasion=2),
    "comprehension>2": took_part(attempts=3),
    "attention<1": took_part(attention=(True, False)),
    "seconds<2": took_part(seconds=1.9),
}


@pytest.mark.parametrize("text", MET)
def test_a_rule_meets_whom_it_is_about_and_nobody_else(text: str) -> None:
    rule = Rule.read(text)
    assert str(rule) == text
    assert [other for other, one in MET.items() if rule.applies_to(one)] == [text]
    assert rule.applies_to(GOOD) is False


def test_bounds_themselves_do_not_meet_a_rule() -> None:
    assert Rule.read("comprehension>1").applies_to(GOOD) is False
    assert Rule.read("attention < 1.0").applies_to(GOOD) is False
    assert Rule.read("seconds<3").applies_to(GOOD) is False


def test_every_rule_that_there_is_has_an_example_above() -> None:
    assert {Rule.read(text).name for text in MET} == {*PLAIN, *BOUNDED}


def test_rules_are_counted_in_order_and_nobody_twice() -> None:
    both = took_part("bob", answers="77", attention=(False,))
    early = took_part("eve", answers="1", attempts=None, attention=())
    kept, counted = exclude(
        [GOOD, both, early], [Rule.read("attention<1"), Rule.read("incomplete")]
    )
    assert kept == [GOOD]
    assert [(one.rule, one.met, one.unknown, one.excluded, one.answers) for one in counted] == [
        ("attention<1", 1, 1, 1, 2),
        ("incomplete", 2, 0, 1, 1),
    ]
    assert exclude([GOOD, both], []) == ([GOOD, both], [])


@given(st.lists(st.sampled_from(list(MET.values())), max_size=8))
def test_the_order_of_rules_does_not_change_who_is_kept(made) -> None:
    rules = [Rule.read(text) for text in ("constant", "repeated", "seconds<2")]
    found = [exclude(made, order) for order in permutations(rules)]
    for kept, counted in found:
        assert kept == found[0][0]
        assert len(kept) + sum(one.excluded for one in counted) == len(made)
        lost = sum(one.answers for one in counted)
        assert sum(len(one.answers) for one in kept) + lost == sum(len(m.answers) for m in made)


@pytest.mark.parametrize(
    "text", ["wrong", "attention", "constant<1", "attention<", "seconds<-1", "truth<1", "seconds=2"]
)
def test_a_rule_that_cannot_be_read_says_which_there_are(text: str) -> None:
    with pytest.raises(UserError, match="`rules` must be one of incomplete, constant, repeated"):
        Rule.read(text)


def test_a_rule_about_what_nobody_has_is_an_error() -> None:
    unchecked = took_part(attention=())
    with pytest.raises(UserError, match="attention<1: nobody has share of attention checks"):
        exclude([unchecked], [Rule.read("attention<1")])
