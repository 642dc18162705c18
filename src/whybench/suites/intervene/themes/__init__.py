"""Themes: what the entities of a world are called, and what they do.

A theme is a YAML file of words: names of entities, the verbs of the two actions, the words for the
two states, the sentences that open the prompt, and the question. The hidden graph is the same in
every theme, so that a theme shows whether an agent reasons about acting or about what it knows of
moving things and of lamps; the made-up words mean nothing to anybody.

A world may have any number of entities. The first `names` serve as they are; where they do not
suffice, the words of `more` are put in front of them ("red circle").
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache, cached_property
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from whybench.seeds import digest
from whybench.suites.contract import UserError
from whybench.suites.files import check_own_name, mapping_of, own_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

__all__ = ["THEME_NAMES", "Theme", "theme"]

THEME_NAMES = ("shapes", "lamps", "words")
"""The bundled themes."""

OPTIONAL = {"article": "", "more": (), "glue": " "}
"""The keys that may be left out, and what holds then."""

RESERVED = (";", ",", "\n", ". ", '"', "{", "}")
"""Marks by which prompts and replies are taken apart; names, verbs and states cannot hold them."""

PLACES = ("{cause}", "{effect}")


@dataclass(frozen=True)
class Theme:
    """The words of a world.

    Attributes:
        name: The name by which it is chosen; the level of the factor `theme`.
        one: What an entity is, singular.
        many: The same, plural.
        setting: Opening sentences of the prompt.
        move: The verb that sets an entity going.
        hold: The verb that stops it.
        moving: The state of an entity that moves.
        still: The state of one that does not.
        question: The question, with the places {cause} and {effect}.
        article: What stands before a name in a sentence, such as "the"; may be empty.
        names: Names of entities.
        more: Words put in front of names where there are more entities than names.
        glue: What joins the two.
    """

    name: str
    one: str
    many: str
    setting: str
    move: str
    hold: str
    moving: str
    still: str
    question: str
    article: str
    names: tuple[str, ...]
    more: tuple[str, ...]
    glue: str

    @property
    def capacity(self) -> int:
        """How many entities the theme can name."""
        return len(self.names) * (1 + len(self.more))

    @cached_property
    def hash(self) -> str:
        """A digest of all words of the theme."""
        return digest("theme", self).hex()[:16]

    @property
    def verbs_and_states(self) -> tuple[str, str, str, str]:
        """The two verbs and the two states that they bring about."""
        return self.move, self.hold, self.moving, self.still

    @property
    def states(self) -> tuple[str, str]:
        """The two states: moving and still."""
        return self.moving, self.still

    def pool(self, n: int) -> tuple[str, ...]:
        """Return the names among which those of n entities are drawn."""
        if n > self.capacity:
            raise UserError(
                f"the theme {self.name} can name {self.capacity} entities, got n = {n}; "
                "add `names`, or words in `more`"
            )
        return self._pool(-(-n // len(self.names)))

    def _pool(self, rounds: int) -> tuple[str, ...]:
        marked = (f"{mark}{self.glue}{name}" for mark in self.more for name in self.names)
        return (*self.names, *marked)[: rounds * len(self.names)]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[str, ...]:
        """Return names of n entities, different ones, in random order."""
        pool = self.pool(n)
        return tuple(pool[place] for place in rng.permutation(len(pool))[:n].tolist())

    def ask(self, cause: str, effect: str) -> str:
        """Return the question whether one entity causes another."""
        return self.question.replace("{cause}", self.called(cause)).replace(
            "{effect}", self.called(effect)
        )

    def called(self, name: str) -> str:
        """Return a name as it stands in a sentence."""
        return f"{self.article} {name}" if self.article else name


@cache
def theme(source: str) -> Theme:
    """Return a bundled theme by name, or a user's own by the path of its YAML file."""
    if source in THEME_NAMES:
        name = f"{source}.yaml"
        return _parse(files(__package__).joinpath(name).read_text(encoding="utf-8"), name)
    own = _parse(own_text("theme", source, THEME_NAMES), source)
    check_own_name("themes", source, own.name, THEME_NAMES)
    return own


def _parse(text: str, where: str) -> Theme:
    raw = mapping_of(text, where)
    keys = tuple(field.name for field in fields(Theme))
    has = ", ".join(map(str, raw)) or "none"
    if unknown := [key for key in raw if key not in keys]:
        raise UserError(
            f"{where} must have the keys {', '.join(keys)} (the keys of a theme), "
            f"got {unknown[0]!r}"
        )
    for key in keys:
        if key not in raw and key not in OPTIONAL:
            raise UserError(f"{where} must have the key {key!r}; it has {has}")
    given = {**OPTIONAL, **raw}
    words: dict[str, Any] = {
        key: _words(given, key, where) if key in {"names", "more"} else _text(given, key, where)
        for key in keys
    }
    return _checked(Theme(**words), where)


def _text(given: Mapping[str, Any], key: str, where: str) -> str:
    value = given[key]
    if key == "glue" and isinstance(value, str):
        return value
    if not isinstance(value, str) or not (value.strip() or key in OPTIONAL):
        raise UserError(f"{where}: {key} must be some text, got {value!r}")
    if key not in {"setting", "question"}:
        _check_marks(value, f"{where}: {key}")
    return " ".join(value.split())


def _words(given: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    value = given[key]
    if not isinstance(value, list | tuple) or not (value or key in OPTIONAL):
        raise UserError(f"{where}: {key} must be a list of words, got {value!r}")
    for word in value:
        if not isinstance(word, str) or not word.strip():
            # YAML reads an unquoted `off` or `7` as something else than text.
            raise UserError(
                f"{where}: {key} must be a list of words (quote {word!r}), got {word!r}"
            )
        _check_marks(word, f"{where}: {key}")
    return tuple(" ".join(word.split()) for word in value)


def _check_marks(text: str, where: str) -> None:
    if bad := [mark for mark in RESERVED if mark in text]:
        raise UserError(f"{where} must not contain {bad[0]!r}, got {text!r}")


def _checked(parsed: Theme, where: str) -> Theme:
    """Return the theme if its words can be told apart, whatever their case."""
    if len(parsed.names) < 2:
        raise UserError(f"{where}: names must be two or more, got {list(parsed.names)}")
    pairs = {
        "move and hold": (parsed.move, parsed.hold),
        "moving and still": (parsed.moving, parsed.still),
    }
    for what, (one, other) in pairs.items():
        if one.casefold() == other.casefold():
            raise UserError(f"{where}: {what} must be different words, got {one!r} twice")
    seen: set[str] = set()
    for name in parsed.pool(parsed.capacity):
        if name.casefold() in seen:
            raise UserError(f"{where}: names must differ in more than case, got {name!r} twice")
        seen.add(name.casefold())
    for place in PLACES:
        if parsed.question.count(place) != 1:
            raise UserError(
                f"{where}: question must hold {' and '.join(PLACES)} once each, "
                f"got {parsed.question!r}"
            )
    return parsed
