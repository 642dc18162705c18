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

from whybench.datasets import data_path, list_sources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

SOURCE = "CausalPitfalls"

FOLDERS = {
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


@dataclass(frozen=True)
class DataSet:
    """One of the 75 data sets.

    Attributes:
        challenge: The source's name of the challenge, which is its folder.
        number: Its place among the five: that of its key; one without a key comes last.
        name: The name of its file, without the ending.
        key: The published key; None where there is none.
        questions: The challenge's five questions, from the easiest.
    """

    challenge: str
    number: int
    name: str
    key: Mapping[str, Any] | None = field(hash=False)
    questions: tuple[str, ...]

    @property
    def rows(self) -> Mapping[str, NDArray[Any]]:
        """The columns by name: numbers where all entries are, else words."""
        return read_rows(f"challenges/{self.challenge}/{self.name}.csv")

    def column_names(self, *fields: str) -> tuple[str, ...]:
        """Return the file's names of the columns that fields of the key name."""
        if self.key is None:
            raise ValueError(f"{self.challenge}/{self.name} must have a key, got none")
        entries = [self.key[field] for field in fields]
        words = [word for e in entries for word in (e if isinstance(e, list) else [e])]
        for word in words:
            if not self._find_column(word):
                raise ValueError(
                    f"column must be one of {', '.join(self.rows)} of "
                    f"{self.challenge}/{self.name}, got {word!r}"
                )
        return tuple(map(self._find_column, words))

    def columns(self, *fields: str) -> tuple[NDArray[Any], ...]:
        """Return the columns that fields of the key name."""
        return tuple(self.rows[name] for name in self.column_names(*fields))

    def word_in_file(self, word: object) -> str:
        """Return a word of the key as the file has it if it names a column, else as it is."""
        return self._find_column(str(word)) or str(word)

    def _find_column(self, word: str) -> str:
        names = {column.lower(): column for column in self.rows}
        return names.get(word.lower()) or names.get(COLUMNS.get(word, word).lower(), "")


@cache
def read_data_sets(challenge: str = "") -> tuple[DataSet, ...]:
    """Return the data sets of one challenge of the source; of all of them, if none is named."""
    if not challenge:
        return tuple(data for folder in FOLDERS for data in read_data_sets(folder))
    if challenge not in FOLDERS:
        raise ValueError(f"challenge must be one of {', '.join(FOLDERS)}, got {challenge!r}")
    questions = tuple(entry["prompt"] for entry in read_json(challenge, "questions"))
    entries = read_json(challenge, "answer_key")
    stems = [PurePosixPath(entry["dataset"]).stem for entry in entries]
    keys = {RENAMED.get(stem, stem): e for stem, e in zip(stems, entries, strict=True)}
    files = [PurePosixPath(path) for path in list_sources()[SOURCE].files]
    names = [f.stem for f in files if f.suffix == ".csv" and f.parent.name == challenge]
    without = [name for name in names if name not in keys]
    return tuple(
        DataSet(challenge, number, name, keys.get(name), questions)
        for number, name in enumerate([*keys, *without], start=1)
    )


def read_json(challenge: str, name: str) -> Any:
    """Return a challenge's `questions`, `answer_key` or `rubric` as published."""
    path = data_path(SOURCE, f"challenges/{challenge}/{name}.json")
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def read_rows(path: str) -> dict[str, NDArray[Any]]:
    """Return the columns of a file of the source by name: numbers where all entries are."""
    with data_path(SOURCE, path).open(encoding="utf-8-sig", newline="") as lines:
        header, *rows = csv.reader(lines)
    return {
        name: _to_array(values)
        for name, values in zip(header, zip(*rows, strict=True), strict=True)
    }


def _to_array(values: tuple[str, ...]) -> NDArray[Any]:
    try:
        return np.array(values, dtype=float)
    except ValueError:
        return np.array(values)
