"""All agents at a glance: one row for each, one column for each headline measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from whybench.page.profiles import Ability, Profile

__all__ = ["Cell", "Column", "Glance", "Row", "glance"]


@dataclass(frozen=True)
class Column:
    """A headline measure of a suite."""

    suite: str
    name: str
    meaning: str


@dataclass(frozen=True)
class Cell:
    """What an agent's measure is: picture, numbers, and how many conditions are not shown."""

    bar: Markup
    short: str
    beside: tuple[str, ...]
    more: int


@dataclass(frozen=True)
class Row:
    """One agent; `beside` if it comes from downloaded data."""

    agent: str
    beside: bool
    cells: tuple[Cell | str, ...]


@dataclass(frozen=True)
class Glance:
    """The table; `several` if a cell stands for several conditions."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    several: bool


def glance(own: Sequence[Profile], beside: Sequence[Profile]) -> Glance:
    """Return the table of these profiles, those of downloaded data below the others."""
    columns = tuple(
        dict.fromkeys(
            Column(ability.name, one.name, one.meaning)
            for ability in _in_order([*own, *beside])
            for one in ability.headlines
        )
    )
    rows = [
        Row(
            profile.agent,
            profile in beside,
            tuple(_cell(profile, column) for column in columns),
        )
        for profile in (*own, *beside)
    ]
    several = any(isinstance(cell, Cell) and cell.more for row in rows for cell in row.cells)
    return Glance(columns, tuple(rows), several)


def _in_order(profiles: Sequence[Profile]) -> Iterator[Ability]:
    """Yield the abilities of all profiles, ability by ability: profiles have the same in a row."""
    for abilities in zip(*(profile.abilities for profile in profiles), strict=True):
        yield from abilities


def _cell(profile: Profile, column: Column) -> Cell | str:
    """Return what an agent's measure is, or why there is none, in words."""
    [ability] = [ability for ability in profile.abilities if ability.name == column.suite]
    found = [one for one in ability.headlines if one.name == column.name]
    if not found:
        return "no estimate" if ability.counts else "not run"
    return Cell(found[0].bar, found[0].short, found[0].beside, len(found) - 1)
