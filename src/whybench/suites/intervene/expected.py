"""What the measures of the reference agents really are, found without holding an episode.

An agent's value on a design is counted over the cases themselves: from the definition of a world,
where possible the second one, and never through wording, replies or the SAT solver that measure it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.suites.intervene.entailment import Transition, conclude
from whybench.suites.intervene.experimenters import ALL_PAIRS, Inquiry, Intervention, run_experiment
from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.posets import (
    MAX_ENUMERATED,
    consistent_orders,
    decide_by_enumeration,
    list_posets,
)
from whybench.suites.intervene.world import ACTIONS, list_pairs, simulate_action, transitive_closure

if TYPE_CHECKING:
    from whybench.suites.intervene.design import InterveneDesign
    from whybench.suites.intervene.entailment import Entailed
    from whybench.suites.intervene.experimenters import Experimenter
    from whybench.suites.intervene.reporters import Reporter
    from whybench.suites.intervene.world import InterveneWorld, State

__all__ = [
    "Expected",
    "InterveneQuestion",
    "expect_careful",
    "expect_guessing",
    "expect_immediate",
    "expect_one_action",
    "expect_report",
    "expect_report_guessing",
    "has_effect_changed",
    "is_same_state",
]

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


def _list_questions(design: InterveneDesign) -> list[InterveneQuestion]:
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
        questions = _list_questions(design)
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
        questions = _list_questions(design)
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
        questions = _list_questions(design)
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
    questions = _list_questions(design)
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


def expect_report(reporter: Reporter) -> Expected:
    """Return the measures of an agent that claims something of all pairs, at times the opposite.

    What it has seen is simulated by parents that drive their children, what that entails found by
    listing all orders, and what is true by matrices.
    """

    def expected(settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
        error = settings.get("error", 0.0)
        graded = [_grade_pairs(reporter, q) for q in _list_questions(design)]
        chances = [
            [
                0.0 if entailed == "open" else error if wrong else 1 - error
                for entailed, wrong in one
            ]
            for one, _ in graded
        ]
        shares = {
            "justified_pairs": fmean(map(fmean, chances)),
            "justified_accuracy": fmean(map(prod, chances)),
        }
        if error:
            return shares
        pairs = [pair for one, _ in graded for pair in one]
        settled = [[entailed != "open" for entailed, _ in one] for one, _ in graded]
        return shares | {
            "settled": fmean(map(fmean, settled)),
            "accuracy_pairs": fmean(fmean(not wrong for _, wrong in one) for one, _ in graded),
            "as_entailed": shares["justified_pairs"],
            "overclaimed": fmean(entailed == "open" for entailed, _ in pairs),
            "steps": fmean(steps for _, steps in graded),
        }

    return expected


def _grade_pairs(
    reporter: Reporter, q: InterveneQuestion
) -> tuple[list[tuple[Entailed, bool]], int]:
    """Return what is entailed of each pair and whether the report is wrong of it, and the steps."""
    inquiry = Inquiry(q.world.n, *ALL_PAIRS, q.initial)
    while len(inquiry.transitions) < q.limit and (chosen := reporter.choose(inquiry)) is not None:
        inquiry = inquiry.then(chosen, simulate_action(q.world, inquiry.state, *chosen))
    known = _list_entailed(inquiry)
    caused = transitive_closure(q.world)
    graded = [
        (entailed, reporter.claims(inquiry, known, *pair) != caused[pair])
        for pair, entailed in known.items()
    ]
    return graded, len(inquiry.transitions)


def _list_entailed(inquiry: Inquiry) -> dict[tuple[int, int], Entailed]:
    """Return what is entailed of every pair, by listing all orders."""
    n = inquiry.n
    left = consistent_orders(n, inquiry.transitions, inquiry.initial)
    answers = {pair: list_posets(n).causes(*pair)[left] for pair in list_pairs(n)}
    return {pair: conclude(bool(yes.any()), not yes.all()) for pair, yes in answers.items()}


def expect_report_guessing(
    settings: Mapping[str, Any], design: InterveneDesign
) -> dict[str, float]:
    """Return the measures of an agent that acts at random and tosses a coin for each pair."""
    shares = {"accuracy_pairs": 0.5}
    if settings["steps"] == 1:
        settled = [
            fmean(
                entailed != "open"
                for inquiry in _list_first_steps(q)
                for entailed in _list_entailed(inquiry).values()
            )
            for q in _list_questions(design)
        ]
        shares |= {"justified_pairs": fmean(settled) / 2}
    return shares


def _list_first_steps(q: InterveneQuestion) -> Iterator[Inquiry]:
    """Yield what is known after each action that there is."""
    first = Inquiry(q.world.n, *ALL_PAIRS, q.initial)
    for action, v in product(ACTIONS, range(q.world.n)):
        yield first.then(Intervention(action, v), simulate_action(q.world, q.initial, action, v))
