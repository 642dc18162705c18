"""Records by agent and condition: what measures are computed on.

A group holds the answers of one agent under one condition, as arrays. Tables may hold hundreds of
agents, and going through their rows one by one would take longer than anything that is computed
from them; so words are numbered by their distinct values, and rows that agree in several columns
are found by number.

A row may be one answer, or several that were summed up (see `whybench.records.partitions`): then
the column `answers` says how many, and is the row's weight.

For the figures that Inspect shows below a run, `pool_records` makes its answers records of one
condition.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from whybench.outcomes import CUT_BY_DEFAULT
from whybench.stats import SMALL_N, Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Estimate, Level

ResultT = TypeVar("ResultT")

GROUP_KEYS = ("agent", "design", "design_hash")
"""The columns that, with those of the condition, tell groups apart."""

ANSWER_KEYS = (*GROUP_KEYS, "item", "epoch")
"""The columns that tell answers apart."""

MOST_CUT = 0.01
"""A larger share of replies than this, cut off by our own default cap, is a fault of ours."""

MOST_LOST = 0.02
"""A larger share of answers than this, lost to technical errors, may decide on a headline."""

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
        cut: How many replies of the whole group our own default cap cut off.
        at: The levels of factors to which the group is restricted; none if it is whole.
        computed: Results of `once`, by function.
    """

    labels: Mapping[str, str]
    columns: Mapping[str, NDArray[Any]]
    units: NDArray[np.intp]
    unit: str
    outcomes: Mapping[str, int]
    weights: NDArray[np.float64]
    cut: int = 0
    at: Mapping[str, Level] = field(default_factory=dict)
    computed: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a column."""
        return self.columns[name]

    def where(self, chosen: NDArray[np.bool_ | np.intp], **at: Level) -> Group:
        """Return the group with the chosen answers only, the outcomes being those of all.

        Args:
            chosen: Which answers, by yes and no or by their positions.
            at: The levels to which that restricts the group, by factor; its measures have them.
        """
        columns = {name: column[chosen] for name, column in self.columns.items()}
        units, weights = self.units[chosen], self.weights[chosen]
        return replace(self, columns=columns, units=units, weights=weights, at={**self.at, **at})

    def once(self, function: Callable[..., ResultT], *arguments: object) -> ResultT:
        """Return a function of this group and arguments, which several measures may need."""
        key = (function, *arguments)
        if key not in self.computed:
            self.computed[key] = function(self, *arguments)
        found: ResultT = self.computed[key]
        return found

    def recount(self) -> Group:
        """Return the group with the outcomes of the answers that it holds, and of no others."""
        return replace(self, outcomes=_count_outcomes(self["outcome"], self.weights))

    def measure(
        self,
        name: str,
        estimate: Estimate,
        *flags: str,
        method: str = "",
        rests_on: int | None = None,
    ) -> Measure:
        """Return a measure of this group with the counts that it rests on.

        Args:
            name: The measure.
            estimate: Its estimate.
            flags: What else to know before trusting it.
            method: How the interval was made; what the estimate says, by unit, if not stated.
            rests_on: How many answers decide whether these are few; if not stated, those that the
                estimate rests on.
        """
        scored, lost = self.outcomes.get("scored", 0), self.outcomes.get("error", 0)
        asked = sum(self.outcomes.values())
        ours = {"many_lost": lost > MOST_LOST * asked, "default_cap": self.cut > MOST_CUT * asked}
        few = min(scored, estimate.n if rests_on is None else rests_on) < SMALL_N
        return Measure(
            name=name,
            estimate=estimate.estimate,
            low=estimate.low,
            high=estimate.high,
            n=estimate.n,
            units=estimate.units,
            scored=scored,
            no_answer=self.outcomes.get("no_answer", 0),
            error=lost,
            method=method or f"{estimate.method} by {self.unit}",
            flags=(
                *(("small_n",) if few else ()),
                *(flag for flag, found in ours.items() if found),
                *estimate.flags,
                *flags,
            ),
            labels=self.labels,
            at=self.at,
            general_low=estimate.general_low,
            general_high=estimate.general_high,
            general_units=estimate.general_units,
        )


def group_records(
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
    def encode(name: str) -> tuple[NDArray[np.str_], NDArray[np.intp]]:
        return _encode(records[name])

    @cache
    def group_key(names: tuple[str, ...]) -> NDArray[np.intp]:
        return combine_codes([encode(name)[1] for name in names])

    columns: dict[str, NDArray[Any]] = {
        **{name: encode(name)[0][encode(name)[1]] for name in words},
        **{name: _numbers(records[name]) for name in numbers},
    }
    summed = WEIGHT in records.column_names
    weights = _numbers(records[WEIGHT]) if summed else np.ones(records.num_rows)
    cut = is_cut_by_default(records)
    groups = []
    for rows in group_rows(group_key(keys)):
        labels = {name: str(encode(name)[0][encode(name)[1][rows[0]]]) for name in keys}
        unit, naming = sampled(labels)
        groups.append(
            Group(
                labels=labels,
                columns={name: column[rows] for name, column in columns.items()},
                units=group_key(naming)[rows],
                unit=unit,
                outcomes=_count_outcomes(columns["outcome"][rows], weights[rows]),
                weights=weights[rows],
                cut=int(weights[rows][cut[rows]].sum()),
            )
        )
    return groups


def is_cut_by_default(records: pa.Table) -> NDArray[np.bool_]:
    """Return which replies our own default cap cut off; none where records have no reasons."""
    if "reason" not in records.column_names:
        return np.zeros(records.num_rows, dtype=bool)
    words, codes = _encode(records["reason"])
    cut: NDArray[np.bool_] = (words == CUT_BY_DEFAULT)[codes]
    return cut


def combine_codes(codes: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """Number the distinct combinations of several columns' numbers."""
    combined = codes[0]
    for code in codes[1:]:
        # Renumbered at each turn, so that products stay far from overflow.
        combined = np.unique(combined * (code.max(initial=0) + 1) + code, return_inverse=True)[1]
    return combined


def group_rows(codes: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return the rows of each number, in order of appearance."""
    _, first, group_of_row, counts = np.unique(
        codes, return_index=True, return_inverse=True, return_counts=True
    )
    rows = np.split(np.argsort(group_of_row, kind="stable"), np.cumsum(counts)[:-1])
    return [rows[group] for group in np.argsort(first)]


def _encode(column: Any) -> tuple[NDArray[np.str_], NDArray[np.intp]]:
    """Return the distinct values as words, and the number of each row's."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    words = ["" if value is None else str(value) for value in encoded.dictionary.to_pylist()]
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.intp)
    return np.array(words, dtype=str), codes


def _numbers(column: Any) -> NDArray[np.float64]:
    return np.asarray(column.to_numpy(), dtype=float)


def _count_outcomes(outcomes: NDArray[np.str_], weights: NDArray[np.float64]) -> dict[str, int]:
    """Return how many answers have each outcome."""
    names, codes = np.unique(outcomes, return_inverse=True)
    return dict(zip(names.tolist(), np.bincount(codes, weights).astype(int).tolist(), strict=True))


def pool_records(
    rows: Sequence[Mapping[str, Any]], condition: Sequence[str], columns: Mapping[str, type]
) -> pa.Table:
    """Return rows as records of one agent under one condition.

    Args:
        rows: The answers.
        condition: The columns of the condition. What all answers share of it stays; what differs
            is left blank.
        columns: The columns of the suite's records and their types.
    """
    from whybench.records.table import record_table  # noqa: PLC0415  (imports pyarrow)

    shared: dict[str, Any] = dict.fromkeys(GROUP_KEYS, "")
    for name in condition:
        levels = {row[name] for row in rows}
        blank = "" if columns[name] is str else None
        shared[name] = levels.pop() if len(levels) == 1 else blank
    return record_table([{**row, **shared} for row in rows], columns)
