"""Reading undoes wording: every question is rebuilt from its prompt alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import yaml
from evidence.prompts import SHAPES, STYLES, question_at

from whybench.seeds import generator
from whybench.suites.compose.prompt_parser import ComposePromptError, parse_prompt
from whybench.suites.compose.prompts import render_prompt
from whybench.suites.compose.questions import ComposeQuestion
from whybench.suites.compose.themes import THEME_NAMES, load_theme
from whybench.suites.compose.world import COUNTS, Block, ComposeWorld, draw_world

if TYPE_CHECKING:
    from pathlib import Path

QUESTIONS = 1_000

FEAST = ComposeQuestion(
    world=ComposeWorld(
        (Block("cycle", 3), Block("bridge", 2)), ("or", "or", "and", "or"), (6, 7, 4, 8)
    ),
    counts=(3, 9, 1, 10),
    names=("Ada", "Hugo", "Mira", "Nils"),
    theme=load_theme("feast"),
    order=(2, 0, 3, 1),
    effect=3,
    intervention=(0, True),
    details=("Mira keeps bees behind the barn.",),
)


def test_every_question_is_rebuilt_from_its_prompt() -> None:
    questions = [question_at(number) for number in range(QUESTIONS)]
    missed = [
        question
        for question in questions
        if parse_prompt(render_prompt(question)) != question.plain
    ]
    assert not missed
    # What was drawn covers what there is.
    assert {question.theme.name for question in questions} == set(THEME_NAMES)
    assert {question.style for question in questions} == set(STYLES)
    assert {bool(question.details) for question in questions} == {True, False}
    assert {question.intervention and question.intervention[1] for question in questions} == {
        None,
        True,
        False,
    }
    assert {block for question in questions for block in question.world.blocks} == set(SHAPES)


def test_thirty_nodes_are_read_in_every_theme() -> None:
    world = draw_world((Block("cycle", 11), Block("wheel", 11), Block("cycle", 10)), "mixed", 0)
    assert world.size == 30
    for name in THEME_NAMES:
        rng = generator("test", name)
        question = ComposeQuestion(
            world=world,
            counts=tuple(rng.integers(1, COUNTS + 1, 30).tolist()),
            names=load_theme(name).draw(30, rng),
            theme=load_theme(name),
            order=tuple(rng.permutation(30).tolist()),
            effect=world.leaf,
        )
        assert parse_prompt(render_prompt(question)) == question


def test_a_theme_of_ones_own_is_read_if_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "bells.yaml"
    path.write_text(
        yaml.safe_dump(
            {
                "name": "bells",
                "setting": "You hear bells. Each bell gets 1 to 10 tugs.",
                "many": "bells",
                "unit": ["tug", "tugs"],
                "root_rule": "if {name} gets {count} or more, it rings",
                "or_rule": "if {name} gets {count} or more, or {parents} rings, it rings",
                "and_rule": "if {name} gets {count} or more, and {parents} rings, it rings",
                "count_line": "{count} for {name}",
                "holds": "{name} rings",
                "fails": "{name} is silent",
                "ask": "does {effect} ring?",
                "ask_true": "If {cause} is struck, does {effect} ring?",
                "ask_false": "If {cause} is held, does {effect} ring?",
                "details": ["{name} is green."],
                "names": ["bell", "gong", "chime"],
                "more": [str(number) for number in range(10)],
                "example_names": ["one", "two", "three", "four", "five"],
            }
        ),
        encoding="utf-8",
    )
    own = load_theme(str(path))
    for number in range(50):
        question = replace(question_at(number, own), details=())
        assert parse_prompt(render_prompt(question), own) == question.plain
    with pytest.raises(ComposePromptError, match="must open with a theme's setting, got 'You hear"):
        parse_prompt(render_prompt(question))


def test_a_changed_prompt_is_another_question() -> None:
    prompt = render_prompt(FEAST)
    assert parse_prompt(prompt) == FEAST.plain
    more = parse_prompt(prompt.replace("Hugo drew 9 tokens", "Hugo drew 8 tokens"))
    assert more == replace(FEAST.plain, counts=(3, 8, 1, 10))
    lower = parse_prompt(prompt.replace("Nils drew at least 8", "Nils drew at least 7"))
    assert lower.world.thresholds == (6, 7, 4, 7)
    factual = parse_prompt(render_prompt(replace(FEAST, intervention=None)))
    assert factual == replace(FEAST.plain, intervention=None)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("A village holds", "A town holds", "must open with a theme.s setting"),
        ("The rules of the villagers:", "The rules:", "must have the line 'The rules of the vil"),
        ("Their tokens:", "Tokens:", "must have the line 'Their tokens:'"),
        ("Ada drew 3 tokens.", "Ada drew some tokens.", "one rule and one count"),
        ("Ada drew 3 tokens.", "Ada drew 3 coins.", "count must be a number of tokens"),
        ("Ada drew 3 tokens.", "Ada drew 30 tokens.", "counts must be 4 numbers from 1 to 10"),
        ("at least 6 tokens", "more than 6 tokens", "one rule and one count"),
        ("at least 6 tokens", "at least 1 token", "threshold of node 0 must be"),
        ("each of", "at least one of", "name must be one of the theme feast"),
        ("- Mira keeps", "- Ada comes to the feast if Ada drew at least 2 tokens; otherwise Ada "
         "stays at home.\n- Mira keeps", "one rule, got two of 'Ada'"),
        ("or if Ada comes", "or if Nils comes", "a graph must have no cycle"),
        ("each of Ada and Hugo comes", "Ada comes", "one node without effects, got"),
        ("Nils then come", "Nils come", "question must have a form of its theme"),
        ("Nils then come", "Olga then come", "must fit each other"),
        ("Question: ", "", "must have one question, got 0"),
        ("Reply with one word", "Reply with a word", "must end in the form of the reply"),
    ],
)  # fmt: skip
def test_a_prompt_that_is_not_ours_is_refused(old: str, new: str, message: str) -> None:
    prompt = render_prompt(FEAST)
    assert old in prompt
    with pytest.raises(ComposePromptError, match=message):
        parse_prompt(prompt.replace(old, new))


def test_a_graph_without_a_cutpoint_is_refused() -> None:
    prompt = render_prompt(FEAST).replace(
        "or if Mira comes", "or if at least one of Mira and Ada comes"
    )
    with pytest.raises(ComposePromptError, match="a cutpoint, got graph AB.AC.BC.AD.CD"):
        parse_prompt(prompt)
