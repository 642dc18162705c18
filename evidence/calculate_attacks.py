"""Agents that look at the surface of calculate's prompts, and what the headline gives them.

None of them reasons about causes. The headline is sound against them if none has a skill of more
than `MOST`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.agents import make_agent
from whybench.suites.calculate.measures import CONSTANTS
from whybench.suites.calculate.quantities import EFFECTS, FIRST, NOT_COMPUTABLE, POINTWISE, RUNGS
from whybench.suites.calibration import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from whybench.suites.calculate.items import CalculateItem

    Says = Callable[[CalculateItem], float]

MOST = 0.15


def _printed(item: CalculateItem) -> list[float]:
    """Return the numbers of the rules as they are printed."""
    _, rules, _ = item.prompt.split("\n\n", 2)
    return [abs(float(found)) for found in re.findall(r"\d+", rules)]


def _constant(item: CalculateItem) -> float:
    return FIRST if item.cell.form == "greater" else CONSTANTS[item.cell.query]


def _own_line(item: CalculateItem) -> float:
    """Return the mean of the numbers of the effect, turned if it is asked as absent; no effects."""
    if item.cell.query in EFFECTS:
        return 0.0
    (asked,) = item.question.asked
    told = [abs(x) for x in item.question.world.rule[asked.effect].numbers if x is not None]
    mean = fmean(told or [50])
    return mean if asked.value else 100 - mean


def _doubt(where: Callable[[CalculateItem], bool]) -> Says:
    """Say that it cannot be computed somewhere, and a constant elsewhere."""
    return lambda item: NOT_COMPUTABLE if where(item) else _constant(item)


def _is_untold(item: CalculateItem) -> bool:
    return "?" in item.prompt.partition("\n\n")[2].partition("\n\n")[0]


def _is_of_cases(item: CalculateItem) -> bool:
    return item.cell.mechanism == "tables" and item.cell.query in POINTWISE


def _surfaces() -> Iterator[tuple[str, Says]]:
    """Yield what can be said without reasoning."""
    for number in range(0, 101, 10):
        yield f"always {number}", lambda _, number=number: float(number)  # type: ignore[misc]
    yield "the greatest number told", lambda item: max(_printed(item))
    yield "the last number told", lambda item: _printed(item)[-1]
    yield "the mean of the effect's own numbers", _own_line
    yield "cannot where a number is not told", _doubt(_is_untold)
    yield (
        "cannot on rung 3 of tables",
        _doubt(lambda item: item.cell.mechanism == "tables" and RUNGS[item.cell.query] == 3),
    )
    yield "cannot on single cases of tables", _doubt(_is_of_cases)
    yield "cannot on either", _doubt(lambda item: _is_untold(item) or _is_of_cases(item))
    yield "cannot on both", _doubt(lambda item: _is_untold(item) and _is_of_cases(item))
    yield "cannot from 5 variables on", _doubt(lambda item: len(item.question.world.rules) > 4)
    yield "cannot on rung 3", _doubt(lambda item: RUNGS[item.cell.query] == 3)


def _with_hindsight(items: Sequence[CalculateItem], *by: str) -> Says:
    """Return who says the medians of these very truths, at each level of some factors."""
    truths: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    for item in items:
        if item.truth != NOT_COMPUTABLE:
            truths[_levels(item, by)].append(item.truth)
    return lambda item: median(truths.get(_levels(item, by), [_constant(item)]))


def _levels(item: CalculateItem, by: Sequence[str]) -> tuple[Any, ...]:
    return tuple(getattr(item.cell, name) for name in by)


def attacks(small: bool) -> Iterator[Figure]:
    """Yield the skill of agents that look at the surface of prompts."""
    design = SUITE.designs["core" if small else "standard"]
    items = list(SUITE.items(design))
    agents: dict[str, Says] = dict(_surfaces())
    agents["medians of hindsight, by query"] = _with_hindsight(items, "query")
    if not small:  # a query and mechanism of core has two or three truths, which anything fits
        agents["medians of hindsight, by query and mechanism"] = _with_hindsight(
            items, "query", "mechanism"
        )
    for name, says in agents.items():

        def answer(
            item: CalculateItem, _: Mapping[str, Any], says: Says = says
        ) -> dict[float, float]:
            return {says(item): 1.0}

        agent = make_agent("surface", name, answer)
        measures = {m.name: m for m in simulate(SUITE, design, items, agent, {}) if not m.at}
        skill = measures["skill_score"].estimate
        words = ", ".join(
            f"{each} {measures[each].estimate:.3f}"
            for each in ("skill_score", "number_skill", "answerability_skill", "answerability")
        )
        holds = skill is not None and skill <= MOST
        yield Figure(f"{design.name}: {name}: a skill of {MOST} or less", words, holds)
