"""Reference analysts: known ways to answer.

Each challenge has three of its own: `competent`, `naive` and `always-trap`. Two are the same
everywhere: `null` declines, `schema-breaker` has much to say and keeps to no form.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import NumericTruth, UnidentifiedTruth
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.analyze.fields import IntervalField
from whybench.suites.analyze.replies import render_reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.suites.analyze.challenges.contract import Instance, Truth
    from whybench.suites.analyze.fields import Field

ANALYSTS = {
    "competent": "analyzes the data soundly, with estimators that the scorer does not use",
    "naive": "falls for the trap",
    "always-trap": "reports the trap in every data set",
    "null": "declines to answer",
    "schema-breaker": "replies in the wrong format",
}
"""The reference analysts and what each does."""

CACHED = 64
"""Answers that are kept: both forms of an item are filled in one after the other."""

DECLINES = "I cannot draw a causal conclusion from these data."


def report_fields(instance: Instance) -> tuple[Field, ...]:
    """Return the fields of a report."""
    if instance.script is not None:
        return instance.script.fields
    return CHALLENGES[instance.challenge].report


def diagnosis_fields(instance: Instance) -> tuple[Field, ...]:
    """Return the fields of a diagnosis; data with a script are asked about once."""
    return () if instance.script is not None else CHALLENGES[instance.challenge].diagnosis


def fields_for(instance: Instance) -> tuple[Field, ...]:
    """Return all fields of an answer."""
    return (*report_fields(instance), *diagnosis_fields(instance))


def analyst_reply(
    analyst: str, instance: Instance, names: Mapping[str, str], fields: Sequence[Field]
) -> str:
    """Return an analyst's reply to a form about an instance whose columns have these names."""
    if analyst not in ANALYSTS:
        raise ValueError(f"analyst must be one of {', '.join(ANALYSTS)}, got {analyst!r}")
    if analyst == "null":
        return DECLINES
    if analyst == "schema-breaker":
        return schema_breaker(fields)
    return render_reply(analyst_answer(analyst, instance), fields, names)


@lru_cache(maxsize=CACHED)
def analyst_answer(analyst: str, instance: Instance) -> Mapping[str, Any]:
    """Return the typed answers of an analyst who has a strategy for the challenge."""
    return CHALLENGES[instance.challenge].answer(analyst.replace("-", "_"), instance)


def true_answer(instance: Instance) -> dict[str, Any]:
    """Return the true answer; intervals are as wide as SE_eff says, or are bounds."""
    answer: dict[str, Any] = {}
    for field in fields_for(instance):
        if isinstance(field, IntervalField):
            answer[field.name] = _true_interval(instance.truths[field.of])
        else:
            answer[field.name] = instance.truths[field.name].value
    return answer


def _true_interval(truth: Truth) -> tuple[float, float] | None:
    """Return the interval of a number, or the bounds of one that cannot be had, if it has any."""
    if isinstance(truth, NumericTruth):
        return Coefficient(truth.value, truth.se).interval
    if isinstance(truth, UnidentifiedTruth) and truth.bounds:
        low, high = truth.bounds
        return low.value, high.value
    return None


def schema_breaker(fields: Sequence[Field]) -> str:
    """Name every field, and give none of them a value that can be read."""
    entries = ", ".join(f'"{field.name}": {{"see": "above"}}' for field in fields)
    return f"Roughly 0.1, or so, and it depends.\n```json\n{{{entries}}}\n```"
