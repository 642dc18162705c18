"""Themes: what the nodes of a world are, and the sentences in which its rules are told.

A theme is a YAML file of words. Its nodes are villagers who come to a feast or stay at home, locks
that open or stay shut; the count of a node is what it holds of some unit, from 1 to 10. The rules
are the same in every theme, so that a theme shows whether an agent reasons from the rules it was
told or from what it knows of villagers; the made-up words of `glims` mean nothing to anybody.

A sentence has fields in braces (see `sentences`). `{parents}` is one name, or several with "at
least one of" (or) or "each of" (and) in front, so that the verb behind it is always singular.

A world may have any number of nodes. The first `names` serve as they are; where they do not
suffice, the words of `more` are put in front of them. `example_names` are kept for worked examples,
which therefore never speak of the nodes that are asked about.

A theme is refused if its prompts could not be parsed: two names that are the same, or sentences
that cannot be told apart. An error names the key, what was expected and what came.
"""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Any

from whybench.suites.compose.themes.formal import formal_theme
from whybench.suites.compose.themes.sentences import EXAMPLE_SIZE, ComposeTheme, Sentence
from whybench.suites.contract import UserError
from whybench.suites.files import (
    check_names_differ,
    parse_list,
    parse_text,
    parse_words,
    read_theme,
    read_values,
)

__all__ = [
    "EXAMPLE_SIZE",
    "THEME_NAMES",
    "ComposeTheme",
    "load_theme",
    "parse_theme",
]


THEME_NAMES = ("feast", "vault", "petition", "glims")
"""The bundled themes; the last is of made-up words."""


FIELDS = {
    "root_rule": {"name", "count"},
    "or_rule": {"name", "count", "parents"},
    "and_rule": {"name", "count", "parents"},
    "count_line": {"name", "count"},
    "holds": {"name"},
    "fails": {"name"},
    "ask": {"effect"},
    "ask_true": {"cause", "effect"},
    "ask_false": {"cause", "effect"},
    "details": {"name"},
}
"""The sentences of a theme, and the fields that each of them has."""

RESERVED = (",", ";", ":", ".", "\n", '"', "{", "}", " and ", "at least ", "each of ")
"""By these a prompt is taken apart; names and units cannot hold them."""


@cache
def load_theme(source: str) -> ComposeTheme:
    """Return a bundled theme by name, or a user's own by the path of its YAML file."""
    return read_theme(source, THEME_NAMES, __package__, parse_theme)


def parse_theme(text: str, where: str) -> ComposeTheme:
    """Return the theme that YAML text holds; `where` names the text in errors."""
    values = read_values(text, where, ComposeTheme).items()
    theme = ComposeTheme(**{key: _parse_value(key, value, where) for key, value in values})
    check_names_differ(theme, where, theme.example_names)
    if len(theme.example_names) < EXAMPLE_SIZE:
        given = list(theme.example_names)
        raise UserError(f"{where}: example_names must be {EXAMPLE_SIZE} or more, got {given}")
    if len(theme.unit) != 2:
        raise UserError(f"{where}: unit must be a singular and a plural, got {list(theme.unit)}")
    if len(formal_theme(theme).spelling) < len(theme.spelling):
        raise UserError(
            f"{where}: names must differ in more than spaces and hyphens, got {list(theme.names)}"
        )
    _check_sentences(theme, where)
    return theme


def _parse_value(key: str, value: object, file: str) -> Any:
    """Return the value of one key in the type that a `ComposeTheme` has it in."""
    where = f"{file}: {key}"
    if key == "details":
        return tuple(_parse_sentence(key, text, where) for text in parse_list(value, where))
    if key in FIELDS:
        return _parse_sentence(key, value, where)
    if key == "setting":
        return parse_text(value, where)
    return parse_words(key, value, where, RESERVED)


def _parse_sentence(key: str, value: object, where: str) -> Sentence:
    sentence = Sentence(parse_text(value, where))
    needs = ", ".join(f"{{{field}}}" for field in sorted(FIELDS[key]))
    try:
        fields = sentence.fields
    except ValueError as error:
        raise UserError(f"{where} must have the places {needs}: {error}") from None
    if fields != FIELDS[key]:
        raise UserError(f"{where} must have the places {needs} and no others, got {value!r}")
    return sentence


def _check_sentences(theme: ComposeTheme, where: str) -> None:
    """Refuse sentences that read like others of the same part of the prompt."""
    x, y, z = map(theme.in_sentence, theme.example_names[:3])
    rules = {
        "root_rule": [theme.rule("or", x, 2, [])],
        "or_rule": [theme.rule("or", x, 2, parents) for parents in ([y], [y, z])],
        "and_rule": [theme.rule("and", x, 2, parents) for parents in ([y], [y, z])],
        "details": [detail.render(name=x) for detail in theme.details],
    }
    questions = {
        "ask": [theme.question(x, None)],
        "ask_true": [theme.question(x, (y, True))],
        "ask_false": [theme.question(x, (y, False))],
    }
    for forms in (rules, questions):
        for key, other in permutations(forms, 2):
            for line in forms[key] if other != "details" else ():
                if getattr(theme, other).parse(line) is not None:
                    raise UserError(f"{where}: {key} must be told apart from {other}, got {line!r}")
