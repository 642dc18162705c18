"""The reference agents of judge: strategies whose measures are known.

They answer about any graph: m1 is the strength of its first link, m2 that of the others, b the leak
of every effect, p the prior of every variable without causes. `human-rw17` answers about what
people were asked: the collider and the fork.

Their answers are whole numbers, as a model's are. Noise keeps the mean: an answer is drawn from a
Beta distribution around the noiseless one, since noise that is cut off at 0 and 100 would move
the very means that are to be recovered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import combinations, product
from math import prod
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.datasets import state
from whybench.scm import Graph, Model, Table, observe, probability
from whybench.suites.contract import Agent, Parameter, UserError
from whybench.suites.judge.items import JudgeItem, noisy_or_model
from whybench.suites.judge.people import human_cells
from whybench.suites.judge.published import PEOPLE, SOURCE
from whybench.suites.judge.questions import Question, TaskContrast, structure
from whybench.suites.judge.wording import word_answer

if TYPE_CHECKING:
    import numpy as np

    from whybench.suites.judge.design import JudgeDesign

__all__ = ["AGENTS"]

Settings = Mapping[str, Any]
Belief = Callable[[str, Question, Settings], float]
"""The probability, 0 to 1, that an agent without noise would state on a graph's question."""

REASONER = {
    "b": Parameter(0.1, "leak: an effect without its causes", 0.0, 1.0),
    "m1": Parameter(0.8, "strength of the first link", 0.0, 1.0),
    "m2": Parameter(0.8, "strength of the second link", 0.0, 1.0),
    "p": Parameter(0.5, "prior of a variable without causes", 0.0, 1.0),
    "noise": Parameter(0.0, "standard deviation relative to that of a coin", 0.0, 0.99),
}


def _strengths(edges: tuple[tuple[str, str], ...], m1: float, m2: float) -> tuple[float, ...]:
    """Give the first link m1 and every other one m2."""
    return tuple(m1 if place == 0 else m2 for place in range(len(edges)))


def _noisy_or(graph: str, question: Question, settings: Settings) -> float:
    return _normative(graph, question, *(settings[name] for name in ("p", "b", "m1", "m2")))


@cache
def _normative(graph: str, question: Question, p: float, b: float, m1: float, m2: float) -> float:
    shape = structure(graph)
    strengths = _strengths(shape.edges, m1, m2)
    return _answer(noisy_or_model(shape.edges, shape.nodes, p, b, strengths), question)


def _associative(graph: str, question: Question, settings: Settings) -> float:
    return _tied(graph, question, *(settings[name] for name in ("p", "b", "m1", "m2", "rho")))


@cache
def _tied(
    graph: str, question: Question, p: float, b: float, m1: float, m2: float, rho: float
) -> float:
    """Answer as if the two variables without a link between them went together.

    They are the causes of the collider, the effects of the fork, the ends of the chain. With
    probability rho the second is as the first, otherwise as its own causes make it: so once these
    are known, the first makes a difference of rho to it.
    """
    shape = structure(graph)
    strength = dict(zip(shape.edges, _strengths(shape.edges, m1, m2), strict=True))
    first, second = next(
        pair for pair in combinations(shape.nodes, 2) if not {pair, pair[::-1]} & set(shape.edges)
    )
    tied = Graph(shape.nodes, ((first, second), *shape.edges))

    def chance(node: str, present: tuple[str, ...]) -> float:
        """P(node = 1) with just these of its parents present."""
        causes = [cause for cause, effect in shape.edges if effect == node]
        fails = prod(1 - strength[cause, node] for cause in causes if cause in present)
        alone = 1 - (1 - b) * fails if causes else p
        return rho * (first in present) + (1 - rho) * alone if node == second else alone

    def table(node: str) -> Table:
        parents = tied.parents(node)
        return Table(
            tuple(
                chance(node, tuple(cause for cause, on in zip(parents, ons, strict=True) if on))
                for ons in product((False, True), repeat=len(parents))
            )
        )

    return _answer(Model(tied, {node: table(node) for node in shape.nodes}), question)


def _answer(model: Model, question: Question) -> float:
    return float(probability(model, observe({question.asked: 1}, dict(question.given))))


def _anchored(graph: str, question: Question, settings: Settings) -> float:
    way = 1 - float(settings["anchor"])
    return 0.5 + way * (_noisy_or(graph, question, settings) - 0.5)


def _extreme(graph: str, question: Question, settings: Settings) -> float:
    belief = _noisy_or(graph, question, settings)
    return 0.5 if abs(belief - 0.5) < 1e-9 else float(belief > 0.5)


def _contrasts(design: JudgeDesign) -> dict[str, TaskContrast]:
    """Return the measures of the design's graph of which every task is asked."""
    asked = {question.task for question in design.questions}
    return {
        name: contrast
        for name, contrast in structure(design.graph).contrasts.items()
        if asked.issuperset(contrast.above + contrast.below)
    }


def _agent(
    name: str,
    summary: str,
    belief: Belief,
    extra: Mapping[str, Parameter] | None = None,
    calibrate_at: tuple[Mapping[str, float], ...] = ({}, {"noise": 0.3}),
    modelled: bool = False,
) -> Agent[JudgeItem]:
    """Build an agent that states a belief, with or without noise around it.

    The answers of a `modelled` agent are those of a noisy-OR model, whose parameters are known
    then. Rounding hides their last digits, so they are known within noise only; and a fit pools
    the causes, so they must be equally strong.
    """

    def stated(value: float, settings: Settings, draw: np.random.Generator | None) -> float:
        noise = settings["noise"]
        if not noise or draw is None or value in (0.0, 1.0):
            return value
        concentration = 1 / noise**2 - 1
        return float(draw.beta(value * concentration, (1 - value) * concentration))

    def reply(item: JudgeItem, settings: Settings, draw: np.random.Generator) -> str:
        value = stated(belief(item.told.graph, item.question, settings), settings, draw)
        return word_answer(round(100 * value), item.style)

    def known(settings: Settings, design: JudgeDesign) -> dict[str, float]:
        """Compute the measures from beliefs; without noise, from the rounded ones."""

        def mean(task: str) -> float:
            questions = [q for q in structure(design.graph).questions if q.task == task]
            beliefs = [belief(design.graph, question, settings) for question in questions]
            if not settings["noise"]:
                beliefs = [round(100 * value) / 100 for value in beliefs]
            return fmean(beliefs)

        values = {
            name: fmean(map(mean, contrast.above)) - fmean(map(mean, contrast.below))
            for name, contrast in _contrasts(design).items()
        }
        whole = not design.task  # with fewer tasks a model may not be determined
        if modelled and whole and settings["noise"] and settings["m1"] == settings["m2"]:
            p, b, m = (settings[name] for name in ("p", "b", "m1"))
            values |= {"p": p, "b": b, "m": m, "lad": m - b}
        return values

    return Agent(
        name=name,
        summary=summary,
        reply=reply,
        parameters={**REASONER, **(extra or {})},
        known=known,
        noisy=lambda settings: settings["noise"] > 0,
        calibrate_at=calibrate_at,
    )


def _random_reply(item: JudgeItem, _settings: Settings, draw: np.random.Generator) -> str:
    return word_answer(int(draw.integers(0, 101)), item.style)


def _people_were_asked(design: JudgeDesign) -> bool:
    """Say whether people judged these stories, and their judgments have been fetched."""
    if state(SOURCE, PEOPLE) == "not fetched" or not design.stories:
        return False
    return {told.name for told in design.stories} <= {key[0] for key in human_cells(design.graph)}


def _human_reply(item: JudgeItem, _settings: Settings, _draw: np.random.Generator) -> str:
    key = (item.told.name, item.polarity, item.question.letter)
    means = human_cells(item.told.graph)
    if key not in means:
        raise UserError(
            "judge.human-rw17 must be asked what people were asked (economy, sociology, weather; "
            f"collider, fork), got story={key[0]}, graph={item.told.graph}, polarity={key[1]}, "
            f"letter={key[2]}"
        )
    return word_answer(means[key], item.style)


AGENTS: Mapping[str, Agent[JudgeItem]] = {
    agent.name: agent
    for agent in (
        _agent(
            "noisy-or",
            "reasons normatively with causes of known strength",
            _noisy_or,
            calibrate_at=(
                {},
                {"noise": 0.3},
                {"b": 0.24, "m1": 0.63, "m2": 0.63, "p": 0.53, "noise": 0.5},
            ),
            modelled=True,
        ),
        _agent(
            "associative",
            "reasons as noisy-or, but believes that variables without a link go together",
            _associative,
            {"rho": Parameter(0.3, "how closely they go together", 0.0, 0.95)},
        ),
        _agent(
            "anchored-at-50",
            "moves from 50 only part of the way to the noisy-or answer",
            _anchored,
            {"anchor": Parameter(0.5, "share of the way not gone", 0.0, 1.0)},
        ),
        _agent(
            "extreme",
            "answers 0 or 100, whichever is nearer to the noisy-or answer",
            _extreme,
            calibrate_at=({},),
        ),
        Agent(
            "random",
            "answers a uniform whole number from 0 to 100",
            _random_reply,
            known=lambda _, design: {
                **dict.fromkeys(_contrasts(design), 0.0),
                **({"alignment": 0.0} if _people_were_asked(design) else {}),
            },
            noisy=lambda _: True,
        ),
        Agent(
            "human-rw17",
            "replays the mean judgment of the people of Rehder and Waldmann (2017)",
            _human_reply,
            known=lambda _, design: {"alignment": 1.0} if _people_were_asked(design) else {},
        ),
    )
}
