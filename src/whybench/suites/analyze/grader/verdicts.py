"""The grader's reply to verdicts, or to what is wrong with it; never raises, never guesses.

The last complete JSON object counts. It must hold the seal of the case, and under `verdicts` each
criterion of the challenge exactly once, with a level that there is. Nothing is filled in: one
criterion that is missing, unknown, said twice or of another level makes the whole reply unreadable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.grader.criteria import LEVELS
from whybench.suites.json_objects import Pairs, last_object
from whybench.suites.thinking import THINKING, final_channel, without_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Reading", "read_verdicts"]

LONGEST_QUOTED = 60


@dataclass(frozen=True)
class Reading:
    """What a grader's reply says: a level for each criterion, or the problem with it."""

    verdicts: Mapping[str, str] = field(default_factory=dict)
    problem: str = ""


def read_verdicts(
    reply: str, asked: Iterable[str], sealed: str, truncated: bool = False
) -> Reading:
    """Read a grader's reply.

    Args:
        reply: The whole reply. Any text is taken.
        asked: The ids of the criteria.
        sealed: The seal of the case.
        truncated: Whether the reply hit the token limit; then it says nothing.
    """
    if truncated:
        return Reading(problem="the reply was cut off")
    text, thinking = without_blocks(final_channel(reply), THINKING)
    found = None if thinking else last_object(text)
    if found is None:
        return Reading(problem="there is no complete JSON object")
    top = _once(found)
    if top is None or top.get("seal") != sealed:
        return Reading(problem="the JSON object does not hold the seal of this answer")
    given = top.get("verdicts")
    verdicts = _once(given) if isinstance(given, Pairs) else None
    if verdicts is None:
        return Reading(problem="verdicts must be an object with each criterion once")
    return _settled(verdicts, tuple(asked))


def _once(pairs: Pairs) -> dict[str, Any] | None:
    """Return pairs as a mapping; None if a key occurs twice."""
    found = dict(pairs)
    return found if len(found) == len(pairs) else None


def _settled(verdicts: Mapping[str, Any], asked: tuple[str, ...]) -> Reading:
    missing = [name for name in asked if name not in verdicts]
    unknown = [name[:LONGEST_QUOTED] for name in verdicts if name not in asked]
    if missing or unknown:
        told = [f"{', '.join(missing)} missing"] if missing else []
        told += [f"there is no criterion {unknown[0]!r}"] if unknown else []
        return Reading(problem="; ".join(told))
    for name in asked:
        if not isinstance(verdicts[name], str) or verdicts[name] not in LEVELS:
            said = repr(verdicts[name])[:LONGEST_QUOTED]
            return Reading(problem=f"{name} must be one of {', '.join(LEVELS)}, got {said}")
    return Reading({name: verdicts[name] for name in asked})
