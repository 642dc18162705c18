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
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml

from whybench.suites.analyze.column_fields import ColumnOrderField, GraphSetField
from whybench.suites.analyze.fields import NumberField
from whybench_papers.du2025.data_sets import FOLDERS, PLACEHOLDER, read_data_sets

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.fields import Field
    from whybench_papers.du2025.data_sets import DataSet

NAME = "du2025"

DATA_SETS, NEITHER = "data_sets", "none"
"""The variant of the paper's data sets, which are neither a trap nor its control."""

NO_DICTIONARY = "The data have {size} rows and the columns {columns}."

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
    """Return the rubrics by which answers in free words are marked; `none` where there is a form.

    Instances of analyze have no rubrics.
    """
    return instance.script.rubrics if isinstance(instance.script, DataSetScript) else NO_RUBRICS


@dataclass(frozen=True)
class DataSetScript:
    """The paper's question about one of its data sets, which does not describe the columns.

    Attributes:
        challenge: Our name of the challenge.
        number: The number of the data set.
        rubrics: The rubrics by which answers are marked; `none` for answers in a form.
        size: The number of rows.
        columns: The names of the columns.
    """

    challenge: str
    number: int
    rubrics: str
    size: int
    columns: tuple[str, ...]

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the form, if there is one."""
        return published_fields(self.challenge) if self.rubrics == NO_RUBRICS else ()

    def name_columns(self, label: str) -> dict[str, str]:  # noqa: ARG002
        """Return the names of the columns, which are those of the file."""
        return {name: name for name in self.columns}

    def paragraphs(self, label: str, hint: int) -> tuple[str, ...]:  # noqa: ARG002
        """Return the columns and the question at a level of hints."""
        data = read_data_set(self.challenge, self.number)
        return (
            NO_DICTIONARY.format(size=self.size, columns=", ".join(self.columns)),
            f"Question: {render_question(data, hint)}",
        )

    def field_meanings(self, label: str) -> dict[str, str]:  # noqa: ARG002
        """Return the description of each field."""
        return field_meanings(read_data_set(self.challenge, self.number))


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
