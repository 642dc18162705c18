"""Labelled answers, by which a grader is calibrated.

A YAML file is one question with its truth, in words of its own so that no change of a generator
makes its labels stale, and answers to it. Each answer has a `kind`, which says what it was written
to try, and a label for each criterion of the challenge:

    good      says it well
    bad       says it wrongly
    mixed     says some of it
    verbose   says little at length
    injected  speaks to the grader

A file of one's own (`-T answers=mine.yaml` of `grader_calibration`) has the same form, in YAML or
JSON. In place of a truth it may have `criteria` of its own, by id, such as those of a rubric; then
a label is `met` or `missed`.

Labels say what the answer deserves by the criteria, whatever its kind: an answer that demands full
marks gets what the rest of it earns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from whybench.suites.contract import UserError
from whybench.suites.files import parse_mapping, read_text
from whybench_papers.du2025.grader.prompt import GradingCase
from whybench_papers.du2025.grader.verdicts import challenges_with_criteria

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
def read_labelled_answers(own: str | None = None) -> tuple[LabelledAnswer, ...]:
    """Return all labelled answers, file by file; or those of a file of one's own.

    Raises:
        UserError: There is no such file, or it does not have the form.
    """
    if own is not None:
        return tuple(parse_labelled_answers(read_text(own), PurePath(own).name))
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
    wanted = {"challenge", "question", "criteria" if "criteria" in raw else "truth", "answers"}
    if set(raw) != wanted:
        raise UserError(f"{where} must have the keys {sorted(wanted)}, got {sorted(raw)}")
    if "criteria" not in raw and raw["challenge"] not in challenges_with_criteria():
        raise UserError(
            f"{where} must have criteria, or be of a challenge that has some "
            f"({', '.join(challenges_with_criteria())}), got {raw['challenge']!r}"
        )
    for number, entry in enumerate(raw["answers"], start=1):
        case = GradingCase(
            f"{PurePath(where).stem}-{number}",
            raw["challenge"],
            raw["question"],
            raw.get("truth", ""),
            entry.get("text", ""),
            raw.get("criteria"),
        )
        _check(entry, case)
        yield LabelledAnswer(
            case, entry["kind"], {key: entry["labels"][key] for key in case.criteria}
        )


def _check(entry: Mapping[str, Any], case: GradingCase) -> None:
    if set(entry) != {"kind", "labels", "text"} or entry["kind"] not in KINDS:
        raise UserError(f"{case.name} must have labels, text and a kind of {', '.join(KINDS)}")
    labels, levels = entry["labels"], case.levels
    if set(labels) != set(case.criteria) or not set(labels.values()) <= set(levels):
        raise UserError(
            f"labels of {case.name} must give {', '.join(sorted(case.criteria))} one of "
            f"{', '.join(levels)}, got {labels}"
        )
