"""Reports: what an agent is asked first, before any question that could tell it what to look for.

A report is a recommendation, one number and its 95% interval, the same for every challenge that has
a number to ask for; null and `cannot_tell` are there in all of them, so that the form gives nothing
away. A challenge without one asks for a claim and how sure of it one is.

The recommendation follows from the number by what is clear of zero. It passes if it follows from
the truth, or from what a consistent estimator finds on the very rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.fields import ChoiceField, IntervalField, NumberField
from whybench.suites.analyze.truths import CategoricalTruth, NumericTruth

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.suites.analyze.estimators.regression import Coefficient
    from whybench.suites.analyze.fields import Field
    from whybench.suites.analyze.truths import Truth

RECOMMENDATION, INTERVAL = "recommendation", "interval"
RAISE, LOWER, EITHER, CANNOT_TELL = "raise", "lower", "either", "cannot_tell"


def report_on(number: NumberField) -> tuple[Field, ...]:
    """Return the fields of a report on a number."""
    return (
        ChoiceField(RECOMMENDATION, (RAISE, LOWER, EITHER, CANNOT_TELL)),
        replace(number, nullable=True),
        IntervalField(INTERVAL, of=number.name, share=number.share, nullable=True),
    )


def find_number(report: Sequence[Field]) -> str:
    """Return the name of the number that is reported; empty where it is a claim."""
    return next((field.of for field in report if isinstance(field, IntervalField)), "")


def derive_recommendation(truth: Truth) -> CategoricalTruth:
    """Return the truth of the recommendation that goes by a number."""
    if not isinstance(truth, NumericTruth):
        return CategoricalTruth(CANNOT_TELL)
    right = EITHER if truth.value == 0 else RAISE if truth.value > 0 else LOWER
    found = {recommend(*estimate.interval) for estimate in truth.panel.values()}
    return CategoricalTruth(right, also=tuple(sorted(found - {right})))


def complete_answer(report: Sequence[Field], answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return an analyst's answers with what goes with the number that it reports.

    The number is a `Coefficient`, which has an interval, and the recommendation goes by that; or
    None, where it cannot be told. Who leaves it out has given nothing that goes with it.
    """
    name = find_number(report)
    if not name or name not in answers:
        return dict(answers)
    found: Coefficient | None = answers[name]
    if found is None:
        return {RECOMMENDATION: CANNOT_TELL, INTERVAL: None, **answers}
    advice = recommend(*found.interval)
    return {**answers, RECOMMENDATION: advice, name: found.value, INTERVAL: found.interval}


def recommend(low: float, high: float) -> str:
    """Return what to do with a cause whose effect is between these."""
    return RAISE if low > 0 else LOWER if high < 0 else EITHER
