"""Replies to records: the score of an answer, its parts, and a table with a row for each field.

A record holds the marks of every field as a short JSON object, so that the table of fields is made
from records, wherever these come from, and needs neither a log nor the data.
"""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.analysts import fields_for
from whybench.suites.analyze.grading import GradedAnswer, Verdict, grade, write_conclusion
from whybench.suites.analyze.items import grading_key
from whybench.suites.analyze.prompts import column_names
from whybench.suites.analyze.published.forms import PUBLISHED
from whybench.suites.analyze.published.replication import key_score
from whybench.suites.analyze.replies import parse_reply
from whybench.suites.contract import Answer
from whybench.suites.groups import ANSWER_KEYS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from whybench.suites.contract import Scalar

__all__ = ["PARTS", "fields_table", "grade_reply", "read_marks", "write_marks"]

PARTS: Mapping[str, type] = {
    "fell_for": bool,
    "false_alarm": bool,
    "passed": int,
    "asked": int,
    "marks": str,
    "conclusion": str,
    "key_score": float,
    "runs": int,
    "failed_runs": int,
    "code_outcome": str,
}
"""The columns that an answer adds to those of its item: whether it fell for the trap or claimed one
that is not there, how many of the fields passed, the marks of each, and what it concludes; of
published data, the share of the printed key with which it agrees; and where programs were run, how
many, how many of them failed, and what came of the last one."""

ITEM_COLUMNS = ("challenge", "variant", "twin", "hint", "label", "protocol")
PLAIN_FAILURE: Mapping[str, Any] = asdict(Verdict("", passed=False))


def grade_reply(factors: Mapping[str, Scalar], text: str, truncated: bool) -> Answer:
    """Read a reply to an item and grade it; the value is the score."""
    instance = grading_key(factors)
    fields, names = fields_for(instance), column_names(instance, str(factors["label"]))
    reply = parse_reply(text, fields, names, truncated)
    values = {name: answer.value for name, answer in reply.fields.items() if answer.has_value}
    agreement = key_score(instance, values) if instance.variant == PUBLISHED else None
    printed: dict[str, Scalar] = {} if agreement is None else {"key_score": agreement}
    if reply.reason:
        return Answer(None, reply.reason, parts=printed)
    graded = grade(fields, instance, reply.fields)
    parts: dict[str, Scalar] = {
        "fell_for": graded.fell_for,
        "false_alarm": graded.false_alarm,
        "passed": sum(verdict.passed for verdict in graded.verdicts),
        "asked": len(graded.verdicts),
        "marks": write_marks(graded),
        "conclusion": write_conclusion(fields, instance, values),
        **printed,
    }
    return Answer(graded.score, parts=parts)


def write_marks(graded: GradedAnswer) -> str:
    """Return the verdicts as JSON: field to all that is not as in a plain failure."""
    marks = {}
    for verdict in graded.verdicts:
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
