"""The factors of derive, and its designs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.suites.contract import factor
from whybench.suites.depths import MOST, SIZES, STYLES, DepthDesign
from whybench.suites.derive.drawing import DEEPEST, size_for
from whybench.suites.derive.prompts import ARITHMETIC, ASKED, FORMS, OPENING, QUERIES, RULE

if TYPE_CHECKING:
    from collections.abc import Mapping

DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10)


@dataclass(frozen=True)
class DeriveDesign(DepthDesign):
    """Depths crossed with whether the effect or the bare product is asked for."""

    depth: tuple[int, ...] = factor(
        DEPTHS, f"Numbers of rules between cause and effect, 1 to {DEEPEST}."
    )
    query: tuple[str, ...] = factor(
        QUERIES,
        "Whether the effect (do) or the bare product (product) is asked for.",
        levels=QUERIES,
    )
    lamps: tuple[str, ...] = factor(
        ("growing",),
        "Whether deeper questions have more lamps: growing, equal.",
        levels=SIZES,
    )
    style: tuple[str, ...] = factor(("cot",), "Form of the reply: cot, direct.", levels=STYLES)
    worlds: int = factor(11, "Number of worlds of each depth.")
    most: int = factor(0, MOST)
    split: str = factor("test", "The side of the train/test divide.", levels=("test", "train"))

    deepest = DEEPEST
    texts = (OPENING, RULE, ASKED, ARITHMETIC, *FORMS.values())


def count_lamps(cell: Mapping[str, Any]) -> int:
    """Return the number of lamps of the world of a cell."""
    return size_for(cell["depth"] if cell["lamps"] == "growing" else DEEPEST)
