"""Records by agent and condition: what measures are computed on.

A group holds the answers of one agent under one condition, as arrays. Tables may hold hundreds of
agents, and going through their rows one by one would take longer than anything that is computed
from them; so words are numbered by their distinct values, and rows that agree in several columns
are found by number.

A row may be one answer, or several that were summed up (see `whybench.records.scan`): then the
column `answers` says how many, and is the row's weight.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.stats import SMALL_N, Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Estimate, Level

__all__ = ["ANSWER_KEYS", "GROUP_KEYS", "Group", "alike", "combined", "grouped"]

GROUP_KEYS = ("agent", "design", "design_hash")
"""The columns that, with those of the condition, tell groups apart."""

ANSWER_KEYS = (*GROUP_KEYS, "item", "epoch")
"""The columns that tell answers apart."""

WEIGHT = "answers"
"""The column of records summed up that says how many answers a row stands for."""


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
        weights: How many answers each row stands for.
        at: The levels of factors to which the group is restricted; none if it is whole.
    """

    labels: Mapping[str, str]
    columns: Mapping[str, NDArray[Any]]
    units: NDArray[np.intp]
    unit: str
    outcomes: Mapping[str, int]
    weights: NDArray[np.float64]
    at: Mapping[str, Level] = field(default_factory=dict)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column."""
        return self.columns[name]

    def where(self, chosen: NDArray[np.bool_ | np.intp], **at: Level) -> Group:
        """Return the group with the chosen answers only, the outcomes being those of all.

        Args:
            chosen: Which answers, by yes and no or by their places.
            at: The levels to which that restricts the group, by factor; its measures tell them.
        """
        columns = {name: column[chosen] for name, column in self.columns.items()}
        units, weights = self.units[chosen], self.weights[chosen]
        return replace(self, columns=columns, units=units, weights=weights, at={**self.at, **at})

    def recounted(self) -> Group:
        """Return the group with the outcomes of the answers that it holds, and of no others."""
        return replace(self, outcomes=_counted(self["outcome"], self.weights))

    def measure(
        self,
        name: str,
        found: Estimate,
        *flags: str,
        method: str = "",
        rests_on: int | None = None,
    ) -> Measure:
        """Return a measure of this group with the counts that it rests on.

        Args:
            name: The measure.
            found: Its estimate.
            flags: What else to know before trusting it.
            method: How the interval was made; what the estimate says, by unit, if not stated.
            rests_on: How many answers decide whether these are few; if not stated, those that the
                estimate rests on.
        """
        scored = self.outcomes.get("scored", 0)
        few = min(scored, found.n if rests_on is None else rests_on) < SMALL_N
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
            method=method or f"{found.method} by {self.unit}",
            flags=(*(("small_n",) if few else ()), *found.flags, *flags),
            labels=self.labels,
            at=self.at,
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
        records: The records of a suite, as they are or summed up.
        condition: The columns that make up a condition.
        words: The columns that groups have as words; `outcome` must be among them.
        numbers: The columns that they have as numbers.
        sampled: A group's labels to what its sampled unit is and which columns name it.
    """
    keys = (*GROUP_KEYS, *condition)

    @cache
    def coded(name: str) -> tuple[NDArray[np.str_], NDArray[np.intp]]:
        return _coded(records[name])

    @cache
    def together(names: tuple[str, ...]) -> NDArray[np.intp]:
        return combined([coded(name)[1] for name in names])

    columns: dict[str, NDArray[Any]] = {
        **{name: coded(name)[0][coded(name)[1]] for name in words},
        **{name: _numbers(records[name]) for name in numbers},
    }
    summed = WEIGHT in records.column_names
    weights = _numbers(records[WEIGHT]) if summed else np.ones(records.num_rows)
    groups = []
    for rows in alike(together(keys)):
        labels = {name: str(coded(name)[0][coded(name)[1][rows[0]]]) for name in keys}
        unit, naming = sampled(labels)
        groups.append(
            Group(
                labels=labels,
                columns={name: column[rows] for name, column in columns.items()},
                units=together(naming)[rows],
                unit=unit,
                outcomes=_counted(columns["outcome"][rows], weights[rows]),
                weights=weights[rows],
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


def _numbers(column: Any) -> NDArray[np.float64]:
    return np.asarray(column.to_numpy(), dtype=float)


def _counted(outcomes: NDArray[np.str_], weights: NDArray[np.float64]) -> dict[str, int]:
    """Return how many answers have each outcome."""
    names, place = np.unique(outcomes, return_inverse=True)
    return dict(zip(names.tolist(), np.bincount(place, weights).astype(int).tolist(), strict=True))
