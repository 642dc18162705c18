"""Marks by the source's rubrics: given by the grader, kept in the transcript, read from there.

The grader marks what an agent said in its own words, in the same way in which it marks reasons. Its
verdicts stand in the metadata of the message that they are about, so that a log can be read again
without asking anybody. An answer of which there are no verdicts that can be read has no score, and
that is not the agent's doing: measures leave it out.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from inspect_ai.solver import Generate, Solver, TaskState, solver

from whybench.records.rows import unpack_sample
from whybench.suites.analyze.grader.prompt import graded_text, make_case
from whybench.suites.analyze.grader.task import get_grader, grade_case
from whybench.suites.analyze.grader.verdicts import mean_mark
from whybench.suites.analyze.items import instance_from_factors
from whybench.suites.analyze.replies import UNMARKED
from whybench.suites.analyze.tables import RUBRIC_MARKS
from whybench.suites.conversations import CUT_OFF, find_heard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspect_ai.model import ChatMessage

    from whybench.suites.contract import Answer

__all__ = ["apply_marks", "mark_by_rubric"]


@solver
def mark_by_rubric() -> Solver:
    """Have the grader mark the last reply by the rubric of its data set."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        [row] = unpack_sample(str(state.sample_id), state.metadata, None)
        replies = find_heard(state.messages)
        cut_off = bool(state.output.choices) and state.output.stop_reason in CUT_OFF
        if not replies or cut_off or not graded_text(replies[-1].text):
            return state
        instance, reply, grader = instance_from_factors(row), replies[-1], get_grader()
        case = make_case(
            str(row["item"]), instance, str(row["label"]), int(row["hint"]), reply.text
        )
        parsed, _ = await grade_case(grader, case)
        marks = {
            "grader": str(grader),
            "verdicts": dict(parsed.verdicts),
            "problem": parsed.problem,
        }
        reply.metadata = {**(reply.metadata or {}), RUBRIC_MARKS: marks}
        return state

    return solve


def apply_marks(answer: Answer, messages: Sequence[ChatMessage]) -> Answer:
    """Return an answer in free words with the score that the marks in its transcript give."""
    told = ((message.metadata or {}).get(RUBRIC_MARKS) for message in reversed(messages))
    marks: dict[str, Any] = next((entry for entry in told if entry), {})
    verdicts = marks.get("verdicts")
    if not verdicts:
        return replace(answer, value=None, reason=UNMARKED)
    parts = {
        **answer.parts,
        RUBRIC_MARKS: json.dumps(verdicts, separators=(",", ":")),
        "grader": str(marks["grader"]),
    }
    return replace(answer, value=mean_mark(verdicts), parts=parts)
