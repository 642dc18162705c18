"""Themes: what the entities of a world are called, and what they do.

A theme is a YAML file of words: names of entities, the verbs of the two actions, the words for the
two states, the sentences that open the prompt, and the question. The hidden graph is the same in
every theme, so that a theme shows whether an agent reasons about acting or about what it knows of
moving things and of lamps; the made-up words mean nothing to anybody.

A world may have any number of entities. The first `names` serve as they are; where they do not
suffice, the words of `more` are put in front of them ("red circle").
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from whybench.suites.contract import UserError
from whybench.suites.files import (
    Theme,
    check_names_differ,
    parse_text,
    parse_words,
    read_theme,
    read_values,
)

__all__ = ["THEME_NAMES", "InterveneTheme", "load_theme"]

THEME_NAMES = ("shapes", "lamps", "words")
"""The bundled themes."""

RESERVED = (";", ",", "\n", ". ", '"', "{", "}")
"""Marks by which prompts and replies are taken apart; names, verbs and states cannot hold them."""

FIELDS = ("{cause}", "{effect}")


@dataclass(frozen=True)
class InterveneTheme(Theme):
    """The words of a world of things that move.

    Attributes:
        one: What an entity is, singular.
        move: The verb that sets an entity going.
        hold: The verb that stops it.
        moving: The state of an entity that moves.
        still: The state of one that does not.
        question: The question, with the places {cause} and {effect}.
    """

    one: str
    move: str
    hold: str
    moving: str
    still: str
    question: str

    @property
    def verbs_and_states(self) -> tuple[str, str, str, str]:
        """The two verbs and the two states that they bring about."""
        return self.move, self.hold, self.moving, self.still

    @property
    def states(self) -> tuple[str, str]:
        """The two states: moving and still."""
        return self.moving, self.still

    def ask(self, cause: str, effect: str) -> str:
        """Return the question whether one entity causes another."""
        return self.question.replace("{cause}", self.in_sentence(cause)).replace(
            "{effect}", self.in_sentence(effect)
        )


@cache
def load_theme(source: str) -> InterveneTheme:
    """Return a bundled theme by name, or a user's own by the path of its YAML file."""
    return read_theme(source, THEME_NAMES, __package__, _parse_theme)


def _parse_theme(text: str, where: str) -> InterveneTheme:
    words: dict[str, Any] = {
        key: parse_text(value, f"{where}: {key}")
        if key in {"setting", "question"}
        else parse_words(key, value, f"{where}: {key}", RESERVED)
        for key, value in read_values(text, where, InterveneTheme).items()
    }
    theme = InterveneTheme(**words)
    check_names_differ(theme, where)
    for one, other in (("move", "hold"), ("moving", "still")):
        word = words[one]
        if word.casefold() == words[other].casefold():
            raise UserError(
                f"{where}: {one} and {other} must be different words, got {word!r} twice"
            )
    if any(theme.question.count(field) != 1 for field in FIELDS):
        raise UserError(
            f"{where}: question must hold {' and '.join(FIELDS)} once each, got {theme.question!r}"
        )
    return theme
