from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from whybench.suites.compose.prompt_parser import parse_prompt
from whybench.suites.compose.prompts import REPLY_FORM, _render_unit, render_prompt
from whybench.suites.compose.questions import EXAMPLES, ComposeQuestion, make_example, pair_examples
from whybench.suites.compose.themes import THEME_NAMES, ComposeTheme, load_theme
from whybench.suites.compose.world import Block, ComposeWorld

VAULT = ComposeQuestion(
    world=ComposeWorld(
        (Block("cycle", 3), Block("bridge", 2)), ("or", "or", "and", "or"), (6, 7, 4, 8)
    ),
    counts=(3, 9, 1, 10),
    names=("iron lock", "brass lock", "amber lock", "steel lock"),
    theme=load_theme("vault"),
    order=(2, 0, 3, 1),
    effect=3,
    intervention=(0, True),
    details=("The amber lock smells faintly of oil.", "The iron lock was polished last week."),
)
PROMPT = """\
A vault is full of locks. In each lock, between 1 and 10 pins have been lifted. Each lock follows \
a fixed rule, and nothing else affects whether it opens. Some locks sense whether others open.

The rules of the locks:
- The amber lock opens if it has at least 4 pins lifted and each of the iron lock and the brass \
lock opens; otherwise the amber lock stays shut.
- The amber lock smells faintly of oil.
- The iron lock opens if it has at least 6 pins lifted; otherwise the iron lock stays shut.
- The steel lock opens if it has at least 8 pins lifted, or if the amber lock opens, or both; \
otherwise the steel lock stays shut.
- The iron lock was polished last week.
- The brass lock opens if it has at least 7 pins lifted, or if the iron lock opens, or both; \
otherwise the brass lock stays shut.

Their pins:
- The amber lock has 1 pin lifted.
- The iron lock has 3 pins lifted.
- The steel lock has 10 pins lifted.
- The brass lock has 9 pins lifted.

Question: Suppose that a locksmith forces the iron lock open. This overrides the rule of the iron \
lock. All pins stay as they are, and all other locks still follow their own rules. Does the steel \
lock then open?

Reply with one word, yes or no, and nothing else."""


def holds(question: ComposeQuestion, node: int) -> bool:
    """Return whether a node holds, worked out backwards from it."""
    if question.intervention is not None and question.intervention[0] == node:
        return question.intervention[1]
    world = question.world
    enough = question.counts[node] >= world.thresholds[node]
    above = {holds(question, cause) for cause, effect in world.edges if effect == node}
    if world.gates[node] == "or":
        return enough or True in above
    return enough and False not in above


def shown(told: ComposeTheme, key: int) -> list[str]:
    """Return the parts of a prompt that shows an example."""
    question = replace(
        VAULT, theme=told, names=told.names[:4], details=(), style="worked-example", example=key
    )
    return render_prompt(question).split("\n\n")


def test_a_prompt_says_the_rules_the_counts_and_the_question() -> None:
    assert render_prompt(VAULT) == PROMPT


def test_parents_are_listed_in_the_order_of_the_listing() -> None:
    assert "each of the brass lock and the iron lock opens" in render_prompt(
        replace(VAULT, order=(3, 1, 2, 0))
    )


def test_a_factual_question_supposes_nothing() -> None:
    prompt = render_prompt(replace(VAULT, intervention=None))
    assert "Question: Does the steel lock open?" in prompt
    assert "Suppose" not in prompt


@pytest.mark.parametrize("style", REPLY_FORM)
def test_a_prompt_ends_in_the_form_of_its_reply(style: str) -> None:
    prompt = render_prompt(replace(VAULT, style=style))
    assert prompt.endswith(REPLY_FORM[style])
    assert ("Here is an example" in prompt) == (style in ("worked-example", "two-examples"))
    assert ("Here is another example" in prompt) == (style == "two-examples")


def test_two_examples_are_of_what_is_and_of_what_would_be_with_either_answer() -> None:
    keys = [pair_examples(key) for key in range(EXAMPLES)]
    assert all(0 <= key < EXAMPLES for pair in keys for key in pair)
    forms = Counter()
    for factual, made in keys:
        first, second = (make_example(VAULT.theme, key) for key in (factual, made))
        assert first.question.intervention is None
        assert second.question.intervention is not None
        assert first.answer != second.answer
        forms[second.question.intervention[1], second.answer] += 1
    assert set(forms.values()) == {EXAMPLES // 4}
    shown = replace(VAULT, style="two-examples", example=7)
    assert parse_prompt(render_prompt(shown)) == shown.plain


def test_questions_of_a_unit_share_what_was_worded_once() -> None:
    _render_unit.cache_clear()
    for cause, effect in VAULT.world.pairs:
        for value in (True, False):
            render_prompt(replace(VAULT, effect=effect, intervention=(cause, value)))
    assert _render_unit.cache_info().misses == 1
    assert _render_unit.cache_info().hits == 2 * len(VAULT.world.pairs) - 1


@pytest.mark.parametrize("name", THEME_NAMES)
def test_an_example_is_a_question_with_its_true_answer(name: str) -> None:
    told = load_theme(name)
    for key in range(EXAMPLES):
        made = make_example(told, key)
        setting, _, rules, counts, asked, steps, _, *case = shown(told, key)
        told_alone = "\n\n".join([setting, rules, counts, asked, REPLY_FORM["direct"]])
        read = parse_prompt(told_alone)
        assert read == replace(made.question, style="direct")
        assert made.answer == holds(read, read.effect)
        *lines, last = steps.split("\n")
        assert last == f"Answer: {'yes' if made.answer else 'no'}"
        assert len(lines) == read.effect + 1
        for node, line in enumerate(lines):
            state = told.holds if holds(read, node) else told.fails
            assert line.endswith(
                f"So {state.text.format(name=told.in_sentence(read.names[node]))}."
            )
        # The case itself is the same with and without the example.
        assert len(case) == 4
        assert not any(name in "".join(case) for name in made.question.names)


def test_examples_are_balanced_and_go_round() -> None:
    feast = load_theme("feast")
    made = [make_example(feast, key) for key in range(EXAMPLES)]
    for form in (None, True, False):
        answers = [
            one.answer
            for one in made
            if (one.question.intervention and one.question.intervention[1]) is form
        ]
        assert len(answers) == EXAMPLES // 3
        assert sum(answers) == EXAMPLES // 6
    assert [one.answer for one in made[:4]] == [True, False, True, False]
    assert make_example(feast, EXAMPLES + 5) == made[5]
    assert len({one.question for one in made}) == EXAMPLES
    assert {one.question.effect for one in made} == {2, 4}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"counts": (3, 9, 1)}, r"counts must be 4 numbers from 1 to 10, got \(3, 9, 1\)"),
        ({"counts": (3, 9, 1, 11)}, "counts must be 4 numbers from 1 to 10"),
        ({"names": ("a", "b", "c", "a")}, "names must be 4 different ones"),
        ({"order": (0, 1, 2, 2)}, "order must hold each of 4 nodes once"),
        ({"effect": 4}, "must be about different nodes below 4, got 4 and"),
        ({"intervention": (3, True)}, "must be about different nodes"),
        ({"style": "aloud"}, "style must be one of direct, cot, worked-example"),
    ],
)
def test_a_question_that_does_not_fit_its_world_is_refused(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(VAULT, **changes)
