"""Agents beside people, in words: small tables for a terminal, a condition after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.results.among_people import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.results.among_people import AgentAndPeople, AmongPeople
    from whybench.results.changes import Change
    from whybench.suites.people import Likeness, Place

    Rows = Sequence[Mapping[str, str]]

__all__ = ["tell_people"]

DIGITS = {"distance": 1}
"""Digits of a measure that goes from 0 to 100; others have three."""


def tell_people(among: AmongPeople) -> Iterator[str | Rows]:
    """Yield what is said of each agent: lines, and tables of words."""
    for number, one in enumerate(among):
        if number:
            yield ""
        yield from _tell_agent(one)


def _tell_agent(one: AgentAndPeople) -> Iterator[str | Rows]:
    conditions = dict.fromkeys(tuple(found.labels.items()) for found in one.likeness)
    for labels in conditions:
        condition = ", ".join(value for _, value in labels if value != "none")
        yield f"{one.agent} and people ({one.suite}: {condition})"
        yield [_difference(change) for change in one.changes if _is_of(change, labels)]
        yield ""
        yield [_likeness(found) for found in one.likeness if _is_of(found, labels)]
        yield ""
        yield [_place(found) for found in one.places if _is_of(found, labels)]
    yield from one.notes


def _is_of(found: Change | Likeness | Place, labels: Sequence[tuple[str, str]]) -> bool:
    return tuple(found.labels.items()) == labels


def _difference(change: Change) -> dict[str, str]:
    return {
        "measure": change.measure,
        "agent": _number(change.second),
        "people": _number(change.first),
        "agent - people": _with_ends(change.estimate, change.low, change.high, "+"),
        "p adjusted": "–" if change.adjusted is None else f"{change.adjusted:.2g}",
        "verdict": VERDICTS.get(change.verdict, change.verdict),
        "flags": " ".join(change.flags),
    }


def _likeness(one: Likeness) -> dict[str, str]:
    found, digits = one.estimate, DIGITS.get(one.measure, 3)
    return {
        "likeness": one.measure,
        "agent": _with_ends(found.estimate, found.low, found.high, digits=digits),
        "floor": f"{_number(one.floor, digits)} ({one.floor_agent})",
        "other people": _number(one.people, digits),
        "ceiling": _number(one.ceiling, digits),
        "verdict": one.verdict,
        "flags": " ".join(found.flags),
    }


def _place(one: Place) -> dict[str, str]:
    share, digits = one.share, DIGITS.get(one.measure, 3)
    low, middle, high = (_number(value, digits) for value in one.quartiles)
    return {
        "among people": one.measure,
        "agent": _number(one.value, digits),
        "people below": _with_ends(share.estimate, share.low, share.high),
        "median person": middle,
        "half lie within": f"{low} to {high}",
        "reliability": _number(one.reliability),
    }


def _number(value: float | None, digits: int = 3) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _with_ends(
    value: float | None, low: float | None, high: float | None, sign: str = "", digits: int = 3
) -> str:
    if value is None:
        return "–"
    ends = (
        "" if low is None or high is None else f" [{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]"
    )
    return f"{value:{sign}.{digits}f}{ends}"
