"""What the page calls measures, flags and outcomes, from `words.yaml`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["abilities", "companions", "flag_words", "measure_words", "outcome_words"]


@cache
def _words() -> dict[str, Any]:
    text = files(__package__).joinpath("words.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def abilities(installed: Iterable[str]) -> list[str]:
    """Return the names of suites in the order of a profile: our four, then those of others.

    >>> abilities(["analyze", "lamp", "judge"])
    ['judge', 'analyze', 'lamp']
    """
    names = set(installed)
    order: list[str] = [name for name in _words()["order"] if name in names]
    return [*order, *sorted(names - set(order))]


def measure_words(name: str) -> str:
    """Return what a measure says, in a line; empty where its name has to do."""
    return str(_words()["measures"].get(name, ""))


def companions(name: str) -> dict[str, str]:
    """Return which measures must stand beside this one, and their words."""
    return dict(_words()["companions"].get(name, {}))


def flag_words(flag: str) -> str:
    """Return what a flag says.

    >>> flag_words("small_n")
    'rests on few answers'
    >>> flag_words("at_bound:m")
    'the fitted m is at the end of its range'
    >>> flag_words("seen_twice")
    'seen twice'
    """
    if flag.startswith("at_bound:"):
        return f"the fitted {flag.partition(':')[2]} is at the end of its range"
    return str(_words()["flags"].get(flag, flag.replace("_", " ")))


def outcome_words() -> dict[str, str]:
    """Return the outcomes that the item browser tells apart, and what they are called."""
    return dict(_words()["outcomes"])
