"""A sentence with places to fill in, which can be said and read back.

A theme says each thing in one way, such as "{name} opens if it has at least {count}". Saying fills
the places; reading finds what they were filled with, or that the sentence is another one. So what
a prompt says and what is read from it cannot drift apart.

>>> opens = Sentence("{name} opens if it has at least {count}.")
>>> opens.say(name="the iron lock", count="4 pins")
'The iron lock opens if it has at least 4 pins.'
>>> opens.read("The iron lock opens if it has at least 4 pins.")
{'name': 'The iron lock', 'count': '4 pins'}
>>> opens.read("The iron lock is heavy.") is None
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from string import Formatter

__all__ = ["Sentence", "listed", "unlisted"]

_FILLED = {"parents": r".+?", "count": r"\d+ [^,.;:]+?"}
_A_NAME = r"[^,.;:]+?"


@dataclass(frozen=True)
class Sentence:
    """A sentence with places in braces; one that occurs twice is filled with the same words."""

    text: str

    @property
    def places(self) -> frozenset[str]:
        """The names of its places; what a format cannot be is said by `ValueError`."""
        return frozenset(place for _, place in _parts(self.text) if place is not None)

    def say(self, **filled: str) -> str:
        """Return the sentence with its places filled, from its capital on."""
        said = self.text.format_map(filled)
        return said[:1].upper() + said[1:]

    def read(self, line: str) -> dict[str, str] | None:
        """Return what fills the places of a line, or None if it is not this sentence."""
        found = _pattern(self.text).fullmatch(line)
        return found.groupdict() if found else None


def listed(names: list[str]) -> str:
    """Return names as they are listed in a sentence: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def unlisted(words: str) -> list[str]:
    """Return the names of a list."""
    return re.split(r", | and ", words)


@cache
def _parts(text: str) -> tuple[tuple[str, str | None], ...]:
    """Take a text apart into literal words, each with the place behind it if there is one."""
    parts = []
    for literal, place, form, conversion in Formatter().parse(text):
        if form or conversion or (place is not None and not place.isidentifier()):
            raise ValueError(f"a place must be a word in braces, got {{{place}}} with more in it")
        parts.append((literal, place))
    return tuple(parts)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    pattern, seen = "", set()
    for literal, place in _parts(text):
        pattern += re.escape(literal)
        if place in seen:
            pattern += f"(?P={place})"
        elif place is not None:
            pattern += f"(?P<{place}>{_FILLED.get(place, _A_NAME)})"
            seen.add(place)
    # Case aside, since a name at the head of the sentence has a capital there and not elsewhere.
    return re.compile(pattern, re.IGNORECASE)
