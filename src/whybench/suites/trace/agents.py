"""The reference agents of trace.

| agent | answers |
|---|---|
| `exact` | the truth |
| `reader` | the truth if at most `rules` rules are needed, otherwise a random number |
| `slips` | the truth, but each rule that it follows may add a wrong number |
| `lapses` | the truth, and now and then a random number |
| `sees-only` | the number without the intervention |
| `guesser` | a random number |
| `constant` | always the same number |
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.contract import Agent, Parameter
from whybench.suites.depth_agents import error_rate, errs, expect_accuracy
from whybench.suites.horizon import OBSERVE
from whybench.suites.trace.prompts import render_answer
from whybench.suites.trace.world import DEEPEST, STATES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from whybench.suites.trace.design import TraceDesign
    from whybench.suites.trace.items import TraceItem

    Settings = Mapping[str, Any]
    Answerer = Callable[[TraceItem, Settings, np.random.Generator], int]

GUESS = 1 / STATES


def _guess(rng: np.random.Generator) -> int:
    return int(rng.integers(STATES))


def answer_exact(item: TraceItem, *_: Any) -> int:
    """Answer the truth."""
    return item.truth


def answer_reader(item: TraceItem, settings: Settings, rng: np.random.Generator) -> int:
    """Answer the truth if few rules suffice, else guess."""
    return item.truth if item.question.depth <= settings["rules"] else _guess(rng)


def answer_slipping(item: TraceItem, settings: Settings, rng: np.random.Generator) -> int:
    """Trace the effect back, and now and then add a wrong number."""
    depth = item.question.depth
    slips = rng.integers(1, STATES, size=depth)[rng.random(depth) < settings["error"]]
    return int(item.truth + slips.sum()) % STATES


def answer_lapsing(item: TraceItem, settings: Settings, rng: np.random.Generator) -> int:
    """Answer the truth, and now and then guess."""
    return _guess(rng) if rng.random() < settings["error"] else item.truth


def answer_seen(item: TraceItem, *_: Any) -> int:
    """Answer what the effect shows if the cause follows its rule."""
    return item.question.simulate(intervene=False)[item.question.effect]


def _expect_lapses(settings: Settings, design: TraceDesign) -> dict[str, float]:
    return expect_accuracy(OBSERVE, 1 - settings["error"] * (1 - GUESS))({}, design)


def _make(name: str, summary: str, answer: Answerer, **declared: Any) -> Agent[TraceItem]:
    def reply(item: TraceItem, settings: Settings, rng: np.random.Generator) -> str:
        return render_answer(answer(item, settings, rng), item.style)

    return Agent(name, summary, reply, **declared)


AGENTS = {
    agent.name: agent
    for agent in (
        _make("exact", "answers correctly", answer_exact, expected=expect_accuracy(OBSERVE, 1.0)),
        _make(
            "reader",
            "follows a limited number of rules, and otherwise guesses",
            answer_reader,
            parameters={"rules": Parameter(5, "rules that it follows", 0, DEEPEST)},
            noisy=lambda _: True,
        ),
        _make(
            "slips",
            "follows all rules, and adds a wrong number at some of them",
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
            "sees-only",
            "ignores interventions",
            answer_seen,
            expected=expect_accuracy(OBSERVE, 0.0, 1.0),
        ),
        _make(
            "guesser",
            "guesses every answer",
            lambda _item, _settings, rng: _guess(rng),
            expected=expect_accuracy(OBSERVE, GUESS),
            noisy=lambda _: True,
        ),
        _make(
            "constant",
            "always gives the same number",
            lambda _item, settings, _rng: settings["number"],
            parameters={"number": Parameter(0, "the number", 0, STATES - 1)},
        ),
    )
}

MINDS = {
    "careful": ("lapses", {"error": 0.02}),
    "associative": ("sees-only", {}),
    "hasty": ("lapses", {"error": 0.2}),
    "guesser": ("guesser", {}),
}
