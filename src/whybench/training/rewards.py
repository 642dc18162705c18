"""What replies to an exported row are worth: the suite's own scorer, and nothing beside it.

A row holds all that the scorer needs: an item's factors, among them the hidden case where a
conversation goes on, and its truth. So whoever has a row and the replies to it can grade them, and
gets what a run would have recorded.

| suite | 1 | between | 0 |
|---|---|---|---|
| judge | within half a point of the normative answer | 1 - distance / 100 | 100 points off |
| intervene | right, and what was seen entails it | never | everything else |
| compose | right | never | wrong |
| analyze | every field passes | the score of the answer | no field passes |

No answer is worth 0, whatever the reason, and the reason is told (`grade`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from whybench.suites.content import read_talk
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite
from whybench.training.series import training_of

if TYPE_CHECKING:
    from whybench.suites.contract import Answer
    from whybench.suites.registry import AnySuite

__all__ = ["Row", "grade", "reward", "worth_of"]

Row = Mapping[str, Any]
"""A row of an export; `suite`, `version`, `factors` and `truth` are what grading needs."""


def reward(row: Row, replies: str | Sequence[str]) -> float:
    """Return what replies to a row are worth, from 0 to 1; no answer is worth 0.

    Args:
        row: A row of an export, of JSON lines or of Parquet.
        replies: The agent's reply, or its replies in turn where a conversation goes on; what is
            said after the end of the conversation does not count. Of several replies to a question
            of one turn the last is the answer, as it is in a run.

    Raises:
        UserError: The row is not one of ours, or of a version that is scored differently.
    """
    return grade(row, replies)[0]


def grade(row: Row, replies: str | Sequence[str]) -> tuple[float, Answer]:
    """Return what replies to a row are worth, and the answer that was read from them."""
    asked = _suite_of(row)
    said = [replies] if isinstance(replies, str) else replies
    answer = read_talk(asked, row["factors"], [(text, False) for text in said])
    return worth_of(asked, row["truth"], answer), answer


def worth_of(asked: AnySuite, truth: Any, answer: Answer) -> float:
    """Return what an answer is worth, given the truth of its item."""
    return 0.0 if answer.value is None else training_of(asked).reward(truth, answer)


def _suite_of(row: Row) -> AnySuite:
    missing = [name for name in ("suite", "version", "factors", "truth") if name not in row]
    if missing:
        raise UserError(
            f"a row must have suite, version, factors and truth, got none of the name(s) "
            f"{', '.join(missing)}; take rows as `whybench export` writes them"
        )
    asked = get_suite(str(row["suite"]))
    if row["version"] != asked.version:
        raise UserError(
            f"version of a row must be {asked.version}, that of the installed {asked.name}, got "
            f"{row['version']}; grade it with the version of WhyBench that exported it"
        )
    return asked
