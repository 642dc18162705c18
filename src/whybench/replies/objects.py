"""Find JSON objects in a text.

An object counts if it is complete and in no other object. What is not quite JSON is read if it can
mean one thing only: the words and quotes of Python, comments, a comma before a closing bracket,
`+0.12`, and the minus sign or en dash of typesetters.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE = 20
"""The number of times that each character of a text may be looked at, on average."""

LOOSE = 10
"""The number of characters of JSON that are decoded in the time for one that is not quite JSON."""


class Pairs(list[tuple[str, Any]]):
    """The keys and values of an object, including keys that occur twice."""

    def entries(self) -> Iterator[tuple[str, Any]]:
        """Yield the pairs of this object and of all objects in it."""
        waiting: list[Any] = [self]
        while waiting:
            value = waiting.pop()
            if isinstance(value, Pairs):
                yield from value
                value = [inner for _, inner in value]
            if isinstance(value, list):
                waiting.extend(inner for inner in value if isinstance(inner, list))


_OPENED = re.compile(r"\{\s*[\"'}/#]")
_DECODER = json.JSONDecoder(object_pairs_hook=Pairs)
_LITERAL_DECODER = json.JSONDecoder(object_pairs_hook=Pairs, parse_int=str, parse_float=str)
_STRING = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_TOKEN = re.compile(rf"(?s){_STRING}|//[^\n]*|\#[^\n]*|[{{}}\[\],:]|\s+|[^\s\"'{{}}\[\],:/#]+|.")
_LOOSE_NUMBER = re.compile(r"[-+\u2212\u2013]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?")
_WORDS = {word: word for word in ("true", "false", "null")}
_WORDS |= {"True": "true", "False": "false", "None": "null"}
_SIGNS = frozenset("{}[],:")


def find_last_object(
    text: str, is_wanted: Callable[[Pairs], bool] = lambda _: True
) -> Pairs | None:
    """Return the last object of a text that is wanted; if none is, the last of all.

    Args:
        text: The text.
        is_wanted: Whether an object has something of what was asked for.
    """
    last = wanted = None
    for found, _ in find_objects(text):
        last, wanted = found, found if is_wanted(found) else wanted
    return last if wanted is None else wanted


def find_objects(text: str, *, literal: bool = False) -> list[tuple[Pairs, int]]:
    """List the objects of a text, each with the position of its end.

    The time is bounded: a text of many opened objects would be decoded again from each of them, and
    has no objects.

    Args:
        text: The text.
        literal: Whether numbers stay as they are written.
    """
    objects: list[tuple[Pairs, int]] = []
    decoder = _LITERAL_DECODER if literal else _DECODER
    patience = PATIENCE * len(text) + 1000
    opened = _OPENED.search(text)
    while opened:
        start, found = opened.start(), None
        try:
            found, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            # Making the error counts the lines before it, at some fifty characters a step.
            patience -= error.pos - start + error.pos // 50
            found, end, looked_at = _decode_loosely(text, start, decoder)
            patience -= looked_at
        except (RecursionError, ValueError):
            # Too deep, or a whole number of more digits than Python reads.
            return []
        if patience < 0:
            return []
        if found is not None:
            objects.append((found, end))
        opened = _OPENED.search(text, end)
    return objects


def _decode_loosely(
    text: str, start: int, decoder: json.JSONDecoder
) -> tuple[Pairs | None, int, int]:
    """Decode the object that begins here and is not quite JSON.

    Returns:
        The object and its end, or None and the next position; and the cost in characters of JSON.
    """
    written: list[str] = []
    depth, end = 0, start
    while depth or end == start:
        token = _TOKEN.match(text, end)
        word = token[0] if token else ""
        end += len(word)
        json_word = _write_as_json(word)
        if json_word is None:
            # A string without an end was searched up to the end of the text.
            looked_at = len(text) if word in {"", '"', "'"} else end
            return None, start + 1, LOOSE * (looked_at - start)
        if word in {"}", "]"} and written and written[-1] == ",":
            written.pop()
        if json_word:
            written.append(json_word)
        depth += (word in {"{", "["}) - (word in {"}", "]"})
    try:
        found, _ = decoder.raw_decode("".join(written))
    except (RecursionError, ValueError):
        return None, start + 1, LOOSE * (end - start)
    return found, end, LOOSE * (end - start)


def _write_as_json(word: str) -> str | None:
    """Return a word of an object in JSON, "" for comments and space, or None for any other word."""
    if word.isspace() or word.startswith(("//", "#")):
        return ""
    if word in _SIGNS or (word[:1] == '"' and len(word) > 1):
        return word
    if word[:1] == "'" and len(word) > 1:
        inside = word[1:-1].replace("\\'", "'")
        return json.dumps(inside) if "\\" not in inside else None
    if _LOOSE_NUMBER.fullmatch(word):
        sign, digits = ("-" if word[0] in "-\u2212\u2013" else ""), word.lstrip("-+\u2212\u2013")
        return sign + (digits if digits.isdecimal() else repr(float(digits)))
    return _WORDS.get(word)
