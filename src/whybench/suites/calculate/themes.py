"""Themes: what the variables of a world are called.

The numbers are the same in every theme. One is of made-up words that mean nothing to anybody. A
user's own is a YAML file with the keys of `StatedTheme`.

A theme is refused if its prompts could not be parsed: names that are the same, or that hold words
by which prompts are taken apart. An error names the key, what was expected and what came.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml

from whybench.errors import UserError
from whybench.suites.files import (
    check_name_is_new,
    explain_shape,
    parse_list,
    parse_text,
    parse_word,
    read_own_file,
    read_values,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.calculate.quantities import Quantity
    from whybench.suites.calculate.world import StatedWorld

THEME_NAMES = ("workshop", "harbor", "orchard", "glims")
"""The themes; the last is of made-up words."""

MOST_VARIABLES = 12
"""So many names a theme must have."""

RESERVED = frozenset(
    {
        "alone", "and", "are", "be", "been", "by", "coin", "draw", "from", "had", "if", "in", "is",
        "not", "of", "or", "than", "the", "to", "was", "were", "would",
    }
)  # fmt: skip
"""Words by which prompts and programs are taken apart."""

_WORDS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")


@dataclass(frozen=True)
class StatedTheme:
    """Words for a world.

    Attributes:
        name: The name by which it is chosen; the level of the factor `theme`.
        setting: The beginning of the first sentence, with a place for the number of variables.
        states: The words for a variable that holds, and for one that does not.
        names: The names of variables, with "the" in front.
    """

    name: str
    setting: str
    states: tuple[str, str]
    names: tuple[str, ...]


@cache
def load_stated_theme(source: str) -> StatedTheme:
    """Return a bundled theme by name, or a user's own by the path of its YAML file."""
    if source in THEME_NAMES:
        text = files(__package__).joinpath("themes.yaml").read_text(encoding="utf-8")
        words = {"name": source, **yaml.safe_load(text)[source]}
        return parse_stated_theme(yaml.safe_dump(words, allow_unicode=True), source)
    with explain_shape(source, "a theme"):
        theme = parse_stated_theme(read_own_file("theme", source, THEME_NAMES), source)
    check_name_is_new("themes", source, theme.name, THEME_NAMES)
    return theme


def parse_stated_theme(text: str, where: str) -> StatedTheme:
    """Return the theme that YAML text holds; `where` names the text in errors."""
    values = read_values(text, where, StatedTheme)
    setting = parse_word(values["setting"], f"{where}: setting", (":", "\n"))
    if re.findall(r"\{.*?\}", setting) != ["{count}"] or setting.count("{") != 1:
        raise UserError(f"{where}: setting must have the place {{count}} once, got {setting!r}")
    states = _parse_names(values["states"], f"{where}: states")
    if len(states) != 2 or any(" " in state for state in states):
        raise UserError(f"{where}: states must be two single words, got {list(states)}")
    names = _parse_names(values["names"], f"{where}: names")
    if len(names) < MOST_VARIABLES:
        raise UserError(f"{where}: names must be {MOST_VARIABLES} or more, got {list(names)}")
    name = parse_text(values["name"], f"{where}: name")
    return StatedTheme(name, setting, (states[0], states[1]), tuple(f"the {x}" for x in names))


def _parse_names(value: object, where: str) -> list[str]:
    """Return words in small letters, all different, that hold none by which prompts are parsed."""
    names = [parse_text(each, where) for each in parse_list(value, where)]
    for name in names:
        if not _WORDS.fullmatch(name) or name != name.lower() or RESERVED & {*name.split()}:
            raise UserError(
                f"{where} must be words of small letters, none of them "
                f"{', '.join(sorted(RESERVED))}, got {name!r}"
            )
    if twice := [name for name in names if names.count(name) > 1]:
        raise UserError(f"{where} must differ, got {twice[0]!r} twice")
    return names


def name_world(world: StatedWorld, names: Mapping[str, str], theme: StatedTheme) -> StatedWorld:
    """Return a world with its variables named."""
    rules = tuple(
        (names[name], replace(rule, causes=tuple(names[cause] for cause in rule.causes)))
        for name, rule in world.rules
    )
    return replace(world, states=theme.states, rules=rules)


def name_quantities(asked: tuple[Quantity, ...], names: Mapping[str, str]) -> tuple[Quantity, ...]:
    """Return quantities with their variables named."""
    return tuple(
        replace(
            each,
            cause=names[each.cause],
            effect=names[each.effect],
            given=tuple((names[name], value) for name, value in each.given),
        )
        for each in asked
    )
