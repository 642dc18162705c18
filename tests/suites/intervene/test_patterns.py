"""Each failure has one name, and the published examples have theirs."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from whybench.suites.intervene.entailment import Transition, decide_entailment
from whybench.suites.intervene.verdicts import PATTERNS, decide_verdict, error_pattern
from whybench.suites.intervene.world import InterveneWorld


class Example(NamedTuple):
    """A failure that the source reports, in a world that would produce it."""

    world: InterveneWorld
    initial: frozenset[int]
    actions: list[tuple[str, int]]
    question: tuple[int, int]
    answer: str
    pattern: str
    verdict: str


CHAIN = InterveneWorld(3, ((0, 1), (1, 2)))
ONE_ROOT = InterveneWorld(4, ((0, 1), (0, 2), (0, 3)))
TWO_ROOTS = InterveneWorld(4, ((0, 2), (1, 2), (1, 3)))
FORK = InterveneWorld(3, ((1, 0), (1, 2)))

EXAMPLES = {
    # Triangle, square, circle all move; the square goes on when held, the triangle stops all.
    "mediator denied": Example(
        CHAIN, frozenset(range(3)), [("hold", 1), ("hold", 0)], (1, 2), "no",
        "root_cause", "premature",
    ),
    # Triangle, octagon, rectangle, circle all move; only holding the triangle has an effect.
    "effect taken for the cause": Example(
        ONE_ROOT, frozenset(range(4)), [("hold", 1), ("hold", 2), ("hold", 3), ("hold", 0)],
        (1, 0), "yes", "correlation", "contradicts",
    ),
    # Of triangle, square and circle the triangle moves; then the circle is moved as well.
    "effect moving beforehand": Example(
        FORK, frozenset({0}), [("move", 2)], (2, 0), "yes", "correlation", "premature",
    ),
    # Triangle, square, circle all move; holding the triangle stops all.
    "proof not believed": Example(
        CHAIN, frozenset(range(3)), [("hold", 0)], (0, 2), "no",
        "illusive_confounder", "contradicts",
    ),
    # Square, ellipse, hexagon, circle all move; holding the square stops nothing else.
    "second cause clears the first": Example(
        TWO_ROOTS, frozenset(range(4)), [("hold", 0)], (0, 2), "no",
        "reverse_collider", "premature",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXAMPLES)
def test_published_examples_get_their_names(name):
    example = EXAMPLES[name]
    states, transitions = [example.initial], []
    for action, entity in example.actions:
        states.append(example.world.step(states[-1], action, entity))
        transitions.append(Transition(states[-2], action, entity, states[-1]))
    evidence = decide_entailment(example.world.n, transitions, *example.question)
    truth = example.world.causes(*example.question)
    assert (
        error_pattern(example.answer, truth, *example.question, states, evidence) == example.pattern
    )
    assert decide_verdict(example.answer, truth, evidence) == example.verdict


def named(answer, truth, states, evidence="open"):
    return error_pattern(answer, truth, 0, 1, [frozenset(state) for state in states], evidence)


def test_no_pattern_without_a_failure():
    assert named("yes", True, [{0, 1}]) is None
    assert named("no", False, [{0, 1}]) is None
    assert named(None, True, [{0, 1}]) is None


def test_correlation_is_equal_status_at_the_end_or_one_common_flip():
    assert named("yes", False, [{1}, {0, 1}]) == "correlation"
    assert named("yes", False, [{0, 1}, {1}, set()]) == "correlation"
    assert named("yes", False, [{0, 1}, set(), {1}]) == "correlation"
    assert named("yes", False, [set(), {0, 1}, {1}]) == "correlation"
    assert named("yes", False, [{0, 1}, {1}]) == "other"


def test_wrong_no_takes_the_first_that_fits():
    assert named("no", True, [{0, 1}, {1}], "yes") == "reverse_collider"
    assert named("no", True, [{0, 1}, set()], "yes") == "illusive_confounder"
    assert named("no", True, [{0, 1, 2}, set()]) == "root_cause"
    assert named("no", True, [set(), {2}, set()]) == "other"
    assert named("no", True, [{0, 1, 2}, {2}]) == "other"
    assert named("no", True, [{0, 1, 2}]) == "other"


def test_an_episode_has_at_least_one_state():
    with pytest.raises(ValueError, match="at least the initial state"):
        named("yes", False, [])


def test_every_pattern_is_listed_once():
    assert len(set(PATTERNS)) == len(PATTERNS) == 5
    assert {example.pattern for example in EXAMPLES.values()} == set(PATTERNS) - {"other"}
