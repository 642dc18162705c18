"""The source's keys compared with ours, and answers compared with the source's keys.

Each field of an answer is graded by what the rows settle. Beside that it is recorded how far the
answer agrees with the printed key, by the key's own tolerance, or by 2.5 standard errors where it
states none. Where both scores of an agent differ the keys do, and the errata say which is right.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.challenges.contract import NEAR_TRUTH
from whybench_papers.du2025.data_sets import FOLDERS, DataSet, read_data_sets
from whybench_papers.du2025.forms import FORMS, data_set_of
from whybench_papers.du2025.instances import parse_key_field
from whybench_papers.du2025.recomputed import (
    REASONS,
    RecomputedField,
    parse_graphs,
    recompute,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.challenges.contract import Instance

BEYOND_CHANCE = 3.0
"""Standard errors beyond which a printed number is not that of the rows."""

SMALL_GROUP = 30
"""Rows below which the error of an effect is not to be trusted."""

Rows = list[dict[str, Any]]


def replicate(resamples: int = 0) -> dict[str, Rows]:
    """Recompute the published keys: name of a table to its rows.

    Args:
        resamples: Not used. Errors are asymptotic; the argument is that of every suite.
    """
    del resamples
    return {"keys": key_rows(), "not_recomputed": unsettled_rows()}


def key_rows() -> Rows:
    """Return a row for each key field that the rows of its data set settle.

    `printed` is the published value, None where the key has none; `estimate`, `low` and `high` are
    ours with a 95% interval, or words. Flags: `beyond_tolerance`, farther from ours than the key
    itself tolerates; `beyond_chance`, by more than three standard errors; `differs`, other
    words; `small_n`, an effect that rests on few rows.
    """
    return [key_row(data, field) for data in read_data_sets() for field in recompute(data)]


def unsettled_rows() -> Rows:
    """Return a row for each data set whose key has fields that the rows do not settle."""
    return [
        {**_data_set_columns(data), "reason": REASONS[data.challenge]}
        for data in read_data_sets()
        if data.challenge in REASONS
    ]


def _data_set_columns(data: DataSet) -> dict[str, Any]:
    return {
        "challenge": FOLDERS[data.challenge],
        "folder": data.challenge,
        "number": data.number,
        "data_set": data.name,
    }


def key_row(data: DataSet, field: RecomputedField) -> dict[str, Any]:
    """Return the row of one field; see `key_rows`."""
    key, ours = data.key or {}, field.value
    printed = key.get(field.name)
    row = {**_data_set_columns(data), "name": field.name, "method": field.method, "n": field.n}
    if isinstance(ours, str):
        words = "; ".join(printed) if printed else None
        differs = words is not None and parse_graphs(words) != parse_graphs(ours)
        flags = "differs" if differs else ""
        return {**row, "printed": words, "estimate": ours, "flags": flags}
    low, high = ours.interval
    number = None if printed is None else float(printed)
    tolerance = float(key["TOLERANCE"]) if "TOLERANCE" in key else None
    off = 0.0 if number is None else abs(number - ours.value)
    holds = {
        "beyond_tolerance": tolerance is not None and off > tolerance,
        "beyond_chance": off > BEYOND_CHANCE * ours.se,
        "small_n": field.n < SMALL_GROUP,
    }
    return {
        **row,
        "printed": number,
        "estimate": ours.value,
        "low": low,
        "high": high,
        "tolerance": tolerance,
        "flags": " ".join(flag for flag in holds if holds[flag]),
    }


def key_score(instance: Instance, answers: Mapping[str, Any]) -> float | None:
    """Return the share of the printed fields with which typed answers agree.

    Fields that the key does not print do not count, those not answered do not agree. None where
    the key prints none of the fields that are asked for.
    """
    key = data_set_of(instance).key or {}
    printed = {name: key[name] for name in FORMS[instance.challenge] if name in key}
    if not printed:
        return None
    return fmean(
        name.lower() in answers and _agrees(name, answers[name.lower()], value, key, instance)
        for name, value in printed.items()
    )


def _agrees(
    name: str, value: Any, printed: Any, key: Mapping[str, Any], instance: Instance
) -> bool:
    if isinstance(printed, list):
        return bool(value == parse_key_field(name, ";".join(printed)))
    error = instance.number(name.lower()).se
    tolerance = float(key["TOLERANCE"]) if "TOLERANCE" in key else NEAR_TRUTH * error
    return bool(abs(value - float(printed)) <= tolerance)
