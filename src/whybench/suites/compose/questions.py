"""A question (one world, one unit of it, what is asked, how it is rendered), and worked examples.

A worked example is a question about a small world, with the steps to its answer. It must not tell
an agent what to answer. So every other example ends in yes, and within six in a row each of the
three forms of question (factual, made true, made false) does so once and once in no. There are
`EXAMPLES` of them, the same in every theme but for the words. Where two are shown, the first is
factual and the second is not, and one of them ends in yes and the other in no.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Literal, get_args

from whybench.seeds import generator
from whybench.suites.compose.themes.formal import formal_theme
from whybench.suites.compose.themes.sentences import EXAMPLE_SIZE
from whybench.suites.compose.world import COUNTS, Block, ComposeWorld, draw_world, sort_alike

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.compose.themes import ComposeTheme

Style = Literal["direct", "cot", "worked-example", "two-examples"]
"""How the reply is asked for; the last two show an example first, or two: of what is the case, and
of what would be."""


@dataclass(frozen=True)
class ComposeQuestion:
    """Does a node hold, or would it hold if another one were made to hold or kept from it?

    Attributes:
        world: The rules.
        counts: The unit: the count of every node, from 1 to 10.
        names: What every node is called, from the names of the theme.
        theme: The words in which it is asked.
        order: The nodes in the order in which they are listed. Drawn by chance, so that the order
            gives nothing away.
        effect: The node that is asked about.
        intervention: The node that is intervened on, and its value; None for a factual question.
        style: How the reply is asked for.
        details: Sentences without bearing that stand among the rules.
        example: Which worked example is shown, or which two are, in styles that have some.
        wording: Plain sentences or formal notation.

    Raises:
        ValueError: The parts do not fit the world.
    """

    world: ComposeWorld
    counts: tuple[int, ...]
    names: tuple[str, ...]
    theme: ComposeTheme
    order: tuple[int, ...]
    effect: int
    intervention: tuple[int, bool] | None = None
    style: Style = "direct"
    details: tuple[str, ...] = ()
    example: int = 0
    wording: str = "plain"

    def __post_init__(self) -> None:
        size = self.world.size
        if len(self.counts) != size or min(self.counts) < 1 or max(self.counts) > COUNTS:
            raise ValueError(f"counts must be {size} numbers from 1 to {COUNTS}, got {self.counts}")
        if len(self.names) != size or len(set(self.names)) != size:
            raise ValueError(f"names must be {size} different ones, got {self.names}")
        if sorted(self.order) != list(range(size)):
            raise ValueError(f"order must hold each of {size} nodes once, got {self.order}")
        nodes = (self.effect,) if self.intervention is None else (self.effect, self.intervention[0])
        if min(nodes) < 0 or max(nodes) >= size or len(set(nodes)) < len(nodes):
            raise ValueError(
                f"effect and intervention must be about different nodes below {size}, "
                f"got {self.effect} and {self.intervention}"
            )
        if self.style not in get_args(Style):
            raise ValueError(
                f"style must be one of {', '.join(get_args(Style))}, got {self.style!r}"
            )

    @property
    def words(self) -> ComposeTheme:
        """The theme, or the notation in place of its words."""
        return formal_theme(self.theme) if self.wording == "formal" else self.theme

    @property
    def plain(self) -> ComposeQuestion:
        """The question without what has no bearing: details, and which example is shown.

        It is what a reader can rebuild from the prompt. Nodes that only their names tell apart
        are in the order of these.
        """
        order = sort_alike(self.world, self.names)
        place = {node: number for number, node in enumerate(order)}
        made = self.intervention and (place[self.intervention[0]], self.intervention[1])
        return replace(
            self,
            world=self.world.renumber(order),
            counts=tuple(self.counts[node] for node in order),
            names=tuple(self.names[node] for node in order),
            order=tuple(place[node] for node in self.order),
            effect=place[self.effect],
            intervention=made,
            details=(),
            example=0,
        )


EXAMPLES = 48
"""How many examples there are."""

BLOCKS = (Block("cycle", 3), Block("cycle", 3))
FORMS = (None, True, False)
ANSWERS = 2


@dataclass(frozen=True)
class Example:
    """A question with its answer, and the steps from one to the other."""

    question: ComposeQuestion
    steps: tuple[str, ...]
    answer: bool


def pair_examples(key: int) -> tuple[int, int]:
    """Return the keys of two examples: a factual one, and another with the other answer."""
    first = key - key % (ANSWERS * len(FORMS)) + key % ANSWERS
    made = 1 + key // ANSWERS % (len(FORMS) - 1)
    return first, first - key % ANSWERS + ANSWERS * made + (1 - key % ANSWERS)


@cache
def make_example(theme: ComposeTheme, key: int) -> Example:
    """Return the example of a theme that belongs to a key; keys go round after `EXAMPLES`."""
    key %= EXAMPLES
    answer = key % 2 == 0
    for question in _draw_questions(theme, key):
        values = _node_values(question)
        if values[question.effect] == answer:
            break
    return Example(question, tuple(_render_steps(question, values)), answer)


def _draw_questions(theme: ComposeTheme, key: int) -> Iterator[ComposeQuestion]:
    """Yield questions of the form that a key stands for, without end."""
    form = FORMS[key // 2 % len(FORMS)]
    rng = generator("compose", "example", key)
    for attempt in count():
        world = draw_world(BLOCKS, "mixed", "example", key, attempt)
        cause, effect = world.pairs[rng.integers(len(world.pairs))]
        yield ComposeQuestion(
            world=world,
            counts=tuple(rng.integers(1, COUNTS + 1, EXAMPLE_SIZE).tolist()),
            names=theme.example_names[:EXAMPLE_SIZE],
            theme=theme,
            order=tuple(rng.permutation(EXAMPLE_SIZE).tolist()),
            effect=effect,
            intervention=None if form is None else (cause, form),
            style="worked-example",
        )


def _node_values(question: ComposeQuestion) -> list[bool]:
    """Return whether each node holds, causes first."""
    world, values = question.world, list[bool]()
    for node in world.nodes:
        enough = question.counts[node] >= world.thresholds[node]
        reasons = [enough, *(values[parent] for parent in world.parents[node])]
        values.append(any(reasons) if world.gates[node] == "or" else all(reasons))
        if question.intervention is not None and node == question.intervention[0]:
            values[node] = question.intervention[1]
    return values


def _render_steps(question: ComposeQuestion, values: list[bool]) -> list[str]:
    """Return a line for each node up to the one asked about."""
    world, theme = question.world, question.theme
    called = [theme.in_sentence(name) for name in question.names]
    states = [
        (theme.holds if value else theme.fails).text.format(name=name)
        for name, value in zip(called, values, strict=True)
    ]
    lines = []
    for node in range(question.effect + 1):
        have, need = question.counts[node], world.thresholds[node]
        grounds = [
            theme.compare(have, need),
            *(states[parent] for parent in world.parents[node]),
        ]
        if question.intervention is not None and node == question.intervention[0]:
            grounds = ["set by the intervention"]
        lines.append(f"- {theme.at_start(called[node])}: {'; '.join(grounds)}. So {states[node]}.")
    return lines
