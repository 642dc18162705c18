"""The conversation about an item of du2025: one report in a form, or one answer in free words.

Answers in free words have no score until the grader has marked them: its verdicts are in the
transcript (`grader.verdicts.apply_marks`).
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.episode import AnalyzeEpisode
from whybench.suites.analyze.protocols.prompts import ANSWER
from whybench.suites.contract import Answer
from whybench_papers.du2025.forms import DATA_SETS
from whybench_papers.du2025.grader.verdicts import RUBRIC_MARKS
from whybench_papers.du2025.items import grading_key, instance_from_factors
from whybench_papers.du2025.replication import key_score

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.contract import Scalar

ANSWER_FREELY = (
    "Now give your answer, in full and in your own words, even if you have given it before; no "
    "further program is run."
)


class Du2025Episode(AnalyzeEpisode):
    """One conversation, made from the factors of an item."""

    @property
    def request(self) -> str:
        """The message that asks an agent that ran programs for its answer."""
        return ANSWER if self.fields else ANSWER_FREELY

    def grading_key(self, factors: Mapping[str, Scalar]) -> Instance:
        """Return the data set of an item without its rows."""
        return grading_key(factors)

    @cached_property
    def instance(self) -> Instance:
        """The data set, with its rows."""
        return instance_from_factors(self._factors)

    def hear(self, reply: str, truncated: bool) -> str | None:
        """Read the report; or an answer in free words, which is worth 0 until it is marked."""
        if self._key.script is None or self._key.script.fields:
            return super().hear(reply, truncated)
        self.over = True
        self.answer = Answer(0.0, parts={RUBRIC_MARKS: ""})
        if truncated or not reply.strip():
            self.answer = Answer(None, "cut_off" if truncated else "empty")
        return None

    def extra_parts(self, key: Instance, values: Mapping[str, Any]) -> dict[str, Scalar]:
        """Return the share of the printed key with which the report agrees."""
        agreement = key_score(key, values) if key.variant == DATA_SETS else None
        return {} if agreement is None else {"key_score": agreement}
