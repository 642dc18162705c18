"""Worlds of dials: each follows another dial and adds one of two numbers, by its switch.

A question sets or observes the dial x and asks for the dial y. Its *depth* d is the number of rules
between them: of y, of the dial that y follows, and so on, down to the dial that follows x.

The numbers that rules add are drawn last: of each dial two different numbers, each evenly from all,
and independently of all others. Nothing else depends on them: neither the graph, the switches, x,
y, nor the side of the train/test divide. (The number to which x is set differs from the number that
x shows otherwise. The latter follows from the rules of x and of the dials before it, and these are
none of the d rules.) So two things hold for every agent:

- Without one of the d rules, each number is equally likely, whatever else the agent knows: it is
  correct with probability 1/`STATES`.
- Without the switch of one of the d dials, two numbers are equally likely: it is correct with
  probability 1/2. Without several switches, more numbers are possible.

`tests/suites/trace` enumerates small worlds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from whybench.scm.certificate import agreed
from whybench.seeds import generator, split_of

if TYPE_CHECKING:
    import numpy as np

    from whybench.scm import Certificate
    from whybench.seeds import Split

STATES = 8
"""How many numbers a dial may show."""

ROOTS = 2
"""How many dials follow no other."""

NEAREST = 3
"""A dial follows one of this many dials before it."""

DEEPEST = 48


def size_for(depth: int) -> int:
    """Return the number of dials of a world for questions of this depth."""
    return 8 + 2 * depth


@dataclass(frozen=True)
class Structure:
    """The graph and the switches.

    Attributes:
        sources: The dial that each dial follows; None for a dial that follows no other. Earlier
            dials have lower numbers.
        switches: Whether the switch of each dial is up.
    """

    sources: tuple[int | None, ...]
    switches: tuple[bool, ...]

    @property
    def size(self) -> int:
        """The number of dials."""
        return len(self.sources)

    def path(self, effect: int) -> tuple[int, ...]:
        """Return a dial, the one that it follows, and so on."""
        found = [effect]
        while (source := self.sources[found[-1]]) is not None:
            found.append(source)
        return tuple(found)

    def pairs(self, depth: int) -> list[tuple[int, int]]:
        """Return cause and effect of all questions of a depth."""
        paths = (self.path(effect) for effect in range(self.size))
        return [(path[depth], path[0]) for path in paths if len(path) > depth]


@dataclass(frozen=True)
class TraceQuestion:
    """One question about a world.

    Attributes:
        structure: The dials and their switches.
        shifts: The number that each dial adds if its switch is up, and if it is down. A dial that
            follows no other shows this number.
        cause: The dial that is set or observed.
        effect: The dial that is asked for.
        number: The number to which the cause is set, or that it shows.
        query: `do` if the cause is set, `observe` if it is observed.
    """

    structure: Structure
    shifts: tuple[tuple[int, int], ...]
    cause: int
    effect: int
    number: int
    query: str

    @cached_property
    def path(self) -> tuple[int, ...]:
        """The dials from the effect to the cause."""
        path = self.structure.path(self.effect)
        return path[: path.index(self.cause) + 1]

    @property
    def depth(self) -> int:
        """The number of rules between cause and effect."""
        return len(self.path) - 1

    def shift(self, dial: int) -> int:
        """Return what a dial adds, its switch being as it is."""
        return self.shifts[dial][0 if self.structure.switches[dial] else 1]

    def simulate(self, *, intervene: bool) -> list[int]:
        """Return what each dial shows, from the first to the last.

        Args:
            intervene: Whether the cause is set; otherwise it follows its rule.
        """
        shown: list[int] = []
        for dial, source in enumerate(self.structure.sources):
            if intervene and dial == self.cause:
                shown.append(self.number)
            else:
                start = 0 if source is None else shown[source]
                shown.append((start + self.shift(dial)) % STATES)
        return shown

    def trace(self, rules: int | None = None) -> int:
        """Return the cause's number plus the shifts back to it, or the last `rules` of them."""
        dials = self.path[:-1][:rules]
        return (self.number + sum(map(self.shift, dials))) % STATES

    def certify(self) -> Certificate:
        """Return the answer by simulation, and by tracing the effect back to the cause."""
        told = f"{self.query}(V{self.cause} = {self.number}): V{self.effect}"
        shown = self.simulate(intervene=self.query == "do")
        return agreed(told, ("simulation", shown[self.effect]), ("tracing back", self.trace()))


def draw_structure(rng: np.random.Generator, size: int) -> Structure:
    """Draw a graph and switches."""
    sources = [int(rng.integers(max(0, dial - NEAREST), dial)) for dial in range(ROOTS, size)]
    return Structure((*[None] * ROOTS, *sources), tuple((rng.random(size) < 0.5).tolist()))


def split_of_structure(structure: Structure) -> Split:
    """Return the side of the train/test divide, which does not depend on the shifts."""
    return split_of(("trace", structure))


def draw_question(depth: int, size: int, split: str, draw: int, query: str) -> TraceQuestion:
    """Draw a world and a question of a depth; both queries are about the same world.

    Args:
        depth: The number of rules between cause and effect.
        size: The number of dials.
        split: The side of the train/test divide.
        draw: The number of the world.
        query: `do` or `observe`.
    """
    rng = generator("trace", depth, size, split, draw)
    while True:
        structure = draw_structure(rng, size)
        pairs = structure.pairs(depth)
        if pairs and split_of_structure(structure) == split:
            break
    cause, effect = pairs[rng.integers(len(pairs))]
    shifts = tuple(tuple(rng.choice(STATES, 2, replace=False).tolist()) for _ in range(size))
    moved = int(rng.integers(1, STATES))
    question = TraceQuestion(structure, shifts, cause, effect, 0, "observe")
    actual = question.simulate(intervene=False)[cause]
    number = (actual + moved) % STATES if query == "do" else actual
    return TraceQuestion(structure, shifts, cause, effect, number, query)
