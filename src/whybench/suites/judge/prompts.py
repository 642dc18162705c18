"""Item to words. Nothing else in the suite makes prompt text.

The prompt has five parts: what the story is about, the variables with their states, the causal
rules, what is known of one unit, and the question with the form of the reply. Overload text
stands behind a variable's line (d) or behind a rule's line (e) and nowhere else. That causes work
independently of each other is said where an effect has two, and nowhere else. Where independence is
stated, the last line of the rules says of the two variables without a link that one tells nothing
about the other: the causes of the collider over all units; the effects of the fork and the ends of
the chain among units that are alike in the variable that screens them off. It speaks of how often,
and not of the unit in question, since a known effect does tie its causes.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from whybench.seeds import generator
from whybench.suites.judge.stories import JudgeStory, load_story

if TYPE_CHECKING:
    from whybench.suites.judge.items import JudgeItem

REPLY_FORM = {
    "direct": "Reply with one number from 0 to 100 and nothing else.",
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

INDEPENDENCE = {
    "collider": "Among {many} in general, one cause tells nothing about the other",
    "fork": "Among {many} that are alike in {held}, one effect tells nothing about the other",
    "chain": (
        "Among {many} that are alike in {held}, the first cause tells nothing about the last effect"
    ),
}
"""What is stated of the independence that a graph implies."""


def render_prompt(item: JudgeItem) -> str:
    """Return the prompt of an item."""
    return "\n".join(
        [
            background_text(
                item.story, item.polarity, item.overload, item.overload_source, item.independence
            ),
            evidence_text(item),
            "",
            query_text(item),
            "Judge on a scale from 0 (impossible) to 100 (certain).",
            REPLY_FORM[item.style],
        ]
    )


def evidence_text(item: JudgeItem) -> str:
    """Return what an item says is known of one unit."""
    story = item.story
    known = "; ".join(
        f"it has {story.state(node, item.polarity, value)}" for node, value in item.question.given
    )
    return (
        f"Now take one particular {story.one}. What is known about it: {known}.\n"
        "Nothing else is known about it."
    )


def query_text(item: JudgeItem) -> str:
    """Return the question of an item."""
    state = item.story.state(item.question.target, item.polarity, 1)
    return f"How likely is it that this {item.story.one} has {state}?"


@cache
def background_text(
    story: JudgeStory, polarity: str, overload: str, source: str, independence: str = "unstated"
) -> str:
    """Return the part of the prompt that all questions of a story and condition share."""
    structure = story.structure

    def state(node: str, value: int = 1) -> str:
        return story.state(node, polarity, value)

    def line(kind: str, position: int, *parts: str) -> str:
        is_overloaded = overload != "none" and kind in overload
        distractor = overload_text(story, polarity, source, kind, position) if is_overloaded else ""
        return " ".join(part for part in (*parts, distractor) if part)

    lines = [story.intro, "", f"What matters about {story.many} here:"]
    for position, node in enumerate(structure.topological_order):
        variable = story.variable(node)
        states = f"Some {story.many} have {state(node)}; others have {state(node, 0)}."
        lines.append(line("d", position, f"- {variable.name}:", variable.description, states))
    lines += ["", "What causes what:"]
    for position, (cause, effect) in enumerate(structure.edges):
        rule = f"- {capitalize(state(cause))} can cause {state(effect)}."
        lines.append(line("e", position, rule, story.reason(cause, effect, polarity)))
    for node in structure.nodes:
        causes = structure.graph.parents(node)
        if len(causes) > 1:
            lines.append(
                "These causes work independently of each other: "
                f"{' and '.join(map(state, causes))} can each bring about {state(node)} without "
                "the other."
            )
    if independence == "stated":
        lines.append(_independence_text(story, polarity))
    return "\n".join([*lines, ""])


def _independence_text(story: JudgeStory, polarity: str) -> str:
    first, second, *held = story.structure.independent
    names = ", ".join(story.variable(node).name for node in held)
    said = INDEPENDENCE[story.graph].format(many=story.many, held=names)
    there, absent = (story.state(first, polarity, value) for value in (1, 0))
    return (
        f"{said}: those with {there} have {story.state(second, polarity, 1)} just as often as "
        f"those with {absent}."
    )


@cache
def overload_text(story: JudgeStory, polarity: str, source: str, kind: str, position: int) -> str:
    """Return the distracting text behind one variable or link.

    Args:
        story: The story being told.
        polarity: Its polarity; explanations are taken in the same polarity.
        source: `story` for another story's text, `filler` for nonsense of that length.
        kind: `d` for the description of a variable, `e` for the explanation of a link.
        position: Which variable or link.
    """
    other = load_story(story.overload_from, story.graph)
    if kind == "d":
        text = other.variables[position % len(other.variables)].description
    else:
        cause, effect = other.structure.edges[position % len(other.structure.edges)]
        shared = polarity if polarity in other.polarities else other.polarities[0]
        text = other.reason(cause, effect, shared)
    if source == "story":
        return text
    return _filler(len(text.split()), (story.name, polarity, kind, position))


def _filler(words: int, key: tuple[str, str, str, int]) -> str:
    """Return a sentence of made-up words: as long as the text it stands for, meaning nothing."""
    rng = generator("judge", "filler", *key)
    onsets, cores = "bdfgklmnprstvz", "aeiou"
    made_up = [
        "".join(
            onsets[rng.integers(len(onsets))] + cores[rng.integers(len(cores))]
            for _ in range(rng.integers(2, 5))
        )
        for _ in range(words)
    ]
    return capitalize(" ".join(made_up)) + "."


def render_reply(value: float, style: str, confidence: float = 100) -> str:
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


def capitalize(words: str) -> str:
    """Return words with a capital letter at their start, and no other change."""
    return words[:1].upper() + words[1:]
