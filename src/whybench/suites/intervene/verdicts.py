"""Was an answer right, and did its giver have reason to give it?

Accuracy cannot tell a conclusion from a guess. The verdict can: it sets the answer against the
truth and against what the observations entail (`whybench.suites.intervene.entailment`).

|              | right     | wrong       |
|--------------|-----------|-------------|
| entailed     | justified | contradicts |
| not entailed | lucky     | premature   |

A wrong answer that contradicts was given against evidence that settles the question: what is
entailed is true, so a wrong answer is never entailed itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from whybench.suites.intervene.entailment import Entailed

__all__ = ["ANSWERS", "VERDICTS", "Answer", "Verdict", "verdict"]

Answer = Literal["yes", "no"]
Verdict = Literal["justified", "lucky", "premature", "contradicts", "no_answer"]

ANSWERS: tuple[Answer, ...] = ("yes", "no")
VERDICTS: tuple[Verdict, ...] = ("justified", "lucky", "premature", "contradicts", "no_answer")


def verdict(answer: Answer | None, truth: bool, evidence: Entailed) -> Verdict:
    """Return the verdict on an answer.

    Args:
        answer: What was answered; None if nothing that counts as an answer.
        truth: Whether x causes y.
        evidence: What the observations entail.

    Raises:
        ValueError: If the evidence entails what is not true; no observation of this world can.
    """
    right: Answer = "yes" if truth else "no"
    if evidence not in (right, "open"):
        raise ValueError(
            f"evidence must be {right!r} or 'open' where that is true, got {evidence!r}"
        )
    if answer is None:
        return "no_answer"
    if answer == right:
        return "lucky" if evidence == "open" else "justified"
    return "premature" if evidence == "open" else "contradicts"
