"""The source's keys beside ours, as tables of flat rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.published.graphs import read_graph
from whybench.suites.analyze.published.reading import CHALLENGES, DataSet, data_sets
from whybench.suites.analyze.published.recomputed import REASONS, Recomputed, recompute

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.analyze.estimators import Coefficient

__all__ = ["BEYOND_CHANCE", "keys", "not_recomputed", "replicate"]

BEYOND_CHANCE = 3.0
"""Standard errors beyond which a printed number is not that of the rows."""

Rows = list[dict[str, Any]]


def replicate(resamples: int = 0) -> dict[str, Rows]:
    """Recompute the published keys: name of a table to its rows.

    Args:
        resamples: Not used. Errors are asymptotic; the argument is that of every suite.
    """
    del resamples
    return {"keys": keys(), "not_recomputed": not_recomputed()}


def keys() -> Rows:
    """Return a row for each key field that the rows of its data set settle.

    `printed` is the published value, None where the key has none; `estimate`, `low` and `high` are
    ours with a 95% interval, or words. Flags: `beyond_tolerance`, farther from ours than the key
    itself tolerates; `beyond_chance`, by more than three standard errors; `differs`, other
    words; `small_n`, an effect that rests on few rows.
    """
    return [_row(data, found) for data in data_sets() for found in recompute(data)]


def not_recomputed() -> Rows:
    """Return a row for each data set whose key has fields that the rows do not settle."""
    return [
        {**_place(data), "reason": REASONS[data.challenge]}
        for data in data_sets()
        if data.challenge in REASONS
    ]


def _place(data: DataSet) -> dict[str, Any]:
    return {
        "challenge": CHALLENGES[data.challenge],
        "folder": data.challenge,
        "number": data.number,
        "data_set": data.name,
    }


def _row(data: DataSet, found: Recomputed) -> dict[str, Any]:
    printed = (data.key or {}).get(found.name)
    row = {**_place(data), "name": found.name, "method": found.method, "n": found.n}
    if isinstance(found.value, str):
        words = "; ".join(printed) if printed else None
        flags = ["differs"] if words and _graphs(words) != _graphs(found.value) else []
        return {**row, "printed": words, "estimate": found.value, "flags": " ".join(flags)}
    low, high = found.value.interval
    number = None if printed is None else float(printed)
    tolerance = (data.key or {}).get("TOLERANCE")
    return {
        **row,
        "printed": number,
        "estimate": found.value.value,
        "low": low,
        "high": high,
        "tolerance": None if tolerance is None else float(tolerance),
        "flags": " ".join(_flags(found, found.value, number, tolerance)),
    }


def _flags(
    found: Recomputed, ours: Coefficient, printed: float | None, tolerance: float | str | None
) -> Iterator[str]:
    if printed is not None:
        off = abs(printed - ours.value)
        if tolerance is not None and off > float(tolerance):
            yield "beyond_tolerance"
        if off > BEYOND_CHANCE * ours.se:
            yield "beyond_chance"
    if found.small_n:
        yield "small_n"


def _graphs(words: str) -> frozenset[Any]:
    return frozenset(read_graph(word) for word in words.split(";"))
