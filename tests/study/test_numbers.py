"""People are asked what models are asked, and their answers are read alike."""

from __future__ import annotations

import re
from functools import cache
from html import unescape
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pytest

from whybench.study.export import write_study
from whybench.study.importing import import_study
from whybench.study.plan import make_plan
from whybench.study.simulation import simulate_study
from whybench.study.texts import render_prompt_html
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.questionnaire import QUESTIONNAIRE
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from pathlib import Path

    from whybench.study.plan import StudyPlan

SMALL = {"design": "core", "style": "direct", "query": "observe,ate", "variables": "3"}
GREATER = {"design": "greater", "style": "direct", "worlds": 1, "query": "observe,do"}


@cache
def plan(form: str = "number") -> StudyPlan:
    return make_plan("calculate", SMALL if form == "number" else GREATER)


def words_of(html: str) -> list[str]:
    return [unescape(told) for told in re.findall(r"<(?:p|li|td)>(.*?)</", html)]


@pytest.mark.parametrize("form", ["number", "greater"])
def test_a_page_says_what_the_prompt_says_and_no_more(form: str) -> None:
    formats = set()
    for item in (item for entry in plan(form).lists for item in entry):
        page, prompt = QUESTIONNAIRE.page(item), SUITE.render(item)
        told = words_of(render_prompt_html(page.text))
        assert all(line in prompt for line in told)
        # Nothing between the opening and the question is left out.
        world = prompt.partition("\n\nQuestion: ")[0]
        assert len("".join(told)) >= len(re.sub(r"\s*[-|]?\n[-|]? ?| \| | \|$", "", world)) * 0.97
        for sentence in re.split(r"(?<=[?.]) (?=If it|Forcing)", page.question):
            assert sentence in prompt
        assert (page.options is None) == (form == "number")
        formats.add(item.format)
    assert formats == {"text", "table"}


def test_effects_may_be_negative_and_say_so() -> None:
    for item in plan().lists[0]:
        signed = "give a negative number" in QUESTIONNAIRE.page(item).question
        assert signed == (item.cell.query == "ate")


@pytest.mark.parametrize("form", ["number", "greater"])
def test_a_list_shares_a_lesson_that_tells_no_truth(form: str) -> None:
    for entry in plan(form).lists:
        [lesson] = {QUESTIONNAIRE.lesson(item) for item in entry}
        assert len(lesson.quizzes) >= 2
        for quiz in lesson.quizzes:
            assert len({*quiz.options}) == len(quiz.options) >= 3
        assert ("percentage" in lesson.text) == (form == "number")
        assert not re.search("forc|interven|cause|observ", lesson.text)


def test_a_list_holds_every_query_and_mechanism() -> None:
    found = make_plan("calculate", {"design": "trivial"})
    assert [len(entry) for entry in found.lists] == [12] * 8
    for entry in found.lists:
        assert len({(item.cell.query, item.cell.mechanism) for item in entry}) == 12


@pytest.mark.parametrize(
    ("form", "agent", "settings"),
    [("number", "slips", {"error": 0.4}), ("greater", "exact", {}), ("number", "says-cannot", {})],
)
@pytest.mark.usefixtures("engine")
def test_people_s_answers_are_what_the_agents_they_are_would_have_answered(
    form: str, agent: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    study = tmp_path / "study"
    write_study(plan(form), study)
    people = 2
    simulate_study(study, tmp_path / "rows.jsonl", f"reference/calculate.{agent}", settings, people)
    table = import_study(study, [tmp_path / "rows.jsonl"]).table
    design = SUITE.make_design(plan(form).settings)
    names = list(dict.fromkeys(table["agent"].to_pylist()))
    assert len(names) == people
    for number, person in enumerate(names):
        own = table.filter(pc.equal(table["agent"], person)).to_pylist()
        items = plan(form).list_items(number)
        told = simulate_rows(
            SUITE, design, items, SUITE.agent(agent), {**settings, "seed": number}, person, {}
        )
        for row, expected in zip(own, told, strict=True):
            assert {name: row[name] for name in expected} == expected
            assert row["outcome"] == "scored"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({**SMALL, "style": "cot"}, "style must be direct, got 'cot'"),
        (
            {**SMALL, "format": "program", "mechanism": "gates,thresholds"},
            "plain sentences or tables, got plain program",
        ),
        ({**SMALL, "wording": "formal"}, "plain sentences or tables, got formal text"),
    ],
)
@pytest.mark.usefixtures("engine")
def test_what_people_cannot_be_asked(
    settings: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=message):
        write_study(make_plan("calculate", settings, lists=1), tmp_path / "study")
    assert not (tmp_path / "study").exists()
