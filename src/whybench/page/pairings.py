"""Which agents are set beside each other on the page, and what differs between them.

With few agents every two are compared; with more, each with one, which is the first unless another
is chosen. All comparisons of the page are one family: the more agents, the stronger the correction.
What a comparison is, is said in `whybench.results.changes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from whybench.errors import Fence
from whybench.numerals import number_text
from whybench.page.methods import flag_words
from whybench.results.changes import compare_tables, correct_family
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.page.material import Material
    from whybench.results.changes import Change

CORRECTION = "Benjamini and Hochberg"
"""How p-values are corrected."""

EVERY_TWO = 4
"""Up to so many agents, every two are compared."""

MOST_LINES = 120
"""So many comparisons of the headline measures of a suite are shown, and so many of the others."""

VERDICTS = {
    "rose": "second is higher",
    "fell": "second is lower",
    "no change shown": "no difference shown",
    "too small to matter": "too small to matter",
    "too much lost": "too much lost to say",
    "cut off by our cap": "too much cut off by our cap to say",
    "undefined": "cannot be told",
}


@dataclass(frozen=True)
class Line:
    """One comparison as it is shown: who, what, and the numbers in words."""

    suite: str
    first_agent: str
    second_agent: str
    measure: str
    condition: str
    first: str
    second: str
    difference: str
    interval: str
    corrected: str
    basis: str
    verdict: str
    flags: str
    differs: bool


@dataclass(frozen=True)
class Pairings:
    """All comparisons of the page.

    Attributes:
        headline: Suite to the comparisons of its headline measures.
        further: Suite to those of other measures.
        notes: What could not be compared, and why, and what is not shown.
    """

    headline: dict[str, list[Line]]
    further: dict[str, list[Line]]
    notes: tuple[str, ...]
    correction: str = CORRECTION


def pairs_of(agents: Sequence[str], against: str = "") -> list[tuple[str, str]]:
    """Return which agents are compared.

    Args:
        agents: Agents in their order.
        against: With whom each is compared; the first if this is empty and there are many.

    >>> pairs_of(["a", "b", "c"])
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    >>> pairs_of(["a", "b", "c"], against="b")
    [('b', 'a'), ('b', 'c')]
    >>> len(pairs_of("abcdefghij"))
    9
    """
    if not against and len(agents) <= EVERY_TWO:
        return list(combinations(agents, 2))
    one = against or agents[0]
    return [(one, agent) for agent in agents if agent != one] if one in agents else []


def pairings(material: Material, against: str = "") -> Pairings:
    """Compare the agents of each suite, and correct over all of them."""
    found: list[tuple[str, str, Change]] = []
    fence = Fence()
    for name, table in tables_of(material):
        agents = table["agent"].unique().to_pylist()
        for first, second in pairs_of(agents, against):
            sides = (table.filter(pc.equal(table["agent"], agent)) for agent in (first, second))
            with fence.around(f"{name}, {first} and {second}"):
                changes = compare_tables(get_suite(name), *sides)
                found += [(first, second, change) for change in changes]
    notes = list(fence.notes)
    headline: dict[str, list[Line]] = {}
    further: dict[str, list[Line]] = {}
    corrected = correct_family(change for _, _, change in found)
    for (first, second, _), change in zip(found, corrected, strict=True):
        kind = headline if change.measure in get_suite(change.suite).headline else further
        kind.setdefault(change.suite, []).append(_line(first, second, change))
    for name, every in (*headline.items(), *further.items()):
        if len(every) > MOST_LINES:
            notes.append(
                f"{name}: {len(every) - MOST_LINES:,} further comparisons; `whybench compare` "
                "tells all of two agents."
            )
            del every[MOST_LINES:]
    return Pairings(headline, further, tuple(notes))


def tables_of(material: Material) -> list[tuple[str, pa.Table]]:
    """Return the records of each suite, from however many sources, in one table."""
    tables: dict[str, list[pa.Table]] = {}
    for name, table in material.own():
        tables.setdefault(name, []).append(table)
    return [(name, pa.concat_tables(parts)) for name, parts in tables.items()]


def _line(first: str, second: str, change: Change) -> Line:
    ends = change.low is not None and change.high is not None
    return Line(
        suite=change.suite,
        first_agent=first,
        second_agent=second,
        measure=change.measure,
        condition=", ".join(value for value in change.labels.values() if value != "none"),
        first=number_text(change.first),
        second=number_text(change.second),
        difference=number_text(change.estimate, "+"),
        interval=f"{change.low:+.2f} to {change.high:+.2f}" if ends else "–",
        corrected=format_p(change.adjusted),
        basis=f"{change.n:,} answers, {change.units:,} units",
        verdict=VERDICTS[change.verdict],
        flags="; ".join(map(flag_words, change.flags)),
        differs=change.verdict in {"rose", "fell"},
    )


def format_p(value: float | None) -> str:
    """Return a p-value in words."""
    if value is None:
        return "–"
    return "<0.001" if value < 0.001 else f"{value:.3f}"
