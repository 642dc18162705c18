"""Grade answers: pure functions of the values of the fields and of the instance.

A number is held against a panel of consistent estimators on the same rows, each with its own
standard error. A **number** passes if it is within 2.5 standard errors of the truth, by the least
precise of them, or within 0.75 of its own standard errors of what one of them finds: who does a
right analysis is not punished for the luck of the draw. An **interval** passes if it holds the
truth or what one of them finds, and its half-width, over 1.96, is 0.6 of the least standard error
to 1.7 of the greatest. Of a number that cannot be had, null passes; as its interval null does, and
so do the **bounds** that the data set it, each end by the rule for numbers; where there are none,
nobody is held to any. A **set of columns to adjust for** passes if it is enough by the graph.
A **recommendation** passes if it follows from the answer's own interval, where that passes; a
direction that the key accepts also passes where this interval includes zero. Without an interval
that passes, the key decides. Everything else is right or wrong; a table passes if all of its rows
do.

The **score** is the share of the fields that pass, by weight (1 each unless a challenge says
otherwise). With a key number **wrong** it is 0.2 at most: what is to be chosen can be guessed, and
a number cannot. So is that of who **fell for it**: a key number that fails and lies within 0.75
SE_eff of a naive value, or a wrong choice that only the trap suggests. A **false alarm**, claiming
the trap in a control, scores 0.3 at most, and so does a recommendation that is wrong about whether
the effect is identified. The **twin score** is the lesser of a trap's score and
its control's, so that it takes both to see the trap and to see that it is not there.

A **conclusion** is what two answers could contradict each other in. Of a number it is that it lies
above zero, below, or not beyond what the rows can tell from zero (1.96 SE_eff); of everything else
it is the value. Intervals have none. Columns go by their roles, so that conclusions from the same
rows under other names can be compared.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.challenges.contract import (
    NEAR_TRUTH,
    TRAP,
    CategoricalTruth,
    Instance,
    NumericTruth,
    TableTruth,
    UnidentifiedTruth,
)
from whybench.suites.analyze.column_fields import PValues
from whybench.suites.analyze.estimators.regression import NORMAL_95
from whybench.suites.analyze.fields import (
    Field,
    FieldValue,
    IntervalField,
)
from whybench.suites.analyze.reports import (
    NOT_IDENTIFIABLE,
    RECOMMENDATION,
    recommendation_passes,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "FALSE_ALARM_CAP",
    "IDENTIFICATION_CAP",
    "NEAR_REFERENCE",
    "NEAR_TRUTH",
    "WIDTHS",
    "WRONG_CAP",
    "GradedAnswer",
    "Verdict",
    "bounds_pass",
    "contradicts",
    "grade",
    "grade_values",
    "interval_passes",
    "is_near_naive",
    "is_near_truth",
    "number_passes",
    "paired_score",
    "write_conclusion",
]


NEAR_REFERENCE, NEAR_NAIVE = 0.75, 0.75
WIDTHS = (0.6, 1.7)
WRONG_CAP, FALSE_ALARM_CAP, IDENTIFICATION_CAP = 0.2, 0.3, 0.3


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
class GradedAnswer:
    """The marks of an answer."""

    score: float
    verdicts: tuple[Verdict, ...]
    fell_for: bool
    false_alarm: bool

    def passed(self, field: str) -> bool:
        """Whether a field passes."""
        return next(verdict.passed for verdict in self.verdicts if verdict.field == field)


def grade(
    fields: Sequence[Field], instance: Instance, answers: Mapping[str, FieldValue]
) -> GradedAnswer:
    """Grade the answers to an instance; a field that was not answered fails."""
    interval = _find_valid_interval(fields, instance, answers)
    verdicts = tuple(
        _verdict(field, instance, answers.get(field.name), interval) for field in fields
    )
    earned = sum(f.weight for f, verdict in zip(fields, verdicts, strict=True) if verdict.passed)
    score = earned / (sum(field.weight for field in fields) or 1.0)
    fell_for = any(verdict.fell_for for verdict in verdicts)
    false_alarm = any(verdict.false_alarm for verdict in verdicts)
    if fell_for or any(f.key and not v.passed for f, v in zip(fields, verdicts, strict=True)):
        score = min(score, WRONG_CAP)
    if false_alarm:
        score = min(score, FALSE_ALARM_CAP)
    if _misjudges_identification(instance, answers):
        score = min(score, IDENTIFICATION_CAP)
    return GradedAnswer(score, verdicts, fell_for, false_alarm)


def grade_values(
    fields: Sequence[Field], instance: Instance, values: Mapping[str, Any]
) -> GradedAnswer:
    """Grade typed values, by field."""
    return grade(fields, instance, {name: FieldValue(value) for name, value in values.items()})


def paired_score(trap: GradedAnswer, control: GradedAnswer) -> float:
    """Return what a pair of twins is worth."""
    return min(trap.score, control.score)


def is_near_truth(value: float, truth: NumericTruth) -> bool:
    """Whether a number is near the truth, whatever the references are."""
    return abs(value - truth.value) <= truth.near * truth.errors[1]


def number_passes(value: float, truth: NumericTruth) -> bool:
    """Whether a number is near the truth or near a reference."""
    return is_near_truth(value, truth) or any(
        abs(value - found.value) <= NEAR_REFERENCE * found.se for found in truth.panel.values()
    )


def is_near_naive(value: float, truth: NumericTruth) -> bool:
    """Whether a number is what a naive analysis of these rows gives."""
    return any(abs(value - naive) <= NEAR_NAIVE * truth.se for naive in truth.naive.values())


def interval_passes(interval: tuple[float, float], truth: NumericTruth) -> bool:
    """Whether a 95% interval holds truth or a reference, and is neither too narrow nor too wide."""
    low, high = interval
    implied = (high - low) / 2 / NORMAL_95
    narrowest, widest = (width * se for width, se in zip(WIDTHS, truth.errors, strict=True))
    points = (truth.value, *(found.value for found in truth.panel.values()))
    return narrowest <= implied <= widest and any(low <= point <= high for point in points)


def bounds_pass(interval: tuple[float, float], truth: UnidentifiedTruth) -> bool:
    """Whether both ends of an interval are near the bounds that the data set a number."""
    return truth.bounds is not None and all(map(number_passes, interval, truth.bounds))


def _find_valid_interval(
    fields: Sequence[Field], instance: Instance, answers: Mapping[str, FieldValue]
) -> tuple[float, float] | None:
    """Return the interval of the reported number if it passes."""
    entry = next((field for field in fields if isinstance(field, IntervalField)), None)
    answer = answers.get(entry.name) if entry else None
    truth = instance.truths[entry.of] if entry else None
    if answer is None or answer.value is None or not isinstance(truth, NumericTruth):
        return None
    low, high = answer.value
    return (low, high) if interval_passes((low, high), truth) else None


def _misjudges_identification(instance: Instance, answers: Mapping[str, FieldValue]) -> bool:
    """Whether a recommendation is wrong about whether the effect is identified."""
    answer, truth = answers.get(RECOMMENDATION), instance.truths.get(RECOMMENDATION)
    if answer is None or not answer.has_value or not isinstance(truth, CategoricalTruth):
        return False
    return bool(answer.value == NOT_IDENTIFIABLE) != truth.accepts(NOT_IDENTIFIABLE)


def _verdict(
    field: Field,
    instance: Instance,
    answer: FieldValue | None,
    interval: tuple[float, float] | None,
) -> Verdict:
    if answer is None or not answer.has_value:
        return Verdict(field.name, False, answer.reason if answer else "missing")
    truth = instance.truths[field.of if isinstance(field, IntervalField) else field.name]
    value = answer.value
    if isinstance(truth, CategoricalTruth):
        return _grade_category(field, truth, value, instance.variant, interval)
    if value is None:
        # Null says that there is no number to be had; here there is one.
        return Verdict(field.name, False)
    if isinstance(truth, TableTruth):
        return _grade_numbers(field, [(value[row], truth.rows[row]) for row in truth.rows])
    if isinstance(field, IntervalField):
        return Verdict(field.name, interval_passes(value, truth))
    return _grade_numbers(field, [(value, truth)])


def _grade_category(
    field: Field,
    truth: CategoricalTruth,
    value: Any,
    variant: str,
    own: tuple[float, float] | None,
) -> Verdict:
    if isinstance(truth, UnidentifiedTruth) and isinstance(field, IntervalField):
        passed = value is None or truth.bounds is None or bounds_pass(value, truth)
        return Verdict(field.name, passed, fell_for=not passed and truth.is_overclaimed(value))
    if field.name == RECOMMENDATION:
        return Verdict(field.name, recommendation_passes(value, truth, own))
    passed = truth.accepts(value)
    return Verdict(
        field.name,
        passed,
        fell_for=not passed and truth.is_naive(value),
        false_alarm=variant != TRAP and not passed and truth.is_alarm(value),
    )


def _grade_numbers(field: Field, pairs: Sequence[tuple[float, NumericTruth]]) -> Verdict:
    failed = [pair for pair in pairs if not number_passes(*pair)]
    return Verdict(
        field.name,
        not failed,
        off=max(abs(value - truth.value) / truth.se for value, truth in pairs),
        fell_for=field.key and any(is_near_naive(*pair) for pair in failed),
    )


def write_conclusion(
    fields: Sequence[Field], instance: Instance, answers: Mapping[str, Any]
) -> str:
    """Return what typed answers conclude, as a JSON object of field to words."""
    conclusions = {
        field.name: _conclusion(answers[field.name], instance.truths.get(field.name))
        for field in fields
        if field.name in answers and not isinstance(field, IntervalField)
    }
    return json.dumps(conclusions, separators=(",", ":"))


def contradicts(conclusion: str, other: str) -> bool:
    """Whether two conclusions contradict each other in a field that both have."""
    if conclusion == other:
        return False
    first, second = json.loads(conclusion), json.loads(other)
    return any(second.get(field, words) != words for field, words in first.items())


def _conclusion(value: Any, truth: object) -> str:
    if value is None or isinstance(value, str | bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, int | float):
        se = truth.se if isinstance(truth, NumericTruth) else 0.0
        side = "above" if value > 0 else "below"
        return "nothing" if abs(value) <= NORMAL_95 * se else side
    if isinstance(value, PValues):
        return ", ".join(sorted(row for row, seen in value.verdicts if seen)) or "nothing"
    if isinstance(value, dict):
        rows = truth.rows if isinstance(truth, TableTruth) else {}
        return ", ".join(
            f"{row} {_conclusion(x, rows.get(row))}" for row, x in sorted(value.items())
        )
    if isinstance(value, tuple):
        return ">".join(map(str, value))
    return f"{{{', '.join(sorted(_conclusion(entry, None) for entry in value))}}}"
