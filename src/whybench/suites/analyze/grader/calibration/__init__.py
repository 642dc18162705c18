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

from whybench.suites.analyze.grader.prompt import GradingCase
from whybench.suites.analyze.grader.verdicts import LEVELS, criteria_for
from whybench.suites.contract import UserError
from whybench.suites.files import parse_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["KINDS", "LabelledAnswer", "parse_labelled_answers", "read_labelled_answers"]

KINDS = ("good", "bad", "mixed", "verbose", "injected")


@dataclass(frozen=True)
class LabelledAnswer:
    """An answer with a label for each criterion."""

    case: GradingCase
    kind: str
    labels: Mapping[str, str]


@cache
def read_labelled_answers() -> tuple[LabelledAnswer, ...]:
    """Return all labelled answers, file by file."""
    paths = [path for path in files(__package__).iterdir() if path.name.endswith(".yaml")]
    return tuple(
        answer
        for path in sorted(paths, key=lambda path: path.name)
        for answer in parse_labelled_answers(path.read_text(encoding="utf-8"), path.name)
    )


def parse_labelled_answers(text: str, where: str) -> Iterator[LabelledAnswer]:
    """Yield the labelled answers that YAML text holds.

    Raises:
        UserError: Something is missing, or a label is not one that there is.
    """
    raw = parse_mapping(text, where)
    wanted = {"challenge", "question", "truth", "answers"}
    if set(raw) != wanted:
        raise UserError(f"{where} must have the keys {sorted(wanted)}, got {sorted(raw)}")
    criteria = criteria_for(raw["challenge"])
    for number, entry in enumerate(raw["answers"], start=1):
        name = f"{where.removesuffix('.yaml')}-{number}"
        _check(entry, name, set(criteria))
        case = GradingCase(name, raw["challenge"], raw["question"], raw["truth"], entry["text"])
        yield LabelledAnswer(case, entry["kind"], {key: entry["labels"][key] for key in criteria})


def _check(entry: Mapping[str, Any], name: str, criteria: set[str]) -> None:
    if set(entry) != {"kind", "labels", "text"} or entry["kind"] not in KINDS:
        raise UserError(f"{name} must have labels, text and a kind of {', '.join(KINDS)}")
    if set(entry["labels"]) != criteria or not set(entry["labels"].values()) <= set(LEVELS):
        raise UserError(
            f"labels of {name} must give {', '.join(sorted(criteria))} one of {', '.join(LEVELS)}, "
            f"got {entry['labels']}"
        )
