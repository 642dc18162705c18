"""The item: one question about one world, with names and an order for its lamps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.seeds import generator
from whybench.suites.depths import DepthItem, draw_naming
from whybench.suites.derive.design import count_lamps
from whybench.suites.derive.drawing import draw_question
from whybench.suites.derive.prompts import render_prompt, state_question

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.contract import Scalar
    from whybench.suites.depths import Naming
    from whybench.suites.derive.design import DeriveDesign
    from whybench.suites.derive.prompts import StatedDerivation
    from whybench.suites.derive.world import DeriveQuestion, Terms

COLUMNS = {
    "depth": int,
    "query": str,
    "lamps": str,
    "style": str,
    "split": str,
    "draw": int,
}
"""The factors of an item."""

CONDITION = ("lamps", "style", "split")


@dataclass(frozen=True)
class DeriveItem(DepthItem):
    """One question.

    Attributes:
        question: The world and the question.
        naming: The names of the lamps and their order in the prompt.
        factors: The place in the design.
        certificate: The answer by two derivations.
    """

    question: DeriveQuestion
    naming: Naming
    factors: dict[str, Scalar]
    certificate: Certificate

    suite = "derive"
    case_factors = ("depth", "query", "lamps", "split", "draw")

    def render(self) -> str:
        """Return the prompt."""
        return render_prompt(self.question, self.naming, self.style)

    @property
    def truth(self) -> float:
        """The effect in percentage points."""
        return float(self.certificate.value)

    @property
    def world(self) -> StatedDerivation | Terms:
        """The content of the prompt."""
        return state_question(self.question, self.naming)


def make_item(design: DeriveDesign, cell: Mapping[str, Any], draw: int) -> DeriveItem:
    """Return the item of a design, a cell and the number of a world."""
    size = count_lamps(cell)
    question = draw_question(cell["depth"], size, design.split, draw, cell["query"])
    key = (cell["depth"], size, design.split, draw)
    naming = draw_naming(generator("derive", "naming", *key), size)
    factors = {**cell, "split": design.split, "draw": draw}
    return DeriveItem(question, naming, factors, question.certify())
