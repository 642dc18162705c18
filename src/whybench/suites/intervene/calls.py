"""Calls of the tools `move`, `hold` and `answer`: what they say in an episode, and the way back.

The tools belong to the world, not to whoever calls them: any agent that is given them can act. What
was called is kept as a list of pairs, `["hold", "circle"]`, and an episode that hears the list
again is the same episode. So verdicts rest on the calls, whatever became of the messages.

A call that names what there is not is refused and not heard: nothing was done. Something said in
text, in place of a call, is kept as `["said", text]`, or as `["cut_off", ""]` where it was cut off.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from whybench.suites.intervene.case import parse_case
from whybench.suites.intervene.episode import InterveneEpisode
from whybench.suites.intervene.replies import ActionReply, Decision, parse_reply
from whybench.suites.intervene.world import ACTIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.suites.contract import Answer, Scalar
    from whybench.suites.intervene.case import InterveneCase

TOOLS = {"move": "entity", "hold": "entity", "answer": "answer"}
"""The tools, and the name of the one argument of each."""

OURS = "intervene:"
SAID, CUT_OFF = "said", "cut_off"
CALLED = f"{OURS}calls"
"""Where a sample keeps what was called: a list, or one for each item where there are several."""


def find_refusal(case: InterveneCase, tool: str, argument: str) -> str:
    """Return why a call cannot be carried out: it names what there is not; else nothing."""
    known = map(str.lower, case.answers) if tool == "answer" else case.entities
    if argument.strip().lower() in known:
        return ""
    listed = " or ".join(case.answers) if tool == "answer" else f"one of {', '.join(case.names)}"
    return f"{TOOLS[tool]} must be {listed}, got {argument!r}"


def render_call(case: InterveneCase, tool: str, argument: str) -> str:
    """Return the reply that a call is."""
    if tool in {SAID, CUT_OFF}:
        return argument
    if tool == "answer":
        return json.dumps({"answer": argument})
    verb = case.words[ACTIONS.index(tool)]
    return json.dumps({"entity": argument, "action": verb})


def make_call(case: InterveneCase, reply: str) -> tuple[str, dict[str, str]] | None:
    """Return the call that says the same as a reply: tool and arguments; None if there is none."""
    turn = parse_reply(reply)
    if isinstance(turn, ActionReply):
        tool = case.actions.get(turn.action)
        entity = case.entities.get(turn.entity)
        return None if tool is None or entity is None else (tool, {"entity": case.names[entity]})
    if not isinstance(turn, Decision) or turn.kind != "answer":
        return None
    return "answer", {"answer": turn.value}


def hear_call(episode: InterveneEpisode, tool: str, argument: str) -> str | None:
    """Let an episode hear a call; return what is said to it, or None at the end."""
    return episode.hear(render_call(episode.case, tool, argument), truncated=tool == CUT_OFF)


def replay_calls(case: InterveneCase, calls: Iterable[Sequence[str]]) -> InterveneEpisode:
    """Return the episode after these calls."""
    episode = InterveneEpisode(case)
    for tool, argument in calls:
        if episode.over:
            break
        hear_call(episode, tool, argument)
    return episode


def open_kept(factors: Mapping[str, Scalar], kept: Mapping[str, Any]) -> InterveneEpisode | None:
    """Return the episode that a sample's store keeps; None if it keeps none."""
    calls = kept.get(CALLED)
    if calls is None:
        return None
    calls = calls.get(factors["item"], []) if isinstance(calls, dict) else calls
    return replay_calls(parse_case(factors), calls)


def _is_ours(key: str) -> bool:
    """Whether a key of a sample's store says that a world took part."""
    return key.startswith(OURS)


def answer_of_calls(
    factors: Mapping[str, Scalar], kept: Mapping[str, Any], replies: Sequence[tuple[str, bool]]
) -> Answer | None:
    """Return the answer of an agent that called the tools; None if the sample has none.

    Who ends without a call of `answer` may have answered in the last reply: as in text, or by
    `yes` or `no` in a line of its own, which is what is left of a call of somebody's `submit`. Who
    wrote of actions that no world carried out has seen nothing, and so has not finished.

    Args:
        factors: The item's factors.
        kept: The sample's store.
        replies: Each reply, and whether the token limit cut it off.
    """
    episode = open_kept(factors, kept)
    if episode is None:
        return None if any(map(_is_ours, kept)) else _answer_without_world(factors, replies)
    case = episode.case
    if not episode.over and replies and not replies[-1][1]:
        text = replies[-1][0].strip()
        last = text.rpartition("\n")[2].strip(" \t.\"'*").lower()
        call = make_call(case, text)
        if call is not None and call[0] == "answer":
            hear_call(episode, "answer", call[1]["answer"])
        elif last in map(str.lower, case.answers):
            hear_call(episode, "answer", last)
    return episode.answer


def _answer_without_world(
    factors: Mapping[str, Scalar], replies: Sequence[tuple[str, bool]]
) -> Answer | None:
    """Return that there is no answer if somebody acted and nothing was there to act on."""
    episode = InterveneEpisode(parse_case(factors))
    for text, truncated in replies:
        if episode.over:
            break
        episode.hear(text, truncated)
        if episode.path:
            return InterveneEpisode(episode.case).answer
    return None
