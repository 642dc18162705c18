"""Stories: what the columns of a challenge are called, and the words around its data.

A story is a YAML file named after its challenge. All of its texts have places in braces: a role,
such as {treatment}, stands for the column's name; other places stand for `words` of the label set
and for figures of the instance (`facts`).

- `challenge`: the challenge's name
- `setting`: who collected what, and why
- `design`: how rows came into the table and who got what
- `question`: what somebody wants to know, in everyday words
- `estimand`, `roles`, `method`, `warning`: one sentence or two for each switch of `hints.yaml`
- `meanings`: role to what the column holds; kind and order of measurement are the instance's
- `answer`: field to what is to be said there
- `labels`: `neutral`, `flattering` and `damning`: `columns` (role to name) and `words`
- `variants`: what is told differently in a variant: `setting`, `design`, `roles`, `meanings`

Question, estimand, method, warning and answer cannot differ between variants: they would tell the
trap from its controls. Labels change names and words and nothing else, so that the rows are the
same to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.contract import UserError
from whybench.suites.files import mapping_of

__all__ = ["LABELS", "LEVELS", "SWITCHES", "Hints", "Labels", "Story", "hints", "parsed", "story"]

LABELS = ("neutral", "flattering", "damning")
LEVELS = (1, 2, 3, 4, 5)
SWITCHES = ("estimand", "caution", "roles", "method", "warning")
BY_VARIANT = frozenset({"setting", "design", "roles", "meanings"})


@dataclass(frozen=True)
class Labels:
    """One way to name the same things: columns by role, and words for places in the texts."""

    columns: Mapping[str, str]
    words: Mapping[str, str]


@dataclass(frozen=True)
class Story:
    """The words of a challenge; see the head of this module."""

    challenge: str
    setting: str
    design: str
    question: str
    estimand: str
    roles: str
    method: str
    warning: str
    meanings: Mapping[str, str]
    answer: Mapping[str, str]
    labels: Mapping[str, Labels]
    variants: Mapping[str, Mapping[str, Any]]

    def told(self, variant: str) -> Story:
        """Return the story as it is told in a variant."""
        changed = dict(self.variants.get(variant, {}))
        meanings = {**self.meanings, **changed.pop("meanings", {})}
        return replace(self, meanings=meanings, **changed)


@dataclass(frozen=True)
class Hints:
    """Which texts are told at which level, and the one that is the same in all stories."""

    levels: Mapping[int, tuple[str, ...]]
    caution: str


@cache
def story(challenge: str) -> Story:
    """Return the story of a challenge."""
    where = f"{challenge}.yaml"
    own = CHALLENGES[challenge].story
    return parsed(own or files(__package__).joinpath(where).read_text(encoding="utf-8"), where)


def parsed(text: str, where: str) -> Story:
    """Return the story that YAML text tells.

    Raises:
        UserError: It lacks a key, has one too many, or labels or variants that do not fit.
    """
    raw = mapping_of(text, where)
    keys = {entry.name for entry in fields(Story)}
    if set(raw) | {"variants"} != keys:
        raise UserError(f"{where} must have the keys {sorted(keys)}, got {sorted(raw)}")
    given = _settled({"variants": {}, **raw})
    if set(given["labels"]) != set(LABELS):
        raise UserError(f"{where}: labels must be {', '.join(LABELS)}, got {list(given['labels'])}")
    for variant, changed in given["variants"].items():
        if not set(changed) <= BY_VARIANT:
            raise UserError(
                f"{where}: {variant} may change {sorted(BY_VARIANT)}, got {sorted(changed)}"
            )
    labels = {name: Labels(**given["labels"][name]) for name in LABELS}
    for name, entry in labels.items():
        if len(set(entry.columns.values())) < len(entry.columns):
            raise UserError(f"{where}: columns of {name} must differ, got {entry.columns}")
    return Story(**{**given, "labels": labels})


@cache
def hints() -> Hints:
    """Return the table of switches."""
    raw = yaml.safe_load(files(__package__).joinpath("hints.yaml").read_text(encoding="utf-8"))
    levels = {level: tuple(raw["levels"][level]) for level in LEVELS}
    for level, switches in levels.items():
        if not set(switches) <= set(SWITCHES):
            raise UserError(f"hints of level {level} must be of {SWITCHES}, got {switches}")
    return Hints(levels, " ".join(raw["caution"].split()))


def _settled(value: Any) -> Any:
    """Put every text on one line."""
    if isinstance(value, Mapping):
        return {key: _settled(entry) for key, entry in value.items()}
    return " ".join(value.split()) if isinstance(value, str) else value
