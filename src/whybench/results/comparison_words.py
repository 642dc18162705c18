"""A comparison as printed tables and sentences (`whybench compare`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.numerals import estimate_text, interval_text, number_text
from whybench.results.comparison import PEOPLE
from whybench.stats.paired import IDENTICAL
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from whybench.results.comparison import Comparison
    from whybench.stats import Difference, MeanDifference
    from whybench.suites.people import Likeness, Place

    Row = Mapping[str, str]
    Part = str | tuple[str, Sequence[Row]]
    Label = Callable[..., str]

MOST_AGENTS = 4
"""The largest number of agents whose measures are all printed; otherwise primary ones only."""

DIGITS = {"distance": 1}
"""Digits of a measure that goes from 0 to 100; others have two."""


def describe(comparison: Comparison, label: Label, *, every: bool = False) -> Iterator[Part]:
    """Yield lines, and tables with their titles.

    Args:
        comparison: The comparison.
        label: Names a measure by the labels that differ, given name, labels and those of all.
        every: Whether all measures are printed, however many agents there are.
    """
    if comparison.by == PEOPLE:
        yield from _describe_people(comparison, label)
        return
    of_levels = bool(comparison.differences and comparison[0].agent)
    few = every or not of_levels or len(comparison.agents) <= MOST_AGENTS
    titles: dict[str, list[Difference]] = {}
    for one in comparison:
        if few or _is_primary(one):
            titles.setdefault(_title(one, len(comparison.agents)), []).append(one)
    for title, mine in titles.items():
        yield title, [difference_row(one, mine, label) for one in mine]
    means = [one for one in comparison.means if few or _is_primary(one)]
    for suite in dict.fromkeys(one.suite for one in means):
        own = [one for one in means if one.suite == suite]
        title = f"{suite}, mean over {max(len(one.by_agent) for one in own)} agents"
        yield title, [_mean_row(one, own, label) for one in own]
    if of_levels:
        measures = comparison.measures if every else ()
        which = "difference" if every else "difference of a primary measure"
        yield from list(comparison.sentences(*measures)) or [f"no {which} is significant"]
    if not few:
        yield "Other measures: --measure NAME, or --json for all."


def _title(one: Difference, agents: int) -> str:
    """Return what the rows of a table share."""
    if not one.agent:
        return one.suite
    whose = f", {one.agent}" if agents <= MOST_AGENTS else ""
    return f"{one.suite}{whose}, {one.by} {one.side_a} (A) and {one.side_b} (B)"


def _is_primary(one: Difference) -> bool:
    return one.measure in get_suite(one.suite).headline


def difference_text(one: Difference) -> str:
    """Return a difference with its interval, or that no item differs."""
    if one.is_identical:
        return one.method
    return interval_text(one.difference, one.low, one.high, "+")


def p_text(value: float | None) -> str:
    """Return a p-value with two digits, or a dash."""
    return "–" if value is None else f"{value:.2g}"


def difference_row(one: Difference, others: Sequence[Difference], label: Label) -> Row:
    """Return the cells of a difference.

    Args:
        one: The difference.
        others: All differences of the table.
        label: Names a measure by the labels that differ.
    """
    alike = [other.labels for other in others if other.measure == one.measure]
    agents = {other.agent for other in others}
    return {
        "measure": label(one.measure, one.labels, alike),
        "agent": one.agent if len(agents) > 1 else "",
        "A": estimate_text(one.a),
        "B": estimate_text(one.b),
        "A - B": difference_text(one),
        "p": p_text(one.p),
        "corrected p": p_text(one.corrected_p),
        "verdict": one.verdict,
        "flags": " ".join(flag for flag in one.flags if flag != IDENTICAL),
    }


def _mean_row(one: MeanDifference, others: Sequence[MeanDifference], label: Label) -> Row:
    (most, most_by), (least, least_by) = one.ranked[0], one.ranked[-1]
    plain = {name: cell for name, cell in difference_row(one, others, label).items() if cell}
    plain.pop("agent", None)
    name = plain.pop("measure")
    return {
        "measure": name,
        one.by: f"{one.side_a} (A), {one.side_b} (B)",
        **plain,
        "most": f"{most} {number_text(most_by, '+')}",
        "least": f"{least} {number_text(least_by, '+')}",
    }


def _describe_people(comparison: Comparison, label: Label) -> Iterator[Part]:
    """Yield the tables of each agent and condition: differences, likeness, places."""
    conditions = dict.fromkeys(
        (one.suite, one.agent, tuple(one.labels.items())) for one in comparison.likeness
    )
    for suite, agent, labels in conditions:
        whose = suite, agent, dict(labels)
        differences = [one for one in comparison if _is_of(one, whose)]
        likeness = [one for one in comparison.likeness if _is_of(one, whose)]
        places = [one for one in comparison.places if _is_of(one, whose)]
        condition = ", ".join(value for _, value in labels if value != "none")
        title = f"{agent} (A) and people (B): {suite}, {condition}"
        yield title, [difference_row(one, differences, label) for one in differences]
        yield "", [_likeness_row(one) for one in likeness]
        yield "", [_place_row(one) for one in places]


def _is_of(one: Difference | Likeness | Place, whose: tuple[str, str, Mapping[str, str]]) -> bool:
    return (one.suite, one.agent, dict(one.labels)) == whose


def _likeness_row(one: Likeness) -> Row:
    found, digits = one.estimate, DIGITS.get(one.measure, 2)
    return {
        "likeness": one.measure,
        "agent": interval_text(found.estimate, found.low, found.high, digits=digits),
        "baseline": f"{number_text(one.floor, digits=digits)} ({one.floor_agent})",
        "other people": number_text(one.people, digits=digits),
        "noise ceiling": number_text(one.ceiling, digits=digits),
        "verdict": one.verdict,
        "flags": " ".join(found.flags),
    }


def _place_row(one: Place) -> Row:
    share, digits = one.share, DIGITS.get(one.measure, 2)
    low, middle, high = (number_text(value, digits=digits) for value in one.quartiles)
    return {
        "among people": one.measure,
        "agent": number_text(one.value, digits=digits),
        "people below": interval_text(share.estimate, share.low, share.high),
        "median person": middle,
        "half lie within": f"{low} to {high}",
        "reliability": number_text(one.reliability),
    }
