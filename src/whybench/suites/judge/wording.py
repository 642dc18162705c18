"""Item to words. Nothing else in the suite makes prompt text.

The prompt has five parts: what the story is about, the variables with their states, the causal
rules, what is known of one unit, and the question with the form of the reply. Overload text
stands behind a variable's line (d) or behind a rule's line (e) and nowhere else. That causes work
independently of each other is said where an effect has two, and nowhere else.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from whybench.seeds import generator
from whybench.suites.judge.stories import Story, story

if TYPE_CHECKING:
    from whybench.suites.judge.items import JudgeItem

__all__ = ["asked_of", "known_of", "overload_text", "setting", "word_answer", "word_prompt"]

SETTINGS_KEPT = 1024
"""More than all stories and conditions of a design have; generated stories have no end."""

REPLY_FORM = {
    "numeric": "Reply with one number from 0 to 100 and nothing else.",
    "cot": (
        "First reason step by step. Then close with your answer on a line of its own, "
        "in exactly this form: <likelihood>NUMBER</likelihood>"
    ),
    "confidence": (
        "Also say how confident you are in that judgment, from 0 (a pure guess) to 100 "
        "(entirely sure). Reply in exactly this form and nothing else: "
        "<likelihood>NUMBER</likelihood><confidence>NUMBER</confidence>"
    ),
}


def word_prompt(item: JudgeItem) -> str:
    """Return the prompt of one item, in our own words."""
    return "\n".join(
        [
            setting(item.told, item.polarity, item.overload, item.overload_source),
            known_of(item),
            "",
            asked_of(item),
            "Judge on a scale from 0 (impossible) to 100 (certain).",
            REPLY_FORM[item.style],
        ]
    )


def known_of(item: JudgeItem) -> str:
    """Return what an item says is known of one unit."""
    told = item.told
    known = "; ".join(
        f"it has {told.state(node, item.polarity, value)}" for node, value in item.question.given
    )
    return (
        f"Now take one particular {told.one}. What is known about it: {known}.\n"
        "Nothing else is known about it."
    )


def asked_of(item: JudgeItem) -> str:
    """Return the question of an item."""
    state = item.told.state(item.question.asked, item.polarity, 1)
    return f"How likely is it that this {item.told.one} has {state}?"


@lru_cache(maxsize=SETTINGS_KEPT)
def setting(told: Story, polarity: str, overload: str, source: str) -> str:
    """Return the part of the prompt that all questions of a story and condition share."""
    lines = [told.intro, "", f"What matters about {told.many} here:"]
    for place, node in enumerate(told.structure.causes_first):
        variable = told.variable(node)
        parts = [
            f"- {variable.name}:",
            variable.description,
            f"Some {told.many} have {told.state(node, polarity, 1)}; "
            f"others have {told.state(node, polarity, 0)}.",
            overload_text(told, polarity, source, "d", place) if overload in ("d", "de") else "",
        ]
        lines.append(" ".join(part for part in parts if part))
    lines += ["", "What causes what:"]
    for place, (cause, effect) in enumerate(told.structure.edges):
        parts = [
            f"- {_sentence(told.state(cause, polarity, 1))} can cause "
            f"{told.state(effect, polarity, 1)}.",
            told.reason(cause, effect, polarity),
            overload_text(told, polarity, source, "e", place) if overload in ("e", "de") else "",
        ]
        lines.append(" ".join(part for part in parts if part))
    for node in told.structure.nodes:
        causes = [cause for cause, effect in told.structure.edges if effect == node]
        if len(causes) > 1:
            named = " and ".join(told.state(cause, polarity, 1) for cause in causes)
            lines.append(
                f"These causes work independently of each other: {named} can each bring about "
                f"{told.state(node, polarity, 1)} without the other."
            )
    lines.append("")
    return "\n".join(lines)


@cache
def overload_text(told: Story, polarity: str, source: str, kind: str, place: int) -> str:
    """Return the distracting text for one place.

    Args:
        told: The story being told.
        polarity: Its polarity; explanations are taken in the same polarity.
        source: `story` for another story's text, `filler` for nonsense of that length.
        kind: `d` for the description of a variable, `e` for the explanation of a link.
        place: Which variable or link.
    """
    other = story(told.overload_from, told.graph)
    if kind == "d":
        text = other.variables[place % len(other.variables)].description
    else:
        cause, effect = other.structure.edges[place % len(other.structure.edges)]
        spoken = polarity if polarity in other.polarities else other.polarities[0]
        text = other.reason(cause, effect, spoken)
    if source == "story":
        return text
    return _filler(len(text.split()), (told.name, polarity, kind, place))


def _filler(words: int, key: tuple[str, str, str, int]) -> str:
    """Return a sentence of made-up words: as long as the text it stands for, meaning nothing."""
    draw = generator("judge", "filler", *key)
    onsets, cores = (
        ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z"],
        ["a", "e", "i", "o", "u"],
    )
    made = [
        "".join(
            onsets[draw.integers(len(onsets))] + cores[draw.integers(len(cores))]
            for _ in range(draw.integers(2, 5))
        )
        for _ in range(words)
    ]
    return _sentence(" ".join(made)) + "."


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def word_answer(value: float, style: str, confidence: float = 100) -> str:
    """Return a judgment in the words of an agent that follows the reply form.

    At most three decimals are written, and none below 1: there a decimal could be taken for a
    probability, and reading it would be guessing.
    """
    number = f"{value:.3f}".rstrip("0").rstrip(".") if value >= 1 else f"{value:.0f}"
    if style == "cot":
        return f"The known facts speak for this judgment.\n<likelihood>{number}</likelihood>"
    if style == "confidence":
        return f"<likelihood>{number}</likelihood><confidence>{confidence:.0f}</confidence>"
    return number
