"""Records by agent and condition: what a measure is computed on.

The sampled unit of an answer is the person who gave it, or, where an agent is asked everything,
the vignette: a story under one polarity.

Contrasts and fits see answers only through the number, the mean and the mean square of those to one
task within one unit. So a row may be one record, or records summed up by `SUMMED_BY` (see
`whybench.records.partitions`): several answers, its weight, with the mean `value` and the mean
`square`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from whybench.suites.groups import GROUP_KEYS, Group, group_records
from whybench.suites.measures import DeclaredMeasure

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from whybench.stats import Estimate, Measure

CONDITION = (
    "graph",
    "content",
    "overload",
    "overload_source",
    "style",
    "independence",
)
"""The columns that make up a condition; measures are computed within one."""

SUMMED_BY = (*GROUP_KEYS, *CONDITION, "task", "cause", "story", "polarity", "person")
"""The columns by which records may be summed up without loss to contrasts, shift ratio, fits."""

SAMPLED = ("story and polarity", ("sampled",))
"""What is sampled, and the column that names it."""


def group_answers(records: pa.Table, condition: Sequence[str] = CONDITION) -> list[Group]:
    """Return the scored answers of each agent under each condition, in order of appearance.

    Args:
        records: Records of judge, as they are or summed up.
        condition: The columns that make up a condition; answers that differ in others are pooled.

    Returns:
        Groups with the columns `task`, `story`, `sampled` (the unit's name), `value` and, of
        records summed up, `square`. Their outcomes are those of all answers, scored or not.
    """
    numbers = [name for name in ("value", "square") if name in records.column_names]
    words = ("outcome", "task", "story", "sampled")
    groups = group_records(_name_units(records), condition, words, numbers, lambda _: SAMPLED)
    return [group.where(group["outcome"] == "scored") for group in groups]


def group_every_answer(records: pa.Table) -> list[Group]:
    """Return all answers, scored or not, of each agent under each condition.

    Their columns are `outcome`, `task`, `cause`, `story`, `sampled` and `value`.
    """
    words = ("outcome", "task", "cause", "story", "sampled")
    return group_records(_name_units(records), CONDITION, words, ("value",), lambda _: SAMPLED)


def make_measure(group: Group, name: str, estimate: Estimate, method: str = "") -> Measure:
    """Return a measure of a group; whether answers are few is asked of all, whatever the task."""
    scored = group.outcomes.get("scored", 0)
    measure = group.measure(name, estimate, method=method, rests_on=scored)
    return replace(measure, flags=tuple(dict.fromkeys(measure.flags)))


@dataclass(frozen=True)
class JudgeMeasure(DeclaredMeasure):
    """A measure that has few answers only if all tasks together have few."""

    def measure(self, group: Group) -> Measure:
        """Return the measure of a group."""
        return replace(make_measure(group, self.name, self.estimate(group)), range=self.range)


def _name_units(records: pa.Table) -> pa.Table:
    """Return records with the name of each answer's sampled unit."""
    import pyarrow.compute as pc  # noqa: PLC0415  (kept out of the start-up path)

    names = pc.binary_join_element_wise(records["story"], records["polarity"], "/")
    if "person" in records.column_names:
        person = records["person"]
        names = pc.if_else(pc.fill_null(pc.not_equal(person, ""), False), person, names)
    return records.append_column("sampled", names)
