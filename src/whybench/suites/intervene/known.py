"""What the measures of the reference agents really are, found without holding an episode.

An agent's value on a design is counted over the cases themselves: from the definition of a world,
where possible the second one, and never through wording, replies or the SAT solver that measure it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.suites.intervene.entailment import Transition
from whybench.suites.intervene.experimenters import experiment
from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.posets import MAX_ENUMERATED, consistent, posets
from whybench.suites.intervene.world import ACTIONS, simulated

if TYPE_CHECKING:
    from whybench.suites.intervene.design import InterveneDesign
    from whybench.suites.intervene.experimenters import Experimenter
    from whybench.suites.intervene.world import State, World

__all__ = ["Question", "alike", "always", "careful", "changed", "guessing", "once"]

Known = Callable[[Mapping[str, Any], Any], Mapping[str, float]]


@dataclass(frozen=True)
class Question:
    """What is asked of which world.

    Attributes:
        world: The hidden world.
        initial: The first state.
        x: The supposed cause.
        y: The supposed effect.
        truth: Whether it is one.
    """

    world: World
    initial: State
    x: int
    y: int
    truth: bool


def _questions(design: InterveneDesign) -> list[Question]:
    return [
        Question(item.hidden, item.initial, *item.asked, truth=item.truth == 1)
        for item in intervene_items(design)
    ]


def careful(experimenter: Experimenter) -> Known:
    """Know an agent that answers only what is settled, and then says the opposite at times."""

    def known(settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
        right = 1 - settings["error"]
        shares = {"accuracy": right, "balanced_accuracy": right, "justified_accuracy": right}
        if right < 1:
            return shares | {"verdict_contradicts": 1 - right}
        steps = fmean(
            len(experiment(experimenter, q.world, q.initial, q.x, q.y).transitions)
            for q in _questions(design)
        )
        return shares | {"entailed_share": 1.0, "steps": steps}

    return known


def always(says_yes: Callable[[Question], bool]) -> Known:
    """Know an agent that answers at once.

    What it sees at first settles the question only if the cause moves and the effect does not: the
    answer is no.
    """

    def known(_settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
        questions = _questions(design)
        said = [says_yes(q) for q in questions]
        clear = [q.x in q.initial and q.y not in q.initial for q in questions]
        return _counted(questions, said) | {
            "justified_accuracy": fmean(
                seen and not yes for seen, yes in zip(clear, said, strict=True)
            ),
            "entailed_share": fmean(clear),
            "steps": 0.0,
        }

    return known


def once(acts_on: str, says_yes: Callable[[Question, State], bool]) -> Known:
    """Know an agent that acts once on the cause or the effect, and answers by what it sees then."""

    def known(_settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
        questions = _questions(design)
        said = []
        for q in questions:
            v = q.x if acts_on == "cause" else q.y
            state = simulated(q.world, q.initial, "hold" if v in q.initial else "move", v)
            said.append(says_yes(q, state))
        return _counted(questions, said) | {"steps": 1.0}

    return known


def alike(q: Question, state: State) -> bool:
    """Whether cause and effect both move or both rest."""
    return (q.x in state) == (q.y in state)


def changed(q: Question, state: State) -> bool:
    """Whether the effect began or ceased to move."""
    return (q.y in state) != (q.y in q.initial)


def guessing(settings: Mapping[str, Any], design: InterveneDesign) -> dict[str, float]:
    """Know an agent that acts at random and tosses a coin.

    Half its answers are right, and half of those to settled questions are justified. How often one
    random action settles the question is counted over all actions, by listing all orders, where
    worlds are small enough for that.
    """
    shares = {"accuracy": 0.5, "balanced_accuracy": 0.5, "yes_share": 0.5, "criterion": 0.0}
    shares |= {"d_prime": 0.0}
    questions = _questions(design)
    if settings["steps"] == 1 and max(q.world.n for q in questions) <= MAX_ENUMERATED:
        settled = fmean(_settled_by_one(q) for q in questions)
        shares |= {"justified_accuracy": settled / 2, "verdict_contradicts": settled / 2}
    return shares


def _settled_by_one(q: Question) -> float:
    """Return the share of single actions after which the question is settled."""
    n, answers = q.world.n, posets(q.world.n).causes(q.x, q.y)
    settled = []
    for action, v in product(ACTIONS, range(n)):
        after = simulated(q.world, q.initial, action, v)
        left = answers[consistent(n, [Transition(q.initial, action, v, after)], q.initial)]
        settled.append(bool(left.all() or not left.any()))
    return fmean(settled)


def _counted(questions: list[Question], said: list[bool]) -> dict[str, float]:
    """Return what follows from the answers alone."""
    right: dict[bool, list[bool]] = {True: [], False: []}
    for q, yes in zip(questions, said, strict=True):
        right[q.truth].append(yes == q.truth)
    return {
        "accuracy": fmean(right[True] + right[False]),
        "balanced_accuracy": (fmean(right[True]) + fmean(right[False])) / 2,
        "yes_share": fmean(said),
    }
