"""The reference agents of compose: the rules of `strategies`, worded as replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.compose import strategies
from whybench.suites.compose.known import (
    constant,
    errorless,
    flipped,
    guessing,
    mistaken,
    nearsighted,
)
from whybench.suites.compose.mistaken import mistaken_answers
from whybench.suites.compose.truth import Asking
from whybench.suites.compose.wording import word_answer
from whybench.suites.contract import Agent, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from whybench.suites.compose.items import ComposeItem
    from whybench.suites.compose.strategies import Rule

__all__ = ["AGENTS", "gold"]


def gold(item: ComposeItem) -> str:
    """Answer what is true."""
    return word_answer(item.truth == 1, item.question.style)


def _following(
    rule: Callable[[Mapping[str, Any]], Rule],
) -> Callable[[ComposeItem, Mapping[str, Any], np.random.Generator], str]:
    """Return the reply of an agent that follows the rule that its settings give."""

    def reply(item: ComposeItem, settings: Mapping[str, Any], rng: np.random.Generator) -> str:
        span = 0 if item.question.intervention is None else item.distance
        blocks = len(item.question.world.blocks)
        asked = strategies.Asked.of(item.truth, item.actual, span, blocks)
        return word_answer(bool(rule(settings)(asked, rng)), item.question.style)

    return reply


def _wrong_world(item: ComposeItem, _: Mapping[str, Any], __: np.random.Generator) -> str:
    asked = item.question
    answers = mistaken_answers(asked.world, asked.counts)
    return word_answer(answers[Asking(asked.effect, asked.intervention)], asked.style)


AGENTS: Mapping[str, Agent[ComposeItem]] = {
    agent.name: agent
    for agent in (
        Agent(
            name="exact",
            summary="answers what is true: valid and consistent",
            reply=_following(lambda _: strategies.exact),
            known=errorless,
        ),
        Agent(
            name="local-only",
            summary="is right across few blocks, sees no effect across more: valid, inconsistent",
            reply=_following(lambda settings: strategies.local_only(settings["reach"] or None)),
            parameters={
                "reach": Parameter(0, "blocks across which it is right; 0 for all but one", 0, 99)
            },
            known=nearsighted,
            calibrate_at=({}, {"reach": 1}),
        ),
        Agent(
            name="wrong-world",
            summary="is exact about a world with one gate swapped: consistent, not valid",
            reply=_wrong_world,
            known=mistaken,
        ),
        Agent(
            name="coin",
            summary="says yes or no, evenly: neither valid nor consistent",
            reply=_following(lambda _: strategies.coin),
            known=guessing,
            noisy=lambda _: True,
        ),
        Agent(
            name="flip",
            summary="answers what is true, and now and then the opposite",
            reply=_following(lambda settings: strategies.flip(settings["error"])),
            parameters={"error": Parameter(0.05, "how often it says the opposite", 0.0, 1.0)},
            known=flipped,
            noisy=lambda settings: 0 < settings["error"] < 1,
            calibrate_at=({}, {"error": 0.2}),
        ),
        Agent(
            name="always-yes",
            summary="says yes",
            reply=_following(lambda _: strategies.always(True)),
            known=constant,
        ),
        Agent(
            name="always-no",
            summary="says no",
            reply=_following(lambda _: strategies.always(False)),
            known=constant,
        ),
    )
}
"""The reference agents by name."""
