"""Stories: what is said of a challenge in every setting.

A story is a YAML file named after its challenge. Its texts have places in braces, which a setting
fills (see `settings`).

- `challenge`: the challenge's name
- `estimand`, `roles`, `method`, `warning`: one sentence or two for each switch of `hints.yaml`
- `answer`: field to what is to be said there; what is the same in all reports is in `forms.yaml`
- `variants`: variant to other `roles`, where columns have other parts to play

`tell_story` returns all that is said of a variant in a setting.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import yaml

from whybench.suites.analyze.settings import unwrap_texts
from whybench.suites.contract import UserError
from whybench.suites.files import explain_shape, parse_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.analyze.settings import Setting

__all__ = [
    "HINTS",
    "SWITCHES",
    "AnalyzeStory",
    "Forms",
    "Hints",
    "parse_story",
    "read_forms",
    "read_hints",
    "read_story",
    "tell_story",
]

HINTS = (1, 2, 3, 4, 5)
SWITCHES = ("estimand", "caution", "roles", "method", "warning")
KEYS = frozenset({"challenge", "estimand", "roles", "method", "warning", "answer"})


@dataclass(frozen=True)
class AnalyzeStory:
    """All that is said of a challenge; see the head of this module and of `settings`."""

    challenge: str
    setting: str
    design: str
    question: str
    estimand: str
    roles: str
    method: str
    warning: str
    answer: Mapping[str, str]


@dataclass(frozen=True)
class Hints:
    """Which texts are shown at which level, and the one that is the same in all stories."""

    levels: Mapping[int, tuple[str, ...]]
    caution: str


@cache
def read_story(challenge: str, own: str = "") -> dict[str, Any]:
    """Return the texts of a challenge: ours, or those that it brings."""
    where = f"{challenge}.yaml"
    return parse_story(own or files(__package__).joinpath(where).read_text(encoding="utf-8"), where)


def parse_story(text: str, where: str) -> dict[str, Any]:
    """Return the texts that are the same in every setting.

    Raises:
        UserError: It lacks a key, has one too many, or variants that tell too much.
    """
    raw = parse_mapping(text, where)
    if set(raw) - {"variants"} != KEYS:
        raise UserError(f"{where} must have the keys {sorted(KEYS)}, got {sorted(raw)}")
    with explain_shape(where, "a story"):
        texts: dict[str, Any] = unwrap_texts({"variants": {}, **raw})
        for variant, changed in texts["variants"].items():
            if set(changed) != {"roles"}:
                raise UserError(f"{where}: {variant} may change roles, got {sorted(changed)}")
    return texts


def tell_story(story: Mapping[str, Any], setting: Setting, variant: str) -> AnalyzeStory:
    """Return what is said of a variant in a setting."""
    said = {**story, **setting.texts}
    answer = {**story["answer"], **setting.texts.get("answer", {})}
    changed = {**story["variants"].get(variant, {}), **setting.variants.get(variant, {})}
    del said["variants"]
    return AnalyzeStory(**{**said, "answer": answer, **changed})


@dataclass(frozen=True)
class Forms:
    """What is to be said in the fields that reports have in common.

    Attributes:
        report: Of a report on a number.
        claim: Of a report that is a claim.
    """

    report: Mapping[str, str]
    claim: Mapping[str, str]


@cache
def read_forms() -> Forms:
    """Return the texts of fields that reports have in common."""
    raw = yaml.safe_load(files(__package__).joinpath("forms.yaml").read_text(encoding="utf-8"))
    return Forms(**{kind: unwrap_texts(texts) for kind, texts in raw.items()})


@cache
def read_hints() -> Hints:
    """Return the table of switches."""
    raw = yaml.safe_load(files(__package__).joinpath("hints.yaml").read_text(encoding="utf-8"))
    levels = {level: tuple(raw["levels"][level]) for level in HINTS}
    for level, switches in levels.items():
        if not set(switches) <= set(SWITCHES):
            raise UserError(f"hints of level {level} must be of {SWITCHES}, got {switches}")
    return Hints(levels, " ".join(raw["caution"].split()))
