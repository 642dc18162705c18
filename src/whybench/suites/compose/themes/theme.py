"""The type of a theme: its words, and how they are put together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from whybench.seeds import digest
from whybench.suites.compose.themes.sentences import Sentence, listed
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    import numpy as np

    from whybench.suites.compose.world import Gate

__all__ = ["EXAMPLE_SIZE", "OF_SEVERAL", "Theme"]

EXAMPLE_SIZE = 5
"""The number of names that a theme keeps for worked examples."""

OF_SEVERAL: dict[Gate, str] = {"or": "at least one of", "and": "each of"}
"""What stands before the parents of a node if there are several."""


@dataclass(frozen=True)
class Theme:
    """The words of a world.

    Attributes:
        name: The name by which it is chosen; the level of the factor `theme`.
        setting: Opening sentences of the prompt. They say that counts are from 1 to 10.
        many: What the nodes are, plural.
        unit: What is counted, singular and plural.
        root_rule: When the root holds: if its count is at least {count}.
        or_rule: When a node holds whose count is enough, or {parents} holds.
        and_rule: When a node holds whose count is enough and {parents} holds.
        count_line: What the count of a node is.
        holds: That a node holds, without a full stop.
        fails: That it does not.
        ask: The question whether {effect} holds.
        ask_true: The same where {cause} is made to hold from outside.
        ask_false: The same where {cause} is kept from holding from outside.
        details: Sentences about a node that have no bearing on any rule.
        names: Names of nodes.
        example_names: Names of the nodes of worked examples.
        article: What stands before a name in a sentence, such as "the"; may be empty.
        more: Words put in front of names where there are more nodes than names.
        glue: What joins the two.
    """

    name: str
    setting: str
    many: str
    unit: tuple[str, ...]
    root_rule: Sentence
    or_rule: Sentence
    and_rule: Sentence
    count_line: Sentence
    holds: Sentence
    fails: Sentence
    ask: Sentence
    ask_true: Sentence
    ask_false: Sentence
    details: tuple[Sentence, ...]
    names: tuple[str, ...]
    example_names: tuple[str, ...]
    article: str
    more: tuple[str, ...]
    glue: str

    @cached_property
    def hash(self) -> str:
        """A digest of all words of the theme."""
        return digest("theme", self).hex()[:16]

    @cached_property
    def _hashed(self) -> int:
        return int(self.hash, 16)

    def __hash__(self) -> int:
        # Prompts are worded by the ten thousand from cached parts, whose keys hold a theme.
        return self._hashed

    @property
    def capacity(self) -> int:
        """How many nodes the theme can name."""
        return len(self.names) * (1 + len(self.more))

    @cached_property
    def spelling(self) -> dict[str, str]:
        """Every name, also of examples, by its form in a sentence without regard to case."""
        names = (*self.pool(self.capacity), *self.example_names)
        return {self.called(name).casefold(): name for name in names}

    def pool(self, n: int) -> tuple[str, ...]:
        """Return the names among which those of n nodes are drawn."""
        if n > self.capacity:
            raise UserError(
                f"the theme {self.name} can name {self.capacity} {self.many}, got {n} nodes; "
                "add `names`, or words in `more`"
            )
        rounds = -(-n // len(self.names))
        marked = (f"{mark}{self.glue}{name}" for mark in self.more for name in self.names)
        return (*self.names, *marked)[: rounds * len(self.names)]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[str, ...]:
        """Return names of n nodes, different ones, in random order."""
        pool = self.pool(n)
        return tuple(pool[place] for place in rng.permutation(len(pool))[:n].tolist())

    def draw_details(
        self, names: tuple[str, ...], n: int, rng: np.random.Generator
    ) -> tuple[str, ...]:
        """Return n different sentences about nodes of these names that have no bearing."""
        most = len(names) * len(self.details)
        if n > most:
            raise UserError(
                f"the theme {self.name} has {most} details for {len(names)} nodes, got {n}; "
                "add to its `details`"
            )
        return tuple(
            self.details[place // len(names)].say(name=self.called(names[place % len(names)]))
            for place in rng.permutation(most)[:n].tolist()
        )

    def called(self, name: str) -> str:
        """Return a name as it stands in a sentence."""
        return f"{self.article} {name}" if self.article else name

    def counted(self, count: int) -> str:
        """Return a count with its unit."""
        return f"{count} {self.unit[count != 1]}"

    def rule(self, gate: Gate, name: str, threshold: int, parents: list[str]) -> str:
        """Return the rule of a node; all names as they stand in a sentence."""
        count = self.counted(threshold)
        if not parents:
            return self.root_rule.say(name=name, count=count)
        several = f"{OF_SEVERAL[gate]} {listed(parents)}" if len(parents) > 1 else parents[0]
        sentence = self.or_rule if gate == "or" else self.and_rule
        return sentence.say(name=name, count=count, parents=several)

    def question(self, effect: str, intervention: tuple[str, bool] | None) -> str:
        """Return the question about a node; all names as they stand in a sentence."""
        if intervention is None:
            return self.ask.say(effect=effect)
        cause, value = intervention
        return (self.ask_true if value else self.ask_false).say(cause=cause, effect=effect)
