"""Was an answer right, did its giver have reason to give it, and if it was wrong, in which way?

Accuracy cannot tell a conclusion from a guess. The verdict can: it sets the answer against the
truth and against what the observations entail (`whybench.suites.intervene.entailment`).

|              | right     | wrong       |
|--------------|-----------|-------------|
| entailed     | justified | contradicts |
| not entailed | lucky     | premature   |

A wrong answer that contradicts was given against evidence that settles the question: what is
entailed is true, so a wrong answer is never entailed itself.

The patterns are those that Feng and Rudzicz (CausalLink) found in the failures of language
models, made exact so that each failure has one name. With S_0, ..., S_k the states that were seen
and the question whether x causes y:

Wrong "yes":

- *correlation*: x and y move both or rest both in S_k, or once started or stopped together;
- *other*: anything else.

Wrong "no", the first that fits:

- *reverse collider*: one of x and y moves in S_k and the other does not, so that something else
  must explain y, which does not clear x;
- *illusive confounder*: all evidence for "yes" was there, and was not believed;
- *root cause*: all came to rest, so that one entity drives everything, which does not clear those
  in between;
- *other*: anything else.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.suites.intervene.entailment import Entailed
    from whybench.suites.intervene.world import State

Answer = Literal["yes", "no"]
Verdict = Literal["justified", "lucky", "premature", "contradicts", "no_answer"]

ANSWERS: tuple[Answer, ...] = ("yes", "no")
VERDICTS: tuple[Verdict, ...] = ("justified", "lucky", "premature", "contradicts", "no_answer")


def decide_verdict(answer: Answer | None, truth: bool, evidence: Entailed) -> Verdict:
    """Return the verdict on an answer.

    Args:
        answer: What was answered; None if nothing that counts as an answer.
        truth: Whether x causes y.
        evidence: What the observations entail.

    Raises:
        ValueError: If the evidence entails what is not true; no observation of this world can.
    """
    return judge_answer(answer, "yes" if truth else "no", evidence)


def judge_answer(answer: str | None, right: str, evidence: str) -> Verdict:
    """Return the verdict on an answer in words, given the correct one and the entailed one.

    Raises:
        ValueError: If the evidence entails an incorrect answer.
    """
    if evidence not in (right, "open"):
        raise ValueError(
            f"evidence must be {right!r} or 'open' where that is true, got {evidence!r}"
        )
    if answer is None:
        return "no_answer"
    if answer == right:
        return "lucky" if evidence == "open" else "justified"
    return "premature" if evidence == "open" else "contradicts"


Pattern = Literal["correlation", "reverse_collider", "illusive_confounder", "root_cause", "other"]

PATTERNS: tuple[Pattern, ...] = (
    "correlation",
    "reverse_collider",
    "illusive_confounder",
    "root_cause",
    "other",
)


def error_pattern(
    answer: Answer | None,
    truth: bool,
    x: int,
    y: int,
    states: Sequence[State],
    evidence: Entailed,
) -> Pattern | None:
    """Return the pattern of a wrong answer; None if it was right or there was none.

    Args:
        answer: What was answered.
        truth: Whether x causes y.
        x: The cause in question.
        y: The effect in question.
        states: All that was seen, S_0 first.
        evidence: What the observations entail.
    """
    if not states:
        raise ValueError("states must hold at least the initial state, got none")
    if answer is None or (answer == "yes") == truth:
        return None
    if answer == "yes":
        return _wrong_yes(x, y, states)
    return _wrong_no(x, y, states, evidence)


def _wrong_yes(x: int, y: int, states: Sequence[State]) -> Pattern:
    alike = (x in states[-1]) == (y in states[-1])
    flipped = any({x, y} <= before ^ after for before, after in pairwise(states))
    return "correlation" if alike or flipped else "other"


def _wrong_no(x: int, y: int, states: Sequence[State], evidence: Entailed) -> Pattern:
    first, last = states[0], states[-1]
    if (x in last) != (y in last):
        return "reverse_collider"
    if evidence == "yes":
        return "illusive_confounder"
    return "root_cause" if first and not last else "other"
