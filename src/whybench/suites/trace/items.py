"""The item: one question about one world, with names and an order for its dials."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from whybench.seeds import generator, item_digest
from whybench.suites.designs import name_item
from whybench.suites.trace.design import TraceDesign, count_dials
from whybench.suites.trace.prompts import (
    Naming,
    StatedTrace,
    draw_naming,
    render_prompt,
    state_question,
)
from whybench.suites.trace.world import draw_question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.scm import Certificate
    from whybench.suites.contract import Scalar
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
class TraceItem:
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

    @property
    def style(self) -> str:
        """The form of the reply."""
        return str(self.factors["style"])

    @cached_property
    def prompt(self) -> str:
        """The words in which it is asked."""
        return render_prompt(self.question, self.naming, self.style)

    @cached_property
    def digest(self) -> str:
        """Equal exactly when prompt and truth are equal."""
        return item_digest("trace", self.prompt, self.truth)

    @property
    def case(self) -> str:
        """The depth, the query and the world."""
        said = self.factors
        return "-".join(str(said[name]) for name in ("depth", "query", "dials", "split", "draw"))

    @cached_property
    def id(self) -> str:
        """Case, condition and digits."""
        manipulated = TraceDesign.manipulated
        return name_item(self.digest, self.case, self.factors, manipulated, generated=True)

    @property
    def truth(self) -> int:
        """The number on the effect."""
        return int(self.certificate.value)

    @property
    def world(self) -> StatedTrace:
        """The content of the prompt."""
        return state_question(self.question, self.naming)


def make_items(design: TraceDesign) -> Iterator[TraceItem]:
    """Yield the items of a design, block after block."""
    for draw in range(design.worlds):
        for cell in design.cells():
            yield make_item(design, cell, draw)


def make_item(design: TraceDesign, cell: Mapping[str, Any], draw: int) -> TraceItem:
    """Return the item of a design, a cell and the number of a world."""
    size = count_dials(cell)
    question = draw_question(cell["depth"], size, design.split, draw, cell["query"])
    key = (cell["depth"], size, design.split, draw)
    naming = draw_naming(generator("trace", "naming", *key), size)
    factors = {**cell, "split": design.split, "draw": draw}
    return TraceItem(question, naming, factors, question.certify())
