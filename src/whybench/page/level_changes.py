"""What changes in each agent from one condition to another, where it was asked under several.

The headline measures of every factor that was manipulated, and of every setting of the model, are
compared as `whybench compare --by` does; all of the section are one family.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.errors import UserError
from whybench.numerals import interval_text, number_text
from whybench.page.pairings import MOST_LINES, VERDICTS, format_p, tables_of
from whybench.results.changes import correct_family
from whybench.results.conditions import compare_conditions, split_labels
from whybench.results.levels import list_levels_met
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from whybench.page.material import Material
    from whybench.results.changes import Change

__all__ = ["LevelChange", "level_changes"]


@dataclass(frozen=True)
class LevelChange:
    """One change as it is shown: whose, from where to where, and the numbers in words."""

    agent: str
    measure: str
    by: str
    reference: str
    level: str
    condition: str
    first: str
    second: str
    change: str
    corrected: str
    verdict: str
    differs: bool


def level_changes(material: Material) -> dict[str, list[LevelChange]]:
    """Return suite to the changes of its headline measures; none without several conditions."""
    found: list[Change] = []
    for name, table in tables_of(material):
        suite = get_suite(name)
        for by in list_levels_met(suite, table) if suite.comparison is not None else ():
            try:
                changes = compare_conditions({name: table}, by).changes
            except UserError:  # levels that no two items share, as of themes in turn
                continue
            found += [change for change in changes if change.measure in suite.headline]
    lines: dict[str, list[LevelChange]] = {}
    for change in correct_family(found):
        lines.setdefault(change.suite, []).append(_line(change))
    return {name: mine[:MOST_LINES] for name, mine in lines.items()}


def _line(change: Change) -> LevelChange:
    (agent, by, reference, level), condition = split_labels(change)
    return LevelChange(
        agent=agent,
        measure=change.measure,
        by=by.replace("_", " "),
        reference=reference,
        level=level,
        condition=condition,
        first=number_text(change.first),
        second=number_text(change.second),
        change=interval_text(change.estimate, change.low, change.high, "+"),
        corrected=format_p(change.adjusted),
        verdict=VERDICTS[change.verdict].replace("second is", f"{level} is"),
        differs=change.verdict in {"rose", "fell"},
    )
