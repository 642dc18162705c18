"""What the measures of reference agents really are, from the chances with which they answer.

Of each item an agent has a chance for each answer. Expected errors and shares are sums of these,
item by item in plain code, and not through records.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, linear_regression
from typing import TYPE_CHECKING, Any

from whybench.suites.calculate.items import calculate_items, is_right
from whybench.suites.calculate.measures import CONSTANTS, ZEROS
from whybench.suites.calculate.quantities import EFFECTS, FIRST, NOT_COMPUTABLE, SECOND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from whybench.suites.calculate.design import CalculateDesign
    from whybench.suites.calculate.items import CalculateItem

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
    values = dict.fromkeys(("number_skill", "accuracy", "answered"), 1.0)
    values |= _scale_skill(1.0, design)
    if design.union:
        return values
    if "missing" in design.variant:
        values |= {"answerability_skill": 1.0, "answerability": 1.0}
    return values | ({"slope": 1.0} if design.form == ("number",) else {})


def _scale_skill(skill: float, design: CalculateDesign) -> dict[str, float]:
    """Return the skill score; nothing where an attack solves the design."""
    zero = ZEROS.of({"design": design.name})
    return {} if zero.solved else {"skill_score": (skill - zero.value) / (1 - zero.value)}


def expect_chances(
    answer: Callable[[CalculateItem, Mapping[str, Any]], Chances],
) -> Callable[[Mapping[str, Any], CalculateDesign], dict[str, float]]:
    """Return how to find the expected measures of an agent from its chances."""

    def expected(settings: Mapping[str, Any], design: CalculateDesign) -> dict[str, float]:
        if (
            design.union or len(design.form) * len(design.style) > 1
        ):  # several conditions, each with its own
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
        skill = 1 - sum(errors) / sum(blind)
        measures = {
            "number_skill": skill,
            **_scale_skill(skill, design),
            "accuracy": fmean(right),
        }
        none = [c.get(NOT_COMPUTABLE, 0.0) for i, c in zip(items, chances, strict=True)
                if i.truth == NOT_COMPUTABLE]  # fmt: skip
        some = [1 - given.get(NOT_COMPUTABLE, 0.0) for _, given in pairs]
        if none:
            measures["answerability"] = (fmean(none) + fmean(some)) / 2
            measures["answerability_skill"] = _expect_gaps(items, chances)
        sure = all(max(given.values()) == 1 for given in chances)
        if design.form == ("number",) and sure and min(some) == 1 and len(some) > 1:
            means = [sum(value * chance for value, chance in given.items()) for _, given in pairs]
            measures["slope"] = linear_regression([item.truth for item, _ in pairs], means).slope
        return measures

    return expected


def _error(item: CalculateItem, value: float, blind: float) -> float:
    if value == NOT_COMPUTABLE:
        return blind
    away = abs(value - item.truth)
    return away if item.cell.form == "number" else min(away, 1.0)


def _expect_gaps(items: list[CalculateItem], chances: list[Chances]) -> float:
    """Return how much more often it is said that there is no answer where there is none."""
    open_: dict[str, list[float]] = defaultdict(list)
    closed: dict[str, list[float]] = defaultdict(list)
    for item, given in zip(items, chances, strict=True):
        side = open_ if item.truth == NOT_COMPUTABLE else closed
        if item.truth == NOT_COMPUTABLE or item.question.world.unstated:
            side[item.cell.query].append(given.get(NOT_COMPUTABLE, 0.0))
    if not closed:
        for item, given in zip(items, chances, strict=True):
            if item.truth != NOT_COMPUTABLE:
                closed[item.cell.query].append(given.get(NOT_COMPUTABLE, 0.0))
    return fmean(map(fmean, open_.values())) - fmean(map(fmean, closed.values()))


def _blind_errors(items: list[CalculateItem]) -> list[float]:
    """Return the errors of the agent that does not reason, item by item."""
    return [
        abs(CONSTANTS[item.cell.query] - item.truth) if item.cell.form == "number" else 0.5
        for item in items
    ]
