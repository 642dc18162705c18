"""The reference agents of intervene: known ways of finding out, and of not finding out.

An agent is asked an episode so far and words its next reply. What it does depends only on what it
could see, never on the hidden world.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from whybench.suites.contract import Agent, Parameter
from whybench.suites.intervene.experimenters import Intervention, recipe, settle
from whybench.suites.intervene.known import alike, always, careful, changed, guessing, once
from whybench.suites.intervene.world import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from whybench.suites.intervene.episode import Episode
    from whybench.suites.intervene.experimenters import Experimenter, Inquiry
    from whybench.suites.intervene.verdicts import Answer

__all__ = ["AGENTS", "act", "answer", "gold"]

CACHED = 65536


def act(episode: Episode, chosen: Intervention) -> str:
    """Word an action."""
    verb = episode.case.words[ACTIONS.index(chosen.action)]
    return json.dumps({"entity": episode.case.names[chosen.entity], "action": verb})


def answer(said: Answer) -> str:
    """Word an answer."""
    return json.dumps({"answer": said})


def gold(episode: Episode) -> str:
    """Follow the recipe to its end, and answer what is true."""
    chosen = recipe(episode.inquiry)
    return act(episode, chosen) if chosen else answer("yes" if episode.case.truth else "no")


def _experimenting(
    experimenter: Experimenter,
) -> Callable[[Episode, Mapping[str, Any], np.random.Generator], str]:
    """Experiment until the answer is clear, and give it; with errors, if it is to make some."""

    @lru_cache(maxsize=CACHED)
    def next_of(inquiry: Inquiry) -> Intervention | None:
        return experimenter(inquiry)

    def reply(episode: Episode, settings: Mapping[str, Any], rng: np.random.Generator) -> str:
        chosen = next_of(episode.inquiry)
        if chosen is not None:
            return act(episode, chosen)
        truly = episode.evidence == "yes"
        wrong = settings["error"] and rng.random() < settings["error"]
        return answer("yes" if truly != bool(wrong) else "no")

    return reply


def _random_then_guess(
    episode: Episode, settings: Mapping[str, Any], rng: np.random.Generator
) -> str:
    """Act a few times on whatever, then toss a coin."""
    if len(episode.path) < min(settings["steps"], episode.case.limit):
        action = ACTIONS[rng.integers(2)]
        return act(episode, Intervention(action, int(rng.integers(episode.case.world.n))))
    return answer("yes" if rng.random() < 0.5 else "no")


def _always(said: Answer) -> Callable[[Episode, Mapping[str, Any], np.random.Generator], str]:
    return lambda _episode, _settings, _rng: answer(said)


def _listed_first(episode: Episode, _settings: Mapping[str, Any], _rng: np.random.Generator) -> str:
    """Take for a cause what is listed before its effect."""
    return answer("yes" if episode.case.x < episode.case.y else "no")


def _correlational(
    episode: Episode, _settings: Mapping[str, Any], _rng: np.random.Generator
) -> str:
    """Act on the supposed effect once, and take being in the same state for causing."""
    case = episode.case
    if not episode.path:
        return act(episode, episode.inquiry.intervention(case.y))
    both = episode.state >> case.x & 1 == episode.state >> case.y & 1
    return answer("yes" if both else "no")


def _single_cause(episode: Episode, _settings: Mapping[str, Any], _rng: np.random.Generator) -> str:
    """Act on the supposed cause once, and believe that nothing else could move the effect."""
    case = episode.case
    if not episode.path:
        return act(episode, episode.inquiry.intervention(case.x))
    moved = (episode.state ^ case.initial) >> case.y & 1
    return answer("yes" if moved else "no")


ERROR = {"error": Parameter(0.0, "how often it says the opposite of what it found", 0.0, 1.0)}

AGENTS: Mapping[str, Agent[Episode]] = {
    agent.name: agent
    for agent in (
        Agent(
            name="bayes",
            summary=(
                "acts as tells most, exactly to five entities and by a sample of worlds beyond, "
                "until the answer is settled"
            ),
            reply=_experimenting(settle),
            parameters=ERROR,
            known=careful(settle),
            noisy=lambda settings: settings["error"] > 0,
            calibrate_at=({}, {"error": 0.2}),
        ),
        Agent(
            name="recipe",
            summary="brings both to rest, moves the supposed cause, watches the effect",
            reply=_experimenting(recipe),
            parameters=ERROR,
            known=careful(recipe),
            noisy=lambda settings: settings["error"] > 0,
        ),
        Agent(
            name="random-then-guess",
            summary="acts at random, then tosses a coin",
            reply=_random_then_guess,
            parameters={"steps": Parameter(1, "how often it acts", 0, 1000)},
            known=guessing,
            noisy=lambda _: True,
            wide=frozenset({"justified_accuracy", "verdict_contradicts"}),
        ),
        Agent(
            name="always-yes",
            summary="says yes at once",
            reply=_always("yes"),
            known=always(lambda _: True),
        ),
        Agent(
            name="always-no",
            summary="says no at once",
            reply=_always("no"),
            known=always(lambda _: False),
        ),
        Agent(
            name="listed-first",
            summary="says yes at once if the supposed cause is listed before the effect",
            reply=_listed_first,
            known=always(lambda question: question.x < question.y),
        ),
        Agent(
            name="correlational",
            summary="acts on the supposed effect once; yes if both are then in the same state",
            reply=_correlational,
            known=once("effect", alike),
        ),
        Agent(
            name="single-cause",
            summary="acts on the supposed cause once; yes if the effect changed",
            reply=_single_cause,
            known=once("cause", changed),
        ),
    )
}
"""The reference agents by name."""
