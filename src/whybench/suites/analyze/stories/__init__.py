"""Stories: what the columns of a challenge are called, and the words around its data.

A story is a YAML file named after its challenge. All of its texts have placeholders in braces: a
role, such as {treatment}, stands for the column's name; others stand for `words` of the label set
and for figures of the instance (`facts`).

- `challenge`: the challenge's name
- `setting`: who collected what, and why
- `design`: how rows came into the table and who got what
- `question`: what somebody wants to know, in everyday words
- `estimand`, `roles`, `method`, `warning`: one sentence or two for each switch of `hints.yaml`
- `meanings`: role to what the column holds; kind and order of measurement are the instance's
- `answer`: field to what is to be said there
- `labels`: `neutral`, `flattering` and `damning`: `columns` (role to name) and `words`
- `variants`: what is said differently in a variant: `setting`, `design`, `roles`, `meanings`

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
from whybench.suites.files import explain_shape, parse_mapping

__all__ = [
    "HINTS",
    "LABELS",
    "SWITCHES",
    "AnalyzeStory",
    "Hints",
    "Labels",
    "parse_story",
    "read_hints",
    "read_story",
]

LABELS = ("neutral", "flattering", "damning")
HINTS = (1, 2, 3, 4, 5)
SWITCHES = ("estimand", "caution", "roles", "method", "warning")
BY_VARIANT = frozenset({"setting", "design", "roles", "meanings"})


@dataclass(frozen=True)
class Labels:
    """One way to name the same things: columns by role, and words for placeholders in the texts."""

    columns: Mapping[str, str]
    words: Mapping[str, str]


@dataclass(frozen=True)
class AnalyzeStory:
    """The texts of a challenge; see the head of this module."""

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

    def for_variant(self, variant: str) -> AnalyzeStory:
        """Return the story of a variant."""
        changed = dict(self.variants.get(variant, {}))
        meanings = {**self.meanings, **changed.pop("meanings", {})}
        return replace(self, meanings=meanings, **changed)


@dataclass(frozen=True)
class Hints:
    """Which texts are shown at which level, and the one that is the same in all stories."""

    levels: Mapping[int, tuple[str, ...]]
    caution: str


@cache
def read_story(challenge: str) -> AnalyzeStory:
    """Return the story of a challenge."""
    where = f"{challenge}.yaml"
    own = CHALLENGES[challenge].story
    text = own or files(__package__).joinpath(where).read_text(encoding="utf-8")
    with explain_shape(where, "a story"):
        return parse_story(text, where)


def parse_story(text: str, where: str) -> AnalyzeStory:
    """Return the story that YAML text tells.

    Raises:
        UserError: It lacks a key, has one too many, or labels or variants that do not fit.
    """
    raw = parse_mapping(text, where)
    keys = {entry.name for entry in fields(AnalyzeStory)}
    if set(raw) | {"variants"} != keys:
        raise UserError(f"{where} must have the keys {sorted(keys)}, got {sorted(raw)}")
    texts = _unwrap({"variants": {}, **raw})
    if set(texts["labels"]) != set(LABELS):
        raise UserError(f"{where}: labels must be {', '.join(LABELS)}, got {list(texts['labels'])}")
    for variant, changed in texts["variants"].items():
        if not set(changed) <= BY_VARIANT:
            raise UserError(
                f"{where}: {variant} may change {sorted(BY_VARIANT)}, got {sorted(changed)}"
            )
    labels = {name: Labels(**texts["labels"][name]) for name in LABELS}
    for name, entry in labels.items():
        if len(set(entry.columns.values())) < len(entry.columns):
            raise UserError(f"{where}: columns of {name} must differ, got {entry.columns}")
    return AnalyzeStory(**{**texts, "labels": labels})


@cache
def read_hints() -> Hints:
    """Return the table of switches."""
    raw = yaml.safe_load(files(__package__).joinpath("hints.yaml").read_text(encoding="utf-8"))
    levels = {level: tuple(raw["levels"][level]) for level in HINTS}
    for level, switches in levels.items():
        if not set(switches) <= set(SWITCHES):
            raise UserError(f"hints of level {level} must be of {SWITCHES}, got {switches}")
    return Hints(levels, " ".join(raw["caution"].split()))


def _unwrap(value: Any) -> Any:
    """Put every text on one line."""
    if isinstance(value, Mapping):
        return {key: _unwrap(entry) for key, entry in value.items()}
    return " ".join(value.split()) if isinstance(value, str) else value
