"""Reports: one form for all numbers, and what follows from a number."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.scm import agreed
from whybench.seeds import ZERO
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.analyze.fields import ChoiceField, ConfidenceField, NumberField
from whybench.suites.analyze.grading import grade_values
from whybench.suites.analyze.prompts import answer_schema, column_names
from whybench.suites.analyze.reports import (
    ESTIMAND,
    complete_answer,
    derive_recommendation,
    find_number,
    report_effect,
    report_on,
)
from whybench.suites.analyze.truths import (
    CategoricalTruth,
    ConfidenceTruth,
    NumericTruth,
    UnidentifiedTruth,
)

REPORT = report_on(NumberField("effect"))
NUMBERS = {name: entry for name, entry in CHALLENGES.items() if find_number(entry.report)}


def truth_at(value: float, *found: float, se: float = 1.0) -> NumericTruth:
    certificate = agreed("effect", ("algebra", value), ("world", value))
    return NumericTruth(certificate, {f"way {n}": x for n, x in enumerate(found)}, se)


@pytest.mark.parametrize(
    ("value", "found", "right", "also"),
    [
        (0.0, (0.5,), "no_clear_effect", ()),
        (0.0, (2.5,), "no_clear_effect", ("increase",)),
        (ZERO / 2, (0.0,), "no_clear_effect", ()),  # what rounding left of 0
        (1.0, (1.2,), "increase", ("no_clear_effect",)),
        (1.0, (-2.5, 1.0), "increase", ("decrease", "no_clear_effect")),
        (-1.0, (-0.5,), "decrease", ("no_clear_effect",)),
        (8.0, (7.5, 8.5), "increase", ()),
        (-8.0, (-7.5,), "decrease", ()),
    ],
)
def test_a_recommendation_follows_from_the_truth_or_from_what_rows_show(
    value: float, found: tuple[float, ...], right: str, also: tuple[str, ...]
) -> None:
    truth = derive_recommendation(truth_at(value, *found))
    assert (truth.value, truth.also) == (right, also)
    wrong = {"increase", "decrease", "no_clear_effect", "not_identifiable"} - {right, *also}
    assert not any(truth.accepts(word) or truth.is_naive(word) for word in wrong)
    assert "not_identifiable" in wrong


def test_where_there_is_no_number_nothing_can_be_told() -> None:
    truth = derive_recommendation(UnidentifiedTruth())
    assert [word for word in REPORT[0].options if truth.accepts(word)] == ["not_identifiable"]


EFFECTS = st.floats(-10, 10).map(lambda x: round(x, 3))


@given(EFFECTS, st.lists(st.tuples(EFFECTS, st.floats(0.01, 5)), min_size=1, max_size=4))
def test_who_goes_by_any_of_the_panel_is_right(
    value: float, panel: list[tuple[float, float]]
) -> None:
    found = {str(n): Coefficient(*entry) for n, entry in enumerate(panel)}
    truth = replace(truth_at(value, 0.0), references=found)
    asked = derive_recommendation(truth)
    assert asked.accepts(
        "increase" if truth.value > 0 else "decrease" if truth.value < 0 else "no_clear_effect"
    )
    for each in found.values():
        said = complete_answer(REPORT, {"effect": each})
        assert asked.accepts(said["recommendation"])
        low, high = said["interval"]
        assert (low > 0, high < 0) == (
            said["recommendation"] == "increase",
            said["recommendation"] == "decrease",
        )


def test_a_number_is_completed_with_what_goes_with_it() -> None:
    found = Coefficient(3.0, 1.0)
    assert complete_answer(REPORT, {"effect": found, "flag": True}) == {
        "recommendation": "increase",
        "effect": 3.0,
        "interval": found.interval,
        "flag": True,
    }
    assert complete_answer(REPORT, {"effect": None}) == {
        "recommendation": "not_identifiable",
        "effect": None,
        "interval": None,
    }
    assert complete_answer(REPORT, {"flag": True}) == {"flag": True}
    claim = (ChoiceField("edge", ("a", "b")), ConfidenceField("confidence"))
    assert complete_answer(claim, {"edge": "a", "confidence": 1.0}) == {
        "edge": "a",
        "confidence": 1.0,
    }


def test_all_numbers_are_asked_for_in_one_form() -> None:
    """No form differs from another but for the names of cause and outcome."""
    assert set(CHALLENGES) - set(NUMBERS) == {"direction", "structure"}
    shapes = set()
    for challenge in NUMBERS.values():
        share = challenge.report[2].share
        assert challenge.report == report_effect(share=share)
        drawn = challenge.generate("trap", "tests", 0)
        schema = answer_schema(drawn, "neutral", challenge.report)["properties"]
        names = [column_names(drawn, "neutral")[r] for r in (challenge.acted_on, challenge.outcome)]
        text = json.dumps(schema)
        for name, place in zip(names, ("{cause}", "{outcome}"), strict=True):
            text = re.sub(rf"\b{name}\b", place, text)
        shapes.add(text)
    assert len(shapes) == 1


def test_the_estimand_is_part_of_a_sound_report_and_earns_no_marks() -> None:
    for name, challenge in NUMBERS.items():
        drawn = challenge.generate("trap", "tests", 0)
        answers = challenge.answer("competent", drawn)
        right = grade_values(challenge.report, drawn, answers)
        wrong = grade_values(challenge.report, drawn, {**answers, ESTIMAND: "association"})
        assert right.passed(ESTIMAND), name
        assert not wrong.passed(ESTIMAND), name
        assert wrong.score == right.score, name
    accepted = {name: NUMBERS[name].estimands for name in ("population", "interaction")}
    assert accepted == {
        "population": ("conditional_effect", "average_effect"),
        "interaction": ("controlled_direct_effect",),
    }


def test_claims_are_asked_for_with_how_sure_one_is() -> None:
    told = set()
    for name in ("direction", "structure"):
        challenge = CHALLENGES[name]
        drawn = challenge.generate("trap", "tests", 0)
        assert [field.name for field in challenge.report][1:] == ["confidence"]
        schema = answer_schema(drawn, "neutral", challenge.report)["properties"]
        told.add(json.dumps(schema["confidence"]))
    assert len(told) == 1


def test_confidence_is_right_near_the_chance() -> None:
    even = ConfidenceTruth(0.5)
    assert [even.accepts(p) for p in (0.25, 0.31, 0.5, 0.69, 0.75)] == [
        False, True, True, True, False,
    ]  # fmt: skip
    assert (even.is_naive(0.75), even.is_alarm(0.75)) == (True, False)
    assert (even.is_naive(0.25), even.is_alarm(0.25)) == (False, True)
    sure = ConfidenceTruth(1.0)
    assert sure.accepts(0.85)
    assert not sure.accepts(0.5)
    assert sure.is_alarm(0.5)


def test_null_is_the_truth_of_a_number_that_cannot_be_had() -> None:
    truth = UnidentifiedTruth()
    assert truth.value is None
    assert truth.accepts(None)
    for claimed in (0.0, 0.3, -1.0):
        assert not truth.accepts(claimed)
        assert truth.is_naive(claimed)
    assert not truth.is_naive(None)


def test_who_refuses_a_number_that_can_be_had_is_wrong_and_did_not_fall() -> None:
    drawn = CHALLENGES["simpson"].generate("trap", "tests", 0)
    refused = grade_values(
        CHALLENGES["simpson"].report, drawn, CHALLENGES["simpson"].complete({"estimate": None})
    )
    assert (refused.score, refused.fell_for, refused.false_alarm) == (0, False, False)


def test_a_categorical_truth_is_right_in_other_words_too() -> None:
    truth = CategoricalTruth("a", also=("b",), naive=("c",), alarm=("d",))
    assert [word for word in "abcd" if truth.accepts(word)] == ["a", "b"]
    assert [word for word in "abcd" if truth.is_naive(word)] == ["c"]
    assert [word for word in "abcd" if truth.is_alarm(word)] == ["d"]
