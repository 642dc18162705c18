"""Items of one split, the rows that are made of them, and the reward of replies to a row.

Items to train on are those of a suite's endless design of the train split (`Training`), without
repeats: worlds are drawn by chance, and among millions of small ones some come twice. Item i is the
same whether ten or a million are taken, since what is left out follows from what came before. Items
to evaluate on are those of a test design.

A row has all of an item: prompt, world, truth and certificate, what its scorer needs, where it
comes from, and the canary. `stream` is a digest of the design, of the first items and of how
replies to them are parsed: rows of one digest belong together, and none that were made or are
scored otherwise have it.

The reward is that of the suite's own scorer. A row holds all that the scorer needs: an item's
factors, among them the hidden case where a conversation goes on, and its truth. So whoever has a
row and the replies to it can grade them, and gets what a run would have recorded.

| suite | 1 | between | 0 |
|---|---|---|---|
| calculate | right | 1 - error / scale of its query, down to -1 | a number where there is none |
| intervene | right, and what was seen entails it | of all pairs: the share | everything else |
| compose | right | never | wrong |
| analyze | every field passes | the score of the answer | no field passes |

No answer has the reward 0, whatever the reason, and `grade` returns the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.seeds import Split, digest, generator
from whybench.suites.designs import DESIGN
from whybench.suites.registry import get_suite
from whybench.suites.replies import content_hash, parse_conversation
from whybench.training.canary import canary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.attacks import Reply, TrainingExample
    from whybench.suites.contract import Answer, Design, Item, Training
    from whybench.suites.registry import AnySuite

HASHED_ITEMS = 16
"""Items whose ids, and the answers of golden replies to them, go into the digest."""

NOTHING_NEW = 100_000
"""Repeats in a row after which there are no more items."""


@dataclass(frozen=True)
class SplitItems:
    """The distinct items of a design, in order.

    Attributes:
        suite: The suite.
        design: The design whose items they are.
        split: `train` or `test`.
    """

    suite: AnySuite
    design: Design
    split: Split

    @cached_property
    def hash(self) -> str:
        """A digest of what is suite and of how replies are read; not of how many are taken."""
        first = list(islice(self.suite.items(self.design), HASHED_ITEMS))
        read = content_hash(self.suite, first)
        return digest(self.suite.name, self.suite.version, self.design.hash, read).hex()[:16]

    def take(self, count: int) -> Iterator[Item]:
        """Yield the first `count` items, none of them twice.

        Raises:
            UserError: There are fewer.
        """
        seen: set[int] = set()
        taken = repeats = 0
        items, tested = iter(self.suite.items(self.design)), self._tested_openings
        while taken < count:
            item = next(items, None)
            if item is None or repeats == NOTHING_NEW:
                raise UserError(
                    f"count must be at most {taken}, the number of different items of the "
                    f"{self.split} split of {self.suite.name} in this design, got {count}; take "
                    "fewer, or more levels of its factors"
                )
            key = self._key(item)
            if key in seen or (tested and self.suite.render(item) in tested):
                repeats += 1
            else:
                taken, repeats = taken + 1, 0
                yield item
            seen.add(key)

    @cached_property
    def _tested_openings(self) -> frozenset[str]:
        """The openings of conversations in all test designs.

        They do not say what the hidden world is, so that an item to train on may begin with the
        same words as one of a test. Such items are left out.
        """
        if self.split == "test" or not self.suite.every_turn_acts:
            return frozenset()
        designs = self.suite.designs.values()
        return frozenset(
            self.suite.render(item) for design in designs for item in self.suite.items(design)
        )

    def _key(self, item: Item) -> int:
        """Return a number that is the same for items that ask the same about the same."""
        if self.suite.prompts_identify:
            return int(item.digest[-16:], 16)
        # A digest may tell apart what was drawn twice; the prompt and what it hides do not.
        factors = item.factors
        hidden = {name: factors[name] for name in self.suite.random_columns}
        return int.from_bytes(digest(self.suite.render(item), hidden)[:8], "big")

    def rows(self, count: int) -> Iterator[dict[str, Any]]:
        """Yield the rows of the first `count` items."""
        common = {
            "suite": self.suite.name,
            "version": self.suite.version,
            "design": self.design.name,
            "split": self.split,
            "stream": self.hash,
            "canary": canary(self.split),
        }
        render, training = self.suite.render, self.suite.training
        for item in self.take(count):
            certificate = item.certificate
            first, second = (
                {"method": method, "value": float(value)}
                for method, value in certificate.derivations
            )
            yield {
                "id": item.id,
                "prompt": render(item),
                "world": training.world_key(item) if training else item.case,
                "truth": item.truth,
                "certificate": {"query": certificate.query, "first": first, "second": second},
                "factors": item.factors,
                **common,
            }


def get_training(suite: AnySuite) -> Training:
    """Return how a suite gets items to train on."""
    if suite.training is None:
        raise UserError(
            f"{suite.name} is for testing alone: it has no `training`, items to train on; "
            "give its Suite one, or export another suite"
        )
    return suite.training


def training_items(suite: AnySuite, settings: Mapping[str, object]) -> SplitItems:
    """Return the items of a suite to train on, with a design's settings changed."""
    if settings.get("split", "train") != "train":
        raise UserError(f"split must be train for items to train on, got {settings['split']!r}")
    return SplitItems(
        suite, suite.make_design({**get_training(suite).settings, **settings}), "train"
    )


def training_lessons(suite: AnySuite, design: Design, count: int) -> list[TrainingExample]:
    """Return items of the training stream for an attack that learns.

    They are of the same design where it has a train split.
    """
    from whybench.suites.attack_runs import converse, see  # noqa: PLC0415  (not for exports)
    from whybench.suites.attacks import TrainingExample  # noqa: PLC0415

    try:
        items = training_items(suite, {DESIGN: design.name})
    except UserError:
        items = training_items(suite, {})

    def make_lesson(item: Any) -> TrainingExample:
        def score(reply: Reply) -> float:
            answer = converse(suite, item, reply, generator("attack", "training", item.digest))
            return answer_reward(suite, item.factors, item.truth, answer)

        return TrainingExample(see(suite, item), item.truth, score)

    return [make_lesson(item) for item in items.take(count)]


def evaluation_items(suite: AnySuite, settings: Mapping[str, object]) -> SplitItems:
    """Return the items of a test design, for evaluation elsewhere."""
    return SplitItems(suite, suite.make_design(settings), "test")


def choose_items(
    suite: str,
    split: str,
    count: int | None,
    design: str | None,
    settings: Mapping[str, object],
    *,
    not_for_training: bool = False,
) -> tuple[SplitItems, int]:
    """Return items of a suite, and how many of them are meant.

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
    chosen = get_suite(suite)
    if split == "test":
        if not design or not not_for_training:
            raise UserError(
                "`split` may be test if that is meant: name the `design`, and say "
                "`not_for_training`; who trains on a test measures nothing with it. Items to train "
                "on are those of the split train"
            )
        items = evaluation_items(chosen, {"design": design, **settings})
        return items, count or sum(1 for _ in chosen.items(items.design))
    if count is None:
        raise UserError("`count` must say how many items, got none; there is no end of them")
    return training_items(chosen, {**({"design": design} if design else {}), **settings}), count


Row = Mapping[str, Any]
"""A row of an export; `suite`, `version`, `factors` and `truth` are what grading needs."""


def reward(row: Row, replies: str | Sequence[str]) -> float:
    """Return the reward of replies to a row: 1 for what is right, 0 for no answer.

    Args:
        row: A row of an export, of JSON lines or of Parquet.
        replies: The agent's reply, or its replies in turn where a conversation goes on; what is
            said after the end of the conversation does not count. Of several replies to a question
            of one turn the last is the answer, as it is in a run.

    Raises:
        UserError: The row is not one of ours, or of a version that is scored differently.
    """
    return grade(row, replies)[0]


def grade(row: Row, replies: str | Sequence[str]) -> tuple[float, Answer]:
    """Return the reward of replies to a row, and the answer that was parsed from them."""
    suite = _find_suite(row)
    texts = [replies] if isinstance(replies, str) else replies
    factors = row["factors"]
    answer = parse_conversation(suite, factors, [(text, False) for text in texts])
    return answer_reward(suite, factors, row["truth"], answer), answer


def answer_reward(suite: AnySuite, factors: Mapping[str, Any], truth: Any, answer: Answer) -> float:
    """Return the reward of an answer, given the factors and the truth of its item."""
    reward = get_training(suite).reward
    return 0.0 if answer.value is None else reward(factors, truth, answer)


def _find_suite(row: Row) -> AnySuite:
    if missing := [name for name in ("suite", "version", "factors", "truth") if name not in row]:
        raise UserError(
            f"a row must have suite, version, factors and truth, got none of the name(s) "
            f"{', '.join(missing)}; take rows as `whybench train export` writes them"
        )
    suite = get_suite(str(row["suite"]))
    if row["version"] != suite.version:
        raise UserError(
            f"version of a row must be {suite.version}, that of the installed {suite.name}, got "
            f"{row['version']}; grade it with the version of WhyBench that exported it"
        )
    return suite
