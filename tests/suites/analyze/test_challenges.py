"""Every challenge: what must hold of it, of its words, and of its truth.

One challenge alone: `pytest tests/suites/analyze/test_challenges.py -k simpson`.
"""

from __future__ import annotations

import csv
import io
import json
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from evidence.challenges import FEW_SEEDS, analysts_of, truths_of
from jsonschema import Draft202012Validator

from whybench.suites.analyze.analysts import ANALYSTS, analyst_reply, true_answer
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.grading import grade
from whybench.suites.analyze.prompts import (
    answer_schema,
    column_names,
    render_description,
    render_diagnosis,
    rows_csv,
    setting_of,
    story_of,
)
from whybench.suites.analyze.replies import parse_reply, render_reply
from whybench.suites.analyze.reports import find_number
from whybench.suites.analyze.settings import LABELS
from whybench.suites.analyze.stories import HINTS, SWITCHES, read_forms, read_hints, read_story

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance

NAMES = list(CHALLENGES)
BOTH = [(name, variant) for name, entry in CHALLENGES.items() for variant in entry.variants]


def instance(name: str, variant: str, seed: int = 0) -> Instance:
    return CHALLENGES[name].generate(variant, "tests", seed)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_known_analysts_fare_as_they_must(name: str) -> None:
    found = analysts_of(CHALLENGES[name], FEW_SEEDS)
    assert found.holds, found.measured


@pytest.mark.parametrize("name", NAMES)
def test_simulation_agrees_with_the_derived_truths(name: str) -> None:
    found = truths_of(CHALLENGES[name], 500_000)
    assert found.holds, found.measured


@pytest.mark.parametrize(("name", "variant"), BOTH)
def test_equal_keys_give_equal_instances_and_others_do_not(name: str, variant: str) -> None:
    one, again, other = instance(name, variant), instance(name, variant), instance(name, variant, 1)
    assert one.parameters == again.parameters
    assert rows_csv(one, "neutral") == rows_csv(again, "neutral") != rows_csv(other, "neutral")


@pytest.mark.parametrize(("name", "variant"), BOTH)
def test_instances_are_of_the_right_size_and_certified(name: str, variant: str) -> None:
    for seed in range(5):
        drawn = instance(name, variant, seed)
        assert 900 <= drawn.size <= 3000
        assert all(len(values) == drawn.size for values in drawn.rows.values())
        for measured in drawn.numbers().values():
            assert measured.certificate.agree
            assert len({method for method, _ in measured.certificate.derivations}) == 2
            assert measured.references
            assert measured.se > 0


@pytest.mark.parametrize(("name", "variant"), BOTH)
def test_what_is_shown_is_what_is_graded_on(name: str, variant: str) -> None:
    drawn = instance(name, variant)
    read = list(csv.DictReader(io.StringIO(rows_csv(drawn, "neutral"))))
    for role, column in column_names(drawn, "neutral").items():
        shown = [row[column] for row in read]
        if np.issubdtype(drawn.rows[role].dtype, np.number):
            assert np.array_equal(np.array(shown, dtype=float), drawn.rows[role])
            assert max(map(len, shown)) <= 9
        else:
            assert shown == drawn.rows[role].tolist()


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize(("name", "variant"), BOTH)
def test_the_true_answer_has_full_marks_and_fits_the_schema(
    name: str, variant: str, labels: str
) -> None:
    challenge, drawn = CHALLENGES[name], instance(name, variant)
    names = column_names(drawn, labels)
    for form in (challenge.report, challenge.diagnosis):
        said, schema = (
            render_reply(true_answer(drawn), form, names),
            answer_schema(drawn, labels, form),
        )
        assert list(json.loads(said)) == schema["required"] == [entry.name for entry in form]
        Draft202012Validator.check_schema(schema)
        assert Draft202012Validator(schema).is_valid(json.loads(said))
        graded = grade(form, drawn, parse_reply(said, form, names).fields)
        assert graded.score == 1
        assert not graded.fell_for
        assert not graded.false_alarm


@pytest.mark.parametrize(("name", "variant"), BOTH)
def test_analysts_answer_every_field_in_the_form_that_was_asked_for(
    name: str, variant: str
) -> None:
    challenge, drawn = CHALLENGES[name], instance(name, variant)
    names = column_names(drawn, "damning")
    for form in (challenge.report, challenge.diagnosis):
        for analyst in ("competent", "naive", "always-trap"):
            read = parse_reply(analyst_reply(analyst, drawn, names, form), form, names)
            assert list(read.fields) == [entry.name for entry in form]
            assert all(said.has_value for said in read.fields.values()), analyst
        for analyst in ("null", "schema-breaker"):
            assert parse_reply(analyst_reply(analyst, drawn, names, form), form, names).reason
    with pytest.raises(ValueError, match="analyst must be one of"):
        analyst_reply("astrologer", drawn, names, challenge.report)


@pytest.mark.parametrize(("name", "variant"), BOTH)
def test_labels_change_names_and_not_a_byte_of_the_rows(name: str, variant: str) -> None:
    drawn = instance(name, variant)
    tables = {labels: rows_csv(drawn, labels).split("\n", 1) for labels in LABELS}
    assert len({rows for _, rows in tables.values()}) == 1
    assert len({head for head, _ in tables.values()}) == len(LABELS)
    assert len({render_description(drawn, labels, 5) for labels in LABELS}) == len(LABELS)


@pytest.mark.parametrize(("name", "variant"), BOTH)
def test_a_prompt_has_no_place_left_open(name: str, variant: str) -> None:
    drawn = instance(name, variant)
    for labels in LABELS:
        messages = [
            *(
                (render_description(drawn, labels, level), CHALLENGES[name].report)
                for level in HINTS
            ),
            (render_diagnosis(drawn, labels), CHALLENGES[name].diagnosis),
        ]
        for message, fields in messages:
            words, form = message.split("\n{")
            assert "{" not in words
            properties = json.loads("{" + form)["properties"]
            assert list(properties) == [entry.name for entry in fields]
            assert "{" not in "".join(entry["description"] for entry in properties.values())
            assert not re.search(r"(?i)\btrap\b", words)


@pytest.mark.parametrize("name", NAMES)
def test_hints_follow_the_one_table_of_switches(name: str) -> None:
    drawn = instance(name, "trap")
    story, names = story_of(drawn), column_names(drawn, "neutral")
    places = {**names, **setting_of(drawn).words["neutral"], **drawn.facts}
    texts = {"caution": read_hints().caution} | {
        switch: str(getattr(story, switch)).format(**places)
        for switch in SWITCHES
        if switch != "caution"
    }
    for level, switches in read_hints().levels.items():
        prompt = render_description(drawn, "neutral", level)
        assert {switch for switch, text in texts.items() if text in prompt} == set(switches)
        assert all(f"- {column} (" in prompt for column in names.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_story_fits_its_challenge(name: str) -> None:
    told, challenge = read_story(name), CHALLENGES[name]
    assert told["challenge"] == name
    forms, number = read_forms(), find_number(challenge.report)
    common = {*(forms.report if number else forms.claim)}
    # What forms have in common is told once for all, and the story tells the rest.
    assert set(told["answer"]) == {entry.name for entry in challenge.fields} - common
    assert set(told["variants"]) <= set(challenge.variants)


def test_the_levels_of_hints_are_those_of_the_design() -> None:
    assert read_hints().levels == {
        1: ("estimand", "roles", "method", "warning"),
        2: ("estimand", "roles"),
        3: ("estimand", "caution"),
        4: ("estimand",),
        5: (),
    }


def test_challenges_come_family_by_family() -> None:
    families = [challenge.family for challenge in CHALLENGES.values()]
    assert families == sorted(families, key=families.index)
    assert len(ANALYSTS) == 5
