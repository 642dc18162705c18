"""The reference agents of judge: strategies whose measures are known.

Their answers are whole numbers, as a model's are. Noise keeps the mean: an answer is drawn from a
Beta distribution around the noiseless one, since noise that is cut off at 0 and 100 would move
the very means that are to be recovered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from whybench.scm import Graph, Model, NoisyOr, observe, probability
from whybench.suites.contract import Agent, Parameter, UserError
from whybench.suites.judge.items import JudgeItem, noisy_or_model
from whybench.suites.judge.measures import CONTRASTS
from whybench.suites.judge.published import human_means
from whybench.suites.judge.questions import Question, structure
from whybench.suites.judge.wording import word_answer

if TYPE_CHECKING:
    import numpy as np

__all__ = ["AGENTS"]

Settings = Mapping[str, Any]
Belief = Callable[[str, Question, Settings], float]
"""The probability, 0 to 1, that an agent without noise would state on a graph's question."""

REASONER = {
    "b": Parameter(0.1, "leak: the effect without its causes", 0.0, 1.0),
    "m1": Parameter(0.8, "strength of the first cause", 0.0, 1.0),
    "m2": Parameter(0.8, "strength of the second cause", 0.0, 1.0),
    "p": Parameter(0.5, "prior of a cause", 0.0, 1.0),
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
    if graph != "collider":
        raise UserError(f"judge.associative must be asked about colliders, got a {graph}")
    return _tied(question, *(settings[name] for name in ("p", "b", "m1", "m2", "rho")))


@cache
def _tied(question: Question, p: float, b: float, m1: float, m2: float, rho: float) -> float:
    """Answer in a collider whose causes go together: P(C2|C1) - P(C2|not C1) = rho."""
    shape = structure("collider")
    alone = p * (1 - rho)
    model = Model(
        Graph(shape.nodes, (("C1", "C2"), *shape.edges)),
        {
            "C1": NoisyOr(p, ()),
            "C2": NoisyOr(alone, (rho / (1 - alone),)),
            "E": NoisyOr(b, _strengths(shape.edges, m1, m2)),
        },
    )
    return _answer(model, question)


def _answer(model: Model, question: Question) -> float:
    return float(probability(model, observe({question.asked: 1}, dict(question.given))))


def _anchored(graph: str, question: Question, settings: Settings) -> float:
    way = 1 - float(settings["anchor"])
    return 0.5 + way * (_noisy_or(graph, question, settings) - 0.5)


def _extreme(graph: str, question: Question, settings: Settings) -> float:
    belief = _noisy_or(graph, question, settings)
    return 0.5 if abs(belief - 0.5) < 1e-9 else float(belief > 0.5)


def _agent(
    name: str,
    summary: str,
    belief: Belief,
    extra: Mapping[str, Parameter] | None = None,
    calibrate_at: tuple[Mapping[str, float], ...] = ({}, {"noise": 0.3}),
) -> Agent[JudgeItem]:
    """Build an agent that states a belief, with or without noise around it."""

    def stated(value: float, settings: Settings, draw: np.random.Generator | None) -> float:
        noise = settings["noise"]
        if not noise or draw is None or value in (0.0, 1.0):
            return value
        concentration = 1 / noise**2 - 1
        return float(draw.beta(value * concentration, (1 - value) * concentration))

    def reply(item: JudgeItem, settings: Settings, draw: np.random.Generator) -> str:
        value = stated(belief(item.told.graph, item.question, settings), settings, draw)
        return word_answer(round(100 * value), item.style)

    def known(settings: Settings) -> dict[str, float]:
        """Compute the measures from beliefs; without noise, from the rounded ones."""

        def mean(task: str) -> float:
            questions = [q for q in structure("collider").questions if q.task == task]
            beliefs = [belief("collider", question, settings) for question in questions]
            if not settings["noise"]:
                beliefs = [round(100 * value) / 100 for value in beliefs]
            return sum(beliefs) / len(beliefs)

        return {name: mean(above) - mean(below) for name, (above, below) in CONTRASTS.items()}

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


def _human_reply(item: JudgeItem, _settings: Settings, _draw: np.random.Generator) -> str:
    key = (item.told.name, item.polarity, item.question.letter)
    means = human_means()
    if key not in means:
        raise UserError(
            f"judge.human-rw17 must be asked what people were asked (economy, sociology, weather, "
            f"collider), got story={key[0]}, polarity={key[1]}, letter={key[2]}"
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
                {"b": 0.24, "m1": 0.6, "m2": 0.66, "p": 0.4, "noise": 0.5},
            ),
        ),
        _agent(
            "associative",
            "reasons as noisy-or, but believes that the causes go together",
            _associative,
            {"rho": Parameter(0.3, "association of the causes", 0.0, 0.95)},
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
            known=lambda _: dict.fromkeys(CONTRASTS, 0.0),
            noisy=lambda _: True,
        ),
        Agent(
            "human-rw17",
            "replays the mean judgment of the people of Rehder and Waldmann (2017)",
            _human_reply,
        ),
    )
}
