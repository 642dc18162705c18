"""The reference agents of compose, and the rules by which they answer.

A rule turns what is true of a question into an answer. It works on single questions and on arrays
of any shape alike, so the agent that answers in words and the simulation of a thousand runs follow
the same lines of code. Each stands for one place in the taxonomy of `verdicts`:

| rule | answers | class |
|---|---|---|
| `answer_exact` | the truth | VC |
| `make_local_only` | the truth across few blocks; beyond, that the cause changes nothing | VI |
| `answer_exact`, asked about another world | what is true where one gate is swapped | IC |
| `answer_coin` | yes or no, evenly | II |
| `make_flip` | the truth, turned around with probability e | depends on e |
| `make_constant` | yes, or no, to everything | none: it answers no effect |
| copying | what the cause is made | IC |

How is `make_local_only` wrong? It cannot carry a change past a cutpoint: asked what would be if a
far cause were made true or false, it says what is the case. So it answers that far causes have no
effect, which is wrong in every world; guessing would come out right by accident where the truth is
near 1/4. By default it is far-sighted enough for all but the whole: then every composition is made
of right steps, and each is VI. With `reach=1` it knows single blocks only, and that is so for the
composition of all blocks alone; the others contain a far step and are products of nothing.

The other world of the wrong-world agent comes from `wrong_worlds`. What agents do where numbers are
asked is in `number_agents`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from whybench.scm import InvalidParameter
from whybench.suites.compose.expected import (
    expect_coin,
    expect_constant,
    expect_copy,
    expect_exact,
    expect_flip,
    expect_local_only,
    expect_wrong_world,
)
from whybench.suites.compose.number_agents import (
    NUMBER_MEASURES,
    expect_numbers,
    reply_number,
)
from whybench.suites.compose.number_items import NumberItem
from whybench.suites.compose.number_prompts import render_number_reply
from whybench.suites.compose.prompts import render_reply
from whybench.suites.compose.truth import UnitQuery
from whybench.suites.compose.wrong_worlds import assumed_answers
from whybench.suites.contract import Agent, Parameter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from whybench.suites.compose.items import ComposeItem


@dataclass(frozen=True, eq=False)
class Queries:
    """What is true of a question, or of an array of questions.

    Attributes:
        truth: The right answer.
        actual: Whether the effect asked about holds in fact.
        span: Number of blocks from the cause made true or false to the effect; 0 where nothing is
            made true or false.
        blocks: Number of blocks of the world.
    """

    truth: NDArray[np.bool_]
    actual: NDArray[np.bool_]
    span: NDArray[np.intp]
    blocks: int

    @classmethod
    def of(cls, truth: ArrayLike, actual: ArrayLike, span: ArrayLike, blocks: int) -> Queries:
        """Return the questions with these truths; shapes are broadcast to one."""
        right, holds, far = np.broadcast_arrays(
            np.asarray(truth, dtype=bool),
            np.asarray(actual, dtype=bool),
            np.asarray(span, dtype=np.intp),
        )
        return cls(right, holds, far, blocks)


Rule = Callable[[Queries, np.random.Generator], NDArray[np.bool_]]
"""Questions to answers of the same shape; what is random comes from the generator."""


def answer_exact(queries: Queries, _: np.random.Generator) -> NDArray[np.bool_]:
    """Answer what is true."""
    return queries.truth.copy()


def make_local_only(reach: int | None = None) -> Rule:
    """Return the rule that is right up to `reach` blocks, and beyond sees no effect.

    Args:
        reach: Number of blocks, at least 1; None for all but one, so that only the whole is wrong.
    """
    if reach is not None and reach < 1:
        raise InvalidParameter(f"reach must be at least 1, got {reach}")

    def rule(queries: Queries, _: np.random.Generator) -> NDArray[np.bool_]:
        limit = queries.blocks - 1 if reach is None else reach
        return np.where(queries.span <= limit, queries.truth, queries.actual)

    return rule


def make_flip(error: float) -> Rule:
    """Return the rule that turns the truth around with probability `error`."""
    if not 0 <= error <= 1:
        raise InvalidParameter(f"error must lie between 0 and 1, got {error}")

    def rule(queries: Queries, rng: np.random.Generator) -> NDArray[np.bool_]:
        return queries.truth ^ (rng.random(queries.truth.shape) < error)

    return rule


def answer_coin(queries: Queries, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Answer yes or no, evenly."""
    return rng.random(queries.truth.shape) < 0.5


def make_constant(answer: bool) -> Rule:
    """Return the rule that gives one answer to everything."""
    return lambda queries, _: np.full(queries.truth.shape, answer)


def oracle(item: ComposeItem | NumberItem) -> str:
    """Answer what is true."""
    if isinstance(item, NumberItem):
        return render_number_reply(item.truth, item.question.style)
    return render_reply(item.truth == 1, item.question.style)


def _follow_rule(
    rule: Callable[[Mapping[str, Any]], Rule],
) -> Callable[[ComposeItem, Mapping[str, Any], np.random.Generator], str]:
    """Return the reply of an agent that follows the rule that its settings give."""

    def reply(item: ComposeItem, settings: Mapping[str, Any], rng: np.random.Generator) -> str:
        span = 0 if item.question.intervention is None else item.distance
        blocks = len(item.question.world.blocks)
        query = Queries.of(item.truth, item.actual, span, blocks)
        return render_reply(bool(rule(settings)(query, rng)), item.question.style)

    return reply


def _reply_about_wrong_world(
    item: ComposeItem, _: Mapping[str, Any], __: np.random.Generator
) -> str:
    question = item.question
    answers = assumed_answers(question.world, question.counts)
    return render_reply(answers[UnitQuery(question.effect, question.intervention)], question.style)


def _copy_setting(item: ComposeItem, _: Mapping[str, Any], __: np.random.Generator) -> str:
    """Answer that the effect is whatever the cause is made; that it holds where nothing is made."""
    intervention = item.question.intervention
    return render_reply(intervention is None or intervention[1], item.question.style)


def _or_number(agent: Agent[Any]) -> Agent[Any]:
    """Return an agent that also answers where numbers are asked, with what is expected there."""
    name, reply, expected = agent.name, agent.reply, agent.expected
    assert expected is not None

    def reply_to_any(item: Any, settings: Mapping[str, Any], rng: np.random.Generator) -> str:
        if isinstance(item, NumberItem):
            return reply_number(name, item, settings, rng)
        return reply(item, settings, rng)

    return replace(agent, reply=reply_to_any, expected=expect_numbers(name, expected))


AGREEMENTS = (
    frozenset({"compositional_agreement", "valid_agreement", "consistent_agreement"})
    | NUMBER_MEASURES
)
"""Their intervals are for other worlds too, and seeds vary answers about the same ones."""


AGENTS: Mapping[str, Agent[Any]] = {
    agent.name: _or_number(agent)
    for agent in (
        Agent(
            name="exact",
            summary="answers correctly: valid and consistent",
            reply=_follow_rule(lambda _: answer_exact),
            expected=expect_exact,
        ),
        Agent(
            name="local-only",
            summary="is right across few blocks, misses effects across more: valid, inconsistent",
            reply=_follow_rule(lambda settings: make_local_only(settings["reach"] or None)),
            parameters={
                "reach": Parameter(
                    0, "number of blocks across which it is right; 0: all but one", 0, 99
                )
            },
            expected=expect_local_only,
            calibrate_at=({}, {"reach": 1}),
        ),
        Agent(
            name="wrong-world",
            summary="answers correctly for a world with one gate swapped: consistent, invalid",
            reply=_reply_about_wrong_world,
            expected=expect_wrong_world,
        ),
        Agent(
            name="coin",
            summary="answers yes or no at random: neither valid nor consistent",
            reply=_follow_rule(lambda _: answer_coin),
            expected=expect_coin,
            noisy=lambda _: True,
            conservative=AGREEMENTS,
        ),
        Agent(
            name="flip",
            summary="answers correctly, with occasional opposite answers",
            reply=_follow_rule(lambda settings: make_flip(settings["error"])),
            parameters={
                "error": Parameter(0.05, "probability of giving the opposite answer", 0.0, 1.0)
            },
            expected=expect_flip,
            noisy=lambda settings: 0 < settings["error"] < 1,
            conservative=AGREEMENTS,
            calibrate_at=({}, {"error": 0.2}),
        ),
        Agent(
            name="copy",
            summary="copies the value set for the cause to the effect, ignoring the rules",
            reply=_copy_setting,
            expected=expect_copy,
        ),
        Agent(
            name="always-yes",
            summary="always answers yes",
            reply=_follow_rule(lambda _: make_constant(True)),
            expected=expect_constant,
        ),
        Agent(
            name="always-no",
            summary="always answers no",
            reply=_follow_rule(lambda _: make_constant(False)),
            expected=expect_constant,
        ),
    )
}
"""The reference agents by name."""

MINDS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "careful": ("flip", {"error": 0.01}),
    "associative": ("copy", {}),
    "hasty": ("flip", {"error": 0.1}),
    "guesser": ("coin", {}),
}
"""The minds, and the agent that stands for each."""
