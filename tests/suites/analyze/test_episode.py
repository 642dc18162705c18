"""A report, and then what it rests on: what is asked, in which order, and what counts."""

from __future__ import annotations

import json

import pytest

from whybench.suites.analyze import SUITE
from whybench.suites.analyze.analysts import analyst_reply
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.design import make_design
from whybench.suites.analyze.items import AnalyzeItem, analyze_items
from whybench.suites.analyze.prompts import render_diagnosis
from whybench.suites.analyze.tables import read_marks
from whybench.suites.replies import parse_replies

SIMPSON = CHALLENGES["simpson"]


def items_of(**settings) -> list[AnalyzeItem]:
    return list(analyze_items(make_design({"challenge": "simpson", "seeds": 1, **settings})))


def forms_of(item: AnalyzeItem, analyst: str) -> tuple[str, str]:
    """Return the report and the diagnosis of an analyst."""
    challenge = CHALLENGES[item.challenge]
    report, diagnosis = (
        analyst_reply(analyst, item.instance, item.names, form)
        for form in (challenge.report, challenge.diagnosis)
    )
    return report, diagnosis


def heard(item: AnalyzeItem, *replies: str):
    return parse_replies(SUITE, item.factors, [(reply, False) for reply in replies])


def test_a_report_is_asked_first_and_then_a_diagnosis() -> None:
    for item in items_of():
        report, diagnosis = forms_of(item, "competent")
        episode = SUITE.open_episode(item.factors)
        assert episode.fields == SIMPSON.report
        assert (episode.over, episode.is_reported) == (False, False)
        assert episode.hear(report, False) == render_diagnosis(item.instance, item.label)
        assert episode.fields == SIMPSON.diagnosis
        assert (episode.over, episode.is_reported) == (False, True)
        assert episode.answer.value == 1
        assert "diagnosis" not in episode.answer.parts
        assert episode.hear(diagnosis, False) is None
        assert episode.over
        assert (episode.answer.value, episode.answer.parts["diagnosis"]) == (1, 1)
        assert episode.answer.parts["diagnosis_reason"] == ""
        marks = read_marks(str(episode.answer.parts["marks"]))
        assert [mark.field for mark in marks] == [field.name for field in SIMPSON.fields]
        assert episode.answer.parts["passed"] == episode.answer.parts["asked"] == len(marks)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [("", "empty"), ("I cannot say.", "no_object"), ('{"effect": {}}', "no_field")],
)
def test_a_report_that_cannot_be_read_ends_it(reply: str, reason: str) -> None:
    (item, *_) = items_of()
    episode = SUITE.open_episode(item.factors)
    assert episode.hear(reply, False) is None
    assert episode.over
    assert (episode.answer.value, episode.answer.reason) == (None, reason)
    # What is said after that is not heard.
    assert heard(item, reply, *forms_of(item, "competent")) == episode.answer


@pytest.mark.parametrize(
    ("reply", "reason"),
    [("", "empty"), ("It rests on itself.", "no_object"), ('{"reversal": []}', "no_field")],
)
def test_a_diagnosis_that_cannot_be_read_is_0_and_leaves_the_report(
    reply: str, reason: str
) -> None:
    (item, *_) = items_of()
    report, _ = forms_of(item, "competent")
    reported, answer = heard(item, report), heard(item, report, reply)
    assert (answer.value, answer.reason) == (reported.value, "") == (1, "")
    assert (answer.parts["diagnosis"], answer.parts["diagnosis_reason"]) == (0, reason)
    for name in ("fell_for", "false_alarm", "conclusion"):
        assert answer.parts[name] == reported.parts[name]


def test_what_is_cut_off_counts_for_nothing() -> None:
    (item, *_) = items_of()
    report, diagnosis = forms_of(item, "competent")
    episode = SUITE.open_episode(item.factors)
    assert episode.hear(report, True) is None
    assert episode.over
    assert (episode.answer.value, episode.answer.reason) == (None, "cut_off")
    answer = parse_replies(SUITE, item.factors, [(report, False), (diagnosis, True)])
    assert (answer.value, answer.parts["diagnosis"]) == (1, 0)
    assert answer.parts["diagnosis_reason"] == "cut_off"


def test_no_diagnosis_changes_a_report_and_no_report_comes_late() -> None:
    (item, *_) = items_of()
    wrong, right = forms_of(item, "naive"), forms_of(item, "competent")
    mixed = heard(item, wrong[0], right[1])
    assert mixed.value == heard(item, wrong[0]).value
    assert mixed.parts["conclusion"] == heard(item, wrong[0]).parts["conclusion"]
    assert mixed.parts["diagnosis"] == 1
    # Fields of the report are none of the diagnosis.
    late = heard(item, wrong[0], right[0])
    assert (late.value, late.parts["diagnosis_reason"]) == (mixed.value, "no_field")
    assert late.parts["diagnosis"] == 0


def test_equal_replies_give_equal_answers() -> None:
    for item in items_of():
        for analyst in ("competent", "naive", "always-trap", "null"):
            replies = forms_of(item, analyst)
            episode = SUITE.open_episode(item.factors)
            for reply in replies:
                if not episode.over:
                    episode.hear(reply, False)
            assert heard(item, *replies) == heard(item, *replies) == episode.answer


def test_a_fall_is_in_the_report_and_a_false_alarm_in_either_form() -> None:
    trap, control = items_of(challenge="structure")
    for item in (trap, control):
        naive, alarmed, right = (
            forms_of(item, analyst) for analyst in ("naive", "always-trap", "competent")
        )
        falls = {
            (said, why): heard(item, reports[0], reasons[1]).parts
            for said, reports in (("naive", naive), ("alarmed", alarmed), ("right", right))
            for why, reasons in (("naive", naive), ("alarmed", alarmed), ("right", right))
        }
        if item is trap:
            assert {said: parts["fell_for"] for (said, _), parts in falls.items()} == {
                "naive": True, "alarmed": False, "right": False,
            }  # fmt: skip
            assert not falls["right", "naive"]["fell_for"]
            assert falls["right", "naive"]["diagnosis"] == 0
            assert not any(parts["false_alarm"] for parts in falls.values())
        else:
            assert not falls["right", "right"]["false_alarm"]
            assert falls["right", "alarmed"]["false_alarm"]
            assert falls["alarmed", "right"]["false_alarm"]
            assert heard(item, alarmed[0]).parts["false_alarm"]


@pytest.mark.parametrize("challenge", CHALLENGES)
def test_the_first_message_says_nothing_of_the_diagnosis(challenge: str) -> None:
    fields = CHALLENGES[challenge].diagnosis
    for item in items_of(challenge=challenge, variant="trap,controls"):
        asked = json.loads("{" + render_diagnosis(item.instance, item.label).split("\n{", 1)[1])
        for field in fields:
            assert f'"{field.name}"' not in item.prompt
            assert asked["properties"][field.name]["description"] not in item.prompt
