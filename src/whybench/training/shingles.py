"""Texts as numbers, so that one can be found in another.

A text counts as its words: white space and case do not matter. A *shingle* is eight words in a row.
The words are digested to 64 bits each, and a run of words to the sum of word i times B^i, modulo
2^64; runs at different positions are compared after dividing by B to the power of the position,
which an odd B allows. So the digests of all shingles of a text, or of any run of it, follow from
one pass. Two different runs have the same digest with a chance of about one in 10^19.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Digests = NDArray[np.uint64]

LENGTH = 8
"""The number of words of a shingle."""

_B = np.uint64(0x9E3779B97F4A7C15)
_INVERSE = np.uint64(pow(int(_B), -1, 2**64))


@dataclass(frozen=True, eq=False)
class Words:
    """A text as digests.

    Attributes:
        sums: The sum of the first i words, times powers of B, for every i from 0.
        shingles: The digest of the shingle that begins at each word; none for the last seven.
    """

    sums: Digests
    shingles: Digests

    def __len__(self) -> int:
        return len(self.sums) - 1

    def run(self, start: int, length: int) -> int | None:
        """Return the digest of a run of words, or None if it does not lie within the text."""
        if start < 0 or start + length > len(self):
            return None
        inverse = _powers(len(self) + 1)[1]
        between = int(self.sums[start + length]) - int(self.sums[start])
        return between * int(inverse[start]) % 2**64

    @property
    def whole(self) -> int:
        """The digest of all words."""
        return int(self.sums[-1])


def digest_words(text: str | Sequence[str]) -> Words:
    """Return a text, or words in a row, as digests."""
    words = text.casefold().split() if isinstance(text, str) else text
    powers, inverse = _powers(len(words) + 1)
    digested = np.fromiter(map(_word, words), dtype=np.uint64, count=len(words))
    sums = np.zeros(len(words) + 1, dtype=np.uint64)
    np.cumsum(digested * powers[: len(words)], out=sums[1:])
    count = max(0, len(words) - LENGTH + 1)
    return Words(sums, (sums[LENGTH:] - sums[:count]) * inverse[:count])


@lru_cache(maxsize=1 << 18)
def _word(word: str) -> int:
    return int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _powers(count: int) -> tuple[Digests, Digests]:
    """Return `count` or more powers of B, and of its inverse."""
    return _powers_to(1 << count.bit_length())


@lru_cache(maxsize=24)
def _powers_to(count: int) -> tuple[Digests, Digests]:
    first = np.ones(1, dtype=np.uint64)
    powers, inverse = (
        np.concatenate([first, np.cumprod(np.full(count, base), dtype=np.uint64)])
        for base in (_B, _INVERSE)
    )
    return powers, inverse


def is_in_sorted(numbers: NDArray[np.uint64], ordered: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Return for each number whether it is among sorted ones."""
    if not len(ordered):
        return np.zeros(len(numbers), dtype=np.bool_)
    position = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
    result: NDArray[np.bool_] = ordered[position] == numbers
    return result
