"""YAML to theme: what is wrong with a file is said with its key, what was expected and what came.

A theme is refused if its prompts could not be read back: two names that are the same, or sentences
that cannot be told apart.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from whybench.suites.compose.themes.sentences import Sentence
from whybench.suites.compose.themes.theme import EXAMPLE_SIZE, Theme
from whybench.suites.contract import UserError
from whybench.suites.files import mapping_of

__all__ = ["parsed"]

PLACES = {
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
"""The sentences of a theme, and the places that each of them has."""

WORDS = ("unit", "names", "more", "example_names")
"""The keys that hold a list of words."""

OPTIONAL: dict[str, Any] = {"article": "", "more": (), "glue": " "}
"""The keys that may be left out, and what holds then."""

RESERVED = (",", ";", ":", ".", "\n", '"', "{", "}", " and ", "at least ", "each of ")
"""By these a prompt is taken apart; names and units cannot hold them."""


def parsed(text: str, where: str) -> Theme:
    """Return the theme that YAML text holds; `where` names the text in errors."""
    raw = mapping_of(text, where)
    keys = tuple(field.name for field in fields(Theme))
    if unknown := [key for key in raw if key not in keys]:
        raise UserError(
            f"{where} must have the keys {', '.join(keys)} (the keys of a theme), "
            f"got {unknown[0]!r}"
        )
    for key in keys:
        if key not in raw and key not in OPTIONAL:
            has = ", ".join(map(str, raw)) or "none"
            raise UserError(f"{where} must have the key {key!r}; it has {has}")
    given = {**OPTIONAL, **raw}
    words = {key: _part(key, given[key], f"{where}: {key}") for key in keys}
    made = Theme(**words)
    _check_words(made, where)
    _check_sentences(made, where)
    return made


def _part(key: str, value: object, where: str) -> Any:
    """Return the value of one key in the type that a `Theme` has it in."""
    if key == "details":
        return tuple(_sentence(key, text, where) for text in _list(value, where))
    if key in PLACES:
        return _sentence(key, value, where)
    if key in WORDS:
        return tuple(_word(text, where) for text in _list(value, where, key in OPTIONAL))
    if key == "glue" and isinstance(value, str):
        return value
    if key == "article" and value == "":
        return ""
    return _text(value, where) if key == "setting" else _word(value, where)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        # YAML reads an unquoted `off` or `7` as something else than text.
        raise UserError(f"{where} must be some text (in quotes, if it is a number), got {value!r}")
    return " ".join(value.split())


def _word(value: object, where: str) -> str:
    text = _text(value, where)
    if bad := [mark for mark in RESERVED if mark in text]:
        raise UserError(f"{where} must not contain {bad[0]!r}, got {text!r}")
    return text


def _list(value: object, where: str, may_be_empty: bool = False) -> list[object]:
    if not isinstance(value, list | tuple) or not (value or may_be_empty):
        raise UserError(f"{where} must be a list, got {value!r}")
    return list(value)


def _sentence(key: str, value: object, where: str) -> Sentence:
    sentence = Sentence(_text(value, where))
    needs = ", ".join(f"{{{place}}}" for place in sorted(PLACES[key]))
    try:
        places = sentence.places
    except ValueError as error:
        raise UserError(f"{where} must have the places {needs}: {error}") from None
    if places != PLACES[key]:
        raise UserError(f"{where} must have the places {needs} and no others, got {value!r}")
    return sentence


def _check_words(made: Theme, where: str) -> None:
    """Refuse names that are too few or, whatever their case, the same."""
    for key, given, least in (
        ("names", made.names, 2),
        ("example_names", made.example_names, EXAMPLE_SIZE),
    ):
        if len(given) < least:
            raise UserError(f"{where}: {key} must be {least} or more, got {list(given)}")
    if len(made.unit) != 2:
        raise UserError(f"{where}: unit must be a singular and a plural, got {list(made.unit)}")
    seen: set[str] = set()
    for name in (*made.pool(made.capacity), *made.example_names):
        if name.casefold() in seen:
            raise UserError(f"{where}: names must differ in more than case, got {name!r} twice")
        seen.add(name.casefold())


def _check_sentences(made: Theme, where: str) -> None:
    """Refuse sentences that read like others of the same part of the prompt."""
    one, two, three = map(made.called, made.example_names[:3])
    rules = {
        "root_rule": [made.rule("or", one, 2, [])],
        "or_rule": [made.rule("or", one, 2, [two]), made.rule("or", one, 2, [two, three])],
        "and_rule": [made.rule("and", one, 2, [two]), made.rule("and", one, 2, [two, three])],
        "details": [detail.say(name=one) for detail in made.details],
    }
    questions = {
        "ask": [made.question(one, None)],
        "ask_true": [made.question(one, (two, True))],
        "ask_false": [made.question(one, (two, False))],
    }
    for said in (rules, questions):
        for key, lines in said.items():
            for other in said:
                if other in (key, "details"):
                    continue
                for line in lines:
                    if getattr(made, other).read(line) is not None:
                        raise UserError(
                            f"{where}: {key} must be told apart from {other}, got {line!r}"
                        )
