"""Prompts of tests as fingerprints, by which they are found in other texts.

Much of a prompt is said in every prompt of its suite, to train on or not: the setting, the form of
the reply. What is *distinctive* of a test prompt are those of its shingles (eight words in a row)
that do not occur in some hundred thousand words to train on, of items like those of the design, or
in fewer where items take long to make. Of these the 32 with the smallest digests are kept, the same
in every text that has them. A text holds an exact copy of a prompt if it has all of its words in a
row, and a near copy if it has half or more of what is kept. A prompt with fewer than 28 leaves much
unsaid, such as a hidden world or rows in a file, and may come near to others by chance: it is found
by exact copies alone. One that has nothing distinctive says what training says too, and cannot be
found.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from math import gcd
from typing import TYPE_CHECKING

import numpy as np

from whybench.errors import DataError, UserError
from whybench.suites import registry
from whybench.training.items import get_training, training_items
from whybench.training.shingles import digest_words, is_in_sorted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite
    from whybench.training.shingles import Digests, Words

KEPT, ENOUGH = 32, 28
"""Distinctive shingles of a prompt that are kept at most, and that near copies need."""

SAMPLE, A_CELL = 400_000, 2000
"""Words to train on that are sampled for a design, at least: in all, and for each item of a block,
since a large block has prompts of many kinds."""

LARGEST_BLOCK = 1000
"""A block that is larger is the whole design, and says nothing of how a design is built."""

NEAR = 0.5
"""The share of the kept shingles that make a near copy."""


@dataclass(frozen=True)
class Prompt:
    """A prompt of a test.

    Attributes:
        suite: The suite.
        item: The id of the first item that has it.
        designs: The designs that ask it.
        length: How many words it has.
        whole: The digest of all its words.
        kept: Digests of distinctive shingles.
        begins: Where the first of these begins.
    """

    suite: str
    item: str
    designs: list[str]
    length: int
    whole: int
    kept: Digests
    begins: int

    def is_in(self, words: Words) -> bool:
        """Whether a text has all words of the prompt in a row."""
        return any(
            words.run(position - self.begins, self.length) == self.whole
            for position in np.flatnonzero(words.shingles == self.kept[0]).tolist()
        )


@dataclass(frozen=True)
class Match:
    """A prompt that was found in a text.

    Attributes:
        prompt: Which.
        share: The share of its kept shingles that the text has.
        exact: Whether the text has all of its words in a row.
    """

    prompt: Prompt
    share: float
    exact: bool


@dataclass(frozen=True)
class Fingerprints:
    """What is known of the prompts of some test designs.

    Attributes:
        prompts: The prompts, each once.
        shingles: All kept shingles, sorted.
        owners: For each of these, the index of its prompt.
        common: For each suite, the shingles of items to train on, sorted.
        left_out: Designs that could not be looked at, and why.
        not_distinctive: How many prompts have nothing distinctive.
    """

    prompts: tuple[Prompt, ...]
    shingles: Digests
    owners: NDArray[np.int32]
    common: Mapping[str, Digests]
    left_out: Mapping[str, str]
    not_distinctive: int

    def find_matches(self, words: Words) -> list[Match]:
        """Return the prompts of which a text holds copies: all exact ones, or else the nearest."""
        distinct = np.unique(words.shingles)
        first, last = (np.searchsorted(self.shingles, distinct, side) for side in ("left", "right"))
        runs = [
            self.owners[start:end]
            for start, end in zip(first.tolist(), last.tolist(), strict=True)
            if end > start
        ]
        if not runs:
            return []
        owners, counts = np.unique(np.concatenate(runs), return_counts=True)
        near = [
            Match(prompt, share, exact=share == 1 and prompt.is_in(words))
            for owner, count in zip(owners.tolist(), counts.tolist(), strict=True)
            for prompt in [self.prompts[owner]]
            if (share := count / len(prompt.kept)) >= NEAR
        ]
        near = [match for match in near if match.exact or len(match.prompt.kept) >= ENOUGH]
        exact = [match for match in near if match.exact]
        return exact or sorted(near, key=lambda match: -match.share)[:1]

    def match_suite(self, words: Words, at_least: int) -> str | None:
        """Return the suite that shares most shingles with a text, if these are enough."""
        shared = {
            suite: is_in_sorted(words.shingles, common).sum()
            for suite, common in self.common.items()
        }
        suite = max(shared, key=lambda name: shared[name], default=None)
        return suite if suite is not None and shared[suite] >= at_least else None

    @property
    def longest(self) -> int:
        """The number of words of the longest prompt."""
        return max((prompt.length for prompt in self.prompts), default=0)


def make_fingerprints(chosen: Iterable[tuple[AnySuite, Design]]) -> Fingerprints:
    """Return the fingerprints of all prompts of some test designs.

    A design whose data cannot be fetched, or cannot be asked for, is left out with its reason.
    """
    distinct: dict[tuple[str, int, int], Prompt | None] = {}
    common: dict[str, Digests] = {}
    left_out: dict[str, str] = {}
    sampled: set[tuple[str, str]] = set()
    for suite, design in chosen:
        try:
            prompts = [(item.id, digest_words(suite.render(item))) for item in suite.items(design)]
        except (DataError, UserError) as error:
            left_out[f"{suite.name} {design.name}"] = str(error)
            continue
        known = common.setdefault(suite.name, np.zeros(0, np.uint64))
        trained = _training_design(suite, design)
        if trained is not None and (suite.name, trained.hash) not in sampled:
            sampled.add((suite.name, trained.hash))
            common[suite.name] = np.union1d(known, _sample(suite, trained))
        for item, words in prompts:
            key = suite.name, len(words), words.whole
            if key not in distinct:
                distinct[key] = _prompt(suite.name, item, words, common[suite.name])
            if (prompt := distinct[key]) is not None and design.name not in prompt.designs:
                prompt.designs.append(design.name)
    kept = tuple(prompt for prompt in distinct.values() if prompt is not None)
    none = [np.zeros(0, np.uint64)]
    shingles = np.concatenate([prompt.kept for prompt in kept] or none)
    sizes = [len(prompt.kept) for prompt in kept]
    order = np.argsort(shingles, kind="stable")
    owners = np.repeat(np.arange(len(kept), dtype=np.int32), sizes)
    not_distinctive = len(distinct) - len(kept)
    return Fingerprints(kept, shingles[order], owners[order], common, left_out, not_distinctive)


def list_named_designs(chosen: Sequence[str] = ()) -> Iterator[tuple[AnySuite, Design]]:
    """Yield the named designs that are asked for, each once.

    Args:
        chosen: `SUITE` for all of a suite, or `SUITE/DESIGN`; everything installed if empty.
    """
    for word in dict.fromkeys(chosen or registry.suite_names()):
        name, _, design = word.strip().partition("/")
        suite = registry.get_suite(name)
        if design and design not in suite.designs:
            raise UserError(
                f"`designs` must be of {name}'s ({', '.join(suite.designs)}), got {design!r}"
            )
        for chosen_design in [suite.designs[design]] if design else suite.designs.values():
            yield suite, chosen_design


def _training_design(suite: AnySuite, design: Design) -> Design | None:
    """Return the design of items to train on whose prompts are like those of a test design."""
    if suite.training is None:
        return None
    try:
        return training_items(suite, {"design": design.name}).design
    except UserError:  # a design of one world, or of published questions: nobody trains on these
        return training_items(suite, {}).design


def _sample(suite: AnySuite, design: Design) -> Digests:
    """Return the shingles of some items to train on."""
    if count := get_training(suite).sampled:
        few = (digest_words(suite.render(item)) for item in islice(suite.items(design), count))
        return np.unique(np.concatenate([words.shingles for words in few]))
    shingles: list[Digests] = []
    block = design.block if design.block <= LARGEST_BLOCK else 1
    left = max(SAMPLE, A_CELL * block)
    for item in islice(suite.items(design), 0, None, _step(block)):
        words = digest_words(suite.render(item))
        shingles.append(words.shingles)
        left -= len(words)
        if left <= 0:
            break
    return np.unique(np.concatenate(shingles))


def _step(block: int) -> int:
    """Return a step between items that meets many worlds and every position of a block."""
    least = max(7, block // 24)
    return next(step for step in range(least, 2 * least) if gcd(step, block) == 1)


def _prompt(suite: str, item: str, words: Words, common: Digests) -> Prompt | None:
    """Return a prompt with what is distinctive of it; None if nothing is."""
    own = ~is_in_sorted(words.shingles, common)
    kept, begins = np.unique(words.shingles[own], return_index=True)
    if not len(kept):
        return None
    position = int(np.flatnonzero(own)[begins[0]])
    return Prompt(suite, item, [], len(words), words.whole, kept[:KEPT], position)
