"""The item: one question about one world, with its truth and what mistakes come to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from whybench.seeds import generator, item_digest
from whybench.suites.calculate.design import MANIPULATED
from whybench.suites.calculate.difficulty import count_operations, find_relevant
from whybench.suites.calculate.generation import TOLERANCE, ItemCell, draw_item
from whybench.suites.calculate.mistakes import MISTAKES
from whybench.suites.calculate.prompts import StatedQuestion, render_prompt
from whybench.suites.calculate.quantities import NOT_COMPUTABLE, POINTWISE, RUNGS
from whybench.suites.calculate.themes import load_stated_theme, name_quantities, name_world
from whybench.suites.designs import name_item

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.scm import Certificate
    from whybench.suites.calculate.design import CalculateDesign
    from whybench.suites.contract import Scalar

COLUMNS: Mapping[str, type] = {
    "query": str,
    "rung": int,
    "mechanism": str,
    "variant": str,
    "form": str,
    "gap": str,
    "variables": int,
    "relevant": int,
    "operations": int,
    "theme": str,
    "format": str,
    "wording": str,
    "style": str,
    "split": str,
    "number": int,
    **dict.fromkeys(MISTAKES, float),
}
"""The factors of an item, and what each mistake comes to on it."""

DRAWN = frozenset(
    {"gap", "variables", "relevant", "operations", "theme", "format", "number", *MISTAKES}
)
"""Columns that change with each world."""


@dataclass(frozen=True)
class CalculateItem:
    """One question.

    Attributes:
        question: The world and what is asked, in the names of a theme.
        cell: What the item had to be.
        theme: The theme, by name, or by the path of its file.
        format: The format of the world: text, table or program; of no effect in formal wording.
        wording: Plain sentences or formal notation.
        style: The style of reply.
        certificate: The truth by two derivations.
        mistakes: What each typical mistake comes to.
    """

    question: StatedQuestion
    cell: ItemCell
    theme: str
    format: str
    wording: str
    style: str
    certificate: Certificate
    mistakes: Mapping[str, float]

    @cached_property
    def prompt(self) -> str:
        """The words in which it is asked."""
        words = load_stated_theme(self.theme)
        return render_prompt(self.question, self.format, self.wording, self.style, words)

    @cached_property
    def digest(self) -> str:
        """Equal exactly when prompt and truth are equal."""
        return item_digest("calculate", self.prompt, self.truth)

    @property
    def case(self) -> str:
        """What is asked about which world."""
        cell = self.cell
        asked = f"{cell.query}-{cell.mechanism}-{cell.variant}-{cell.form}"
        side = "" if cell.split == "test" else f"{cell.split}-"
        return f"{asked}-{cell.room}-{cell.indegree}-{side}{cell.number}"

    @cached_property
    def id(self) -> str:
        """Case, condition and digits."""
        return name_item(self.digest, self.case, self.factors, MANIPULATED, generated=True)

    @property
    def truth(self) -> float:
        """The answer: percent, 1 or 2 for the greater of two, or that it cannot be computed."""
        return float(self.certificate.value)

    @property
    def world(self) -> StatedQuestion:
        """What the prompt must say."""
        return self.question

    @property
    def gap(self) -> str:
        """Return what is not stated: nothing, a number that is idle or needed, or the noise."""
        if self.truth == NOT_COMPUTABLE:
            world = self.question.world
            noise = not world.states_noise and self.cell.query in POINTWISE
            return "noise" if noise else "number"
        return "idle" if self.cell.variant == "idle" else "none"

    @cached_property
    def factors(self) -> dict[str, Scalar]:
        """The place in the design, how hard it is, and what mistakes come to."""
        world, asked = self.question.world, self.question.asked
        return {
            "query": self.cell.query,
            "rung": RUNGS[self.cell.query],
            "mechanism": self.cell.mechanism,
            "variant": self.cell.variant,
            "form": self.cell.form,
            "gap": self.gap,
            "variables": len(world.rules),
            "relevant": len(find_relevant(world, asked)),
            "operations": count_operations(world, asked),
            "theme": load_stated_theme(self.theme).name,
            "format": self.format,
            "wording": self.wording,
            "style": self.style,
            "split": self.cell.split,
            "number": self.cell.number,
            **self.mistakes,
        }


def calculate_items(design: CalculateDesign) -> Iterator[CalculateItem]:
    """Yield the items of a design."""
    for levels, number in design.cells_in_order():
        size, theme, layout = design.take_turns(levels, number)
        asked = levels["query"], levels["mechanism"], levels["variant"], levels["form"]
        cell = ItemCell(*asked, size, design.indegree, number, design.split)  # type: ignore[arg-type]
        yield make_item(cell, theme, layout, levels["wording"], levels["style"])


def make_item(cell: ItemCell, theme: str, layout: str, wording: str, style: str) -> CalculateItem:
    """Return the item of a cell, named in the words of a theme."""
    drawn, words = draw_item(cell), load_stated_theme(theme)
    order = generator("calculate", "names", words.name, cell).permutation(len(words.names))
    nameless = [name for name, _ in drawn.world.rules]
    names = {name: words.names[number] for name, number in zip(nameless, order, strict=False)}
    question = StatedQuestion(
        name_world(drawn.world, names, words), name_quantities(drawn.asked, names)
    )
    return CalculateItem(
        question, cell, theme, layout, wording, style, drawn.certificate, drawn.mistakes
    )


def is_right(value: float | None, truth: float, form: str) -> bool:
    """Whether an answer is right: a number if it is near, anything else if it is the same."""
    if value is None:
        return False
    if form != "number" or NOT_COMPUTABLE in (value, truth):
        return value == truth
    return abs(value - truth) <= TOLERANCE
