"""Rows to participations: what belongs together, what counts once, what contradicts itself."""

from __future__ import annotations

import random
from dataclasses import replace
from types import SimpleNamespace

from whybench.study.rows import StudyRow, group_participations


def went(
    participant: str, session: str, at: str, *answers: str, ends: bool = True
) -> list[StudyRow]:
    """Return the rows of a participation that answers so many items so."""
    kinds = ["start", "comprehension", *["item"] * len(answers), *(["end"] if ends else [])]
    rows = [
        StudyRow(kind, "s", participant, place, session, at=f"{at}:{place:02}")
        for place, kind in enumerate(kinds)
    ]
    rows[1] = replace(rows[1], attempts=2, correct=True)
    for place, answer in enumerate(answers):
        found = {"item": f"i{place}", "replies": (answer,), "seconds": float(2**place)}
        rows[2 + place] = replace(rows[2 + place], **found)
    return rows


def test_rows_belong_to_who_and_when_whatever_their_order() -> None:
    rows = [
        *went("ann", "x", "T10", "1", "2", "3"),
        *went("bob", "y", "T09", "4", "4", ends=False),
        *went("ann", "z", "T12", "5"),
    ]
    random.Random(1).shuffle(rows)
    found, doubles = group_participations(rows)
    assert doubles == 0
    told = [
        (one.participant, one.occasion, [row.replies[0] for row in one.answers]) for one in found
    ]
    assert told == [("bob", 1, ["4", "4"]), ("ann", 1, ["1", "2", "3"]), ("ann", 2, ["5"])]
    bob, ann, _ = found
    assert (bob.incomplete, ann.incomplete) == (True, False)
    assert (bob.constant, ann.constant) == (True, False)
    assert (bob.seconds, ann.seconds) == (1.5, 2.0)
    assert (bob.attempts, bob.attention) == (2, None)


def test_one_answer_is_not_a_constant_one() -> None:
    (one,), _ = group_participations(went("ann", "x", "T10", "1"))
    assert not one.constant


def test_the_same_answer_throughout_is_constant_unless_it_is_the_true_one_throughout() -> None:
    rows = went("ann", "x", "T10", "yes", "yes")
    # How somebody came to an answer may differ; the last reply is the answer.
    rows[2] = replace(rows[2], replies=("push", "yes"))
    for truths, constant in (((True, True), False), ((True, False), True)):
        items = {f"i{place}": SimpleNamespace(truth=truth) for place, truth in enumerate(truths)}
        (one,), _ = group_participations(rows, items=items)
        assert one.constant is constant


def test_how_long_a_list_is_decides_what_is_complete() -> None:
    rows = [replace(row, number=3) for row in went("ann", "x", "T10", "1", "2")]
    # Number 3 has the second of two lists.
    for lengths, incomplete in (([9, 2], False), ([2, 3], True)):
        (one,), _ = group_participations(rows, lengths)
        assert one.incomplete is incomplete
    # The last row was lost, but every answer is there.
    (one,), _ = group_participations(rows[:-1], [9, 2])
    assert not one.incomplete


def test_attention_is_the_share_of_checks_that_are_right() -> None:
    rows = went("ann", "x", "T10", "1")
    checks = [
        StudyRow("attention", "s", "ann", 10 + place, "x", correct=right)
        for place, right in enumerate((True, False, True, True))
    ]
    (one,), _ = group_participations([*rows, *checks])
    assert one.attention == 0.75


def test_a_row_saved_twice_counts_once() -> None:
    rows = went("ann", "x", "T10", "1", "2")
    again = [replace(row, file="other.json", line=9) for row in rows[:3]]
    found, doubles = group_participations([*rows, *again])
    assert doubles == 3
    assert (found, 0) == group_participations(rows)


def test_a_participation_that_contradicts_itself_is_told_and_the_others_are_not() -> None:
    rows = [replace(row, file="a.json", line=7) for row in went("ann", "x", "T10", "1", "2")]
    bob = went("bob", "y", "T11", "1", "2")
    other = replace(rows[2], replies=("9",), file="b.json")
    moved = replace(rows[2], position=50)
    for more, told in (
        (other, "got two that differ, at a.json:7 and b.json:7: replies ('1',) and ('9',)"),
        (moved, "the answer to i0 in a session must be one row, got two"),
    ):
        (one, sound), _ = group_participations([*rows, *bob, more])
        assert (one.participant, one.flaw) == ("ann", "contradictory")
        assert told in one.flaw_message
        assert (sound.flaw, sound.flaw_message) == ("", "")


def test_an_answer_to_an_item_that_nobody_was_asked_is_told() -> None:
    items = {"i0": SimpleNamespace(truth=True)}
    (one,), _ = group_participations(went("ann", "x", "T10", "1", "2"), items=items)
    assert one.flaw == "unknown item"
    assert "items must be among the 1 of the study, got 'i1'" in one.flaw_message
