"""Reference analysts: known ways to answer, as replies in words.

Each challenge has three of its own: `competent`, `naive` and `always-trap`. The others are the same
everywhere: `gold` knows the truth, `null` declines, `schema-breaker` has much to say and keeps to
no form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.answers import worded
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import Measured, Settled, Tabled
from whybench.suites.analyze.estimators import Estimate
from whybench.suites.analyze.fields import Interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.challenges.contract import Instance

__all__ = ["ANALYSTS", "gold", "reply", "schema_breaker"]

ANALYSTS = {
    "competent": "analyses the data as it should be done, with estimators the scorer does not use",
    "naive": "walks into the trap",
    "always-trap": "claims the trap in every data set",
    "null": "declines to answer",
    "schema-breaker": "answers in a form that was not asked for",
}
"""The reference analysts and what each does."""

DECLINES = "I cannot draw a causal conclusion from these data."


def reply(analyst: str, instance: Instance, names: Mapping[str, str]) -> str:
    """Word an analyst's reply to an instance whose columns have these names."""
    if analyst not in ANALYSTS:
        raise ValueError(f"analyst must be one of {', '.join(ANALYSTS)}, got {analyst!r}")
    if analyst == "null":
        return DECLINES
    if analyst == "schema-breaker":
        return schema_breaker(instance)
    challenge = CHALLENGES[instance.challenge]
    answers = {
        "competent": challenge.competent,
        "naive": challenge.naive,
        "always-trap": challenge.always_trap,
    }[analyst](instance)
    return worded(answers, challenge.fields, names)


def gold(instance: Instance) -> dict[str, Any]:
    """Return the true answer; intervals are as wide as SE_eff says."""
    challenge = CHALLENGES[instance.challenge]
    return {
        entry.name: _interval(instance.measured(entry.of))
        if isinstance(entry, Interval)
        else _true(instance.truths[entry.name])
        for entry in challenge.fields
    }


def schema_breaker(instance: Instance) -> str:
    """Name every field, and give none of them a value that can be read."""
    challenge = CHALLENGES[instance.challenge]
    fields = ", ".join(f'"{entry.name}": {{"see": "above"}}' for entry in challenge.fields)
    return f"Roughly 0.1, or so, and it depends.\n```json\n{{{fields}}}\n```"


def _true(truth: Measured | Settled | Tabled) -> Any:
    if isinstance(truth, Tabled):
        return {row: entry.value for row, entry in truth.rows.items()}
    return truth.value


def _interval(truth: Measured) -> tuple[float, float]:
    return Estimate(truth.value, truth.se).interval
