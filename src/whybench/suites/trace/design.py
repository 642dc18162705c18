"""The factors of trace, and its designs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from whybench.suites.contract import Crossing, Manipulated, UserError, factor
from whybench.suites.horizon import QUERIES
from whybench.suites.trace.prompts import ASKED, FORMS, OPENING, RULE, SOURCE, STYLES
from whybench.suites.trace.world import DEEPEST, STATES, size_for

if TYPE_CHECKING:
    from collections.abc import Mapping

DEPTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)
SIZES = ("growing", "equal")


@dataclass(frozen=True)
class TraceDesign(Crossing):
    """Depths crossed with whether the cause is set or observed."""

    depth: tuple[int, ...] = factor(
        DEPTHS, f"Numbers of rules between cause and effect, 1 to {DEEPEST}."
    )
    query: tuple[str, ...] = factor(
        QUERIES, "Whether the cause is set (do) or observed (observe).", levels=QUERIES
    )
    dials: tuple[str, ...] = factor(
        ("growing",),
        "Whether deeper questions have more dials: growing, equal.",
        levels=SIZES,
    )
    style: tuple[str, ...] = factor(("cot",), "Form of the reply: cot, direct.", levels=STYLES)
    worlds: int = factor(8, "Number of worlds of each depth.")
    most: int = factor(
        0, "Most questions of each horizon, placed by the answers so far; 0 asks all."
    )
    split: str = factor("test", "The side of the train/test divide.", levels=("test", "train"))

    texts = (STATES, OPENING, RULE, SOURCE, *ASKED.values(), *FORMS.values())
    manipulated: ClassVar[dict[str, Manipulated]] = {"style": Manipulated()}

    def __post_init__(self) -> None:
        super().__post_init__()
        for depth in self.depth:
            if not 1 <= depth <= DEEPEST:
                raise UserError(f"depth must be from 1 to {DEEPEST}, got {depth}")
        if self.worlds < 1:
            raise UserError(f"worlds must be 1 or more, got {self.worlds}")
        if self.most < 0:
            raise UserError(f"most must be 0 or more, got {self.most}")

    @property
    def block(self) -> int:
        """The number of items in a block: the whole crossing, about a world of each depth."""
        return super().size

    @property
    def size(self) -> int:
        """The number of items."""
        return self.block * self.worlds

    @property
    def summary(self) -> str:
        """The factors in one line."""
        adaptive = f", of which at most {self.most} are asked for each horizon" if self.most else ""
        return (
            f"{self.size} items{adaptive}: {self.worlds} worlds of each depth; {super().summary}; "
            f"{self.split}"
        )


def count_dials(cell: Mapping[str, Any]) -> int:
    """Return the number of dials of the world of a cell."""
    return size_for(cell["depth"] if cell["dials"] == "growing" else DEEPEST)
