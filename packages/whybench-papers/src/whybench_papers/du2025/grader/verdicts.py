"""Criteria, and the grader's reply to verdicts; never raises, never guesses.

A challenge has two criteria of its own and three that all challenges share, by id. In a grader's
reply the last complete JSON object counts. It must hold the seal of the case, and under `verdicts`
each criterion of the challenge exactly once, with a level that there is. Nothing is filled in: one
criterion that is missing, unknown, said twice or of another level makes the whole reply unreadable.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from whybench.replies.objects import Pairs, find_last_object
from whybench.replies.shown import remove_thinking
from whybench.suites.files import parse_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.suites.contract import Answer

LEVELS = ("missed", "partly", "met")
"""What a verdict may be, from the worst; levels are equally far apart, and the best is worth 1."""

MET = LEVELS[-1]
MET_OR_NOT = (LEVELS[0], MET)
"""What a verdict may be where a criterion cannot be met in part."""

LONGEST_QUOTED = 60

UNMARKED = "unmarked"
"""The reason of an answer in free words whose marks by the grader are missing or unreadable."""

RUBRIC_MARKS = "rubric_marks"
"""The column of the criteria of a rubric that an answer meets."""


@cache
def _read_criteria() -> dict[str, dict[str, str]]:
    where = "criteria.yaml"
    raw = parse_mapping(files(__package__).joinpath(where).read_text(encoding="utf-8"), where)
    return {
        challenge: {name: " ".join(text.split()) for name, text in {**own, **raw["shared"]}.items()}
        for challenge, own in raw["challenges"].items()
    }


def challenges_with_criteria() -> tuple[str, ...]:
    """Return the challenges that have criteria."""
    return tuple(_read_criteria())


def criteria_for(challenge: str) -> Mapping[str, str]:
    """Return what is looked for in answers to a challenge, by id of the criterion."""
    if challenge not in _read_criteria():
        raise ValueError(
            f"challenge must be one of {', '.join(_read_criteria())}, got {challenge!r}"
        )
    return _read_criteria()[challenge]


def mean_mark(verdicts: Mapping[str, str]) -> float:
    """Return what verdicts are worth: their mean, from 0 (all missed) to 1 (all met)."""
    if not verdicts:
        raise ValueError("verdicts must be of one criterion or more, got none")
    return sum(map(LEVELS.index, verdicts.values())) / (len(verdicts) * (len(LEVELS) - 1))


@dataclass(frozen=True)
class ParsedVerdicts:
    """What a grader's reply says: a level for each criterion, or the problem with it."""

    verdicts: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


def parse_verdicts(
    reply: str,
    criteria: Iterable[str],
    seal: str,
    truncated: bool = False,
    levels: Sequence[str] = LEVELS,
) -> ParsedVerdicts:
    """Read a grader's reply.

    Args:
        reply: The whole reply. Any text is taken.
        criteria: The ids of the criteria.
        seal: The seal of the case.
        truncated: Whether the reply hit the token limit; then it says nothing.
        levels: What a verdict may be.
    """
    if truncated:
        return ParsedVerdicts(problem="the reply was cut off")
    text, thinking = remove_thinking(reply)
    pairs = None if thinking else find_last_object(text)
    if pairs is None:
        return ParsedVerdicts(problem="there is no complete JSON object")
    top = _to_mapping(pairs)
    if top is None or top.get("seal") != seal:
        return ParsedVerdicts(problem="the JSON object does not hold the seal of this answer")
    verdicts = _to_mapping(top.get("verdicts"))
    if verdicts is None:
        return ParsedVerdicts(problem="verdicts must be an object with each criterion once")
    names = tuple(criteria)
    if problem := _find_problem(verdicts, names, levels):
        return ParsedVerdicts(problem=problem)
    return ParsedVerdicts({name: verdicts[name] for name in names})


def _to_mapping(pairs: object) -> dict[str, Any] | None:
    """Return an object's pairs as a mapping; None if it is no object or a key occurs twice."""
    if not isinstance(pairs, Pairs) or len(dict(pairs)) < len(pairs):
        return None
    return dict(pairs)


def _find_problem(
    verdicts: Mapping[str, Any], criteria: tuple[str, ...], levels: Sequence[str]
) -> str:
    missing = [name for name in criteria if name not in verdicts]
    unknown = [name[:LONGEST_QUOTED] for name in verdicts if name not in criteria]
    problems = [f"{', '.join(missing)} missing"] if missing else []
    problems += [f"there is no criterion {unknown[0]!r}"] if unknown else []
    if problems:
        return "; ".join(problems)
    for name in criteria:
        if verdicts[name] not in levels:
            level = repr(verdicts[name])[:LONGEST_QUOTED]
            return f"{name} must be one of {', '.join(levels)}, got {level}"
    return ""


def apply_marks(answer: Answer, messages: Sequence[Any]) -> Answer:
    """Return an answer in free words with the score that the marks in its transcript give.

    Verdicts stand in the metadata of the message that they are about, so that a log can be read
    again without asking anybody. Without any the answer has no score, which is not its author's
    doing: measures leave it out.
    """
    told = ((message.metadata or {}).get(RUBRIC_MARKS) for message in reversed(messages))
    marks: dict[str, Any] = next((entry for entry in told if entry), {})
    verdicts = marks.get("verdicts")
    if not verdicts:
        return replace(answer, value=None, reason=UNMARKED)
    parts = {
        **answer.parts,
        RUBRIC_MARKS: json.dumps(verdicts, separators=(",", ":")),
        "grader": str(marks["grader"]),
    }
    return replace(answer, value=mean_mark(verdicts), parts=parts)
