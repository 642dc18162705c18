"""The errors that a user's request may end in; every module may raise them."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DataError", "UserError", "suggest"]


class UserError(ValueError):
    """A request that cannot be met: says what was expected, what came and what to do."""


class DataError(RuntimeError):
    """Data that cannot be had, or that is not what it should be."""


def suggest(word: object, known: Iterable[object]) -> str:
    """Return the end of a message about a word that is not known: the one that may be meant.

    >>> suggest("noisyor", ["random", "noisy-or"])
    "; did you mean 'noisy-or'?"
    >>> suggest("xyz", ["random", "noisy-or"])
    ''
    """
    by_lower = {str(name).lower(): str(name) for name in known}
    close = get_close_matches(str(word).lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {by_lower[close[0]]!r}?" if close else ""
