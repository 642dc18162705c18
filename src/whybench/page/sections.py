"""The sections of the suites: tables by condition, and figures, of which the first is open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.page.tables import HeadlineTable, make_table
from whybench.suites.registry import get_suite, sort_suites

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.page.conditions import Condition
    from whybench.page.drawings import Drawing


@dataclass(frozen=True)
class SuiteSection:
    """One suite: what it asks, its tables and its figures."""

    name: str
    summary: str
    tables: tuple[HeadlineTable, ...]
    figures: tuple[Drawing, ...]


def suite_sections(
    found: Mapping[str, Sequence[Condition]],
    agents: Sequence[str],
    beside: Sequence[str],
    figures: Sequence[Drawing],
) -> list[SuiteSection]:
    """Return the sections of all suites that were asked, in the order of a profile."""
    names = sort_suites({*found, *(figure.suite for figure in figures)})
    return [
        SuiteSection(
            name,
            get_suite(name).summary,
            tuple(make_table(one, agents, beside) for one in found.get(name, ())),
            tuple(figure for figure in figures if figure.suite == name),
        )
        for name in names
    ]
