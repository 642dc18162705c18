"""The questions that are asked of each causal structure, read from `tasks.yaml`.

A *task* is a kind of inference, numbered I to XI for the collider. Most tasks come in two
versions, since the two causes are interchangeable; a version is a *question*, told apart by the
cause it is about.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from whybench.suites.contract import UserError

__all__ = ["Question", "Structure", "structure"]


@dataclass(frozen=True)
class Question:
    """How likely is `asked` to be present, given what is known?

    Attributes:
        task: The kind of inference, as a Roman numeral.
        letter: The letter of the task in the human data.
        cause: The cause that this version is about; `both` where there is but one version.
        asked: The node whose presence is judged.
        given: What is known: pairs of a node and 1 (present) or 0 (absent).
    """

    task: str
    letter: str
    cause: str
    asked: str
    given: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Structure:
    """A causal graph with its questions, and the polarities used unless a story says otherwise."""

    name: str
    nodes: tuple[str, ...]
    edges: tuple[tuple[str, str], ...]
    questions: tuple[Question, ...]
    polarities: tuple[str, ...]


@cache
def structure(name: str) -> Structure:
    """Return the structure of this name."""
    table = _table()
    if name not in table:
        raise UserError(f"graph must be one of {', '.join(table)}, got {name!r}")
    raw = table[name]
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
