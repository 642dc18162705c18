"""Reports: what an agent is asked first, before any question that could tell it what to look for.

A report has a recommendation, the estimand, an estimate and its 95% interval. The form is the same
for every challenge with a number, so it doesn't name the quantity that answers the question: the
agent states it (`estimand`), out of the same options everywhere. Null and `not_identifiable` are
always allowed, too. A challenge without a number asks for a claim and a confidence.

A recommendation is one of four that exclude each other: `increase` and `decrease` where the 95%
interval excludes zero, `no_clear_effect` where it includes zero, and `not_identifiable` where no
sample size would help. It passes if it follows from the sign of the ground truth, from the interval
of a consistent estimator on the same rows, or from the answer's own valid interval (see `grading`).
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
ESTIMAND, ESTIMATE = "estimand", "estimate"
AVERAGE, CONDITIONAL = "average_effect", "conditional_effect"
CONTROLLED, NATURAL, PATH = (
    "controlled_direct_effect",
    "natural_direct_effect",
    "path_specific_effect",
)
NECESSITY = "probability_of_necessity"
ESTIMANDS = (
    AVERAGE, CONDITIONAL, CONTROLLED, NATURAL, PATH, NECESSITY,
    "probability_of_sufficiency", "association",
)  # fmt: skip
"""The quantities that a number can be."""
INCREASE, DECREASE = "increase", "decrease"
NO_CLEAR_EFFECT, NOT_IDENTIFIABLE = "no_clear_effect", "not_identifiable"
RECOMMENDATIONS = (INCREASE, DECREASE, NO_CLEAR_EFFECT, NOT_IDENTIFIABLE)


def report_on(number: NumberField) -> tuple[Field, ...]:
    """Return the fields of a report on a number."""
    return (
        ChoiceField(RECOMMENDATION, RECOMMENDATIONS),
        replace(number, nullable=True),
        IntervalField(INTERVAL, of=number.name, share=number.share, nullable=True),
    )


def report_effect(*, share: bool = False) -> tuple[Field, ...]:
    """Return the fields of a report on a number that the agent names itself.

    The name earns no marks, since it can be guessed, but a sound analysis needs it.
    """
    advice, *number = report_on(NumberField(ESTIMATE, share=share))
    return (advice, ChoiceField(ESTIMAND, ESTIMANDS, weight=0.0), *number)


def find_number(report: Sequence[Field]) -> str:
    """Return the name of the number that is reported; empty where it is a claim."""
    return next((field.of for field in report if isinstance(field, IntervalField)), "")


def derive_recommendation(truth: Truth) -> CategoricalTruth:
    """Return the truth of the recommendation that goes by a number."""
    if not isinstance(truth, NumericTruth):
        return CategoricalTruth(NOT_IDENTIFIABLE)
    right = NO_CLEAR_EFFECT if truth.value == 0 else INCREASE if truth.value > 0 else DECREASE
    found = {recommend(*estimate.interval) for estimate in truth.panel.values()}
    return CategoricalTruth(right, also=tuple(sorted(found - {right})))


def complete_answer(report: Sequence[Field], answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return an analyst's answers with what goes with the number that it reports.

    The number is a `Coefficient`, which has an interval, and the recommendation goes by that; or
    None, where it is not identifiable. An answer without the number is returned as it is.
    """
    name = find_number(report)
    if not name or name not in answers:
        return dict(answers)
    found: Coefficient | None = answers[name]
    if found is None:
        return {RECOMMENDATION: NOT_IDENTIFIABLE, INTERVAL: None, **answers}
    advice = recommend(*found.interval)
    return {**answers, RECOMMENDATION: advice, name: found.value, INTERVAL: found.interval}


def recommend(low: float, high: float) -> str:
    """Return the recommendation on a cause whose effect has this 95% interval."""
    return INCREASE if low > 0 else DECREASE if high < 0 else NO_CLEAR_EFFECT


def recommendation_passes(
    value: str, truth: CategoricalTruth, interval: tuple[float, float] | None
) -> bool:
    """Whether a recommendation follows from a valid interval, or from the key where none decides.

    Args:
        value: The recommendation.
        truth: The key.
        interval: The 95% interval of the same answer; None without one that passes.
    """
    follows = recommend(*interval) if interval else None
    if follows in (INCREASE, DECREASE):
        return value == follows
    return value == follows or truth.accepts(value)
