"""Both wordings: the same question, equations as the world follows them, and clear sentences."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from evidence.prompts import question_at

from whybench.prose import find_matches
from whybench.suites.checks import check_design
from whybench.suites.compose import SUITE
from whybench.suites.compose.prompt_parser import ComposePromptError, parse_prompt
from whybench.suites.compose.prompts import _render_unit, render_prompt
from whybench.suites.compose.questionnaire import QUESTIONNAIRE
from whybench.suites.compose.questions import EXAMPLES, make_example
from whybench.suites.compose.themes import THEME_NAMES, load_theme
from whybench.suites.compose.themes.formal import formal_theme
from whybench.suites.contract import UserError

SETTINGS = {"theme": ",".join(THEME_NAMES), "worlds": 2}
DESIGNS = {"core": {"units": 2}, "numbers": {"style": "direct,cot"}}


def items(design: str, wording: str) -> list:
    settings = {"design": design, "wording": wording, **SETTINGS, **DESIGNS[design]}
    return list(SUITE.items(SUITE.make_design(settings)))


def matches(text: str) -> list[str]:
    return [match.words for match in find_matches(text)]


def solve(prompt: str) -> bool:
    """Return the answer to a formal prompt, worked out from its equations alone."""
    text = prompt.rpartition("Structural equations")[2]
    equations = dict(re.findall(r"^- (\w+) := (.+)$", text, re.MULTILINE))
    counts = {name: int(n) for name, n in re.findall(r"\w+\((\w+)\) = (\d+)$", text, re.MULTILINE)}
    effect = re.search(r"Is (\w+) = 1", text)
    assert effect is not None
    equations |= dict(re.findall(r"with (\w+) := ([01])\.", text))

    def value(name: str) -> int:
        for term, unit, threshold in re.findall(r"(1\[\w+\((\w+)\) >= (\d+)\])", equations[name]):
            equations[name] = equations[name].replace(
                term, str(int(counts[unit] >= int(threshold)))
            )
        terms = re.findall(r"\w+", equations[name].removeprefix("max").removeprefix("min"))
        values = [int(term) if term.isdigit() else value(term) for term in terms]
        return min(values) if equations[name].startswith("min") else max(values)

    return value(effect[1]) == 1


@pytest.mark.parametrize("design", DESIGNS)
def test_wordings_ask_the_same_question(design: str) -> None:
    for plain, formal in zip(items(design, "plain"), items(design, "formal"), strict=True):
        assert (plain.case, plain.truth) == (formal.case, formal.truth)
        assert replace(formal.question, wording="plain") == plain.question
        assert "plain" not in plain.id
        assert "formal" in formal.id
        for item in (plain, formal):
            assert SUITE.parse_prompt(item.prompt) == item.world
            assert not matches(item.prompt)


def test_equations_have_the_answer() -> None:
    for item in items("core", "formal"):
        assert solve(item.prompt) == (item.truth == 1)


def test_every_formal_question_is_rebuilt_from_its_prompt() -> None:
    for number in range(300):
        question = replace(question_at(number), wording="formal")
        prompt = render_prompt(question)
        assert parse_prompt(prompt) == question.plain
        assert not matches(prompt)


def test_examples_in_notation_have_the_true_answer() -> None:
    for key in range(EXAMPLES):
        example = make_example(formal_theme(load_theme("vault")), key)
        prompt = render_prompt(replace(example.question, style="direct"))
        assert solve(prompt) == example.answer
        assert example.steps[-1].endswith(f" = {example.answer:d}.")


def test_formal_units_are_rendered_once() -> None:
    question = replace(question_at(3), style="direct", wording="formal")
    _render_unit.cache_clear()
    for cause, effect in question.world.pairs:
        render_prompt(replace(question, effect=effect, intervention=(cause, True)))
    assert _render_unit.cache_info().misses == 1


def test_another_equation_is_another_question() -> None:
    question = replace(question_at(0), style="direct", details=(), wording="formal")
    prompt = render_prompt(question)
    assert parse_prompt(prompt.replace("max(", "min(")) != question.plain
    with pytest.raises(ComposePromptError, match="must have the line 'Structural equations"):
        parse_prompt(prompt.replace("Structural", "Linear"))


def test_texts_for_people_are_clear_and_plain() -> None:
    for item in items("core", "plain")[::15]:
        lesson, page = QUESTIONNAIRE.lesson(item), QUESTIONNAIRE.page(item)
        quizzes = [text for quiz in lesson.quizzes for text in (quiz.question, *quiz.options)]
        for text in (lesson.title, lesson.text, page.question, *quizzes):
            assert not matches(text)
    with pytest.raises(UserError, match="people are asked in plain wording, got formal"):
        QUESTIONNAIRE.lesson(items("core", "formal")[0])


def test_checks_pass_in_formal_wording() -> None:
    results = check_design(
        SUITE, SUITE.make_design({"worlds": "1", "units": "1", "wording": "formal"})
    )
    assert not [(result.name, result.examples) for result in results if not result.passed]
