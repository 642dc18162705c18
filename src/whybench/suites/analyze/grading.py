"""Answers to marks: pure functions of what was said, and of the instance.

A **number** passes if it is within 2.5 SE_eff of the truth, or within 0.75 SE_eff of a consistent
estimate from the same rows: who does the right analysis is not punished for the luck of the draw.
An **interval** passes if it holds the truth and its half-width, over 1.96, is 0.6 to 1.7 SE_eff.
Everything else is right or wrong; a table passes if all of its rows do.

The **score** is the share of the fields that pass, by weight (1 each unless a challenge says
otherwise). Who **fell for it** scores 0.2 at most: a key number that fails and lies within 0.75
SE_eff of a naive value, or a wrong choice that only the trap suggests. A **false alarm**, claiming
the trap in a control, scores 0.4 at most. The **twin score** is the lesser of a trap's score and
its control's, so that it takes both to see the trap and to see that it is not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from whybench.suites.analyze.challenges.contract import (
    NEAR_TRUTH,
    TRAP,
    Instance,
    Measured,
    Settled,
    Tabled,
    Truth,
)
from whybench.suites.analyze.estimators import NORMAL_95
from whybench.suites.analyze.fields import Field, Interval, Number, NumberTable, Said

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.fields import Asking

__all__ = [
    "FALSE_ALARM_CAP",
    "FELL_FOR_CAP",
    "NEAR_REFERENCE",
    "NEAR_TRUTH",
    "WIDTHS",
    "Graded",
    "Rule",
    "Verdict",
    "grade",
    "interval_passes",
    "near_naive",
    "number_passes",
    "twin_score",
]

NEAR_REFERENCE, NEAR_NAIVE = 0.75, 0.75
WIDTHS = (0.6, 1.7)
FELL_FOR_CAP, FALSE_ALARM_CAP = 0.2, 0.4

Rule = Literal["truth or reference", "truth"]
"""How numbers pass: as graded, or by the truth alone, by which analysts are examined."""


@dataclass(frozen=True)
class Verdict:
    """What became of one field.

    Attributes:
        field: Its name.
        passed: Whether it passes.
        reason: Why there is no value; empty if there is one.
        off: Distance of a number from the truth in SE_eff (of a table, the largest); else None.
        fell_for: Whether it fails as the trap would have it.
        false_alarm: Whether it claims a trap that is not there.
    """

    field: str
    passed: bool
    reason: str = ""
    off: float | None = None
    fell_for: bool = False
    false_alarm: bool = False


@dataclass(frozen=True)
class Graded:
    """The marks of an answer."""

    score: float
    verdicts: tuple[Verdict, ...]
    fell_for: bool
    false_alarm: bool

    def passed(self, field: str) -> bool:
        """Whether a field passes."""
        return next(verdict.passed for verdict in self.verdicts if verdict.field == field)


def grade(
    challenge: Asking,
    instance: Instance,
    answers: Mapping[str, Said],
    rule: Rule = "truth or reference",
) -> Graded:
    """Grade the answers to an instance; a field that was not answered fails."""
    control = instance.variant != TRAP
    verdicts = tuple(
        _verdict(entry, _truth(entry, instance), answers.get(entry.name), rule, control)
        for entry in challenge.fields
    )
    weights = [entry.weight for entry in challenge.fields]
    earned = sum(w for w, verdict in zip(weights, verdicts, strict=True) if verdict.passed)
    score = earned / sum(weights)
    fell_for = any(verdict.fell_for for verdict in verdicts)
    false_alarm = any(verdict.false_alarm for verdict in verdicts)
    if fell_for:
        score = min(score, FELL_FOR_CAP)
    if false_alarm:
        score = min(score, FALSE_ALARM_CAP)
    return Graded(score, verdicts, fell_for, false_alarm)


def twin_score(trap: Graded, control: Graded) -> float:
    """Return what a pair of twins is worth."""
    return min(trap.score, control.score)


def number_passes(value: float, truth: Measured, rule: Rule = "truth or reference") -> bool:
    """Whether a number is near the truth or, unless the rule forbids, near a reference."""
    if abs(value - truth.value) <= truth.near * truth.se:
        return True
    return rule != "truth" and any(
        abs(value - reference) <= NEAR_REFERENCE * truth.se
        for reference in truth.references.values()
    )


def near_naive(value: float, truth: Measured) -> bool:
    """Whether a number is what a naive analysis of these rows gives."""
    return any(abs(value - naive) <= NEAR_NAIVE * truth.se for naive in truth.naive.values())


def interval_passes(interval: tuple[float, float], truth: Measured) -> bool:
    """Whether a 95% interval holds the truth and is neither too narrow nor too wide."""
    low, high = interval
    implied = (high - low) / 2 / NORMAL_95
    narrowest, widest = WIDTHS
    return low <= truth.value <= high and narrowest * truth.se <= implied <= widest * truth.se


def _truth(entry: Field, instance: Instance) -> Truth:
    return instance.truths[entry.of if isinstance(entry, Interval) else entry.name]


def _verdict(entry: Field, truth: Truth, said: Said | None, rule: Rule, control: bool) -> Verdict:
    if said is None or not said.given:
        return Verdict(entry.name, False, said.reason if said else "missing")
    if isinstance(truth, Settled):
        return _settled(entry, truth, said.value, control)
    if said.value is None:
        # Null says that there is no number to be had; here there is one.
        return Verdict(entry.name, False)
    if isinstance(truth, Tabled):
        return _numbers(entry, [(said.value[row], truth.rows[row]) for row in truth.rows], rule)
    if isinstance(entry, Interval):
        return Verdict(entry.name, interval_passes(said.value, truth))
    return _numbers(entry, [(said.value, truth)], rule)


def _numbers(entry: Field, pairs: list[tuple[float, Measured]], rule: Rule) -> Verdict:
    passes = [number_passes(value, truth, rule) for value, truth in pairs]
    key = isinstance(entry, Number | NumberTable) and entry.key
    return Verdict(
        entry.name,
        all(passes),
        off=max(abs(value - truth.value) / truth.se for value, truth in pairs),
        fell_for=key
        and any(
            not passed and near_naive(value, truth)
            for passed, (value, truth) in zip(passes, pairs, strict=True)
        ),
    )


def _settled(entry: Field, truth: Settled, value: Any, control: bool) -> Verdict:
    passed = value == truth.value or value in truth.also
    return Verdict(
        entry.name,
        passed,
        fell_for=not passed and value in truth.naive,
        false_alarm=control and not passed and value in truth.alarm,
    )
