"""The item that asks for a number: one question about the numbers of one world."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from whybench.seeds import item_digest
from whybench.suites.compose.design import MANIPULATED
from whybench.suites.compose.number_prompts import render_number, render_number_prompt
from whybench.suites.compose.number_questions import NUMBER, TOLERANCE
from whybench.suites.designs import name_item

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.scm import Certificate
    from whybench.suites.compose.number_prompts import NumberQuestion
    from whybench.suites.compose.world import ComposeWorld
    from whybench.suites.contract import Scalar


@dataclass(frozen=True)
class NumberItem:
    """One question for a number.

    Attributes:
        question: Numbers, names, what is asked, and how it is rendered.
        whole: The world whose numbers they are, of which the prompt does not tell.
        kinds: The shape of the world, as the design names it.
        gates: The gates of the world: or, and, mixed.
        split: The side of the train/test divide.
        draw: The number of the world in the series of its shape and gates.
        number: The number of the question.
        cause: The anchor at which the chain begins.
        effect: The anchor at which it ends.
        certificate: The two derivations of the truth.
    """

    question: NumberQuestion
    whole: ComposeWorld
    kinds: str
    gates: str
    split: str
    draw: int
    number: int
    cause: int
    effect: int
    certificate: Certificate

    @cached_property
    def prompt(self) -> str:
        """The words in which it is asked."""
        return render_number_prompt(self.question)

    @cached_property
    def digest(self) -> str:
        """Equal exactly when prompt and truth are equal."""
        return item_digest("compose", self.prompt, self.truth)

    @property
    def case(self) -> str:
        """The world by shape, gates, split and number; the direction, and the ends of the chain."""
        world = f"{self.kinds}-{self.gates}-{self.split}-{self.draw}"
        return f"{world}-{self.question.numbers.direction}-{self.cause}-{self.effect}"

    @cached_property
    def id(self) -> str:
        """Case, condition and digits; equal exactly when prompt and truth are."""
        return name_item(self.digest, self.case, self.factors, MANIPULATED, generated=True)

    @property
    def truth(self) -> float:
        """The answer, of 100 cases."""
        return float(self.certificate.value)

    @property
    def factors(self) -> dict[str, Scalar]:
        """The place in the design; what is about units stands at what says nothing."""
        question = self.question
        return {
            "kinds": self.kinds,
            "gates": self.gates,
            "blocks": len(self.whole.blocks),
            "theme": question.theme.name,
            "detail": "none",
            "style": question.style,
            "wording": question.wording,
            "split": self.split,
            "rung": NUMBER,
            "setting": question.numbers.direction,
            "distance": question.numbers.steps,
            "world": self.whole.text,
            "draw": self.draw,
            "unit": self.number,
            "stratum": 0,
            "weight": 1.0,
            "factual_weight": 1.0,
            "cause": self.cause,
            "effect": self.effect,
        }

    @property
    def world(self) -> NumberQuestion:
        """What the prompt must say."""
        return self.question


def is_near(value: float | None, truth: float) -> bool:
    """Whether an answer is as near the truth as numbers are printed."""
    return value is not None and abs(value - truth) <= TOLERANCE


def draw_numbers(item: NumberItem) -> Iterator[str]:
    """Yield lines that picture the chain with its numbers."""
    names, numbers = item.question.names, item.question.numbers
    for cause, effect, number in sorted(numbers.given):
        yield f"{'picture':16} {names[cause]} -> {names[effect]}: {render_number(number)} of 100"
    cause, effect = numbers.asked
    yield f"{'picture':16} {names[cause]} -> {names[effect]}: <- asked"
