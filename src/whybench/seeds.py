"""Where all randomness, all ids and all splits come from.

Three habits make results impossible to repeat: seeding with `seed + index` (two seeds then
share almost all of their items), drawing from a global generator (the order of calls then
matters) and Python's `hash()` (it changes from process to process). None of them occurs here.
Every random decision is named by keys, such as `("judge", "abstract", "alnum")`; a SHA-256 of
those keys feeds NumPy's `SeedSequence`. Equal keys give equal numbers on every machine, and
neighbouring keys have nothing in common.

Ids and splits are digests too: the id of an item says what was asked and what is true, so the
same item has the same id in every design that holds it; the split follows from the world alone,
so no world is on both sides.
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

__all__ = ["Split", "canonical", "digest", "generator", "is_item_id", "item_id", "split_of"]

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


def item_id(suite: str, prompt: str, truth: object) -> str:
    """Return the id of an item: equal exactly when suite, prompt and truth are equal.

    A float truth counts to twelve significant digits, so that the last bits of a sum, which
    may differ between processors, do not change an id.
    """
    settled = f"{truth:.12g}" if isinstance(truth, float) else truth
    return f"{suite}-{digest(suite, prompt, settled).hex()[:20]}"


def is_item_id(suite: str, text: str) -> bool:
    """Tell whether a text could be the id of an item of a suite."""
    return re.fullmatch(rf"{re.escape(suite)}-[0-9a-f]{{20}}", text) is not None


def split_of(world: object) -> Split:
    """Return the side of the train/test divide on which a generated world lies."""
    place = int.from_bytes(digest("split", world)[:8], "big") / 2**64
    return "test" if place < TEST_SHARE else "train"
