"""Checks of calculate's own: mistakes and gaps are where the design says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.calculate.generation import MARGIN
from whybench.suites.calculate.mistakes import MAIN
from whybench.suites.calculate.quantities import EFFECTS, NOT_COMPUTABLE
from whybench.suites.contract import Check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.suites.calculate.items import CalculateItem

ROUNDING = 1e-9


def check_traps(items: Sequence[CalculateItem]) -> Iterator[str]:
    """See that mistakes mislead in traps."""
    for item in items:
        made = {name: x for name, x in item.mistakes.items() if x != NOT_COMPUTABLE}
        if item.cell.form == "greater":
            made = {MAIN[item.cell.query]: made.get(MAIN[item.cell.query], item.truth)}
        margin = MARGIN if item.cell.form == "number" else 0.0
        for name, value in made.items():
            if abs(value - item.truth) <= margin:
                yield f"{item.id}: {name} comes to {value}, the truth is {item.truth}"


def check_controls(items: Sequence[CalculateItem]) -> Iterator[str]:
    """See that the main mistake is right in controls, and the base rate of a number is not."""
    for item in items:
        if abs(item.mistakes[MAIN[item.cell.query]] - item.truth) > ROUNDING:
            yield f"{item.id}: the main mistake must be right, the truth is {item.truth}"
        far = abs(item.mistakes["base_rate"] - item.truth) > MARGIN
        if item.cell.form == "number" and item.cell.query not in EFFECTS and not far:
            yield f"{item.id}: the base rate is {item.mistakes['base_rate']}"


def check_untold(items: Sequence[CalculateItem]) -> Iterator[str]:
    """See that a number is left out where the design says so, and nowhere else."""
    for item in items:
        left_out = item.question.world.unstated is not None
        if left_out != (item.cell.variant in {"idle", "missing"}):
            yield f"{item.id}: {item.cell.variant}, and a number is not told: {left_out}"


def _select(*variants: str) -> object:
    return lambda items: [
        item for item in items if item.cell.variant in variants and item.truth != NOT_COMPUTABLE
    ]


CHECKS: Mapping[str, Check[CalculateItem]] = {
    "mistakes mislead in traps": Check(check_traps, _select("trap", "idle")),  # type: ignore[arg-type]
    "the main mistake is right in controls": Check(check_controls, _select("control")),  # type: ignore[arg-type]
    "numbers are left out where the design says": Check(check_untold),
}
"""The checks by name."""
