"""The reference agents of derive.

| agent | answers |
|---|---|
| `exact` | the effect |
| `reader` | the effect if at most `rules` rules are between cause and effect, otherwise a guess |
| `slips` | the effect, but each rule that it combines may be replaced by another one |
| `lapses` | the effect, and now and then a guess |
| `rounds` | the effect, with every intermediate result rounded |
| `sees-only` | the observational difference |
| `wrong-weights` | an average over the confounder where the cause is on |
| `guesser` | a guess |
| `constant` | always the same number |

A guess has a random sign, and its logarithm is evenly distributed over all possible effects.
"""

from __future__ import annotations

from math import log, prod
from typing import TYPE_CHECKING, Any

from whybench.suites.contract import Agent, Parameter
from whybench.suites.depth_agents import error_rate, errs, expect_accuracy
from whybench.suites.derive.drawing import DEEPEST, LARGEST, draw_link
from whybench.suites.derive.prompts import DO, PRODUCT, render_answer
from whybench.suites.derive.world import TOLERANCE, subtract

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from whybench.suites.derive.design import DeriveDesign
    from whybench.suites.derive.items import DeriveItem

    Settings = Mapping[str, Any]
    Answerer = Callable[[DeriveItem, Settings, np.random.Generator], float]

GUESS = 0.146
"""The guessing rate: the share of the best attack that misses a rule, its half or a state of it."""

GUESSES = (0.0025, float(LARGEST) / (1 - TOLERANCE))
"""The range of guesses in percentage points, which contains all effects."""

CHANCE = log((1 + TOLERANCE) / (1 - TOLERANCE)) / log(GUESSES[1] / GUESSES[0]) / 2
"""The probability that a guess is right."""


def _guess(rng: np.random.Generator) -> float:
    size = float(GUESSES[0] * (GUESSES[1] / GUESSES[0]) ** rng.random())
    return size if rng.random() < 0.5 else -size


def answer_exact(item: DeriveItem, *_: Any) -> float:
    """Answer the effect."""
    return item.truth


def answer_reader(item: DeriveItem, settings: Settings, rng: np.random.Generator) -> float:
    """Answer the effect if there are few rules, else guess."""
    return item.truth if item.question.depth <= settings["rules"] else _guess(rng)


def answer_slipping(item: DeriveItem, settings: Settings, rng: np.random.Generator) -> float:
    """Multiply the differences, and now and then take that of another rule."""
    factors = [
        subtract(draw_link(rng)) if rng.random() < settings["error"] else factor
        for factor in item.question.terms.factors
    ]
    return float(100 * prod(factors))


def answer_lapsing(item: DeriveItem, settings: Settings, rng: np.random.Generator) -> float:
    """Answer the effect, and now and then guess."""
    return _guess(rng) if rng.random() < settings["error"] else item.truth


def answer_rounding(item: DeriveItem, settings: Settings, _: Any) -> float:
    """Multiply the differences, and round after each step."""
    digits = settings["decimals"]
    first, *others = item.question.terms.factors
    points = round(float(100 * first), digits)
    for factor in others:
        points = round(points * float(factor), digits)
    return points


def answer_seen(item: DeriveItem, *_: Any) -> float:
    """Answer the observational difference; products are products."""
    return item.question.associate() if item.question.query == DO else item.truth


def answer_with_wrong_weights(item: DeriveItem, *_: Any) -> float:
    """Average over the confounder in the runs in which the cause is on."""
    question = item.question
    if question.query == PRODUCT:
        return item.truth
    share, strata, links = question.terms
    off, on = map(subtract, strata)
    where_off, where_on = question.rules[question.cause]
    with_, without = share * where_on, (100 - share) * where_off
    weighted = (with_ * on + without * off) / (with_ + without)
    return float(100 * weighted * prod(map(subtract, links)))


def _expect_lapses(settings: Settings, design: DeriveDesign) -> dict[str, float]:
    return expect_accuracy(PRODUCT, 1 - settings["error"] * (1 - CHANCE))({}, design)


def _make(name: str, summary: str, answer: Answerer, **declared: Any) -> Agent[DeriveItem]:
    def reply(item: DeriveItem, settings: Settings, rng: np.random.Generator) -> str:
        return render_answer(answer(item, settings, rng), item.question.query, item.style)

    return Agent(name, summary, reply, **declared)


AGENTS = {
    agent.name: agent
    for agent in (
        _make("exact", "answers correctly", answer_exact, expected=expect_accuracy(PRODUCT, 1.0)),
        _make(
            "reader",
            "combines a limited number of rules, and otherwise guesses",
            answer_reader,
            parameters={"rules": Parameter(3, "rules that it combines", 0, DEEPEST)},
            noisy=lambda _: True,
        ),
        _make(
            "slips",
            "combines all rules, and replaces some of them by other ones",
            answer_slipping,
            parameters=error_rate(0.1, "share of rules at which it slips"),
            noisy=errs,
        ),
        _make(
            "lapses",
            "answers correctly except for random guesses",
            answer_lapsing,
            parameters=error_rate(0.1, "share of answers that are guesses"),
            expected=_expect_lapses,
            noisy=errs,
        ),
        _make(
            "rounds",
            "rounds every intermediate result",
            answer_rounding,
            parameters={"decimals": Parameter(0, "decimal places of percentage points", 0, 6)},
        ),
        _make(
            "sees-only",
            "confuses correlation with causation",
            answer_seen,
            expected=expect_accuracy(PRODUCT, 0.0, 1.0),
        ),
        _make(
            "wrong-weights",
            "averages over the confounder where the cause is on",
            answer_with_wrong_weights,
            expected=expect_accuracy(PRODUCT, 0.0, 1.0),
        ),
        _make(
            "guesser",
            "guesses every answer",
            lambda _item, _settings, rng: _guess(rng),
            noisy=lambda _: True,
        ),
        _make(
            "constant",
            "always gives the same number",
            lambda _item, settings, _rng: settings["number"],
            parameters={"number": Parameter(10.0, "the number", -100.0, 100.0)},
        ),
    )
}

MINDS = {
    "careful": ("lapses", {"error": 0.02}),
    "associative": ("sees-only", {}),
    "hasty": ("lapses", {"error": 0.2}),
    "guesser": ("guesser", {}),
}
