"""The factors of trace, and its designs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.suites.contract import factor
from whybench.suites.depths import MOST, SIZES, STYLES, DepthDesign
from whybench.suites.horizon import QUERIES
from whybench.suites.trace.prompts import ASKED, FORMS, OPENING, RULE, SOURCE
from whybench.suites.trace.world import DEEPEST, STATES, size_for

if TYPE_CHECKING:
    from collections.abc import Mapping

DEPTHS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48)


@dataclass(frozen=True)
class TraceDesign(DepthDesign):
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
    most: int = factor(0, MOST)
    split: str = factor("test", "The side of the train/test divide.", levels=("test", "train"))

    deepest = DEEPEST
    texts = (STATES, OPENING, RULE, SOURCE, *ASKED.values(), *FORMS.values())


def count_dials(cell: Mapping[str, Any]) -> int:
    """Return the number of dials of the world of a cell."""
    return size_for(cell["depth"] if cell["dials"] == "growing" else DEEPEST)
