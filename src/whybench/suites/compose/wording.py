"""Question to words. Nothing else in the suite makes prompt text.

A prompt has these parts: the setting, in the style `worked-example` an example with other names
and its answer, the rule of every node, the count of every node, the question, and the form of the
reply. Details without bearing stand among the rules, on lines of their own, evenly spread. Rules,
counts and the parents in a rule are all listed in the order that the question gives.

All questions of a unit share everything but the last two parts, which is therefore worded once.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from whybench.suites.compose.examples import EXAMPLES, example

if TYPE_CHECKING:
    from whybench.suites.compose.questions import Question, Style
    from whybench.suites.compose.themes import Theme
    from whybench.suites.compose.world import World

__all__ = [
    "ASKED",
    "REPLY_FORM",
    "asked_of",
    "counts_heading",
    "rules_heading",
    "word",
    "word_answer",
    "word_unit",
]

ASKED = "Question: "
"""What stands before the question."""

_REASONED = (
    "First reason step by step. Then close with a line of its own that reads either "
    "“Answer: yes” or “Answer: no”."
)
REPLY_FORM: dict[Style, str] = {
    "direct": "Reply with one word, yes or no, and nothing else.",
    "step-by-step": _REASONED,
    "worked-example": _REASONED,
}
"""The last line of a prompt."""

UNITS_KEPT = 256
"""So many units are remembered; questions come unit by unit."""


def word(question: Question) -> str:
    """Return the prompt of one question."""
    told = question.theme
    parts = [
        told.setting,
        word_unit(
            told,
            question.world,
            question.counts,
            question.names,
            question.order,
            question.details,
        ),
        ASKED + asked_of(question),
        REPLY_FORM[question.style],
    ]
    if question.style == "worked-example":
        parts.insert(1, _example(told, question.example % EXAMPLES))
    return "\n\n".join(parts)


@lru_cache(UNITS_KEPT)
def word_unit(
    told: Theme,
    world: World,
    counts: tuple[int, ...],
    names: tuple[str, ...],
    order: tuple[int, ...],
    details: tuple[str, ...] = (),
) -> str:
    """Return the part that all questions of a unit share: its rules and counts."""
    called = [told.called(name) for name in names]
    listing = {node: place for place, node in enumerate(order)}
    rules = [
        told.rule(
            world.gates[node],
            called[node],
            world.thresholds[node],
            [called[parent] for parent in sorted(world.parents[node], key=listing.__getitem__)],
        )
        for node in order
    ]
    for place, detail in reversed(list(enumerate(details))):
        rules.insert(1 + place * len(order) // len(details), detail)
    held = [told.count_line.say(name=called[v], count=told.counted(counts[v])) for v in order]
    return (
        "\n- ".join([rules_heading(told), *rules])
        + "\n\n"
        + "\n- ".join([counts_heading(told), *held])
    )


def rules_heading(told: Theme) -> str:
    """Return the line above the rules."""
    return f"The rules of the {told.many}:"


def counts_heading(told: Theme) -> str:
    """Return the line above the counts."""
    return f"Their {told.unit[1]}:"


def word_answer(value: bool, style: Style) -> str:
    """Return an answer in the words of an agent that follows the reply form."""
    said = "yes" if value else "no"
    return said if style == "direct" else f"The rules and counts settle it.\nAnswer: {said}"


def asked_of(question: Question) -> str:
    """Return what is asked, without what stands before it."""
    told, names = question.theme, question.names
    intervention = None
    if question.intervention is not None:
        cause, value = question.intervention
        intervention = told.called(names[cause]), value
    return told.question(told.called(names[question.effect]), intervention)


@cache
def _example(told: Theme, key: int) -> str:
    """Return a worked example, from its introduction to what leads on to the case itself."""
    shown = example(told, key)
    asked = shown.question
    return "\n\n".join(
        [
            f"Here is an example with other {told.many}, and how it is answered.",
            word_unit(told, asked.world, asked.counts, asked.names, asked.order),
            ASKED + asked_of(asked),
            "\n".join([*shown.steps, f"Answer: {'yes' if shown.answer else 'no'}"]),
            "Now the case that you are asked about.",
        ]
    )
