"""Labelled answers, by which a grader is calibrated.

A YAML file is one question with its truth, in words of its own so that no change of a generator
makes its labels stale, and answers to it. Each answer has a `kind`, which says what it was written
to try, and a label for each criterion of the challenge:

    good      says it well
    bad       says it wrongly
    mixed     says some of it
    verbose   says little at length
    injected  speaks to the grader

Labels say what the answer deserves by the criteria, whatever its kind: an answer that demands full
marks gets what the rest of it earns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.grader.criteria import LEVELS, criteria
from whybench.suites.analyze.grader.prompt import Case
from whybench.suites.contract import UserError
from whybench.suites.files import mapping_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["KINDS", "Labelled", "labelled_answers", "parsed"]

KINDS = ("good", "bad", "mixed", "verbose", "injected")


@dataclass(frozen=True)
class Labelled:
    """An answer with a label for each criterion."""

    case: Case
    kind: str
    labels: Mapping[str, str]


@cache
def labelled_answers() -> tuple[Labelled, ...]:
    """Return all labelled answers, file by file."""
    found = sorted(
        (entry for entry in files(__package__).iterdir() if entry.name.endswith(".yaml")),
        key=lambda entry: entry.name,
    )
    return tuple(
        labelled
        for entry in found
        for labelled in parsed(entry.read_text(encoding="utf-8"), entry.name)
    )


def parsed(text: str, where: str) -> Iterator[Labelled]:
    """Yield the labelled answers that YAML text holds.

    Raises:
        UserError: Something is missing, or a label is not one that there is.
    """
    raw = mapping_of(text, where)
    wanted = {"challenge", "question", "truth", "answers"}
    if set(raw) != wanted:
        raise UserError(f"{where} must have the keys {sorted(wanted)}, got {sorted(raw)}")
    asked = criteria(raw["challenge"])
    for place, entry in enumerate(raw["answers"], start=1):
        name = f"{where.removesuffix('.yaml')}-{place}"
        _check(entry, name, set(asked))
        case = Case(name, raw["challenge"], raw["question"], raw["truth"], entry["text"])
        yield Labelled(case, entry["kind"], {key: entry["labels"][key] for key in asked})


def _check(entry: Mapping[str, Any], name: str, asked: set[str]) -> None:
    if set(entry) != {"kind", "labels", "text"} or entry["kind"] not in KINDS:
        raise UserError(f"{name} must have labels, text and a kind of {', '.join(KINDS)}")
    if set(entry["labels"]) != asked or not set(entry["labels"].values()) <= set(LEVELS):
        raise UserError(
            f"labels of {name} must give {', '.join(sorted(asked))} one of {', '.join(LEVELS)}, "
            f"got {entry['labels']}"
        )
