"""Instance to words; nothing else makes prompt text.

`describe` says everything but the rows: the story, the data dictionary with the order of
measurement, the question with the hints of a level, and the form of the answer. Dictionary and form
are the same at every level, so that format is not difficulty. `table` gives the rows. `ask` is the
whole first message: what is described, and how the rows are to be had under a protocol.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.analyze.asked import asked_of
from whybench.suites.analyze.protocols.wording import PROTOCOLS as WITH_PROGRAMS
from whybench.suites.analyze.protocols.wording import instructions
from whybench.suites.analyze.published import questions
from whybench.suites.analyze.published.forms import PUBLISHED
from whybench.suites.analyze.stories import LABELS, LEVELS, Story, hints, story

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.challenges.contract import Array, Instance

__all__ = ["KINDS", "PROTOCOLS", "ask", "column_names", "describe", "schema", "table"]

CACHED = 256
"""Data sets whose lines are kept: they are the longest part of a prompt, and often the same."""

KINDS = {
    "binary": "0 or 1",
    "category": "category",
    "count": "whole number",
    "real": "number",
    "share": "number from 0 to 1",
}
"""What a data dictionary calls the kinds of columns."""

DICTIONARY = (
    "The data have {size} rows and these columns. The step says when a column was measured: a "
    "lower step came before a higher one."
)
SAMPLE = (
    "The data have {whole} rows and these columns; you are shown a sample of {size} of the rows, "
    "drawn by lot. The step says when a column was measured: a lower step came before a higher one."
)
NO_DICTIONARY = "The data have {size} rows and the columns {columns}."
FORM = (
    "End your reply with one JSON object that fits this schema. Numbers are plain numbers with all "
    "the digits you have, columns go by their names.\n{schema}"
)

DIRECT = (
    "Nothing can be run; work from the rows themselves. All of them follow as CSV, with the names "
    "of the columns in the first line.\n\n{table}"
)
DIRECT_SAMPLE = DIRECT.replace("All of them follow", "The sample follows")
PROTOCOLS = ("direct", *WITH_PROGRAMS)
"""The protocols by name: the rows in the prompt, or in a file for programs."""


def ask(instance: Instance, labels: str, hint: int, protocol: str) -> str:
    """Return the first message of a conversation about an instance."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}, got {protocol!r}")
    if protocol == "direct":
        given = DIRECT_SAMPLE if instance.whole else DIRECT
        rows = given.format(table=table(instance, labels)).rstrip()
    else:
        rows = instructions(protocol)
    return f"{describe(instance, labels, hint)}\n\n{rows}"


def column_names(instance: Instance, labels: str) -> dict[str, str]:
    """Return the name of each column of an instance, by role, in the order of the data."""
    if labels not in LABELS:
        raise ValueError(f"labels must be one of {', '.join(LABELS)}, got {labels!r}")
    if instance.variant == PUBLISHED:
        return {column.role: column.role for column in instance.columns}
    named = story(instance.challenge).labels[labels].columns
    return {column.role: named[column.role] for column in instance.columns}


def describe(instance: Instance, labels: str, hint: int) -> str:
    """Return everything that is said about an instance, the rows excepted."""
    if hint not in LEVELS:
        raise ValueError(f"hint must be one of {LEVELS}, got {hint!r}")
    told = (
        _source(instance, hint) if instance.variant == PUBLISHED else _told(instance, labels, hint)
    )
    form = FORM.format(schema=json.dumps(schema(instance, labels), ensure_ascii=False))
    return "\n\n".join([*told, form])


def _source(instance: Instance, hint: int) -> tuple[str, ...]:
    """Return what the source says of its data: a question, and no word of what columns mean."""
    columns = ", ".join(instance.rows)
    return (
        NO_DICTIONARY.format(size=instance.size, columns=columns),
        f"Question: {questions.question(instance.challenge, _number(instance), hint)}",
    )


def _number(instance: Instance) -> int:
    """Return the number of a published data set."""
    (number,) = instance.keys
    return int(str(number))


def _told(instance: Instance, labels: str, hint: int) -> tuple[str, ...]:
    """Return the story, the data dictionary, and the question with its hints."""
    told = story(instance.challenge).told(instance.variant)
    places = _places(instance, labels)
    switches = {"caution": hints().caution} | {
        "estimand": told.estimand,
        "roles": told.roles,
        "method": told.method,
        "warning": told.warning,
    }
    asked = [told.question, *(switches[switch] for switch in hints().levels[hint])]
    return (
        f"{told.setting} {told.design}".format(**places),
        _dictionary(instance, told, places),
        "Question: " + " ".join(asked).format(**places),
    )


def schema(instance: Instance, labels: str) -> dict[str, object]:
    """Return the JSON schema of the answer, each field with what is to be said there."""
    names, meanings = column_names(instance, labels), _meanings(instance, labels)
    properties = {
        entry.name: {"description": meanings[entry.name], **entry.schema(names)}
        for entry in asked_of(instance).fields
    }
    return {"type": "object", "properties": properties, "required": list(properties)}


def _meanings(instance: Instance, labels: str) -> Mapping[str, str]:
    """Return what is to be said in each field."""
    if instance.variant == PUBLISHED:
        return questions.meanings(instance.challenge, _number(instance))
    places = _places(instance, labels)
    answer = story(instance.challenge).answer
    return {name: text.format(**places) for name, text in answer.items()}


def table(instance: Instance, labels: str) -> str:
    """Return the rows as CSV; the lines below the head are the same under all labels."""
    return f"{','.join(column_names(instance, labels).values())}\n{_lines(instance)}"


@lru_cache(maxsize=CACHED)
def _lines(instance: Instance) -> str:
    columns = [_cells(values) for values in instance.rows.values()]
    return "".join(f"{','.join(row)}\n" for row in zip(*columns, strict=True))


def _cells(values: Array) -> list[str]:
    if np.issubdtype(values.dtype, np.floating):
        return [repr(value) for value in values.tolist()]
    return [str(value) for value in values.tolist()]


def _places(instance: Instance, labels: str) -> Mapping[str, object]:
    words = story(instance.challenge).labels[labels].words
    return {**column_names(instance, labels), **words, **instance.facts}


def _dictionary(instance: Instance, told: Story, places: Mapping[str, object]) -> str:
    steps = {
        step: place + 1 for place, step in enumerate(sorted({c.measured for c in instance.columns}))
    }
    lines = [
        f"- {places[column.role]} ({KINDS[column.kind]}; step {steps[column.measured]}): "
        f"{told.meanings[column.role].format(**places)}"
        for column in instance.columns
    ]
    head = SAMPLE if instance.whole else DICTIONARY
    return "\n".join([head.format(size=instance.size, whole=instance.whole), *lines])
