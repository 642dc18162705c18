"""The criteria of a challenge, by id: two of its own and three shared by all challenges."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from whybench.suites.files import mapping_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LEVELS", "criteria", "graded_challenges", "mark"]

LEVELS = ("missed", "partly", "met")
"""What a verdict may be, from the worst; a level is worth its place, and the best is worth 1."""


@cache
def _table() -> dict[str, dict[str, str]]:
    where = "criteria.yaml"
    raw = mapping_of(files(__package__).joinpath(where).read_text(encoding="utf-8"), where)
    return {
        challenge: {name: " ".join(text.split()) for name, text in {**own, **raw["shared"]}.items()}
        for challenge, own in raw["challenges"].items()
    }


def graded_challenges() -> tuple[str, ...]:
    """Return the challenges that have criteria."""
    return tuple(_table())


def criteria(challenge: str) -> Mapping[str, str]:
    """Return what is looked for in answers to a challenge, by id of the criterion."""
    if challenge not in _table():
        raise ValueError(f"challenge must be one of {', '.join(_table())}, got {challenge!r}")
    return _table()[challenge]


def mark(verdicts: Mapping[str, str]) -> float:
    """Return what verdicts are worth: their mean, from 0 (all missed) to 1 (all met)."""
    if not verdicts:
        raise ValueError("verdicts must be of one criterion or more, got none")
    return sum(map(LEVELS.index, verdicts.values())) / (len(verdicts) * (len(LEVELS) - 1))
