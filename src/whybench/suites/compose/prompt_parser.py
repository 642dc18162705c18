"""Words to world: rebuilds the question from its prompt alone.

The checker holds the result against the question from which the prompt was made, so a prompt that
says something else than its question, or that a detail makes ambiguous, does not pass. The reader
knows the sentences of the themes and how worlds are built, and nothing of the item: it finds out
from the rules who depends on whom, and takes the graph apart into blocks. Lines
among the rules that are no rule are details and are passed over; so are worked examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.suites.compose.blocks import find_blocks
from whybench.suites.compose.prompts import QUESTION, REPLY_FORM
from whybench.suites.compose.questions import ComposeQuestion, Style
from whybench.suites.compose.themes import THEME_NAMES, ComposeTheme, load_theme
from whybench.suites.compose.themes.formal import formal_theme
from whybench.suites.compose.world import ComposeWorld, Gate

if TYPE_CHECKING:
    from whybench.suites.compose.themes.sentences import Sentence


class ComposePromptError(ValueError):
    """A prompt from which no question can be rebuilt."""


@dataclass(frozen=True)
class _Rule:
    """What the rule of a node says: its gate, its threshold and the names of its parents."""

    gate: Gate
    threshold: int
    parents: frozenset[str]


def parse_prompt(prompt: str, theme: ComposeTheme | None = None) -> ComposeQuestion:
    """Rebuild a question from its prompt; it equals the `plain` form of what was rendered.

    Args:
        prompt: The whole prompt.
        theme: The theme of its words; needed for a user's own, while a bundled one is found
            by its setting.

    Raises:
        ComposePromptError: Says which part is not to be found, or does not fit the others.
    """
    theme, wording = find_theme(prompt, theme)
    words = formal_theme(theme) if wording == "formal" else theme
    lines = prompt.split("\n")
    rules_from = _find_last(lines, words.rules_heading)
    counts_from = _find_last(lines, words.counts_heading)
    rules = _parse_rules(words, lines[rules_from + 1 : counts_from])
    counts = _parse_counts(words, lines[counts_from + 1 :])
    if rules.keys() != counts.keys():
        raise ComposePromptError(
            f"every name must have one rule and one count, got {list(rules)} and {list(counts)}"
        )
    effect, intervention = _parse_question(words, lines[counts_from + 1 :])
    try:
        blocks, names = find_blocks(
            [(cause, name) for name, rule in rules.items() for cause in sorted(rule.parents)]
        )
        number = {name: node for node, name in enumerate(names)}
        question = ComposeQuestion(
            world=ComposeWorld(
                blocks,
                gates=tuple(rules[name].gate for name in names),
                thresholds=tuple(rules[name].threshold for name in names),
            ),
            counts=tuple(counts[name] for name in names),
            names=names,
            theme=theme,
            order=tuple(number[name] for name in rules),
            effect=number[effect],
            intervention=intervention and (number[intervention[0]], intervention[1]),
            style=_find_style(lines[-1], lines.count(words.rules_heading) - 1),
            wording=wording,
        )
    except (KeyError, ValueError) as error:
        raise ComposePromptError(f"the parts of a prompt must fit each other: {error}") from None
    return question.plain


def find_theme(prompt: str, own: ComposeTheme | None = None) -> tuple[ComposeTheme, str]:
    """Return the theme that a prompt opens with, and the wording.

    Args:
        prompt: The whole prompt.
        own: A user's own theme, which is then the only one.

    Raises:
        ComposePromptError: There is no such theme.
    """
    setting = prompt.partition("\n")[0]
    for theme in [own] if own else map(load_theme, THEME_NAMES):
        for wording, words in (("plain", theme), ("formal", formal_theme(theme))):
            if words.setting == setting:
                return theme, wording
    raise ComposePromptError(f"a prompt must open with a theme's setting, got {setting!r}")


def _find_last(lines: list[str], heading: str) -> int:
    """Return where a heading stands for the last time: before that there may be an example."""
    if heading not in lines:
        raise ComposePromptError(f"a prompt must have the line {heading!r}, got none")
    return len(lines) - 1 - lines[::-1].index(heading)


def _parse_rules(theme: ComposeTheme, lines: list[str]) -> dict[str, _Rule]:
    """Return the rule of every name, in the order of the lines."""
    forms: tuple[tuple[Gate, Sentence], ...] = (
        ("or", theme.root_rule),
        ("or", theme.or_rule),
        ("and", theme.and_rule),
    )
    rules: dict[str, _Rule] = {}
    for line in lines:
        text = line.removeprefix("- ")
        for gate, sentence in forms:
            if (fields := sentence.parse(text)) is None:
                continue
            name = _parse_name(theme, fields["name"])
            if name in rules:
                raise ComposePromptError(f"a name must have one rule, got two of {name!r}")
            listed = fields.get("parents")
            parents = theme.split_parents(gate, listed) if listed else []
            rules[name] = _Rule(
                gate,
                _parse_count(theme, fields["count"]),
                frozenset(_parse_name(theme, parent) for parent in parents),
            )
    return rules


def _parse_counts(theme: ComposeTheme, lines: list[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for line in lines:
        fields = theme.count_line.parse(line.removeprefix("- "))
        if fields is not None:
            counts[_parse_name(theme, fields["name"])] = _parse_count(theme, fields["count"])
    return counts


def _parse_question(theme: ComposeTheme, lines: list[str]) -> tuple[str, tuple[str, bool] | None]:
    """Return the name that is asked about, and the one that is intervened on with its value."""
    questions = [line.removeprefix(QUESTION) for line in lines if line.startswith(QUESTION)]
    if len(questions) != 1:
        raise ComposePromptError(f"a prompt must have one question, got {len(questions)}")
    text = questions[0]
    for sentence, value in ((theme.ask_true, True), (theme.ask_false, False), (theme.ask, None)):
        if fields := sentence.parse(text):
            effect = _parse_name(theme, fields["effect"])
            return effect, None if value is None else (_parse_name(theme, fields["cause"]), value)
    raise ComposePromptError(f"a question must have a form of its theme, got {text!r}")


def _parse_name(theme: ComposeTheme, text: str) -> str:
    if text.casefold() not in theme.spelling:
        raise ComposePromptError(f"a name must be one of the theme {theme.name}, got {text!r}")
    return theme.spelling[text.casefold()]


def _parse_count(theme: ComposeTheme, text: str) -> int:
    number = int(text.partition(" ")[0])
    if text != theme.count_text(number):
        raise ComposePromptError(f"a count must be a number of {theme.unit[1]}, got {text!r}")
    return number


def _find_style(form: str, examples: int) -> Style:
    shown = {"worked-example": 1, "two-examples": 2}
    fitting = [
        style
        for style, words in REPLY_FORM.items()
        if words == form and examples == shown.get(style, 0)
    ]
    if len(fitting) != 1:
        raise ComposePromptError(f"a prompt must end in the form of the reply, got {form!r}")
    return fitting[0]
