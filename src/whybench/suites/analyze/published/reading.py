"""What the source publishes: rows, questions, keys and rubrics, read and not mended.

Three things need care. A question is a template: its placeholders, such as {TREATMENT}, are names
of key fields. A key says to which file it belongs, and once names a file that does not exist under
that name; one data set has no key at all. And a key may name a column otherwise than the file
does.
"""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.datasets import SOURCES, data_path

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = [
    "CHALLENGES",
    "PLACEHOLDER",
    "SOURCE",
    "DataSet",
    "Question",
    "data_sets",
    "rubric",
    "unfilled",
]

SOURCE = "CausalPitfalls"

CHALLENGES = {
    "simpson_paradox": "simpson",
    "berkson_paradox": "selection",
    "observational_vs_experimental_reasoning": "observational",
    "casual_effect": "effect_estimation",
    "counterfactual_reasoning": "outcome",
    "necessity_sufficiency": "necessity_sufficiency",
    "mediation_outcome_confounder": "mediator_confounding",
    "sequential_mediator": "sequential",
    "treatment_mediator": "interaction",
    "causal_direction_iv": "direction",
    "dag_structure_markequi": "structure",
    "population_shift": "population",
    "temporal_stability": "temporal",
    "moderation_effect": "moderation",
    "domain_shift": "domain_shift",
}
"""The source's folders, and the challenge of ours that each corresponds to."""

RENAMED = {"economic_stimulus_interaction": "economic_stimulus"}
"""What a key calls a file, where the file is called otherwise."""

COLUMNS = {"Recovery": "recover", "Disease A": "A", "Disease B": "B"}
"""What keys call columns, where a file calls them otherwise."""

PLACEHOLDER = re.compile(r"\{([A-Z][A-Z0-9_]*)\}|<([A-Z][A-Z0-9_]*)>")


def unfilled(text: str) -> tuple[str, ...]:
    """Return the placeholders of a text, each once, in order.

    >>> unfilled("Does {TREATMENT} move {OUTCOME}? Adjust {TREATMENT} for <CONFOUNDER>.")
    ('TREATMENT', 'OUTCOME', 'CONFOUNDER')
    """
    return tuple(dict.fromkeys(one or other for one, other in PLACEHOLDER.findall(text)))


@dataclass(frozen=True)
class Question:
    """A question at one level of hints, as published."""

    difficulty: str
    text: str

    @property
    def placeholders(self) -> tuple[str, ...]:
        """The key fields that the text asks to be filled in."""
        return unfilled(self.text)


@dataclass(frozen=True)
class DataSet:
    """One of the 75 data sets.

    Attributes:
        challenge: The source's name of the challenge, which is its folder.
        number: Its place among the five: that of its key; one without a key comes last.
        name: The name of its file, without the ending.
        key: The published key; None where there is none.
        questions: The challenge's five questions.
    """

    challenge: str
    number: int
    name: str
    key: Mapping[str, Any] | None = field(hash=False)
    questions: tuple[Question, ...]

    @property
    def rows(self) -> Mapping[str, NDArray[Any]]:
        """The columns by name: numbers where all entries are, else words."""
        return _rows(f"challenges/{self.challenge}/{self.name}.csv")

    def named(self, *names: str) -> tuple[str, ...]:
        """Return key fields that hold one or several column names as the file's names."""
        if self.key is None:
            raise ValueError(f"{self.challenge}/{self.name} must have a key, got none")
        found: list[str] = []
        for name in names:
            entry = self.key[name]
            found += [self._column(one) for one in (entry if isinstance(entry, list) else [entry])]
        return tuple(found)

    def called(self, word: object) -> str:
        """Return a word of the key as the file has it if it names a column, else as it is."""
        return self._found(str(word)) or str(word)

    def columns(self, *names: str) -> tuple[NDArray[Any], ...]:
        """Return the columns that key fields name."""
        return tuple(self.rows[name] for name in self.named(*names))

    def _column(self, name: str) -> str:
        if found := self._found(name):
            return found
        raise ValueError(
            f"column must be one of {', '.join(self.rows)} of {self.challenge}/{self.name}, "
            f"got {name!r}"
        )

    def _found(self, name: str) -> str:
        here = {column.lower(): column for column in self.rows}
        for candidate in (name, COLUMNS.get(name, name)):
            if candidate.lower() in here:
                return here[candidate.lower()]
        return ""


@cache
def data_sets(challenge: str = "") -> tuple[DataSet, ...]:
    """Return the data sets of one challenge of the source; of all of them, if none is named."""
    if not challenge:
        return tuple(one for each in CHALLENGES for one in data_sets(each))
    if challenge not in CHALLENGES:
        raise ValueError(f"challenge must be one of {', '.join(CHALLENGES)}, got {challenge!r}")
    questions = tuple(
        Question(entry["difficulty"], entry["prompt"]) for entry in _json(challenge, "questions")
    )
    keys = {_file_name(entry["dataset"]): entry for entry in _json(challenge, "answer_key")}
    without = [name for name in _file_names(challenge) if name not in keys]
    return tuple(
        DataSet(challenge, number, name, keys.get(name), questions)
        for number, name in enumerate([*keys, *without], start=1)
    )


@cache
def rubric(challenge: str) -> Mapping[str, Any]:
    """Return a challenge's rubric: its criteria and the highest score."""
    found: Mapping[str, Any] = _json(challenge, "rubric")
    return found


def _json(challenge: str, name: str) -> Any:
    path = data_path(SOURCE, f"challenges/{challenge}/{name}.json")
    return json.loads(path.read_text(encoding="utf-8"))


def _file_name(named: str) -> str:
    stem = PurePosixPath(named).stem
    return RENAMED.get(stem, stem)


def _file_names(challenge: str) -> list[str]:
    paths = [PurePosixPath(path) for path in SOURCES[SOURCE].files]
    return [p.stem for p in paths if p.suffix == ".csv" and p.parent.name == challenge]


@cache
def _rows(path: str) -> dict[str, NDArray[Any]]:
    with data_path(SOURCE, path).open(encoding="utf-8-sig", newline="") as lines:
        header, *rows = csv.reader(lines)
    return {
        name: _numbers_or_words(values)
        for name, values in zip(header, zip(*rows, strict=True), strict=True)
    }


def _numbers_or_words(values: tuple[str, ...]) -> NDArray[Any]:
    try:
        return np.array(values, dtype=float)
    except ValueError:
        return np.array(values)
