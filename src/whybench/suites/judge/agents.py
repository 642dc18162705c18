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
from dataclasses import replace
from functools import cache
from itertools import compress, product
from math import prod
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.scm import Graph, Model, Table, probability
from whybench.suites.contract import Agent, Parameter, UserError
from whybench.suites.judge.implied import COLLIDER
from whybench.suites.judge.prompts import render_reply
from whybench.suites.judge.published import human_means, people_are_fetched
from whybench.suites.judge.questions import (
    CausalStructure,
    JudgeQuestion,
    TaskContrast,
    load_structure,
)
from whybench.suites.judge.shift_ratio import shift_ratio_of

if TYPE_CHECKING:
    import numpy as np

    from whybench.suites.judge.design import JudgeDesign
    from whybench.suites.judge.items import JudgeItem

Settings = Mapping[str, Any]
Belief = Callable[..., float]
"""A graph, a question and the parameters to the probability that an agent would state."""

REASONER_PARAMETERS = {
    "b": Parameter(0.1, "leak: probability of an effect without its causes", 0.0, 1.0),
    "m1": Parameter(0.8, "strength of the first link", 0.0, 1.0),
    "m2": Parameter(0.8, "strength of the second link", 0.0, 1.0),
    "p": Parameter(0.5, "prior probability of a variable without causes", 0.0, 1.0),
    "noise": Parameter(0.0, "SD of the noise, relative to that of a coin flip", 0.0, 0.99),
    "lapse": Parameter(0.0, "probability of a random answer", 0.0, 1.0),
}


def _strengths(structure: CausalStructure, m1: float, m2: float) -> tuple[float, ...]:
    """Return the strength of each link: m1 of the first and m2 of every other one."""
    return (m1, *[m2] * (len(structure.edges) - 1))


@cache
def _noisy_or(
    graph: str, question: JudgeQuestion, *, p: float, b: float, m1: float, m2: float
) -> float:
    structure = load_structure(graph)
    model = structure.noisy_or_model(structure.base_rates(p, b), _strengths(structure, m1, m2))
    return float(probability(model, question.query))


@cache
def _associative(
    graph: str, question: JudgeQuestion, *, p: float, b: float, m1: float, m2: float, rho: float
) -> float:
    """Answer as if the two variables without a link between them went together.

    They are the causes of the collider, the effects of the fork, the ends of the chain. With
    probability rho the second is as the first, otherwise as its own causes make it: so once these
    are known, the first makes a difference of rho to it.
    """
    structure = load_structure(graph)
    strength = dict(zip(structure.edges, _strengths(structure, m1, m2), strict=True))
    first, second = structure.independent[:2]
    tied = Graph(structure.nodes, ((first, second), *structure.edges))

    def chance(node: str, present: tuple[str, ...]) -> float:
        """P(node = 1) with just these of its parents present."""
        causes = structure.graph.parents(node)
        fails = prod(1 - strength[cause, node] for cause in causes if cause in present)
        alone = 1 - (1 - b) * fails if causes else p
        return rho * (first in present) + (1 - rho) * alone if node == second else alone

    def table(node: str) -> Table:
        parents = tied.parents(node)
        patterns = product((False, True), repeat=len(parents))
        return Table(tuple(chance(node, tuple(compress(parents, on))) for on in patterns))

    model = Model(tied, {node: table(node) for node in structure.nodes})
    return float(probability(model, question.query))


def _heedless(graph: str, question: JudgeQuestion, **parameters: float) -> float:
    edges = load_structure(graph).edges
    linked = tuple(
        (node, state)
        for node, state in question.given
        if {(node, question.target), (question.target, node)} & set(edges)
    )
    return _noisy_or(graph, replace(question, given=linked), **parameters)


def _anchored(graph: str, question: JudgeQuestion, *, anchor: float, **parameters: float) -> float:
    return 0.5 + (1 - anchor) * (_noisy_or(graph, question, **parameters) - 0.5)


def _extreme(graph: str, question: JudgeQuestion, **parameters: float) -> float:
    belief = _noisy_or(graph, question, **parameters)
    return 0.5 if abs(belief - 0.5) < 1e-9 else float(belief > 0.5)


def _contrasts(design: JudgeDesign) -> dict[str, TaskContrast]:
    """Return the measures of the design's graph of which every task is asked."""
    tasks = {question.task for question in design.questions}
    return {
        name: contrast
        for name, contrast in load_structure(design.graph).contrasts.items()
        if tasks.issuperset(contrast.above + contrast.below)
    }


def _agent(
    name: str,
    summary: str,
    belief: Belief,
    extra: Mapping[str, Parameter] | None = None,
    calibrate_at: tuple[Mapping[str, float], ...] = ({}, {"noise": 0.3}),
    noisy_or: bool = False,
) -> Agent[JudgeItem]:
    """Build an agent that states a belief, with or without noise around it.

    The answers of a `noisy_or` agent are those of a noisy-OR model, whose parameters are known
    then. Rounding hides their last digits, so they are known within noise only; and a fit pools
    the causes, so they must be equally strong.
    """
    parameters = {**REASONER_PARAMETERS, **(extra or {})}

    def believe(graph: str, question: JudgeQuestion, settings: Settings) -> float:
        chosen = {name: settings[name] for name in parameters if name not in {"noise", "lapse"}}
        return belief(graph, question, **chosen)

    def reply(item: JudgeItem, settings: Settings, rng: np.random.Generator) -> str:
        if settings["lapse"] and rng.random() < settings["lapse"]:
            return _random_reply(item, settings, rng)
        value = believe(item.story.graph, item.question, settings)
        if settings["noise"] and value not in (0.0, 1.0):
            concentration = 1 / settings["noise"] ** 2 - 1
            value = float(rng.beta(value * concentration, (1 - value) * concentration))
        return render_reply(round(100 * value), item.style)

    def expected(settings: Settings, design: JudgeDesign) -> dict[str, float]:
        """Compute the measures from beliefs; without noise, from the rounded ones."""

        def task_mean(task: str) -> float:
            questions = [q for q in load_structure(design.graph).questions if q.task == task]
            beliefs = [believe(design.graph, question, settings) for question in questions]
            if not settings["noise"]:
                beliefs = [round(100 * value) / 100 for value in beliefs]
            lapse = float(settings["lapse"])
            return (1 - lapse) * fmean(beliefs) + lapse / 2

        values = {
            name: fmean(map(task_mean, contrast.above)) - fmean(map(task_mean, contrast.below))
            for name, contrast in _contrasts(design).items()
        }
        every_task = not design.task  # with fewer tasks a model may not be determined
        if every_task and design.graph == COLLIDER and not (settings["noise"] or settings["lapse"]):
            said = {
                (q.task, q.cause): round(100 * believe(COLLIDER, q, settings)) / 100
                for q in load_structure(COLLIDER).questions
            }
            ratio = shift_ratio_of(said)
            values |= {} if ratio is None else {"shift_ratio": ratio}
        exact = noisy_or and every_task and not settings["lapse"]
        if exact and settings["noise"] and settings["m1"] == settings["m2"]:
            p, b, m = (settings[name] for name in ("p", "b", "m1"))
            values |= {"prior": p, "leak": b, "strength": m, "leak_adjusted_determinacy": m - b}
        return values

    return Agent(
        name=name,
        summary=summary,
        reply=reply,
        parameters=parameters,
        expected=expected,
        noisy=lambda settings: settings["noise"] > 0 or settings["lapse"] > 0,
        calibrate_at=calibrate_at,
    )


def _random_reply(item: JudgeItem, _settings: Settings, rng: np.random.Generator) -> str:
    return render_reply(int(rng.integers(0, 101)), item.style)


def _is_judged_by_people(design: JudgeDesign) -> bool:
    """Whether people judged these stories, and their judgments have been fetched."""
    if not people_are_fetched() or not design.stories or "stated" in design.independence:
        return False
    return {story.name for story in design.stories} <= {key[0] for key in human_means(design.graph)}


def _human_reply(item: JudgeItem, _settings: Settings, _rng: np.random.Generator) -> str:
    key = (item.story.name, item.polarity, item.question.letter)
    means = human_means(item.story.graph)
    if key not in means or item.independence == "stated":
        raise UserError(
            "judge.human-rw17 must be asked what people were asked (economy, sociology, weather; "
            "collider, fork; independence unstated), got "
            f"story={key[0]}, graph={item.story.graph}, polarity={key[1]}, letter={key[2]}, "
            f"independence={item.independence}"
        )
    return render_reply(means[key], item.style)


AGENTS: Mapping[str, Agent[JudgeItem]] = {
    agent.name: agent
    for agent in (
        _agent(
            "noisy-or",
            "applies the noisy-or model, with known parameters",
            _noisy_or,
            calibrate_at=(
                {},
                {"noise": 0.3},
                {"b": 0.24, "m1": 0.63, "m2": 0.63, "p": 0.53, "noise": 0.5},
            ),
            noisy_or=True,
        ),
        _agent(
            "associative",
            "applies noisy-or, but assumes that unlinked variables are correlated",
            _associative,
            {"rho": Parameter(0.3, "assumed correlation of unlinked variables", 0.0, 0.95)},
        ),
        _agent(
            "heedless",
            "applies noisy-or, but ignores variables not linked to the queried one",
            _heedless,
        ),
        _agent(
            "anchored-at-50",
            "moves only part of the way from 50 to the noisy-or answer",
            _anchored,
            {"anchor": Parameter(0.5, "weight of the anchor 50", 0.0, 1.0)},
        ),
        _agent(
            "extreme",
            "answers 0 or 100, whichever is closer to the noisy-or answer",
            _extreme,
            calibrate_at=({},),
        ),
        Agent(
            "random",
            "answers a random whole number from 0 to 100",
            _random_reply,
            expected=lambda _, design: {
                **dict.fromkeys(_contrasts(design), 0.0),
                **({"human_correlation": 0.0} if _is_judged_by_people(design) else {}),
            },
            noisy=lambda _: True,
        ),
        Agent(
            "human-rw17",
            "repeats the mean human judgment from Rehder and Waldmann (2017)",
            _human_reply,
            expected=lambda _, design: (
                {"human_correlation": 1.0} if _is_judged_by_people(design) else {}
            ),
        ),
    )
}
"""The reference agents by name."""

MINDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "careful": ("noisy-or", {"noise": 0.1, "lapse": 0.02}),
    "associative": ("associative", {"rho": 0.5, "noise": 0.1, "lapse": 0.02}),
    "hasty": ("noisy-or", {"noise": 0.1, "lapse": 0.2}),
    "guesser": ("random", {}),
}
"""The minds, and the agent that stands for each."""
