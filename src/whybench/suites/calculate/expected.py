"""What the measures of reference agents really are, from the chances with which they answer.

Of each item an agent has a chance for each answer. Expected errors and shares are sums of these,
item by item in plain code, and not through records.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from whybench.suites.calculate.items import calculate_items, is_right
from whybench.suites.calculate.measures import CONSTANTS, ENOUGH
from whybench.suites.calculate.quantities import EFFECTS, FIRST, NOT_COMPUTABLE, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from whybench.suites.calculate.design import CalculateDesign
    from whybench.suites.calculate.items import CalculateItem

__all__ = ["Chances", "expect_chances", "expect_exact", "random_answers"]

Chances = dict[float, float]
"""Answer to its chance."""


def random_answers(item: CalculateItem) -> Chances:
    """Return any whole number of points with the same chance; or each of two."""
    if item.cell.form == "greater":
        return {FIRST: 0.5, SECOND: 0.5}
    values = range(-100 if item.cell.query in EFFECTS else 0, 101)
    return dict.fromkeys(map(float, values), 1 / len(values))


def expect_exact(_: Mapping[str, Any], design: CalculateDesign) -> dict[str, float]:
    """Return the measures of the agent that is right."""
    values = dict.fromkeys(("skill", "accuracy", "answered"), 1.0)
    if "missing" in design.variant:
        values["computability"] = 1.0
    return values | ({"slope": 1.0} if design.form == ("number",) else {})


def expect_chances(
    answer: Callable[[CalculateItem, Mapping[str, Any]], Chances],
) -> Callable[[Mapping[str, Any], CalculateDesign], dict[str, float]]:
    """Return how to find the expected measures of an agent from its chances."""

    def expected(settings: Mapping[str, Any], design: CalculateDesign) -> dict[str, float]:
        if len(design.form) * len(design.style) > 1:  # several conditions, each with its own
            return {}
        items = list(calculate_items(design))
        chances = [answer(item, settings) for item in items]
        pairs = [(i, c) for i, c in zip(items, chances, strict=True) if i.truth != NOT_COMPUTABLE]
        blind = _blind_errors([item for item, _ in pairs])
        errors = [
            sum(chance * _error(item, value, own) for value, chance in given.items())
            for (item, given), own in zip(pairs, blind, strict=True)
        ]
        right = [
            sum(p for x, p in given.items() if is_right(x, item.truth, item.cell.form))
            for item, given in pairs
        ]
        measures = {"skill": 1 - sum(errors) / sum(blind), "accuracy": fmean(right)}
        none = [c.get(NOT_COMPUTABLE, 0.0) for i, c in zip(items, chances, strict=True)
                if i.truth == NOT_COMPUTABLE]  # fmt: skip
        some = [1 - given.get(NOT_COMPUTABLE, 0.0) for _, given in pairs]
        if none:
            measures["computability"] = (fmean(none) + fmean(some)) / 2
        return measures

    return expected


def _error(item: CalculateItem, value: float, blind: float) -> float:
    if value == NOT_COMPUTABLE:
        return blind
    away = abs(value - item.truth)
    return away if item.cell.form == "number" else min(away, 1.0)


def _blind_errors(items: list[CalculateItem]) -> list[float]:
    """Return the errors of the best agent that does not reason, item by item."""
    truths: dict[str, list[float]] = defaultdict(list)
    for item in items:
        truths[item.cell.query].append(item.truth)
    best = {}
    for query, known in truths.items():
        guesses = [CONSTANTS[query]] + ([median(known)] if len(known) >= ENOUGH else [])
        best[query] = min(guesses, key=lambda guess: sum(abs(guess - each) for each in known))
    return [
        abs(best[item.cell.query] - item.truth) if item.cell.form == "number" else 0.5
        for item in items
    ]
