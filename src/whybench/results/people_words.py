"""Agents beside people, in words: small tables for a terminal, a condition after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.numerals import interval_text, number_text
from whybench.results.among_people import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.results.among_people import AgentAndPeople, AmongPeople
    from whybench.results.changes import Change
    from whybench.suites.people import Likeness, Place

    Rows = Sequence[Mapping[str, str]]

DIGITS = {"distance": 1}
"""Digits of a measure that goes from 0 to 100; others have two."""


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
        "agent": number_text(change.second),
        "people": number_text(change.first),
        "agent - people": interval_text(change.estimate, change.low, change.high, "+"),
        "p adjusted": "–" if change.adjusted is None else f"{change.adjusted:.2g}",
        "verdict": VERDICTS.get(change.verdict, change.verdict),
        "flags": " ".join(change.flags),
    }


def _likeness(one: Likeness) -> dict[str, str]:
    found, digits = one.estimate, DIGITS.get(one.measure, 2)
    return {
        "likeness": one.measure,
        "agent": interval_text(found.estimate, found.low, found.high, digits=digits),
        "floor": f"{number_text(one.floor, digits=digits)} ({one.floor_agent})",
        "other people": number_text(one.people, digits=digits),
        "ceiling": number_text(one.ceiling, digits=digits),
        "verdict": one.verdict,
        "flags": " ".join(found.flags),
    }


def _place(one: Place) -> dict[str, str]:
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
