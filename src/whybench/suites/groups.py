"""Records by agent and condition: what measures are computed on.

A group holds the answers of one agent under one condition, as arrays. Tables may hold hundreds of
agents, and going through their rows one by one would take longer than anything that is computed
from them; so words are numbered by their distinct values, and rows that agree in several columns
are found by number.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.stats import SMALL_N, Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Estimate

__all__ = ["WHOSE", "Group", "alike", "combined", "grouped"]

WHOSE = ("agent", "design", "design_hash")
"""The columns that, with those of the condition, tell groups apart."""


@dataclass(frozen=True)
class Group:
    """Answers of one agent under one condition.

    Attributes:
        labels: Agent, design and condition.
        columns: Words and numbers of each answer, by name; a missing word is empty, a missing
            number NaN.
        units: The number of each answer's sampled unit.
        unit: What the sampled unit is.
        outcomes: How many answers of the whole group have each outcome.
    """

    labels: Mapping[str, str]
    columns: Mapping[str, NDArray[Any]]
    units: NDArray[np.intp]
    unit: str
    outcomes: Mapping[str, int]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column."""
        return self.columns[name]

    def where(self, chosen: NDArray[np.bool_]) -> Group:
        """Return the group with the chosen answers only, the outcomes being those of all."""
        columns = {name: column[chosen] for name, column in self.columns.items()}
        return replace(self, columns=columns, units=self.units[chosen])

    def measure(self, name: str, found: Estimate, *flags: str) -> Measure:
        """Return a measure of this group with the counts that it rests on."""
        scored = self.outcomes.get("scored", 0)
        few = ("small_n",) if min(scored, found.n) < SMALL_N else ()
        return Measure(
            name=name,
            estimate=found.estimate,
            low=found.low,
            high=found.high,
            n=found.n,
            units=found.units,
            scored=scored,
            no_answer=self.outcomes.get("no_answer", 0),
            error=self.outcomes.get("error", 0),
            method=f"{found.method} by {self.unit}",
            flags=(*few, *found.flags, *flags),
            labels=self.labels,
        )


def grouped(
    records: pa.Table,
    condition: Sequence[str],
    words: Sequence[str],
    numbers: Sequence[str],
    sampled: Callable[[Mapping[str, str]], tuple[str, tuple[str, ...]]],
) -> list[Group]:
    """Return the groups of records, in order of appearance.

    Args:
        records: The records of a suite.
        condition: The columns that make up a condition.
        words: The columns that groups have as words; `outcome` must be among them.
        numbers: The columns that they have as numbers.
        sampled: A group's labels to what its sampled unit is and which columns name it.
    """
    keys = (*WHOSE, *condition)

    @cache
    def coded(name: str) -> tuple[NDArray[np.str_], NDArray[np.intp]]:
        return _coded(records[name])

    @cache
    def together(names: tuple[str, ...]) -> NDArray[np.intp]:
        return combined([coded(name)[1] for name in names])

    columns: dict[str, NDArray[Any]] = {
        **{name: coded(name)[0][coded(name)[1]] for name in words},
        **{name: np.asarray(records[name].to_numpy(), dtype=float) for name in numbers},
    }
    groups = []
    for rows in alike(together(keys)):
        labels = {name: str(coded(name)[0][coded(name)[1][rows[0]]]) for name in keys}
        outcomes, counts = np.unique(columns["outcome"][rows], return_counts=True)
        unit, naming = sampled(labels)
        groups.append(
            Group(
                labels=labels,
                columns={name: column[rows] for name, column in columns.items()},
                units=together(naming)[rows],
                unit=unit,
                outcomes=dict(zip(outcomes.tolist(), counts.tolist(), strict=True)),
            )
        )
    return groups


def combined(codes: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Number the distinct combinations of several columns' numbers."""
    found = codes[0]
    for code in codes[1:]:
        # Renumbered at each turn, so that products stay far from overflow.
        found = np.unique(found * (code.max(initial=0) + 1) + code, return_inverse=True)[1]
    return found


def alike(codes: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return the rows of each number, in order of appearance."""
    _, first, place, counts = np.unique(
        codes, return_index=True, return_inverse=True, return_counts=True
    )
    rows = np.split(np.argsort(place, kind="stable"), np.cumsum(counts)[:-1])
    return [rows[group] for group in np.argsort(first)]


def _coded(column: Any) -> tuple[NDArray[np.str_], NDArray[np.intp]]:
    """Return the distinct values as words, and the number of each row's."""
    found = column.combine_chunks().dictionary_encode(null_encoding="encode")
    words = ["" if value is None else str(value) for value in found.dictionary.to_pylist()]
    return np.array(words, dtype=str), found.indices.to_numpy(zero_copy_only=False).astype(np.intp)
