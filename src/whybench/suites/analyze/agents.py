"""The reference agents of analyze: analysts who are known to see, to fall, or to say nothing.

The analysts of `analysts` answer every item by their strategy, but for lapses, if they are to have
some: then an answer is a guess. Beside them the oracle, `gold`, knows the truth and declines as
often as it is asked to: its twin score follows by arithmetic, and shows whether intervals cover.
`guess` fills in the form by lot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.analysts import ANALYSTS, DECLINES, analyst_reply, true_answer
from whybench.suites.analyze.expected import (
    expected_of_analyst,
    expected_of_oracle,
    expected_of_silent,
)
from whybench.suites.analyze.guesses import guess_reply
from whybench.suites.analyze.replies import render_reply
from whybench.suites.contract import Agent, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from whybench.suites.analyze.episode import AnalyzeEpisode


def oracle_reply(asked: AnalyzeEpisode) -> str:
    """Return the true values of the fields that are asked for, as a reply."""
    return render_reply(true_answer(asked.instance), asked.fields, asked.names)


def _analyst(name: str) -> Callable[[AnalyzeEpisode, Mapping[str, Any], np.random.Generator], str]:
    def reply(asked: AnalyzeEpisode, settings: Mapping[str, Any], rng: np.random.Generator) -> str:
        lapse = settings.get("lapse", 0.0)
        if lapse and rng.random() < lapse:
            return _guess(asked, settings, rng)
        return analyst_reply(name, asked.instance, asked.names, asked.fields)

    return reply


def _guess(asked: AnalyzeEpisode, _settings: Mapping[str, Any], rng: np.random.Generator) -> str:
    return guess_reply(asked.fields, asked.names, rng)


def _oracle(asked: AnalyzeEpisode, settings: Mapping[str, Any], rng: np.random.Generator) -> str:
    declines = not asked.is_reported and rng.random() < settings["silence"]
    return DECLINES if declines else oracle_reply(asked)


SILENT = ("null", "schema-breaker")

LAPSE = {"lapse": Parameter(0.0, "probability of a guess", 0.0, 1.0)}

AGENTS: Mapping[str, Agent[AnalyzeEpisode]] = {
    agent.name: agent
    for agent in (
        Agent(
            name="gold",
            summary="answers correctly",
            reply=_oracle,
            parameters={"silence": Parameter(0.0, "probability of declining to answer", 0.0, 1.0)},
            expected=expected_of_oracle,
            noisy=lambda settings: 0 < settings["silence"] < 1,
            calibrate_at=({}, {"silence": 0.25}),
        ),
        *(
            Agent(
                name=name,
                summary=summary,
                reply=_analyst(name),
                parameters={} if name in SILENT else LAPSE,
                expected=expected_of_silent if name in SILENT else expected_of_analyst(name),
                noisy=lambda settings: settings.get("lapse", 0.0) > 0,
                answers=name not in SILENT,
            )
            for name, summary in ANALYSTS.items()
        ),
        Agent(
            name="guess",
            summary="fills in the form at random, ignoring the data",
            reply=_guess,
            noisy=lambda _: True,
        ),
    )
}
"""The reference agents by name."""

MINDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "careful": ("competent", {"lapse": 0.02}),
    "associative": ("naive", {"lapse": 0.02}),
    "hasty": ("competent", {"lapse": 0.2}),
    "guesser": ("guess", {}),
}
"""The minds, and the agent that stands for each."""
