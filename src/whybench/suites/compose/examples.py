"""Worked examples: a small world, a question about it, the steps to the answer, and the answer.

An example must not tell an agent what to answer. So every other example ends in yes, and within
six in a row each of the three forms of question (factual, made true, made false) does so once and
once in no. There are `EXAMPLES` of them, the same in every theme but for the words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import TYPE_CHECKING

from whybench.seeds import generator
from whybench.suites.compose.questions import Question
from whybench.suites.compose.themes.theme import EXAMPLE_SIZE
from whybench.suites.compose.world import COUNTS, Block, random_world

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.compose.themes import Theme

__all__ = ["EXAMPLES", "Example", "example"]

EXAMPLES = 48
"""How many examples there are."""

BLOCKS = (Block("cycle", 3), Block("cycle", 3))
FORMS = (None, True, False)


@dataclass(frozen=True)
class Example:
    """A question with its answer, and the steps from one to the other."""

    question: Question
    steps: tuple[str, ...]
    answer: bool


@cache
def example(told: Theme, key: int) -> Example:
    """Return the example of a theme that belongs to a key; keys go round after `EXAMPLES`."""
    key %= EXAMPLES
    wanted = key % 2 == 0
    for question in _questions(told, key):
        values = _values(question)
        if values[question.effect] == wanted:
            break
    return Example(question, tuple(_steps(question, values)), wanted)


def _questions(told: Theme, key: int) -> Iterator[Question]:
    """Yield questions of the form that a key stands for, without end."""
    form = FORMS[key // 2 % len(FORMS)]
    rng = generator("compose", "example", key)
    for attempt in count():
        world = random_world(BLOCKS, "mixed", "example", key, attempt)
        cause, effect = world.pairs[rng.integers(len(world.pairs))]
        yield Question(
            world=world,
            counts=tuple(rng.integers(1, COUNTS + 1, EXAMPLE_SIZE).tolist()),
            names=told.example_names[:EXAMPLE_SIZE],
            theme=told,
            order=tuple(rng.permutation(EXAMPLE_SIZE).tolist()),
            effect=effect,
            intervention=None if form is None else (cause, form),
            style="worked-example",
        )


def _values(question: Question) -> list[bool]:
    """Return whether each node holds, causes first."""
    world, values = question.world, list[bool]()
    for node in world.nodes:
        enough = question.counts[node] >= world.thresholds[node]
        reasons = [enough, *(values[parent] for parent in world.parents[node])]
        values.append(any(reasons) if world.gates[node] == "or" else all(reasons))
        if question.intervention is not None and node == question.intervention[0]:
            values[node] = question.intervention[1]
    return values


def _steps(question: Question, values: list[bool]) -> list[str]:
    """Return a line for each node up to the one asked about."""
    world, told = question.world, question.theme
    called = [told.called(name) for name in question.names]
    states = [
        (told.holds if value else told.fails).text.format(name=name)
        for name, value in zip(called, values, strict=True)
    ]
    lines = []
    for node in range(question.effect + 1):
        have, need = question.counts[node], world.thresholds[node]
        grounds = [
            f"{told.counted(have)}, {'enough' if have >= need else 'not enough'} for {need}",
            *(states[parent] for parent in world.parents[node]),
        ]
        if question.intervention is not None and node == question.intervention[0]:
            grounds = ["imposed from outside, whatever the rule says"]
        head = called[node][:1].upper() + called[node][1:]
        lines.append(f"- {head}: {'; '.join(grounds)}. So {states[node]}.")
    return lines
