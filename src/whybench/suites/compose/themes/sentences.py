"""A theme as its words and sentences, which can be rendered and parsed.

A theme says each thing in one way, such as "{name} opens if it has at least {count}". Rendering
fills the fields; parsing finds what they were filled with, or that the sentence is another one. So
what a prompt says and what is parsed from it cannot drift apart.

>>> opens = Sentence("{name} opens if it has at least {count}.")
>>> opens.render(name="the iron lock", count="4 pins")
'The iron lock opens if it has at least 4 pins.'
>>> opens.parse("The iron lock opens if it has at least 4 pins.")
{'name': 'The iron lock', 'count': '4 pins'}
>>> opens.parse("The iron lock is heavy.") is None
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, cached_property
from string import Formatter
from typing import TYPE_CHECKING

from whybench.suites.contract import UserError
from whybench.suites.files import Theme

if TYPE_CHECKING:
    import numpy as np

    from whybench.suites.compose.world import Gate

_FILLED = {"parents": r".+?", "count": r"\d+(?: (?:(?! and )[^,.;:])+?)?"}
_A_NAME = r"[^,.;:]+?"


@dataclass(frozen=True)
class Sentence:
    """A sentence with places in braces; one that occurs twice is filled with the same words."""

    text: str

    @property
    def fields(self) -> frozenset[str]:
        """The names of its places; what a format cannot be is said by `ValueError`."""
        return frozenset(field for _, field in _parts(self.text) if field is not None)

    def render(self, **filled: str) -> str:
        """Return the sentence with its places filled, from its capital on."""
        text = self.text.format_map(filled)
        return text[:1].upper() + text[1:]

    def parse(self, line: str) -> dict[str, str] | None:
        """Return what fills the places of a line, or None if it is not this sentence."""
        match = _pattern(self.text).fullmatch(line)
        return match.groupdict() if match else None


def join_names(names: list[str]) -> str:
    """Return names as they are listed in a sentence: a, b and c."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def split_names(words: str) -> list[str]:
    """Return the names of a list."""
    return re.split(r", | and ", words)


@cache
def _parts(text: str) -> tuple[tuple[str, str | None], ...]:
    """Take a text apart into literal words, each with the place behind it if there is one."""
    parts = []
    for literal, field, form, conversion in Formatter().parse(text):
        if form or conversion or (field is not None and not field.isidentifier()):
            raise ValueError(f"a place must be a word in braces, got {{{field}}} with more in it")
        parts.append((literal, field))
    return tuple(parts)


@cache
def _pattern(text: str) -> re.Pattern[str]:
    pattern, seen = "", set()
    for literal, field in _parts(text):
        pattern += re.escape(literal)
        if field in seen:
            pattern += f"(?P={field})"
        elif field is not None:
            pattern += f"(?P<{field}>{_FILLED.get(field, _A_NAME)})"
            seen.add(field)
    # Case aside, since a name at the head of the sentence has a capital there and not elsewhere.
    return re.compile(pattern, re.IGNORECASE)


EXAMPLE_SIZE = 5
"""The number of names that a theme keeps for worked examples."""

OF_SEVERAL: dict[Gate, str] = {"or": "at least one of", "and": "each of"}
"""What stands before the parents of a node if there are several."""


@dataclass(frozen=True)
class ComposeTheme(Theme):
    """The words of a world of gates. The setting says that counts are from 1 to 10.

    Attributes:
        unit: What is counted, singular and plural.
        root_rule: When the root holds: if its count is at least {count}.
        or_rule: When a node holds whose count is enough, or {parents} holds.
        and_rule: When a node holds whose count is enough and {parents} holds.
        count_line: What the count of a node is.
        holds: That a node holds, without a full stop.
        fails: That it does not.
        ask: The question whether {effect} holds.
        ask_true: The same after an intervention makes {cause} hold.
        ask_false: The same after an intervention keeps {cause} from holding.
        details: Sentences about a node that have no bearing on any rule.
        example_names: Names of the nodes of worked examples.
    """

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
    example_names: tuple[str, ...]

    @cached_property
    def _hashed(self) -> int:
        return int(self.hash, 16)

    def __hash__(self) -> int:
        # Prompts are rendered by the ten thousand from cached parts, whose keys hold a theme.
        return self._hashed

    @cached_property
    def spelling(self) -> dict[str, str]:
        """Every name, also of examples, by its form in a sentence without regard to case."""
        names = (*self.pool(self.capacity), *self.example_names)
        return {self.in_sentence(name).casefold(): name for name in names}

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
        pairs = [divmod(number, len(names)) for number in rng.permutation(most)[:n].tolist()]
        return tuple(self.details[d].render(name=self.in_sentence(names[v])) for d, v in pairs)

    @property
    def rules_heading(self) -> str:
        """The line above the rules."""
        return f"The rules of the {self.many}:"

    @property
    def counts_heading(self) -> str:
        """The line above the counts."""
        return f"Their {self.unit[1]}:"

    def at_start(self, name: str) -> str:
        """Return a name as it stands at the beginning of a sentence."""
        return name[:1].upper() + name[1:]

    def compare(self, have: int, need: int) -> str:
        """Return a count, and whether it is enough."""
        return f"{self.count_text(have)} ({'at least' if have >= need else 'fewer than'} {need})"

    def join_parents(self, gate: Gate, parents: list[str]) -> str:
        """Return the parents of a node as they stand in its rule."""
        return f"{OF_SEVERAL[gate]} {join_names(parents)}" if len(parents) > 1 else parents[0]

    def split_parents(self, gate: Gate, text: str) -> list[str]:
        """Return the names of the parents in a rule."""
        several = f"{OF_SEVERAL[gate]} "
        return split_names(text.removeprefix(several)) if text.startswith(several) else [text]

    def count_text(self, count: int) -> str:
        """Return a count with its unit."""
        return f"{count} {self.unit[count != 1]}"

    def rule(self, gate: Gate, name: str, threshold: int, parents: list[str]) -> str:
        """Return the rule of a node; all names as they stand in a sentence."""
        count = self.count_text(threshold)
        if not parents:
            return self.root_rule.render(name=name, count=count)
        sentence = self.or_rule if gate == "or" else self.and_rule
        return sentence.render(name=name, count=count, parents=self.join_parents(gate, parents))

    def question(self, effect: str, intervention: tuple[str, bool] | None) -> str:
        """Return the question about a node; all names as they stand in a sentence."""
        if intervention is None:
            return self.ask.render(effect=effect)
        cause, value = intervention
        return (self.ask_true if value else self.ask_false).render(cause=cause, effect=effect)
