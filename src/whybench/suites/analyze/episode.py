"""The conversation about an item: a report, and then what it rests on.

The report is asked for first, in a form that gives nothing away, and its score is the answer's. Who
has given one is asked for a diagnosis, which says why: it has a score of its own and changes no
report. A report that cannot be read ends the conversation, and so does one without a diagnosis.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.analysts import diagnosis_fields, report_fields
from whybench.suites.analyze.grading import grade, write_conclusion
from whybench.suites.analyze.items import grading_key, instance_from_factors
from whybench.suites.analyze.prompts import column_names, render_diagnosis
from whybench.suites.analyze.protocols.prompts import ANSWER
from whybench.suites.analyze.replies import parse_reply
from whybench.suites.analyze.tables import write_marks
from whybench.suites.contract import Answer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.fields import Field
    from whybench.suites.analyze.grading import Verdict
    from whybench.suites.contract import Scalar


class AnalyzeEpisode:
    """One conversation, made from the factors of an item.

    Attributes:
        answer: What the replies came to; the score of the report, once it has been given.
        over: Whether nothing more is asked.
    """

    def __init__(self, factors: Mapping[str, Scalar]) -> None:
        self._factors = factors
        self._key = self.grading_key(factors)
        self._verdicts: tuple[Verdict, ...] = ()
        self.label = str(factors["label"])
        self.names = column_names(self._key, self.label)
        self.answer = Answer(None, "unfinished")
        self.over = False

    def grading_key(self, factors: Mapping[str, Scalar]) -> Instance:
        """Return the data set of an item without its rows."""
        return grading_key(factors)

    @cached_property
    def instance(self) -> Instance:
        """The data set, with its rows."""
        return instance_from_factors(self._factors)

    @property
    def request(self) -> str:
        """The message that asks an agent that ran programs for its answer."""
        return ANSWER

    @property
    def fields(self) -> Sequence[Field]:
        """The fields of the form that is asked for now."""
        return diagnosis_fields(self._key) if self.is_reported else report_fields(self._key)

    @property
    def is_reported(self) -> bool:
        """Whether there is a report."""
        return self.answer.value is not None

    def hear(self, reply: str, truncated: bool) -> str | None:
        """Take in a report, and ask for the diagnosis; or take in the diagnosis."""
        if self.is_reported:
            self.answer, self.over = self._diagnose(reply, truncated), True
            return None
        self.answer = self._report(reply, truncated)
        self.over = not self.is_reported or not self.fields
        return None if self.over else render_diagnosis(self._key, self.label)

    def _report(self, text: str, truncated: bool) -> Answer:
        reply = parse_reply(text, self.fields, self.names, truncated)
        values = {name: said.value for name, said in reply.fields.items() if said.has_value}
        more = self.extra_parts(self._key, values)
        if reply.reason:
            return Answer(None, reply.reason, parts=more)
        graded = grade(self.fields, self._key, reply.fields)
        self._verdicts = graded.verdicts
        conclusion = write_conclusion(self.fields, self._key, values)
        return Answer(
            graded.score,
            parts={
                "fell_for": graded.fell_for,
                "false_alarm": graded.false_alarm,
                **self._marks(),
                "conclusion": conclusion,
                **more,
            },
        )

    def extra_parts(self, key: Instance, values: Mapping[str, Any]) -> dict[str, Scalar]:  # noqa: ARG002
        """Return further parts of the answer, given the data set and the values of the report."""
        return {}

    def _diagnose(self, text: str, truncated: bool) -> Answer:
        reply = parse_reply(text, self.fields, self.names, truncated)
        graded = grade(self.fields, self._key, reply.fields)
        self._verdicts += graded.verdicts
        alarm = bool(self.answer.parts["false_alarm"]) or graded.false_alarm
        return Answer(
            self.answer.value,
            parts={
                **self.answer.parts,
                **self._marks(),
                "false_alarm": alarm,
                "diagnosis": 0.0 if reply.reason else graded.score,
                "diagnosis_reason": reply.reason,
            },
        )

    def _marks(self) -> dict[str, Scalar]:
        return {
            "passed": sum(verdict.passed for verdict in self._verdicts),
            "asked": len(self._verdicts),
            "marks": write_marks(self._verdicts),
        }
