"""A series of items to hand out, and the rows that are made of them.

A series for training is the items of a suite's endless design of the train side (`Training`),
without repeats. Item i is the same whether ten or a million are taken, since what is left out
follows from what came before. A series for evaluation is the items of a test design, each of which
is there anyway.

A row says all of an item: prompt, world, truth and certificate, what its scorer needs, where it
comes from, and the canary. `stream` is a digest of the design, of the first items and of how
replies to them are read: rows of one digest belong together, and none that were made or are scored
otherwise have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import compress, islice
from typing import TYPE_CHECKING, Any

from whybench.seeds import Split, digest
from whybench.suites import registry
from whybench.suites.content import content_hash
from whybench.suites.contract import UserError
from whybench.suites.designs import with_design_key
from whybench.training.canary import canary
from whybench.training.repeats import Seen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.suites.contract import Design, Item, Training
    from whybench.suites.registry import AnySuite

__all__ = ["Series", "choose_series", "evaluation_series", "training_of", "training_series"]

LOOKED_AT = 16
"""Items whose ids, and the reading of fixed replies to them, go into the digest of a series."""

PORTION = 1024
"""The most items that are looked up together. The first few are by themselves: who wants no more
does not wait for many."""

NOTHING_NEW = 100_000
"""Repeats in a row after which a series is at its end."""


@dataclass(frozen=True)
class Series:
    """A series of items.

    Attributes:
        suite: The suite.
        design: The design whose items they are.
        split: The side of the train/test divide.
    """

    suite: AnySuite
    design: Design
    split: Split

    @cached_property
    def hash(self) -> str:
        """A digest of what is asked and of how replies are read; not of how many are taken."""
        first = list(islice(self.suite.items(self.design), LOOKED_AT))
        read = content_hash(self.suite, first)
        return digest(self.suite.name, self.suite.version, self.design.hash, read).hex()[:16]

    def take(self, count: int) -> Iterator[Item]:
        """Yield the first so many items, none of them twice.

        Raises:
            UserError: There are not so many.
        """
        items, seen = iter(self.suite.items(self.design)), Seen()
        made = idle = 0
        size = 1
        while made < count:
            portion = list(islice(items, min(size, count - made)))
            size = min(2 * size, PORTION)
            if not portion or idle >= NOTHING_NEW:
                raise UserError(
                    f"count must be at most {made}, the number of different items of the "
                    f"{self.split} side of {self.suite.name} in this design, got {count}; take "
                    "fewer, or more levels of its factors"
                )
            new = seen.new([self._key(item) for item in portion])
            if self._tested:
                new &= [self.suite.render(item) not in self._tested for item in portion]
            idle = 0 if new.any() else idle + len(portion)
            made += int(new.sum())
            yield from compress(portion, new.tolist())

    @cached_property
    def _tested(self) -> frozenset[str]:
        """The openings of conversations in all test designs.

        They do not say what the hidden world is, so that an item to train on may begin with the
        same words as one of a test. Such items are left out.
        """
        if self.split == "test" or not self.suite.multi_turn:
            return frozenset()
        designs = self.suite.designs.values()
        return frozenset(
            self.suite.render(item) for one in designs for item in self.suite.items(one)
        )

    def _key(self, item: Item) -> int:
        """Return a number that is the same for items that ask the same about the same."""
        if self.suite.prompts_identify:
            return int(item.id[-16:], 16)
        # An id may tell apart what was drawn twice; the prompt and what it hides do not.
        factors = item.factors
        hidden = {name: factors[name] for name in self.suite.random_columns}
        return int.from_bytes(digest(self.suite.render(item), hidden)[:8], "big")

    def rows(self, count: int) -> Iterator[dict[str, Any]]:
        """Yield the rows of the first so many items."""
        every = {
            "suite": self.suite.name,
            "version": self.suite.version,
            "design": self.design.name,
            "split": self.split,
            "stream": self.hash,
            "canary": canary(self.split),
        }
        render, world_key = self.suite.render, training_of(self.suite).world_key
        for item in self.take(count):
            proof = item.certificate
            first, second = (
                {"method": method, "value": float(value)} for method, value in proof.derivations
            )
            yield {
                "id": item.id,
                "prompt": render(item),
                "world": world_key(item),
                "truth": item.truth,
                "certificate": {"query": proof.query, "first": first, "second": second},
                "factors": item.factors,
                **every,
            }


def training_of(asked: AnySuite) -> Training:
    """Return how a suite gets items to train on."""
    if asked.training is None:
        raise UserError(
            f"{asked.name} is for testing alone: it has no `training`, items to train on; give its "
            "Suite one, or export another suite"
        )
    return asked.training


def training_series(asked: AnySuite, settings: Mapping[str, object]) -> Series:
    """Return the endless series of a suite for training, with a design's settings changed."""
    if settings.get("split", "train") != "train":
        raise UserError(f"split must be train in a series for training, got {settings['split']!r}")
    return Series(
        asked,
        asked.make_design({**training_of(asked).settings, **with_design_key(settings)}),
        "train",
    )


def evaluation_series(asked: AnySuite, settings: Mapping[str, object]) -> Series:
    """Return the items of a test design, for evaluation elsewhere."""
    training_of(asked)
    return Series(asked, asked.make_design(settings), "test")


def choose_series(
    suite: str,
    split: str,
    count: int | None,
    design: str | None,
    settings: Mapping[str, object],
    *,
    not_for_training: bool = False,
) -> tuple[Series, int]:
    """Return a series of a suite and how many of its items are meant.

    A test is not handed out by mistake: its design must be named, and who asks must say that nobody
    will train on it.

    Args:
        suite: The suite's name.
        split: `train` or `test`.
        count: How many items; of a test design, all if there is none.
        design: A named design, or a YAML file.
        settings: Levels in place of the design's.
        not_for_training: Says that a test design is exported to evaluate.
    """
    one = registry.get_suite(suite)
    if split == "test":
        if not design or not not_for_training:
            raise UserError(
                "`split` may be test if that is meant: name the `design`, and say "
                "`not_for_training`; who trains on a test measures nothing with it. Items to train "
                "on are those of the split train"
            )
        series = evaluation_series(one, {"design": design, **settings})
        return series, count or sum(1 for _ in one.items(series.design))
    if count is None:
        raise UserError("`count` must say how many items, got none; there is no end of them")
    return training_series(one, {**({"design": design} if design else {}), **settings}), count
