"""The reference agents of intervene: known ways of finding out, and of not finding out.

An agent is asked an episode so far and words its next reply. What it does depends only on what it
could see, never on the hidden world. Where all pairs are asked it does as `reporters` says, and
where dotted links are asked as `link_solvers` says.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from whybench.suites.contract import Agent, Parameter, UserError
from whybench.suites.intervene.expected import (
    expect_careful,
    expect_guessing,
    expect_immediate,
    expect_one_action,
    has_effect_changed,
    is_same_state,
)
from whybench.suites.intervene.expected_links import expect_link, expect_link_guessing
from whybench.suites.intervene.expected_reports import expect_report, expect_report_guessing
from whybench.suites.intervene.experimenters import (
    Intervention,
    controlled,
    find_all_entailed,
    recipe,
    settle,
    survey,
)
from whybench.suites.intervene.link_solvers import LINK_SOLVERS, guess_link, render_link_answer
from whybench.suites.intervene.reporters import REPORTERS, guess_report, make_report
from whybench.suites.intervene.world import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from whybench.suites.intervene.case import InterveneCase
    from whybench.suites.intervene.design import InterveneDesign
    from whybench.suites.intervene.episode import InterveneEpisode
    from whybench.suites.intervene.expected import Expected
    from whybench.suites.intervene.experimenters import Experimenter
    from whybench.suites.intervene.link_solvers import LinkSolver

    Settings = Mapping[str, Any]
    Reply = Callable[[InterveneEpisode, Settings, np.random.Generator], str]

CACHED = 65536


def render_action(episode: InterveneEpisode, intervention: Intervention) -> str:
    """Return the reply that acts on an entity."""
    verb = episode.case.words[ACTIONS.index(intervention.action)]
    return json.dumps({"entity": episode.case.names[intervention.entity], "action": verb})


def render_answer(is_yes: bool) -> str:
    """Return the reply that answers yes or no."""
    return json.dumps({"answer": "yes" if is_yes else "no"})


def oracle(episode: InterveneEpisode) -> str:
    """Make a controlled experiment until the answer is settled, and answer what is true."""
    if episode.case.asks == "links":
        return _solve_link(episode, LINK_SOLVERS["controlled"])
    if episode.case.asks == "graph":
        chosen = survey(episode.inquiry)
        world = episode.case.world
        return render_action(episode, chosen) if chosen else make_report(episode, world.causes)
    chosen = controlled(episode.inquiry)
    return render_action(episode, chosen) if chosen else render_answer(episode.case.truth)


def _follow(experimenter: Experimenter) -> Reply:
    """Experiment until the answer is clear, and give it; with errors, if it is to make some.

    Where no action is left before it is clear, it says no.
    """
    choose = lru_cache(maxsize=CACHED)(experimenter)

    def reply(episode: InterveneEpisode, settings: Settings, rng: np.random.Generator) -> str:
        chosen = choose(episode.inquiry)
        if chosen is not None and episode.left:
            return render_action(episode, chosen)
        wrong = bool(settings["error"]) and rng.random() < settings["error"]
        return render_answer((episode.evidence == "yes") != wrong)

    return reply


def _guess(episode: InterveneEpisode, settings: Settings, rng: np.random.Generator) -> str:
    """Act a few times on whatever, then toss a coin."""
    if len(episode.path) < min(settings["steps"], episode.case.limit):
        action = ACTIONS[rng.integers(2)]
        return render_action(episode, Intervention(action, int(rng.integers(episode.case.world.n))))
    if episode.case.asks == "graph":
        return guess_report(episode, rng)
    if episode.case.asks == "links":
        return guess_link(episode.case, rng)
    return render_answer(rng.random() < 0.5)


def _answer_at_once(is_yes: Callable[[InterveneCase], bool]) -> Reply:
    return lambda episode, _settings, _rng: render_answer(is_yes(episode.case))


def _act_once(entity: Literal["x", "y"], is_yes: Callable[[InterveneCase, int], bool]) -> Reply:
    """Act once on the supposed cause (x) or effect (y), and answer by the state after it."""

    def reply(episode: InterveneEpisode, _settings: Settings, _rng: np.random.Generator) -> str:
        if episode.path:
            return render_answer(is_yes(episode.case, episode.state))
        return render_action(episode, episode.inquiry.intervention(getattr(episode.case, entity)))

    return reply


def _is_same_state(case: InterveneCase, state: int) -> bool:
    return state >> case.x & 1 == state >> case.y & 1


def _has_effect_changed(case: InterveneCase, state: int) -> bool:
    return bool((state ^ case.initial) >> case.y & 1)


ERROR = {"error": Parameter(0.0, "probability of giving the opposite answer", 0.0, 1.0)}


def _make_careful(
    name: str, summary: str, experimenter: Experimenter, *calibrate_at: Settings
) -> Agent[InterveneEpisode]:
    """Return the agent that experiments until the answer is clear, at times with an error."""
    return Agent(
        name=name,
        summary=summary,
        reply=_follow(experimenter),
        parameters=ERROR,
        expected=expect_careful(experimenter),
        noisy=lambda settings: settings["error"] > 0,
        calibrate_at=({}, *calibrate_at),
    )


def _solve_link(episode: InterveneEpisode, solver: LinkSolver) -> str:
    """Return the next reply where it is asked which dotted link is real."""
    case, left = episode.case, episode.left_open
    states = [case.initial, *(state for _, _, state in episode.path)]
    step = solver.choose(case.diagram, left, states) if episode.left else None
    if step is not None:
        return render_action(episode, Intervention(*step))
    return render_link_answer(case, solver.guess(case.diagram, left, states))


def _answer_link(
    name: str, episode: InterveneEpisode, settings: Settings, rng: np.random.Generator
) -> str:
    """Return the next reply of an agent about dotted links, at times with an error."""
    reply = _solve_link(episode, LINK_SOLVERS[name])
    error = settings.get("error", 0.0)
    if not error or '"answer"' not in reply or rng.random() >= error:
        return reply
    others = [
        k for k in range(len(episode.case.dotted)) if reply != render_link_answer(episode.case, k)
    ]
    return render_link_answer(episode.case, others[rng.integers(len(others))])


def _extend(agent: Agent[InterveneEpisode]) -> Agent[InterveneEpisode]:
    """Return the agent with what it does, and is expected to, where no single pair is asked."""
    if agent.name == GUESSING:
        of_all: dict[str, Expected] = {
            "graph": expect_report_guessing,
            "links": expect_link_guessing,
        }
        return replace(agent, expected=_expect_either(agent, of_all))
    reporter = REPORTERS.get(agent.name)

    def reply(episode: InterveneEpisode, settings: Settings, rng: np.random.Generator) -> str:
        if episode.case.asks == "links":
            return _answer_link(agent.name, episode, settings, rng)
        if episode.case.asks == "pair":
            return agent.reply(episode, settings, rng)
        if reporter is None:
            raise UserError(
                f"{agent.name} finds out about one pair, got a whole graph; ask controlled"
            )
        inquiry = episode.inquiry
        if episode.left and (chosen := reporter.choose(inquiry)) is not None:
            return render_action(episode, chosen)
        known, error = find_all_entailed(inquiry), settings.get("error", 0.0)
        return make_report(
            episode,
            lambda x, y: reporter.claims(inquiry, known, x, y) != bool(rng.random() < error),
        )

    of_reports = expect_report(reporter) if reporter else lambda _settings, _design: {}
    of_all = {"graph": of_reports, "links": expect_link(LINK_SOLVERS[agent.name])}
    return replace(agent, reply=reply, expected=_expect_either(agent, of_all))


def _expect_either(agent: Agent[InterveneEpisode], by_worlds: Mapping[str, Expected]) -> Expected:
    def expected(settings: Settings, design: InterveneDesign) -> Mapping[str, float]:
        if design.worlds in by_worlds:
            return by_worlds[design.worlds](settings, design)
        return agent.expected(settings, design) if agent.expected else {}

    return expected


GUESSING = "random-then-guess"

AGENTS: Mapping[str, Agent[InterveneEpisode]] = {
    agent.name: _extend(agent)
    for agent in (
        _make_careful(
            "bayes",
            "takes the most informative action until the answer is settled; exact up to five "
            "entities, sampled beyond",
            settle,
            {"error": 0.2},
        ),
        _make_careful(
            "controlled",
            "plans for the worst case (one pair: stops all others, then moves the cause); gives "
            "the entailed answer",
            controlled,
            {"error": 0.1},
        ),
        _make_careful(
            "recipe",
            "stops both entities, moves the possible cause, observes the effect; tries each link",
            recipe,
        ),
        Agent(
            name=GUESSING,
            summary="acts at random, then guesses",
            reply=_guess,
            parameters={"steps": Parameter(1, "number of actions", 0, 1000)},
            expected=expect_guessing,
            noisy=lambda _: True,
            conservative=frozenset(
                {"justified_accuracy", "justified_pairs", "verdict_contradicts"}
            ),
        ),
        Agent(
            name="always-yes",
            summary="answers yes at once",
            reply=_answer_at_once(lambda _: True),
            expected=expect_immediate(lambda _: True),
        ),
        Agent(
            name="always-no",
            summary="answers no at once",
            reply=_answer_at_once(lambda _: False),
            expected=expect_immediate(lambda _: False),
        ),
        Agent(
            name="listed-first",
            summary="answers yes at once if the possible cause is listed before the effect",
            reply=_answer_at_once(lambda case: case.x < case.y),
            expected=expect_immediate(lambda question: question.x < question.y),
        ),
        Agent(
            name="correlational",
            summary="acts on the possible effect once; yes if both then have the same state",
            reply=_act_once("y", _is_same_state),
            expected=expect_one_action("effect", is_same_state),
        ),
        Agent(
            name="single-cause",
            summary="acts on the possible cause once; yes if the effect changed",
            reply=_act_once("x", _has_effect_changed),
            expected=expect_one_action("cause", has_effect_changed),
        ),
    )
}
"""The reference agents by name."""

MINDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "careful": ("controlled", {"error": 0.01}),
    "associative": ("correlational", {}),
    "hasty": ("controlled", {"error": 0.1}),
    "guesser": ("random-then-guess", {}),
}
"""The minds, and the agent that stands for each."""
