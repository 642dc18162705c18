"""The reference agents of calculate.

| agent | answers |
|---|---|
| `exact` | the truth |
| `sees-only` | as if what is made were only seen |
| `does-only` | as if what is seen were made |
| `no-update` | without what is known of the case |
| `base-rate` | the effect's share of all cases, and that nothing has an effect |
| `total-effect` | the average effect, where a part of it or necessity is asked |
| `assumes-half` | the truth; 50% in place of numbers that are not told; one draw for each table |
| `rounds` | the truth, each probability that it is made of being rounded |
| `slips` | the truth, and now and then anything |
| `constant`, `uniform`, `echo`, `copies`, `says-cannot`, `doubts` | without reasoning: a constant \
for each query, any number, the mean of the numbers told, one of them, that it cannot be computed, \
that it cannot wherever a number is not told |

Where a question gives no room for its mistake, an agent that makes it is right.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.scm import elimination
from whybench.suites.calculate.expected import (
    Chances,
    expect_chances,
    expect_exact,
    random_answers,
)
from whybench.suites.calculate.measures import CONSTANTS
from whybench.suites.calculate.mistakes import ASSUMED
from whybench.suites.calculate.prompts import render_answer
from whybench.suites.calculate.quantities import (
    EFFECTS,
    FIRST,
    NOT_COMPUTABLE,
    PERCENT,
    SECOND,
)
from whybench.suites.calculate.world import fill_in
from whybench.suites.contract import Agent, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np

    from whybench.suites.calculate.items import CalculateItem

    Answerer = Callable[[CalculateItem, Mapping[str, Any]], Chances]


def oracle(item: CalculateItem) -> str:
    """Return the true answer in the form that is asked for."""
    return _word(item, item.truth)


def _word(item: CalculateItem, value: float) -> str:
    return render_answer(value, item.question, item.style)


def _compare(values: Sequence[float]) -> float:
    """Return one value as it is; of two, which is greater."""
    if len(values) == 1:
        return values[0]
    return FIRST if values[0] > values[1] else SECOND


def _answer_exact(item: CalculateItem, _: Mapping[str, Any]) -> Chances:
    return {item.truth: 1.0}


def _make_mistake(name: str) -> Answerer:
    def answer(item: CalculateItem, _: Mapping[str, Any]) -> Chances:
        made = item.mistakes[name]
        return {item.truth if made == NOT_COMPUTABLE else made: 1.0}

    return answer


def _answer_base_rate(item: CalculateItem, settings: Mapping[str, Any]) -> Chances:
    if item.cell.query in EFFECTS and item.cell.form == "number":
        return {0.0: 1.0}
    return _make_mistake("base_rate")(item, settings)


def _answer_assuming(item: CalculateItem, _: Mapping[str, Any]) -> Chances:
    return {_compare(_assumed_values(item, 0)): 1.0}


def _answer_rounding(item: CalculateItem, settings: Mapping[str, Any]) -> Chances:
    if item.truth == NOT_COMPUTABLE:
        return {NOT_COMPUTABLE: 1.0}
    return {_compare(_assumed_values(item, settings["step"])): 1.0}


def _assumed_values(item: CalculateItem, step: float) -> list[float]:
    """Return the quantities in the world with what is not told filled in.

    Each probability is rounded to a multiple of `step` points, unless that is 0.
    """
    (world,) = fill_in(item.question.world, ASSUMED)
    values = []
    for quantity in item.question.asked:
        total = 0.0
        for sign, query in quantity.terms(world.graph):
            points = PERCENT * float(elimination.probability(world.model, query))
            total += sign * (round(points / step) * step if step else points)
        values.append(total)
    return values


def _answer_slipping(item: CalculateItem, settings: Mapping[str, Any]) -> Chances:
    error = settings["error"]
    chances = {value: error * chance for value, chance in random_answers(item).items()}
    chances[item.truth] = chances.get(item.truth, 0.0) + 1 - error
    return chances


def _answer_constant(item: CalculateItem, _: Mapping[str, Any]) -> Chances:
    return {FIRST if item.cell.form == "greater" else CONSTANTS[item.cell.query]: 1.0}


def _told_numbers(item: CalculateItem) -> list[float]:
    numbers = (number for _, rule in item.question.world.rules for number in rule.numbers)
    return [float(number) for number in numbers if number is not None]


def _answer_echo(item: CalculateItem, _: Mapping[str, Any]) -> Chances:
    mean = fmean(map(abs, _told_numbers(item)))
    return {FIRST if item.cell.form == "greater" else mean: 1.0}


def _answer_copying(item: CalculateItem, _: Mapping[str, Any]) -> Chances:
    if item.cell.form == "greater":
        return random_answers(item)
    told = _told_numbers(item)
    return {number: told.count(number) / len(told) for number in told}


def _answer_doubting(item: CalculateItem, settings: Mapping[str, Any]) -> Chances:
    if item.question.world.unstated:
        return {NOT_COMPUTABLE: 1.0}
    return _answer_constant(item, settings)


def _reply(answer: Answerer) -> Callable[..., str]:
    def reply(item: CalculateItem, settings: Mapping[str, Any], rng: np.random.Generator) -> str:
        chances = answer(item, settings)
        values = list(chances)
        chosen = 0 if len(values) == 1 else int(rng.choice(len(values), p=list(chances.values())))
        return _word(item, values[chosen])

    return reply


def make_agent(name: str, summary: str, answer: Answerer, **further: Any) -> Agent[CalculateItem]:
    """Return an agent from the chances with which it answers an item under its settings."""
    expected = {"expected": expect_chances(answer)} | further
    return Agent(name=name, summary=summary, reply=_reply(answer), **expected)


NOISY = frozenset(
    {"skill_score", "number_skill", "answerability_skill", "accuracy", "answerability"}
)
"""Their intervals are for other worlds too, and seeds vary answers about the same ones."""

AGENTS: Mapping[str, Agent[CalculateItem]] = {
    agent.name: agent
    for agent in (
        make_agent("exact", "answers correctly", _answer_exact, expected=expect_exact),
        make_agent(
            "sees-only",
            "conditions instead of intervening: P(y | x) for P(y | do(x))",
            _make_mistake("conditioning"),
        ),
        make_agent(
            "does-only",
            "intervenes instead of conditioning: P(y | do(x)) for P(y | x)",
            _make_mistake("intervening"),
        ),
        make_agent(
            "no-update",
            "skips abduction: ignores the evidence about the case",
            _make_mistake("no_abduction"),
        ),
        make_agent(
            "base-rate", "answers the marginal probability of the effect", _answer_base_rate
        ),
        make_agent(
            "total-effect",
            "gives the total effect, whatever rung-3 quantity is asked for",
            _make_mistake("total_effect"),
        ),
        make_agent("assumes-half", "assumes 50% for missing numbers", _answer_assuming),
        make_agent(
            "rounds",
            "rounds every intermediate probability",
            _answer_rounding,
            parameters={"step": Parameter(5.0, "rounding step, in percentage points", 0.1, 50.0)},
        ),
        make_agent(
            "slips",
            "answers correctly, with occasional random answers",
            _answer_slipping,
            parameters={"error": Parameter(0.05, "probability of a random answer", 0.0, 1.0)},
            noisy=lambda settings: settings["error"] > 0,
            conservative=NOISY,
            calibrate_at=({}, {"error": 0.2}),
        ),
        make_agent("constant", "gives the same number for each query", _answer_constant),
        make_agent(
            "uniform",
            "gives a random number",
            lambda item, _: random_answers(item),
            noisy=lambda _: True,
            conservative=NOISY,
        ),
        make_agent("echo", "gives the mean of the numbers in the prompt", _answer_echo),
        make_agent(
            "copies",
            "repeats one of the numbers in the prompt",
            _answer_copying,
            noisy=lambda _: True,
            conservative=NOISY,
        ),
        make_agent(
            "says-cannot",
            "always answers that it cannot be determined",
            lambda _, __: {NOT_COMPUTABLE: 1.0},
        ),
        make_agent(
            "doubts", "answers that if a number is missing, else gives a constant", _answer_doubting
        ),
    )
}
"""The reference agents by name."""

MINDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "careful": ("slips", {"error": 0.02}),
    "associative": ("sees-only", {}),
    "hasty": ("slips", {"error": 0.2}),
    "guesser": ("uniform", {}),
}
"""The minds, and the agent that stands for each."""
