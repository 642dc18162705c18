"""What is asked about a published data set: fields of its key, and the source's questions.

An answer has those fields of the key that rows settle, under the key's names in small letters. All
are numbers but two: the edge between two columns, and graphs. What stands in each is said in words
of ours (`answers.yaml`), at every level of hints alike.

A published question is a template, and its source never filled it in (see docs/errata). Its
placeholders are fields of the key: a name of a column becomes the file's own name for it, lists are
joined by commas. A placeholder of an answer stays empty: one question prints the true effect in
passing.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml

from whybench.suites.analyze.column_fields import ColumnOrderField, GraphSetField
from whybench.suites.analyze.fields import NumberField
from whybench.suites.analyze.published.data_sets import FOLDERS, PLACEHOLDER, read_data_sets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.fields import Field
    from whybench.suites.analyze.published.data_sets import DataSet

PUBLISHED = "published"
NEITHER = "none"
"""The variant of the source's data sets, and what they are of a trap and its control."""

NO_RUBRICS, PRINTED, REPAIRED = "none", "printed", "repaired"
"""Whether answers are marked by the source's rubrics, and by which."""

NEAR = 0.75
"""How many standard errors from a value of these rows still count as the value."""

SETS = 5
"""How many data sets the source has of each challenge."""

FORMS: Mapping[str, Mapping[str, str]] = {
    challenge: {key: " ".join(text.split()) for key, text in meanings.items()}
    for challenge, meanings in yaml.safe_load(
        files(__package__).joinpath("answers.yaml").read_text(encoding="utf-8")
    ).items()
}
"""The challenges of whose published keys rows settle something: the key's name of each field to
what is to be said there, with placeholders for names."""

WITHHELD = "not given"

FORGOTTEN = ("therapeutic_score", "{DOWNSTREAM_VAR}")
"""A column of one data set that two questions name to all; the placeholder that must be meant."""

_SHARES = ("_P_", "NAIVE_CONDITIONAL", "TRUE_CAUSAL_EFFECT")
_FOLDER_OF = {challenge: folder for folder, challenge in FOLDERS.items()}


@cache
def published_fields(challenge: str) -> tuple[Field, ...]:
    """Return the fields of an answer about a published data set."""
    return tuple(map(_make_field, FORMS[challenge]))


def _make_field(key: str) -> Field:
    name = key.lower()
    if key == "TRUE_EDGES":
        return ColumnOrderField(name)
    if key == "EQUIVALENT_GRAPHS":
        return GraphSetField(name)
    return NumberField(name, share=any(mark in key for mark in _SHARES))


@cache
def read_data_set(challenge: str, number: int) -> DataSet:
    """Return a data set by our name of its challenge and its number, from 1."""
    return read_data_sets(_FOLDER_OF[challenge])[number - 1]


def data_set_of(instance: Instance) -> DataSet:
    """Return the data set of which a published instance was made."""
    number, *_ = instance.keys
    return read_data_set(instance.challenge, int(str(number)))


def rubrics_of(instance: Instance) -> str:
    """Return by which rubrics answers in free text are marked; `none` where there is a form."""
    _, *rubrics = instance.keys if instance.variant == PUBLISHED else (None,)
    return str(rubrics[0]) if rubrics else NO_RUBRICS


def render_question(data: DataSet, hint: int) -> str:
    """Return the source's question at a level of hints: 1 is its easiest."""
    return _fill_in(data.questions[hint - 1].replace(*FORGOTTEN), data)


def field_meanings(data: DataSet) -> dict[str, str]:
    """Return what is to be said in each field of the answer, by the field's name."""
    meanings = FORMS[FOLDERS[data.challenge]]
    return {key.lower(): _fill_in(text, data) for key, text in meanings.items()}


def _fill_in(text: str, data: DataSet) -> str:
    return PLACEHOLDER.sub(lambda match: _words_for(match[1] or match[2], data), text).strip()


def _words_for(placeholder: str, data: DataSet) -> str:
    if placeholder in FORMS.get(FOLDERS[data.challenge], {}):
        return WITHHELD
    if data.key is None:
        # One data set has no key; its columns stand in the order of their numbers.
        return list(data.rows)[int(re.sub(r"\D", "", placeholder)) - 1]
    entry = data.key[placeholder]
    return ", ".join(map(data.word_in_file, entry if isinstance(entry, list) else [entry]))
