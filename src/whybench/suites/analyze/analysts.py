"""Reference analysts: known ways to answer, as replies in words.

Each challenge has three of its own: `competent`, `naive` and `always-trap`. The others are the same
everywhere: `gold` knows the truth, `null` declines, `schema-breaker` has much to say and keeps to
no form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.answers import worded
from whybench.suites.analyze.asked import asked_of
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import Measured, Settled, Tabled
from whybench.suites.analyze.estimators import Coefficient
from whybench.suites.analyze.fields import Interval
from whybench.suites.analyze.published import instances
from whybench.suites.analyze.published.forms import PUBLISHED
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.challenges.contract import Instance

__all__ = ["ANALYSTS", "conclude", "gold", "reply", "schema_breaker"]

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
    return worded(conclude(analyst, instance), asked_of(instance).fields, names)


def conclude(analyst: str, instance: Instance) -> Mapping[str, Any]:
    """Return the typed answers of an analyst who has a strategy for the challenge.

    Raises:
        UserError: The data are published ones, of which it is known only how to analyse them well.
    """
    if instance.variant == PUBLISHED:
        if analyst != "competent":
            raise UserError(
                f"analysts of published data must be competent, null or schema-breaker, got "
                f"{analyst}: what its strategy would conclude from them is not known"
            )
        return instances.competent(instance)
    challenge = CHALLENGES[instance.challenge]
    return {
        "competent": challenge.competent,
        "naive": challenge.naive,
        "always-trap": challenge.always_trap,
    }[analyst](instance)


def gold(instance: Instance) -> dict[str, Any]:
    """Return the true answer; intervals are as wide as SE_eff says."""
    return {
        entry.name: _interval(instance.measured(entry.of))
        if isinstance(entry, Interval)
        else _true(instance.truths[entry.name])
        for entry in asked_of(instance).fields
    }


def schema_breaker(instance: Instance) -> str:
    """Name every field, and give none of them a value that can be read."""
    asked = asked_of(instance).fields
    fields = ", ".join(f'"{entry.name}": {{"see": "above"}}' for entry in asked)
    return f"Roughly 0.1, or so, and it depends.\n```json\n{{{fields}}}\n```"


def _true(truth: Measured | Settled | Tabled) -> Any:
    if isinstance(truth, Tabled):
        return {row: entry.value for row, entry in truth.rows.items()}
    return truth.value


def _interval(truth: Measured) -> tuple[float, float]:
    return Coefficient(truth.value, truth.se).interval
