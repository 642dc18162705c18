"""Marks, on worlds small enough to grade by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from whybench.scm import agreed
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import (
    CategoricalTruth,
    DataColumn,
    Instance,
    NumericTruth,
    TableTruth,
)
from whybench.suites.analyze.columns import round_values
from whybench.suites.analyze.fields import (
    ChoiceField,
    FieldValue,
    FlagField,
    IntervalField,
    NumberField,
    NumberTableField,
)
from whybench.suites.analyze.grading import (
    IDENTIFICATION_CAP,
    grade,
    grade_values,
    is_near_truth,
    paired_score,
)
from whybench.suites.analyze.reports import (
    RECOMMENDATIONS,
    derive_recommendation,
    recommendation_passes,
    report_on,
)


def measured(truth: float, reference: float, se: float, *naive: float) -> NumericTruth:
    certificate = agreed("effect", ("one", truth), ("other", truth))
    return NumericTruth(certificate, {"r": reference}, se, {str(i): x for i, x in enumerate(naive)})


def world(variant: str) -> Instance:
    """Truth 1, reference 1.2, SE 0.1, naive 2: passes from 0.75 to 1.275."""
    return Instance(
        challenge="toy",
        variant=variant,
        parameters={},
        columns=(DataColumn("outcome", "real", 0),),
        rows={"outcome": np.zeros(3)},
        truths={
            "effect": measured(1.0, 1.2, 0.1, 2.0),
            "side": measured(0.0, 0.0, 0.1, 5.0),
            "sort": CategoricalTruth("fork", also=("either",), naive=("chain",)),
            "paradox": CategoricalTruth(variant == "trap", alarm=(True,)),
            "doses": TableTruth({"low": measured(0.0, 0.0, 1.0, 9.0), "high": measured(3, 3, 1.0)}),
        },
    )


FIELDS = (
    NumberField("effect", weight=2),
    IntervalField("ci", of="effect"),
    NumberField("side", key=False, nullable=True),
    ChoiceField("sort", ("fork", "chain", "either", "other")),
    FlagField("paradox"),
    NumberTableField("doses", ("low", "high")),
)

RIGHT = {
    "effect": 1.0,
    "ci": (0.8, 1.2),
    "side": 0.1,
    "sort": "fork",
    "paradox": True,
    "doses": {"low": 0.0, "high": 3.0},
}


def marked(variant: str = "trap", **changed: Any) -> Any:
    said = {name: FieldValue(value) for name, value in {**RIGHT, **changed}.items()}
    return grade(FIELDS, world(variant), said)


def test_a_right_answer_has_full_marks() -> None:
    assert marked().score == 1
    assert not marked().fell_for


@pytest.mark.parametrize(
    ("value", "by_reference", "by_truth"),
    [
        (0.74, False, False),
        (0.76, True, True),
        (1.249, True, True),
        (1.26, True, False),
        (1.274, True, False),
        (1.28, False, False),
    ],
)
def test_a_number_passes_near_the_truth_or_near_the_reference(
    value: float, by_reference: bool, by_truth: bool
) -> None:
    assert marked(effect=value).passed("effect") is by_reference
    assert is_near_truth(value, world("trap").number("effect")) is by_truth


def test_how_far_a_number_is_off_is_recorded() -> None:
    assert marked(effect=1.5).verdicts[0].off == pytest.approx(5)


@pytest.mark.parametrize(
    ("interval", "passes"),
    [
        ((0.8, 1.2), True),
        ((1.01, 1.4), True),  # does not hold the truth, but what the reference finds
        ((1.21, 1.6), False),  # holds neither
        ((0.89, 1.11), False),  # implies 0.56 of the standard error
        ((0.88, 1.12), True),  # 0.61
        ((0.67, 1.33), True),  # 1.68
        ((0.66, 1.34), False),  # 1.73
    ],
)
def test_an_interval_holds_truth_or_reference_and_has_the_right_width(
    interval: tuple[float, float], passes: bool
) -> None:
    assert marked(ci=interval).passed("ci") is passes


def test_weights_make_the_score() -> None:
    assert marked(side=5.0).score == pytest.approx(6 / 7)
    assert marked(sort="other").score == pytest.approx(6 / 7)


def test_with_a_key_number_wrong_the_rest_is_worth_little() -> None:
    assert marked(effect=0.5).score == 0.2
    assert marked(effect=None).score == 0.2


def test_other_right_values_are_right() -> None:
    assert marked(sort="either").score == 1


@pytest.mark.parametrize("naive", [1.93, 2.0, 2.07])
def test_a_key_number_at_the_naive_value_is_a_fall(naive: float) -> None:
    assert marked(effect=naive).fell_for
    assert marked(effect=naive).score == 0.2


def test_elsewhere_a_wrong_number_is_only_wrong() -> None:
    assert not marked(effect=1.9).fell_for
    assert not marked(side=5.0).fell_for


def test_a_choice_that_only_the_trap_suggests_is_a_fall() -> None:
    assert marked(sort="chain").score == 0.2
    assert marked(sort="chain").fell_for


def test_a_table_passes_as_a_whole_and_falls_by_a_row() -> None:
    assert not marked(doses={"low": 0.0, "high": 6.0}).passed("doses")
    assert not marked(doses={"low": 0.0, "high": 6.0}).fell_for
    assert marked(doses={"low": 9.0, "high": 3.0}).fell_for


def test_claiming_the_trap_is_a_false_alarm_only_where_it_is_not() -> None:
    assert not marked("trap").false_alarm
    alarmed = marked("control")
    assert alarmed.false_alarm
    assert alarmed.score == 0.3
    assert marked("control", paradox=False).score == 1


def test_null_is_wrong_where_there_is_a_number() -> None:
    assert not marked(side=None).passed("side")


def test_fields_without_an_answer_fail_with_their_reason() -> None:
    graded = grade(FIELDS, world("trap"), {"effect": FieldValue(reason="not_a_number")})
    assert graded.score == 0
    assert [verdict.reason for verdict in graded.verdicts] == ["not_a_number", *["missing"] * 5]


def test_a_twin_score_is_the_lesser() -> None:
    assert paired_score(marked("trap"), marked("control")) == 0.3


def test_a_guarantee_that_is_never_kept_is_said() -> None:
    known = CHALLENGES["moderation"]
    control = known.variants[1]
    strict = replace(known, retold=(), accept=lambda variant, *_: variant == "trap")
    assert known.generate("trap", 3).keys == (3,)
    # A trap goes with its controls: where these cannot be had, nor can it.
    with pytest.raises(RuntimeError, match="must keep its guarantee within 400 draws"):
        strict.generate("trap", 3)
    with pytest.raises(ValueError, match=f"must be one of trap, {control}.*, got 'trick'"):
        strict.generate("trick", 3)


def test_naive_values_must_be_apart_from_truth_and_references() -> None:
    assert measured(1.0, 1.2, 0.1, 2.0).apart(8)
    assert not measured(1.0, 1.2, 0.1, 2.0).apart(8.1)
    assert not measured(1.0, 1.2, 0.1, 2.0, 1.3).apart(2)


def test_rounding_leaves_no_negative_zero() -> None:
    assert round_values(np.array([-0.0001, 0.12345])).tolist() == [0.0, 0.123]
    assert not np.signbit(round_values(np.array([-0.0001])))[0]


def advised(advice: str, interval: tuple[float, float] | None, value: float | None = 0.1) -> Any:
    """Grade a report: ground truth 0.1, reference 0.15, SE 0.1."""
    truth = measured(0.1, 0.15, 0.1)
    instance = replace(
        world("trap"), truths={"effect": truth, "recommendation": derive_recommendation(truth)}
    )
    answer = {"recommendation": advice, "effect": value, "interval": interval}
    return grade_values(report_on(NumberField("effect")), instance, answer)


COVERS_ZERO, CLEAR_OF_ZERO, TOO_WIDE = (-0.05, 0.25), (0.01, 0.29), (-1.0, 1.0)


@pytest.mark.parametrize(
    ("interval", "right"),
    [
        (COVERS_ZERO, {"increase", "no_clear_effect"}),  # the key accepts the sign of the truth
        (CLEAR_OF_ZERO, {"increase"}),
        (TOO_WIDE, {"increase", "no_clear_effect"}),  # decides nothing, so the key does
        (None, {"increase", "no_clear_effect"}),
    ],
)
def test_a_recommendation_follows_from_the_interval_of_the_answer(
    interval: tuple[float, float] | None, right: set[str]
) -> None:
    passed = {word for word in RECOMMENDATIONS if advised(word, interval).passed("recommendation")}
    assert passed == right


def test_a_clear_interval_is_defended_where_the_key_shows_no_effect() -> None:
    truth = measured(0.0, 0.1, 0.1)
    assert derive_recommendation(truth).also == ()
    assert recommendation_passes("increase", derive_recommendation(truth), CLEAR_OF_ZERO)
    assert not recommendation_passes("decrease", derive_recommendation(truth), CLEAR_OF_ZERO)


def test_a_refusal_scores_little_where_the_effect_is_identified() -> None:
    assert advised("not_identifiable", None, None).score == 0
    # An answer that contradicts itself counts as a refusal, whatever its number.
    assert advised("not_identifiable", CLEAR_OF_ZERO).score == IDENTIFICATION_CAP
    assert advised("increase", CLEAR_OF_ZERO).score == 1
