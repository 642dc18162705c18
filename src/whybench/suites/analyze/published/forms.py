"""What is asked about a published data set: fields of its key, and words for each.

An answer has those fields of the key that rows settle, under the key's names in small letters. All
are numbers but two: the edge between two columns, and graphs. What stands in each is said in words
of ours (`answers.yaml`), at every level of hints alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING

import yaml

from whybench.suites.analyze.column_fields import ColumnOrder, GraphSet
from whybench.suites.analyze.fields import Number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.fields import Field

__all__ = ["FORMS", "NEITHER", "PUBLISHED", "SETS", "Form"]

PUBLISHED = "published"
NEITHER = "none"
"""The variant of the source's data sets, and what they are of a trap and its control."""

SETS = 5
"""How many data sets the source has of each challenge."""

_SHARES = ("_P_", "NAIVE_CONDITIONAL", "TRUE_CAUSAL_EFFECT")


@dataclass(frozen=True, eq=False)
class Form:
    """What an answer about a published data set consists of.

    Attributes:
        meanings: The key's name of each field to what is to be said there, with places for names.
    """

    meanings: Mapping[str, str]

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the answer."""
        return tuple(map(_field, self.meanings))


def _field(key: str) -> Field:
    name = key.lower()
    if key == "TRUE_EDGES":
        return ColumnOrder(name)
    if key == "EQUIVALENT_GRAPHS":
        return GraphSet(name)
    return Number(name, share=any(mark in key for mark in _SHARES))


FORMS: Mapping[str, Form] = {
    challenge: Form({key: " ".join(text.split()) for key, text in meanings.items()})
    for challenge, meanings in yaml.safe_load(
        files(__package__).joinpath("answers.yaml").read_text(encoding="utf-8")
    ).items()
}
"""The challenges of whose published keys rows settle something, and what is asked of each."""
