"""The questions that are asked of each causal structure, read from `tasks.yaml`.

A *task* is a kind of inference, numbered by Roman numerals within its graph. Most tasks of the
collider and of the fork come in two versions, since two variables are interchangeable; a version
is a *question*, told apart by the variable it is about. In the chain each task is one question.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GRAPHS", "Question", "Structure", "TaskContrast", "structure"]


@dataclass(frozen=True)
class Question:
    """How likely is `asked` to be present, given what is known?

    Attributes:
        task: The kind of inference, as a Roman numeral.
        letter: The letter of the task in the human data; made up where there are none.
        cause: The variable that this version is about, a cause in the collider and an effect in
            the fork; `both` where there is but one version.
        asked: The node whose presence is judged.
        given: What is known: pairs of a node and 1 (present) or 0 (absent).
    """

    task: str
    letter: str
    cause: str
    asked: str
    given: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class TaskContrast:
    """A measure: the mean of the task means `above`, less the mean of those `below`."""

    above: tuple[str, ...]
    below: tuple[str, ...]


@dataclass(frozen=True)
class Structure:
    """A causal graph with its questions.

    Attributes:
        name: Its name, the level of the column `graph`.
        nodes: Its variables; a polarity has their signs in this order.
        edges: Pairs of a cause and its effect.
        questions: What is asked of it.
        polarities: The polarities used unless a story says otherwise.
        contrasts: Its measures by name.
    """

    name: str
    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    questions: tuple[Question, ...]
    polarities: tuple[str, ...]
    contrasts: Mapping[str, TaskContrast]

    @property
    def causes_first(self) -> tuple[str, ...]:
        """The nodes in the order in which they are told: no effect before its cause."""
        return tuple(sorted(self.nodes, key=lambda node: len(self._ancestors(node))))

    def _ancestors(self, node: str) -> set[str]:
        causes = {cause for cause, effect in self.edges if effect == node}
        return causes.union(*(self._ancestors(cause) for cause in causes))


@cache
def structure(name: str) -> Structure:
    """Return the structure of this name."""
    if name not in GRAPHS:
        raise UserError(f"graph must be one of {', '.join(GRAPHS)}, got {name!r}")
    raw = _table()[name]
    return Structure(
        name=name,
        nodes=tuple(raw["nodes"]),
        edges=tuple((cause, effect) for cause, effect in raw["edges"]),
        questions=tuple(
            question
            for task, entry in raw["tasks"].items()
            for question in _versions(task, entry, raw["mirror"])
        ),
        polarities=tuple(raw["polarities"]),
        contrasts={
            measure: TaskContrast(tuple(entry["above"]), tuple(entry["below"]))
            for measure, entry in raw["contrasts"].items()
        },
    )


@cache
def _table() -> dict[str, Any]:
    text = files(__package__).joinpath("tasks.yaml").read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.safe_load(text)
    return table


def _versions(task: str, entry: dict[str, Any], mirror: dict[str, str]) -> list[Question]:
    """Return the task's question, and its mirror image where that is another question."""
    images = [
        (
            mirror_of.get(entry["asked"], entry["asked"]),
            tuple(sorted((mirror_of.get(node, node), value) for node, value in known)),
        )
        for known in [tuple(entry["given"].items())]
        for mirror_of in ({}, mirror)
    ]
    if images[0] == images[1]:
        asked, given = images[0]
        return [Question(task, entry["letter"], "both", asked, given)]
    return [
        Question(task, entry["letter"], cause, asked, given)
        for cause, (asked, given) in zip(mirror, images, strict=True)
    ]


GRAPHS = tuple(_table())
"""The causal graphs by name; the first is the default."""
