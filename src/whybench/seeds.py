"""Where all randomness, all ids and all splits come from.

Three habits make results impossible to repeat: seeding with `seed + index` (two seeds then
share almost all of their items), drawing from a global generator (the order of calls then
matters) and Python's `hash()` (it changes from process to process). None of them occurs here.
Every random decision is named by keys, such as `("judge", "abstract", "alnum")`; a SHA-256 of
those keys feeds NumPy's `SeedSequence`. Equal keys give equal numbers on every machine, and
neighbouring keys have nothing in common.

Ids and splits are digests too. An item's digest says what was asked and what is true, so the same
item has the same digest in every design that holds it; its id begins with words for people and ends
with the first digits of the digest. The split follows from the world alone, so no world is on both
sides.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from json.encoder import encode_basestring
from typing import Literal

import numpy as np

__all__ = [
    "FEW",
    "MANY",
    "ZERO",
    "Split",
    "canonical",
    "digest",
    "generator",
    "is_item_id",
    "item_digest",
    "item_id",
    "item_id_pattern",
    "item_id_start",
    "settle",
    "split_digest",
    "split_of",
]

Split = Literal["train", "test"]

TEST_SHARE = 0.2


def canonical(value: object) -> str:
    """Write a value in the one form that equal values share.

    Takes what worlds and designs are made of: dataclasses, mappings with string keys (order does
    not matter), sequences (order matters), sets, strings, numbers, booleans and None. Anything
    else is an error, since its text might depend on the process.
    """
    # Ids and seeds are made by the million, nearly all of words, whole numbers and lists of them.
    if type(value) is str:
        return encode_basestring(value)
    if type(value) is int:
        return repr(value)
    if type(value) is list or type(value) is tuple:
        return f"[{','.join(map(canonical, value))}]"
    return _ENCODE(_plain(value))


_ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Fraction):
        return {"numerator": value.numerator, "denominator": value.denominator}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((_plain(entry) for entry in value), key=repr)
    if isinstance(value, Sequence) and not isinstance(value, bytes):
        return [_plain(entry) for entry in value]
    raise TypeError(
        f"a value to be digested must be made of dataclasses, mappings with string keys, "
        f"sequences, sets, strings and numbers, got {type(value).__name__}"
    )


def digest(*keys: object) -> bytes:
    """Return the SHA-256 of the keys in canonical form."""
    return hashlib.sha256(canonical(list(keys)).encode()).digest()


def generator(*keys: object) -> np.random.Generator:
    """Return the random generator that belongs to these keys, and to no others."""
    return np.random.default_rng(np.random.SeedSequence(int.from_bytes(digest(*keys), "big")))


def item_digest(suite: str, content: str, truth: object) -> str:
    """Return the digest of an item: equal exactly when suite, content and truth are equal.

    A float truth counts as `settle` writes it.

    Args:
        suite: The name of the suite, which the digest begins with.
        content: What is asked: the prompt, or whatever else decides it.
        truth: What is true.
    """
    settled = settle(truth) if isinstance(truth, float) else truth
    return f"{suite}-{digest(suite, content, settled).hex()[:20]}"


def settle(value: float, digits: int = 12) -> str:
    """Write a float so that its last bits do not count, nor what they leave of a zero.

    They differ between processors, and between versions of Python, whose `sum` has rounded less
    since 3.12.

    >>> settle(0.1 + 0.2), settle(0.3 - 0.1 - 0.2)
    ('0.3', '0')
    """
    return "0" if abs(value) < ZERO else f"{value:.{digits}g}"


ZERO = 1e-12
"""A truth nearer to 0 than this is 0."""


def split_digest(item_digest: str) -> tuple[str, str]:
    """Return the suite's name and the digits of an item's digest."""
    suite, _, digits = item_digest.rpartition("-")
    return suite, digits


FEW, MANY = 6, 16
"""Digits at the end of an id: where the words before them say which item it is, and where one of
endlessly many worlds is meant."""


def item_id(item_digest: str, case: str, condition: str, *, generated: bool) -> str:
    """Return the id of an item: words for people, and digits that make sure.

    Args:
        item_digest: Its digest.
        case: What is asked, apart from what may be manipulated.
        condition: The levels of what may be manipulated.
        generated: Whether its world is one of endlessly many.

    >>> item_id("judge-226ae0b4ff12d27a9c01", "collider-weather-ppp-VI", "direct", generated=False)
    'judge-collider-weather-ppp-VI-direct-226ae0'
    """
    suite, digits = split_digest(item_digest)
    ends = (condition, digits[: MANY if generated else FEW])
    return item_id_start(suite, case) + "-".join(_word(end) for end in ends if end)


def item_id_start(suite: str, case: str) -> str:
    """Return how the ids of items begin that ask the same."""
    return "".join(f"{_word(word)}-" for word in (suite, case) if word)


_SEPARATORS = re.compile(r"[^\w.+]+")


def _word(text: str) -> str:
    return _SEPARATORS.sub("-", text)


def is_item_id(suite: str, text: str) -> bool:
    """Tell whether a text could be the id of an item of a suite."""
    return re.match(item_id_pattern(suite), text) is not None


def item_id_pattern(suite: str) -> str:
    """Return the regular expression of a suite's ids."""
    return rf"^{re.escape(suite)}-(\S+-)?[0-9a-f]{{{FEW},{MANY}}}$"


def split_of(world: object) -> Split:
    """Return the side of the train/test divide on which a generated world lies."""
    place = int.from_bytes(digest("split", world)[:8], "big") / 2**64
    return "test" if place < TEST_SHARE else "train"
