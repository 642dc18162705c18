"""Records by agent and condition: what a measure is computed on.

The sampled unit of an answer is the person who gave it, or, where an agent is asked everything,
the vignette: a story under one polarity.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.stats import SMALL_N, Contrast, Estimate, Measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

__all__ = ["CONDITION", "WHOSE", "Group", "groups_of"]

CONDITION = ("graph", "stimuli", "content", "overload", "overload_source", "style")
"""The columns that make up a condition; measures are computed within one."""

WHOSE = ("agent", "design", "design_hash")
"""The columns that, with those of the condition, tell groups apart."""


@dataclass(frozen=True)
class Group:
    """The answers of one agent under one condition.

    Attributes:
        labels: Agent, design and condition.
        values: The scored answers, 0 to 100.
        tasks: The task of each.
        units: The sampled unit of each.
        outcomes: How many answers have each outcome.
    """

    labels: Mapping[str, str]
    values: tuple[float, ...]
    tasks: tuple[str, ...]
    units: tuple[str, ...]
    outcomes: Counter[str]

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
        records: Records of judge.
        condition: The columns that make up a condition; answers that differ in others are pooled.
    """
    keys = (*WHOSE, *condition)
    needed = (*keys, "outcome", "value", "task", "story", "polarity")
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
        groups.append(
            Group(
                labels=dict(zip(keys, key, strict=True)),
                values=tuple(columns["value"][row] for row in scored),
                tasks=tuple(columns["task"][row] for row in scored),
                units=tuple(
                    people[row] or f"{columns['story'][row]}/{columns['polarity'][row]}"
                    for row in scored
                ),
                outcomes=Counter(columns["outcome"][row] for row in members),
            )
        )
    return groups
