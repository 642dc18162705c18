"""The judge item: one question of a story in one condition.

People's likelihood judgments have no single truth; the truth of an item is the normative answer, 0
to 100, of a reasoner who takes each link as a noisy-OR cause with the strengths that the design
states.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from whybench.suites.designs import name_item
from whybench.suites.judge.design import MANIPULATED
from whybench.suites.judge.prompt_parser import JudgeWorld

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.scm import Certificate
    from whybench.suites.contract import Scalar
    from whybench.suites.judge.questions import JudgeQuestion
    from whybench.suites.judge.stories import JudgeStory

VERSION = 1
"""The version of the suite."""

COLUMNS: Mapping[str, type] = dict.fromkeys(
    (
        "graph",
        "content",
        "story",
        "polarity",
        "task",
        "letter",
        "cause",
        "overload",
        "overload_source",
        "style",
        "independence",
    ),
    str,
)
"""The factor columns of judge records."""


@dataclass(frozen=True)
class JudgeItem:
    """One question about one story in one condition.

    Attributes:
        story: The story.
        polarity: The polarity it is told in.
        question: What is known and what is asked.
        style: The form of reply asked for.
        certificate: The two derivations of the truth.
        overload: Where distracting text stands: none, d, e or de.
        overload_source: Where it comes from: none, story or filler.
        independence: Whether the prompt states that what is not linked is independent.
        digest: Equal exactly when prompt and truth are equal.
    """

    story: JudgeStory
    polarity: str
    question: JudgeQuestion
    style: str
    certificate: Certificate
    overload: str = "none"
    overload_source: str = "none"
    independence: str = "unstated"
    digest: str = ""

    @cached_property
    def case(self) -> str:
        """Graph, story, polarity, task, and cause if the task has two."""
        cause = "" if self.question.cause == "both" else f"-{self.question.cause}"
        return f"{self.story.graph}-{self.story.name}-{self.polarity}-{self.question.task}{cause}"

    @cached_property
    def id(self) -> str:
        """Case, condition and digits; equal exactly when prompt and truth are."""
        return name_item(self.digest, self.case, self.factors, MANIPULATED, generated=False)

    @property
    def truth(self) -> float:
        """The normative answer, 0 to 100, at the strengths the design states."""
        return 100 * float(self.certificate.value)

    @property
    def factors(self) -> dict[str, Scalar]:
        """The levels of the design's factors."""
        return {
            "graph": self.story.graph,
            "content": self.story.content,
            "story": self.story.name,
            "polarity": self.polarity,
            "task": self.question.task,
            "letter": self.question.letter,
            "cause": self.question.cause,
            "overload": self.overload,
            "overload_source": self.overload_source,
            "style": self.style,
            "independence": self.independence,
        }

    @property
    def world(self) -> JudgeWorld:
        """What the prompt must say of the world."""

        def state(node: str, value: int = 1) -> str:
            return self.story.state(node, self.polarity, value)

        structure = self.story.structure
        independent: tuple[str, ...] = ()
        if self.independence == "stated":
            first, second, *held = structure.independent
            names = (self.story.variable(node).name for node in held)
            independent = (state(first), state(second), *names)
        return JudgeWorld(
            states=frozenset((state(node), state(node, 0)) for node in structure.nodes),
            rules=frozenset((state(cause), state(effect)) for cause, effect in structure.edges),
            evidence=frozenset(state(node, value) for node, value in self.question.given),
            target=state(self.question.target),
            style=self.style,
            independent=independent,
        )


def draw_graph(item: JudgeItem, *, words: bool = True) -> Iterator[str]:
    """Yield lines that picture the causal graph, with what is known and what is asked.

    Args:
        item: The item.
        words: Whether to name the states of variables in the words of the story.
    """
    known, structure = dict(item.question.given), item.story.structure
    for node in structure.nodes:
        status = {1: "present", 0: "absent"}.get(known.get(node, -1), "unknown")
        mark = "  <- asked" if node == item.question.target else ""
        effects = [effect for cause, effect in structure.edges if cause == node]
        arrows = f"{node} -> {', '.join(effects)}" if effects else node
        named = f"{item.story.state(node, item.polarity, 1)}: " if words else ""
        yield f"{'picture':16} {arrows:11} {named}{status}{mark}"
