"""Replies to records: the score of an answer, its parts, and a table with a row for each field.

A record holds the marks of every field as a short JSON object, so that the table of fields is made
from records, wherever these come from, and needs neither a log nor the data.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.answers import read_answers
from whybench.suites.analyze.asked import asked_of
from whybench.suites.analyze.conclusions import concluded
from whybench.suites.analyze.grading import Graded, Verdict, grade
from whybench.suites.analyze.items import key_of
from whybench.suites.analyze.published.agreement import key_score
from whybench.suites.analyze.published.forms import PUBLISHED
from whybench.suites.analyze.wording import column_names
from whybench.suites.contract import Answer
from whybench.suites.groups import ANSWER_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.contract import Scalar

__all__ = ["PARTS", "fields_table", "marks_of", "read_answer", "verdicts_of"]

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

WHICH = ("challenge", "variant", "twin", "hint", "label", "protocol")
USUAL: Mapping[str, Any] = {
    name: value for name, value in asdict(Verdict("", passed=False)).items() if name != "field"
}
"""What a plain failure has."""


def read_answer(factors: Mapping[str, Scalar], text: str, truncated: bool) -> Answer:
    """Read a reply to an item and grade it; the value is the score."""
    instance = key_of(factors)
    asked = asked_of(instance)
    names = column_names(instance, str(factors["label"]))
    answers = read_answers(text, asked.fields, names, truncated)
    given = {name: said.value for name, said in answers.fields.items() if said.given}
    printed = _held_against_the_key(instance, given)
    if answers.reason:
        return Answer(None, answers.reason, parts=printed)
    graded = grade(asked, instance, answers.fields)
    parts: dict[str, Scalar] = {
        "fell_for": graded.fell_for,
        "false_alarm": graded.false_alarm,
        "passed": sum(verdict.passed for verdict in graded.verdicts),
        "asked": len(graded.verdicts),
        "marks": marks_of(graded),
        "conclusion": concluded(asked, instance, given),
        **printed,
    }
    return Answer(graded.score, parts=parts)


def _held_against_the_key(instance: Instance, given: Mapping[str, Any]) -> dict[str, Scalar]:
    """Return how far typed answers agree with the printed key, where there is one."""
    found = key_score(instance, given) if instance.variant == PUBLISHED else None
    return {} if found is None else {"key_score": found}


def marks_of(graded: Graded) -> str:
    """Return the verdicts as JSON: field to all that is not as in a plain failure."""
    return json.dumps(
        {verdict.field: dict(_unusual(verdict)) for verdict in graded.verdicts},
        separators=(",", ":"),
    )


def verdicts_of(marks: str) -> list[Verdict]:
    """Return the verdicts that marks stand for."""
    return [
        Verdict(**{"field": field, "passed": False, **unusual})
        for field, unusual in json.loads(marks).items()
    ]


def fields_table(records: pa.Table) -> pa.Table:
    """Return a row for each field of each answer: whether it passed, and how it did not."""
    import pyarrow as pa  # noqa: PLC0415  (not for `whybench list`)

    rows = [
        {**{name: record[name] for name in (*ANSWER_KEYS, *WHICH)}, **asdict(verdict)}
        for record in records.select((*ANSWER_KEYS, *WHICH, "marks")).to_pylist()
        if record["marks"]
        for verdict in verdicts_of(record["marks"])
    ]
    types = {name: records.schema.field(name).type for name in (*ANSWER_KEYS, *WHICH)}
    own = {
        "field": pa.string(), "passed": pa.bool_(), "reason": pa.string(), "off": pa.float64(),
        "fell_for": pa.bool_(), "false_alarm": pa.bool_(),
    }  # fmt: skip
    return pa.Table.from_pylist(rows, schema=pa.schema({**types, **own}))


def _unusual(verdict: Verdict) -> Iterator[tuple[str, Any]]:
    for name, usual in USUAL.items():
        value = getattr(verdict, name)
        if value != usual:
            yield name, float(f"{value:.4g}") if name == "off" else value
