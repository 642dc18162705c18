"""Themes: what the variables of a world are called.

The numbers are the same in every theme. One is of made-up words that mean nothing to anybody.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.calculate.quantities import Quantity
    from whybench.suites.calculate.world import StatedWorld

__all__ = ["THEME_NAMES", "StatedTheme", "load_stated_theme", "name_quantities", "name_world"]

THEME_NAMES = ("workshop", "harbour", "orchard", "glims")
"""The themes; the last is of made-up words."""


@dataclass(frozen=True)
class StatedTheme:
    """Words for a world.

    Attributes:
        opening: The beginning of the first sentence, with a place for the number of variables.
        states: The words for a variable that holds, and for one that does not.
        names: The names of variables.
    """

    opening: str
    states: tuple[str, str]
    names: tuple[str, ...]


@cache
def load_stated_theme(name: str) -> StatedTheme:
    """Return a theme by name."""
    text = files(__package__).joinpath("themes.yaml").read_text(encoding="utf-8")
    words: Any = yaml.safe_load(text)[name]
    return StatedTheme(words["opening"], tuple(words["states"]), tuple(words["names"]))


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
