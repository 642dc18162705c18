"""Agents and people on the page: a block for each condition, with people in every chart.

The page shows the results of `whybench compare --baseline people`
(`whybench.results.people`). A chart has a point for the agent, a band for the interval, and
reference lines: dashed for the baseline of agents that do not reason, thin for people, thick for
the noise ceiling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from markupsafe import Markup

from whybench.errors import Fence, UserError
from whybench.numerals import interval_text, number_text
from whybench.page.bars import HEIGHT, WIDTH, Scale
from whybench.page.methods import flag_words
from whybench.results.comparison_words import DIGITS, difference_text
from whybench.results.people import compare_with_people
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.page.material import Material
    from whybench.results.comparison import Comparison
    from whybench.stats import Difference
    from whybench.suites.people import Likeness, Place

    Labels = Sequence[tuple[str, str]]
    RowT = TypeVar("RowT", Difference, Likeness, Place)

MOST_AGENTS = 40
"""The largest number of agents in a table."""

ROOM = 0.05
"""The share of a scale that is left free at its ends."""


@dataclass(frozen=True)
class ChartRow:
    """One row of a table: a measure of an agent, a chart, and cells."""

    agent: str
    measure: str
    bar: Markup
    cells: tuple[str, ...]


@dataclass(frozen=True)
class PeopleTable:
    """A table of a block; `columns` are those behind agent, measure and picture."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[ChartRow, ...]


@dataclass(frozen=True)
class PeopleBlock:
    """One condition of a suite, in words, and its tables."""

    suite: str
    condition: str
    flags: str
    tables: tuple[PeopleTable, ...]


@dataclass(frozen=True)
class People:
    """All blocks, what could not be shown and why, and the comparisons themselves."""

    blocks: tuple[PeopleBlock, ...]
    notes: tuple[str, ...] = ()
    among: tuple[Comparison, ...] = ()


def people(material: Material) -> People:
    """Compare the sources' agents with people, in suites whose data are fetched."""
    blocks: list[PeopleBlock] = []
    every: list[Comparison] = []
    fence = Fence()
    for name, table in material.own():
        compared = get_suite(name).people_comparison
        if compared is None or not table.num_rows or not compared.is_fetched():
            continue
        with fence.around(f"{name}, comparison with people"):
            try:
                among = compare_with_people({name: table})
            except UserError:
                continue  # people judged nothing of this
            every.append(among)
            blocks += _blocks(among)
    return People(tuple(blocks), tuple(fence.notes), tuple(every))


def _blocks(among: Comparison) -> Iterator[PeopleBlock]:
    """Yield a block for each condition, in order of appearance."""
    for labels in dict.fromkeys(tuple(one.labels.items()) for one in among.likeness):
        likeness = [*_choose(among.likeness, labels)]
        flags = dict.fromkeys(
            flag for one in likeness for flag in one.estimate.flags if flag == "other_stimuli"
        )
        tables = (
            _tabulate_differences([*_choose(among.differences, labels)]),
            _tabulate_likeness(likeness),
            _tabulate_places([*_choose(among.places, labels)]),
        )
        words = ", ".join(value for _, value in labels if value != "none")
        yield PeopleBlock(likeness[0].suite, words, "; ".join(map(flag_words, flags)), tables)


def _choose(rows: Sequence[RowT], labels: Labels) -> Iterator[RowT]:
    """Yield the rows of a condition, measure by measure, for as many agents as a table has."""
    mine: list[RowT] = [one for one in rows if tuple(one.labels.items()) == labels]
    shown = [*dict.fromkeys(one.agent for one in mine)][:MOST_AGENTS]
    for measure in dict.fromkeys(one.measure for one in mine):
        yield from (one for one in mine if one.measure == measure and one.agent in shown)


def _tabulate_differences(found: Sequence[Difference]) -> PeopleTable:
    rows = []
    for one in found:
        like = [c for c in found if c.measure == one.measure]
        scale = _scale([end for c in like for end in (0.0, c.difference, c.low, c.high)])
        picture = _draw(one.difference, one.low, one.high, {"people": 0.0}, scale)
        values = (number_text(one.a.estimate), number_text(one.b.estimate), difference_text(one))
        rows.append(ChartRow(one.agent, one.measure, picture, (*values, one.verdict)))
    return PeopleTable(
        "Differences: agent minus people (people are at 0)",
        ("agent's value", "people", "difference [95% interval]", "verdict"),
        tuple(rows),
    )


def _tabulate_likeness(found: Sequence[Likeness]) -> PeopleTable:
    rows = []
    for one in found:
        marks = {"floor": one.floor, "people": one.people, "ceiling": one.ceiling}
        like = [other for other in found if other.measure == one.measure]
        ends = [e for o in like for e in (o.floor, o.ceiling, o.estimate.low, o.estimate.high)]
        low, high = one.estimate.low, one.estimate.high
        scale = _scale([*ends, *(other.estimate.estimate for other in like)])
        digits = DIGITS.get(one.measure, 2)
        picture = _draw(one.estimate.estimate, low, high, marks, scale)
        value = interval_text(one.estimate.estimate, low, high, digits=digits)
        numbers = (number_text(mark, digits=digits) for mark in marks.values())
        rows.append(ChartRow(one.agent, one.measure, picture, (value, *numbers, one.verdict)))
    return PeopleTable(
        "Similarity to people: identical at correlation 1 and distance 0",
        ("agent [95% interval]", "baseline", "other people", "noise ceiling", "verdict"),
        tuple(rows),
    )


def _tabulate_places(found: Sequence[Place]) -> PeopleTable:
    rows = []
    for one in found:
        share, digits = one.share, DIGITS.get(one.measure, 2)
        picture = _draw(share.estimate, share.low, share.high, {"people": 0.5}, Scale(0.0, 1.0))
        low, _, high = (number_text(value, digits=digits) for value in one.quartiles)
        cells = (
            interval_text(share.estimate, share.low, share.high),
            number_text(one.value, digits=digits),
            f"{low} to {high}",
            number_text(one.reliability),
        )
        rows.append(ChartRow(one.agent, one.measure, picture, cells))
    return PeopleTable(
        "Position among single people: share of people below the agent (middle at 0.5)",
        ("people below [95% interval]", "agent", "middle half of people", "reliability"),
        tuple(rows),
    )


def _scale(values: Sequence[float | None]) -> Scale:
    known = [value for value in values if value is not None] or [0.0, 1.0]
    low, high = min(known), max(known)
    room = ROOM * ((high - low) or 1.0)
    return Scale(low - room, high + room)


def _draw(
    value: float | None,
    low: float | None,
    high: float | None,
    marks: Mapping[str, float | None],
    scale: Scale,
) -> Markup:
    """Draw a value with its interval, and the marks to hold it against."""
    middle = HEIGHT / 2
    left, right = scale.place(scale.low), scale.place(scale.high)
    drawn = [f'<line class="axis" x1="{left}" x2="{right}" y1="{middle:g}" y2="{middle:g}"/>']
    if low is not None and high is not None:
        start, end = scale.place(low), scale.place(high)
        drawn.append(
            f'<rect class="interval" x="{start}" y="{middle - 3:g}" '
            f'width="{max(end - start, 1):.1f}" height="6" rx="1"/>'
        )
    for kind, mark in marks.items():
        if mark is not None:
            x = scale.place(mark)
            drawn.append(f'<line class="{kind}" x1="{x}" x2="{x}" y1="1" y2="{HEIGHT - 1}"/>')
    if value is not None:
        drawn.append(f'<circle class="estimate" cx="{scale.place(value)}" cy="{middle:g}" r="4"/>')
    return Markup(  # numbers and our own words only
        f'<svg class="bar" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'aria-hidden="true" focusable="false">{"".join(drawn)}</svg>'
    )
