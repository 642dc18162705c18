"""The item: one question about one world, with names and an order for its dials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.seeds import generator
from whybench.suites.depths import DepthItem, draw_naming
from whybench.suites.trace.design import count_dials
from whybench.suites.trace.prompts import StatedTrace, render_prompt, state_question
from whybench.suites.trace.world import draw_question

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.contract import Scalar
    from whybench.suites.depths import Naming
    from whybench.suites.trace.design import TraceDesign
    from whybench.suites.trace.world import TraceQuestion

COLUMNS = {
    "depth": int,
    "query": str,
    "dials": str,
    "style": str,
    "split": str,
    "draw": int,
}
"""The factors of an item."""

CONDITION = ("dials", "style", "split")


@dataclass(frozen=True)
class TraceItem(DepthItem):
    """One question.

    Attributes:
        question: The world and the question.
        naming: The names of the dials and their order in the prompt.
        factors: The place in the design.
        certificate: The answer by two derivations.
    """

    question: TraceQuestion
    naming: Naming
    factors: dict[str, Scalar]
    certificate: Certificate

    suite = "trace"
    case_factors = ("depth", "query", "dials", "split", "draw")

    def render(self) -> str:
        """Return the prompt."""
        return render_prompt(self.question, self.naming, self.style)

    @property
    def truth(self) -> int:
        """The number on the effect."""
        return int(self.certificate.value)

    @property
    def world(self) -> StatedTrace:
        """The content of the prompt."""
        return state_question(self.question, self.naming)


def make_item(design: TraceDesign, cell: Mapping[str, Any], draw: int) -> TraceItem:
    """Return the item of a design, a cell and the number of a world."""
    size = count_dials(cell)
    question = draw_question(cell["depth"], size, design.split, draw, cell["query"])
    key = (cell["depth"], size, design.split, draw)
    naming = draw_naming(generator("trace", "naming", *key), size)
    factors = {**cell, "split": design.split, "draw": draw}
    return TraceItem(question, naming, factors, question.certify())
