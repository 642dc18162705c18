"""What records hold of an answer beside its score, and a table with a row for each field.

A record holds the marks of every field as a short JSON object, so that the table of fields is made
from records, wherever these come from, and needs neither a log nor the data.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.grading import Verdict
from whybench.suites.groups import ANSWER_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

PARTS: Mapping[str, type] = {
    "fell_for": bool,
    "false_alarm": bool,
    "passed": int,
    "asked": int,
    "marks": str,
    "conclusion": str,
    "diagnosis": float,
    "diagnosis_reason": str,
    "runs": int,
    "failed_runs": int,
    "code_outcome": str,
}
"""The columns that an answer adds to those of its item: whether it fell for the trap or claimed one
that is not there, how many of the fields passed, the marks of each, and what it concludes; the
score of the diagnosis, where one was asked for, and why it is 0 if it could not be read; and where
programs were run, how many, how many of them failed, and what came of the last one."""

ITEM_COLUMNS = ("challenge", "variant", "twin", "hint", "label", "protocol")
PLAIN_FAILURE: Mapping[str, Any] = asdict(Verdict("", passed=False))


def write_marks(verdicts: Iterable[Verdict]) -> str:
    """Return verdicts as JSON: field to all that is not as in a plain failure."""
    marks = {}
    for verdict in verdicts:
        off = None if verdict.off is None else float(f"{verdict.off:.4g}")
        values = asdict(replace(verdict, off=off, field=""))
        marks[verdict.field] = {
            name: value for name, value in values.items() if value != PLAIN_FAILURE[name]
        }
    return json.dumps(marks, separators=(",", ":"))


def read_marks(marks: str) -> list[Verdict]:
    """Return the verdicts that marks stand for."""
    return [
        Verdict(**{**PLAIN_FAILURE, **values, "field": field})
        for field, values in json.loads(marks).items()
    ]


def fields_table(records: pa.Table) -> pa.Table:
    """Return a row for each field of each answer: whether it passed, and how it did not."""
    import pyarrow as pa  # noqa: PLC0415  (not for `whybench list`)

    keys = (*ANSWER_KEYS, *ITEM_COLUMNS)
    rows = [
        {**{name: record[name] for name in keys}, **asdict(verdict)}
        for record in records.select((*keys, "marks")).to_pylist()
        if record["marks"]
        for verdict in read_marks(record["marks"])
    ]
    types = {name: records.schema.field(name).type for name in keys}
    own = {
        "field": pa.string(), "passed": pa.bool_(), "reason": pa.string(), "off": pa.float64(),
        "fell_for": pa.bool_(), "false_alarm": pa.bool_(),
    }  # fmt: skip
    return pa.Table.from_pylist(rows, schema=pa.schema({**types, **own}))
