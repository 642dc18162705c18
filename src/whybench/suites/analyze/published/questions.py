"""The source's questions with their places filled in.

A published question is a template, and its source never filled it in (see docs/errata). Places are
fields of the key: a name of a column becomes the file's own name for it, lists are joined by
commas. A place that holds an answer stays empty: one question prints the true effect in passing.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from whybench.suites.analyze.published.forms import FORMS
from whybench.suites.analyze.published.reading import CHALLENGES, PLACEHOLDER, data_sets

if TYPE_CHECKING:
    from whybench.suites.analyze.published.reading import DataSet

__all__ = ["data_set", "meanings", "question"]

WITHHELD = "not given"

FORGOTTEN = {"therapeutic_score": "{DOWNSTREAM_VAR}"}
"""A column of one data set that two questions name to all; the place that must have been meant."""

_FOLDERS = {challenge: folder for folder, challenge in CHALLENGES.items()}


@cache
def data_set(challenge: str, number: int) -> DataSet:
    """Return a data set by our name of its challenge and its number, from 1."""
    return data_sets(_FOLDERS[challenge])[number - 1]


def question(challenge: str, number: int, hint: int) -> str:
    """Return the source's question at a level of hints: 1 is its easiest."""
    data = data_set(challenge, number)
    text = data.questions[hint - 1].text
    for written, meant in FORGOTTEN.items():
        text = text.replace(written, meant)
    return _filled(text, data)


def meanings(challenge: str, number: int) -> dict[str, str]:
    """Return what is to be said in each field of the answer, by the field's name."""
    data = data_set(challenge, number)
    return {key.lower(): _filled(text, data) for key, text in FORMS[challenge].meanings.items()}


def _filled(text: str, data: DataSet) -> str:
    return PLACEHOLDER.sub(lambda found: _words(found[1] or found[2], data), text).strip()


def _words(place: str, data: DataSet) -> str:
    if place in FORMS[CHALLENGES[data.challenge]].meanings:
        return WITHHELD
    if data.key is None:
        # One data set has no key; its columns stand in the order of their numbers.
        return list(data.rows)[int(re.sub(r"\D", "", place)) - 1]
    entry = data.key[place]
    return ", ".join(map(data.called, entry if isinstance(entry, list) else [entry]))
