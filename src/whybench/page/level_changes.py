"""What changes in each agent from one condition to another, where it was asked under several.

The headline measures of every factor that was manipulated, and of every setting of the model, are
compared as `whybench compare --by` does; all of the section are one family. Of an experiment, what
it states is compared, and where it was frozen, it is held against that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.numerals import interval_text, number_text
from whybench.page.pairings import MOST_LINES, VERDICTS, format_p, tables_of
from whybench.results.conditions import split_labels
from whybench.results.experiments import AnalysisPlan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.page.material import Material
    from whybench.results.changes import Change
    from whybench.results.conditions import ConditionComparison
    from whybench.results.experiments import FrozenPoint


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


@dataclass(frozen=True)
class LevelChanges:
    """What changes between conditions, and whether it was asked as it had been stated.

    Attributes:
        lines: Suite to its changes.
        sentences: What of it shows, factor by factor.
        notes: Who is left out, and what cannot be compared.
        checks: Of an experiment that was frozen, point by point whether it was kept to.
    """

    lines: Mapping[str, list[LevelChange]]
    sentences: Sequence[str] = ()
    notes: Sequence[str] = ()
    checks: Sequence[FrozenPoint] = ()

    @property
    def kept(self) -> bool:
        """Whether all is as it was frozen."""
        return all(check.holds for check in self.checks)


def level_changes(material: Material) -> LevelChanges:
    """Return the changes between conditions, as the experiment states them or of all headlines."""
    stated = material.statement
    tables = dict(tables_of(material))
    compared, notes = (stated.analysis if stated else AnalysisPlan()).compare(tables)
    lines: dict[str, list[LevelChange]] = {}
    for change in (change for one in compared for change in one.changes):
        lines.setdefault(change.suite, []).append(_line(change))
    return LevelChanges(
        {name: mine[:MOST_LINES] for name, mine in lines.items()},
        [*_sentences(compared)] if stated else (),
        notes if stated else (),
        stated.check(tables, material.runs) if stated else (),
    )


def _sentences(compared: Sequence[ConditionComparison]) -> Iterator[str]:
    for one in compared:
        measures = dict.fromkeys(change.measure for change in one.changes)
        nothing = f"{one.by.replace('_', ' ')}: no change of {', '.join(measures)} is shown"
        yield from list(one.sentences(*measures)) or [nothing]


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
