"""Worlds of trace: depth, truth, and the proof that no rule may be missed."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import permutations, product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.trace import world
from whybench.suites.trace.world import (
    Structure,
    TraceQuestion,
    draw_question,
    size_for,
    split_of_structure,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

FEW = 3
"""States of the worlds that are enumerated."""

SMALL = Structure((None, 0, 0, 2, 3), (True, False, True, True, False))
"""Five dials; the last follows 3, which follows 2, which follows 0."""
CAUSE, EFFECT = 2, 4


@pytest.fixture
def few_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world, "STATES", FEW)


def enumerate_questions(query: str, structure: Structure = SMALL) -> Iterator[TraceQuestion]:
    """Yield a question for all pairs of shifts of three dials, and all numbers to set."""
    pairs = list(permutations(range(FEW), 2))
    for first, second, third in product(pairs, repeat=3):
        shifts = ((0, 1), (2, 0), first, second, third)
        observed = TraceQuestion(structure, shifts, CAUSE, EFFECT, 0, "observe")
        actual = observed.simulate(intervene=False)[CAUSE]
        numbers = [(actual + moved) % FEW for moved in range(1, FEW)]
        for number in numbers if query == "do" else [actual]:
            yield TraceQuestion(structure, shifts, CAUSE, EFFECT, number, query)


def best_share(
    questions: list[TraceQuestion], see: Callable[[TraceQuestion], Hashable]
) -> dict[Hashable, float]:
    """Return how often the best guess is right, for each thing that an agent may see."""
    truths: dict[Hashable, Counter[int]] = defaultdict(Counter)
    for question in questions:
        truths[see(question)][question.trace()] += 1
    return {seen: max(counts.values()) / counts.total() for seen, counts in truths.items()}


def without(missed: int) -> Callable[[TraceQuestion], Hashable]:
    """Return what an agent sees that misses the rule of one dial."""

    def see(question: TraceQuestion) -> Hashable:
        known = [rule for dial, rule in enumerate(question.shifts) if dial != missed]
        return (*known, question.number)

    return see


@pytest.mark.parametrize("query", ["do", "observe"])
@pytest.mark.parametrize("missed", [3, 4])
def test_without_one_of_the_rules_every_number_is_equally_likely(query, missed, few_states) -> None:
    questions = list(enumerate_questions(query))
    assert questions[0].path == (4, 3, 2)
    shares = best_share(questions, without(missed))
    assert set(shares.values()) == {1 / FEW}


def test_with_all_rules_the_answer_is_certain(few_states) -> None:
    for query in ("do", "observe"):
        shares = best_share(list(enumerate_questions(query)), lambda q: (q.shifts, q.number))
        assert set(shares.values()) == {1.0}


@pytest.mark.parametrize("unread", [3, 4])
def test_without_one_of_the_switches_two_numbers_are_equally_likely(unread, few_states) -> None:
    flipped = tuple(up != (dial == unread) for dial, up in enumerate(SMALL.switches))
    both = [SMALL, replace(SMALL, switches=flipped)]
    questions = [question for one in both for question in enumerate_questions("do", one)]
    shares = best_share(questions, lambda q: (q.shifts, q.number))
    assert set(shares.values()) == {1 / 2}


def test_stating_what_the_effect_shows_breaks_the_proof(few_states) -> None:
    questions = list(enumerate_questions("do"))

    def see(question: TraceQuestion) -> Hashable:
        return (without(3)(question), question.simulate(intervene=False)[EFFECT])

    assert max(best_share(questions, see).values()) == 1.0


def test_stating_what_the_path_shows_breaks_the_proof(few_states) -> None:
    questions = list(enumerate_questions("do"))

    def see(question: TraceQuestion) -> Hashable:
        return (without(3)(question), question.simulate(intervene=False)[3])

    assert max(best_share(questions, see).values()) == 1.0


def test_keeping_questions_that_an_attack_gets_wrong_breaks_the_proof(few_states) -> None:
    kept = [
        question for question in enumerate_questions("do") if question.trace(1) != question.trace()
    ]
    assert max(best_share(kept, without(3)).values()) == 1 / (FEW - 1)


def test_a_split_by_shifts_would_break_the_proof(few_states) -> None:
    kept = [
        question for question in enumerate_questions("do") if sum(map(sum, question.shifts)) % 4
    ]
    assert max(best_share(kept, without(3)).values()) > 1 / FEW


questions = st.builds(
    lambda depth, draw, query: draw_question(depth, size_for(depth), "test", draw, query),
    st.integers(1, 12),
    st.integers(0, 30),
    st.sampled_from(["do", "observe"]),
)


@given(questions)
def test_a_question_has_the_depth_that_was_asked_for(question: TraceQuestion) -> None:
    assert question.depth == len(question.path) - 1
    assert question.structure.size == size_for(question.depth)
    assert question.path[0] == question.effect
    assert question.path[-1] == question.cause
    assert split_of_structure(question.structure) == "test"


@given(questions)
def test_the_cause_is_set_to_what_it_does_not_show(question: TraceQuestion) -> None:
    shown = question.simulate(intervene=False)[question.cause]
    assert (question.number == shown) == (question.query == "observe")


@given(questions)
def test_ignoring_an_intervention_is_never_right(question: TraceQuestion) -> None:
    ignoring = question.simulate(intervene=False)[question.effect]
    assert (ignoring == question.trace()) == (question.query == "observe")


@given(questions)
def test_both_derivations_agree_however_the_other_rules_are(question: TraceQuestion) -> None:
    path = {*question.path[:-1]}
    changed = TraceQuestion(
        question.structure,
        tuple(
            pair if dial in path else (pair[0] + 1, pair[1] + 2)
            for dial, pair in enumerate(question.shifts)
        ),
        question.cause,
        question.effect,
        question.number,
        "do",
    )
    assert changed.certify().value == question.trace()


def test_both_queries_are_about_the_same_world() -> None:
    one, two = (draw_question(4, size_for(4), "test", 3, query) for query in ("do", "observe"))
    assert (one.structure, one.shifts, one.path) == (two.structure, two.shifts, two.path)
    assert one.number != two.number


def test_a_hand_calculation() -> None:
    shifts = ((1, 0), (0, 5), (3, 0), (6, 0), (1, 7))
    question = TraceQuestion(SMALL, shifts, CAUSE, EFFECT, 4, "do")
    # Dial 3 shows 4 + 6 = 10, which is 2; dial 4 shows 2 + 7 = 9, which is 1.
    assert question.simulate(intervene=True)[3:] == [2, 1]
    assert question.trace() == 1
    # Dial 0 shows 1 and dial 2 shows 1 + 3 = 4 without an intervention; dial 1 shows 1 + 5.
    assert question.simulate(intervene=False) == [1, 6, 4, 2, 1]


def test_both_positions_of_a_switch_add_different_numbers() -> None:
    for draw in range(20):
        question = draw_question(8, size_for(8), "test", draw, "do")
        assert all(up != down for up, down in question.shifts)
