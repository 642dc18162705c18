"""What the measures of the reference agents really are, found without holding an episode.

An agent's value on a design is counted over the cases themselves: from the definition of a world,
where possible the second one, and never through wording, replies or the SAT solver that measure it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.suites.intervene.entailment import Transition
from whybench.suites.intervene.experimenters import run_experiment
from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.posets import (
    MAX_ENUMERATED,
    consistent_orders,
    decide_by_enumeration,
    list_posets,
)
from whybench.suites.intervene.world import ACTIONS, simulate_action

if TYPE_CHECKING:
    from whybench.suites.intervene.design import InterveneDesign
    from whybench.suites.intervene.experimenters import Experimenter
    from whybench.suites.intervene.world import InterveneWorld, State

Expected = Callable[[Mapping[str, Any], Any], Mapping[str, float]]


@dataclass(frozen=True)
class InterveneQuestion:
    """What is asked of which world.

    Attributes:
        world: The hidden world.
        initial: The first state.
        x: The supposed cause.
        y: The supposed effect.
        truth: Whether it is one.
        limit: How many actions are allowed.
    """

    world: InterveneWorld
    initial: State
    x: int
    y: int
    truth: bool
    limit: int


def list_questions(design: InterveneDesign) -> list[InterveneQuestion]:
    """Return what the items of a design ask."""
    return [
        InterveneQuestion(
            item.hidden, item.initial, *item.pair, truth=item.truth == 1, limit=item.limit
        )
        for item in intervene_items(design)
    ]


def expect_careful(experimenter: Experimenter) -> Expected:
    """Return the measures of an agent that answers what is settled, at times the opposite."""

    def expected(settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
        right = 1 - settings["error"]
        questions = list_questions(design)
        done = [
            run_experiment(experimenter, q.world, q.initial, q.x, q.y).transitions[: q.limit]
            for q in questions
        ]
        settled = fmean(_is_settled(q, seen) for q, seen in zip(questions, done, strict=True))
        shares = {
            "justified_accuracy": settled * right,
            "verdict_contradicts": settled * (1 - right),
        }
        if settled == 1:
            shares |= {"accuracy": right, "balanced_accuracy": right}
        if right < 1:
            return shares
        return shares | {"entailed_share": settled, "steps": fmean(map(len, done))}

    return expected


def _is_settled(q: InterveneQuestion, seen: Sequence[Transition]) -> bool:
    """Whether what was seen settles the question, by listing all orders where they are few.

    Of larger worlds an experimenter is never stopped before it is done.
    """
    if q.world.n > MAX_ENUMERATED:
        return True
    return decide_by_enumeration(q.world.n, seen, q.x, q.y, q.initial) != "open"


def expect_immediate(says_yes: Callable[[InterveneQuestion], bool]) -> Expected:
    """Return the measures of an agent that answers at once.

    What it sees at first settles the question only if the cause moves and the effect does not: the
    answer is no.
    """

    def expected(_settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
        questions = list_questions(design)
        answers = [says_yes(q) for q in questions]
        clear = [q.x in q.initial and q.y not in q.initial for q in questions]
        return _count_answers(questions, answers) | {
            "justified_accuracy": fmean(
                seen and not yes for seen, yes in zip(clear, answers, strict=True)
            ),
            "entailed_share": fmean(clear),
            "steps": 0.0,
        }

    return expected


def expect_one_action(
    acts_on: str, says_yes: Callable[[InterveneQuestion, State], bool]
) -> Expected:
    """Return the measures of an agent that acts once on cause or effect, and answers by that."""

    def expected(_settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
        questions = list_questions(design)
        answers = []
        for q in questions:
            v = q.x if acts_on == "cause" else q.y
            state = simulate_action(q.world, q.initial, "hold" if v in q.initial else "move", v)
            answers.append(says_yes(q, state))
        return _count_answers(questions, answers) | {"steps": 1.0}

    return expected


def is_same_state(q: InterveneQuestion, state: State) -> bool:
    """Whether cause and effect both move or both rest."""
    return (q.x in state) == (q.y in state)


def has_effect_changed(q: InterveneQuestion, state: State) -> bool:
    """Whether the effect began or ceased to move."""
    return (q.y in state) != (q.y in q.initial)


def expect_guessing(settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
    """Return the measures of an agent that acts at random and tosses a coin.

    Half its answers are right, and half of those to settled questions are justified. How often one
    random action settles the question is counted over all actions, by listing all orders, where
    worlds are small enough for that.
    """
    shares = {"accuracy": 0.5, "balanced_accuracy": 0.5, "yes_share": 0.5, "criterion": 0.0}
    shares |= {"d_prime": 0.0}
    questions = list_questions(design)
    if settings["steps"] == 1 and max(q.world.n for q in questions) <= MAX_ENUMERATED:
        settled = fmean(_share_settled_by_one(q) for q in questions)
        shares |= {"justified_accuracy": settled / 2, "verdict_contradicts": settled / 2}
    return shares


def _share_settled_by_one(q: InterveneQuestion) -> float:
    """Return the share of single actions after which the question is settled."""
    n, answers = q.world.n, list_posets(q.world.n).causes(q.x, q.y)
    settled = []
    for action, v in product(ACTIONS, range(n)):
        after = simulate_action(q.world, q.initial, action, v)
        left = answers[consistent_orders(n, [Transition(q.initial, action, v, after)], q.initial)]
        settled.append(bool(left.all() or not left.any()))
    return fmean(settled)


def _count_answers(questions: list[InterveneQuestion], answers: list[bool]) -> dict[str, float]:
    """Return what follows from the answers alone."""
    right: dict[bool, list[bool]] = {True: [], False: []}
    for q, yes in zip(questions, answers, strict=True):
        right[q.truth].append(yes == q.truth)
    return {
        "accuracy": fmean(right[True] + right[False]),
        "balanced_accuracy": (fmean(right[True]) + fmean(right[False])) / 2,
        "yes_share": fmean(answers),
    }
