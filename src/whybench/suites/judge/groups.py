"""Records by agent and condition: what a measure is computed on.

The sampled unit of an answer is the person who gave it, or, where an agent is asked everything,
the vignette: a story under one polarity.

Contrasts and fits see answers only through the number, the mean and the mean square of those to one
task within one unit. So a row may be one record, or records summed up by `SUMMED_BY` (see
`whybench.records.scan`): `answers` of them with the mean `value` and the mean square `square`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.stats import SMALL_N, Contrast, Estimate, Measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

__all__ = ["CONDITION", "SUMMED_BY", "WHOSE", "Group", "groups_of"]

CONDITION = ("graph", "stimuli", "content", "overload", "overload_source", "style")
"""The columns that make up a condition; measures are computed within one."""

WHOSE = ("agent", "design", "design_hash")
"""The columns that, with those of the condition, tell groups apart."""

SUMMED_BY = (*WHOSE, *CONDITION, "task", "story", "polarity", "person")
"""The columns by which records may be summed up without any loss to contrasts and fits."""


@dataclass(frozen=True)
class Group:
    """The answers of one agent under one condition.

    Attributes:
        labels: Agent, design and condition.
        values: The scored answers, 0 to 100, or means of several.
        tasks: The task of each.
        units: The sampled unit of each.
        outcomes: How many answers have each outcome.
        answers: How many answers each value is the mean of; None where each is one.
        squares: The mean square of these answers; None where each is one.
    """

    labels: Mapping[str, str]
    values: tuple[float, ...]
    tasks: tuple[str, ...]
    units: tuple[str, ...]
    outcomes: Counter[str]
    answers: tuple[int, ...] | None = None
    squares: tuple[float, ...] | None = None

    def measure(self, name: str, found: Contrast | Estimate, method: str, *flags: str) -> Measure:
        """Return a measure of this group with the counts that it rests on."""
        few = ("small_n",) if self.outcomes["scored"] < SMALL_N else ()
        return Measure(
            name=name,
            estimate=found.estimate,
            low=found.low,
            high=found.high,
            n=found.n,
            units=found.units,
            scored=self.outcomes["scored"],
            no_answer=self.outcomes["no_answer"],
            error=self.outcomes["error"],
            method=method,
            flags=tuple(dict.fromkeys((*few, *flags))),
            labels=self.labels,
        )


def groups_of(records: pa.Table, condition: Sequence[str] = CONDITION) -> list[Group]:
    """Return the groups of records, in order of appearance.

    Args:
        records: Records of judge, as they are or summed up.
        condition: The columns that make up a condition; answers that differ in others are pooled.
    """
    keys = (*WHOSE, *condition)
    summed = "answers" in records.column_names
    needed = (*keys, "outcome", "value", "task", "story", "polarity")
    needed += ("answers", "square") if summed else ()
    columns = {name: records[name].to_pylist() for name in needed}
    people = (
        records["person"].to_pylist() if "person" in records.column_names else [None] * len(records)
    )
    rows: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(zip(*(columns[name] for name in keys), strict=True)):
        rows.setdefault(key, []).append(row)
    groups = []
    for key, members in rows.items():
        scored = [row for row in members if columns["outcome"][row] == "scored"]
        outcomes: Counter[str] = Counter()
        for row in members:
            outcomes[columns["outcome"][row]] += columns["answers"][row] if summed else 1
        groups.append(
            Group(
                labels=dict(zip(keys, key, strict=True)),
                values=tuple(columns["value"][row] for row in scored),
                tasks=tuple(columns["task"][row] for row in scored),
                units=tuple(
                    people[row] or f"{columns['story'][row]}/{columns['polarity'][row]}"
                    for row in scored
                ),
                outcomes=outcomes,
                answers=tuple(columns["answers"][row] for row in scored) if summed else None,
                squares=tuple(columns["square"][row] for row in scored) if summed else None,
            )
        )
    return groups
