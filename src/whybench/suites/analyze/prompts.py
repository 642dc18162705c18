"""Instance to prompt; nothing else makes the text of a first message.

`render_description` returns everything but the rows: the story, the data dictionary with the order
of measurement, the question with the hints of a level, and the form of the report. Dictionary and
form are the same at every level, so that format is not difficulty. `rows_csv` gives the rows.
`render_prompt` is the whole first message: the description, and how the rows are to be had under a
protocol. `render_diagnosis` is what is asked when the report has been given.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

from whybench.suites.analyze.analysts import diagnosis_fields, report_fields
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.protocols.prompts import PROTOCOLS as WITH_PROGRAMS
from whybench.suites.analyze.reports import find_number
from whybench.suites.analyze.settings import LABELS, Setting
from whybench.suites.analyze.stories import (
    HINTS,
    AnalyzeStory,
    read_forms,
    read_hints,
    read_story,
    tell_story,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.fields import Field

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

STEPS = "Steps give the order of measurement: a lower step came before a higher one."
DICTIONARY = f"The data have {{size}} rows and these columns. {STEPS}"
SAMPLE = (
    "The data have {whole} rows and these columns; you are shown a random sample of {size} rows. "
    f"{STEPS}"
)
FORM = (
    "End your reply with one JSON object that matches this schema. Give numbers at full precision, "
    "without units; use column names exactly as shown.\n{schema}"
)

DIAGNOSIS = (
    "Your report has been recorded and can no longer be changed. Now explain what it is based on."
)

DIRECT = (
    "You cannot run code; work from the rows themselves. All of them follow as CSV, with the "
    "column names in the first line.\n\n{table}"
)
DIRECT_SAMPLE = DIRECT.replace("All of them follow", "The sample follows")
PROTOCOLS = ("direct", *WITH_PROGRAMS)
"""The protocols by name: the rows in the prompt, or in a file for programs."""


def render_prompt(instance: Instance, labels: str, hint: int, protocol: str) -> str:
    """Return the first message of a conversation about an instance."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}, got {protocol!r}")
    if protocol == "direct":
        text = DIRECT_SAMPLE if instance.full_size else DIRECT
        rows = text.format(table=rows_csv(instance, labels)).rstrip()
    else:
        rows = WITH_PROGRAMS[protocol].text
    return f"{render_description(instance, labels, hint)}\n\n{rows}"


def column_names(instance: Instance, labels: str) -> dict[str, str]:
    """Return the name of each column of an instance, by role, in the order of the data."""
    if labels not in LABELS:
        raise ValueError(f"labels must be one of {', '.join(LABELS)}, got {labels!r}")
    if instance.script is not None:
        return instance.script.name_columns(labels)
    setting, telling = setting_of(instance), instance.telling
    return {
        column.role: setting.name_column(
            column.role,
            labels,
            telling.names[column.role],
            opposite=column.role in telling.opposite,
        )
        for column in instance.columns
    }


def setting_of(instance: Instance) -> Setting:
    """Return the setting in which an instance is told."""
    return CHALLENGES[instance.challenge].find_setting(instance.telling.setting)


def story_of(instance: Instance) -> AnalyzeStory:
    """Return all that is said of an instance."""
    story = read_story(instance.challenge, CHALLENGES[instance.challenge].story)
    return tell_story(story, setting_of(instance), instance.variant)


def render_description(instance: Instance, labels: str, hint: int) -> str:
    """Return everything that is said about an instance, the rows excepted."""
    if hint not in HINTS:
        raise ValueError(f"hint must be one of {HINTS}, got {hint!r}")
    if instance.script is not None:
        texts = instance.script.paragraphs(labels, hint)
    else:
        texts = _story_texts(instance, labels, hint)
    fields = report_fields(instance)
    return "\n\n".join([*texts, *([_render_form(instance, labels, fields)] if fields else [])])


def render_diagnosis(instance: Instance, labels: str) -> str:
    """Return the message that asks for the diagnosis."""
    return f"{DIAGNOSIS} {_render_form(instance, labels, diagnosis_fields(instance))}"


def _render_form(instance: Instance, labels: str, fields: Sequence[Field]) -> str:
    schema = answer_schema(instance, labels, fields)
    return FORM.format(schema=json.dumps(schema, ensure_ascii=False))


def _story_texts(instance: Instance, labels: str, hint: int) -> tuple[str, ...]:
    """Return the story, the data dictionary, and the question with its hints."""
    story, hints = story_of(instance), read_hints()
    words = _placeholder_words(instance, labels)
    question = [story.question] + [
        hints.caution if switch == "caution" else getattr(story, switch)
        for switch in hints.levels[hint]
    ]
    return (
        f"{story.setting} {story.design}".format(**words),
        _render_dictionary(instance, words),
        "Question: " + " ".join(question).format(**words),
    )


def answer_schema(instance: Instance, labels: str, fields: Sequence[Field]) -> dict[str, object]:
    """Return the JSON schema of a form, each field with what is to be said there."""
    names, meanings = column_names(instance, labels), _field_meanings(instance, labels)
    properties = {
        entry.name: {"description": meanings[entry.name], **entry.schema(names)} for entry in fields
    }
    return {"type": "object", "properties": properties, "required": list(properties)}


def _field_meanings(instance: Instance, labels: str) -> Mapping[str, str]:
    """Return what is to be said in each field."""
    if instance.script is not None:
        return instance.script.field_meanings(labels)
    words = _placeholder_words(instance, labels)
    own = {name: text.format(**words) for name, text in story_of(instance).answer.items()}
    challenge = CHALLENGES[instance.challenge]
    if not find_number(challenge.report):
        return {**own, **read_forms().claim}
    names = {"cause": words[challenge.acted_on], "outcome": words[challenge.outcome]}
    return {**own, **{name: text.format(**names) for name, text in read_forms().report.items()}}


def rows_csv(instance: Instance, labels: str) -> str:
    """Return the rows as CSV; the lines below the head are the same under all labels."""
    return f"{','.join(column_names(instance, labels).values())}\n{_csv_lines(instance)}"


@lru_cache(maxsize=CACHED)
def _csv_lines(instance: Instance) -> str:
    columns = [map(str, values.tolist()) for values in instance.rows.values()]
    return "".join(f"{','.join(row)}\n" for row in zip(*columns, strict=True))


def _placeholder_words(instance: Instance, labels: str) -> Mapping[str, object]:
    """Return what stands in the texts of a story in place of names in braces."""
    words = setting_of(instance).words[labels]
    return {**column_names(instance, labels), **words, **instance.facts}


def _render_dictionary(instance: Instance, words: Mapping[str, object]) -> str:
    setting, opposite = setting_of(instance), instance.telling.opposite
    meanings = {
        role: setting.column(role, opposite=role in opposite).meaning_in(instance.variant)
        for role in instance.rows
    }
    measured = sorted({column.measured for column in instance.columns})
    lines = [
        f"- {words[column.role]} "
        f"({KINDS[column.kind]}; step {measured.index(column.measured) + 1}): "
        f"{meanings[column.role].format(**words)}"
        for column in instance.columns
    ]
    head = SAMPLE if instance.full_size else DICTIONARY
    return "\n".join([head.format(size=instance.size, whole=instance.full_size), *lines])
