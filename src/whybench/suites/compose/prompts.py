"""Question to words. Nothing else in the suite makes prompt text.

A prompt has these parts: the setting, in the style `worked-example` an example with other names
and its answer, in the style `two-examples` two of them, the rule of every node, the count of every
node, the question, and the form of the reply. Irrelevant details stand among the rules, on
lines of their own, evenly spread. Rules, counts and the parents in a rule are all listed in the
order that the question gives.

All questions of a unit share everything but the last two parts, which is therefore rendered once.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from whybench.suites.compose.questions import EXAMPLES, make_example, pair_examples

if TYPE_CHECKING:
    from whybench.suites.compose.questions import ComposeQuestion, Style
    from whybench.suites.compose.themes import ComposeTheme
    from whybench.suites.compose.world import ComposeWorld

QUESTION = "Question: "
"""What stands before the question."""

_REASONED = (
    "First reason step by step. Then end with a separate line that reads either “Answer: yes” or "
    "“Answer: no”."
)
REPLY_FORM: dict[Style, str] = {
    "direct": "Reply with one word, yes or no, and nothing else.",
    "cot": _REASONED,
    "worked-example": _REASONED,
    "two-examples": _REASONED,
}
"""The last line of a prompt."""

FIRST = "Here is an example with other {many}, followed by its answer."
FURTHER = "Here is another example, with different rules, followed by its answer."
"""What stands above examples."""

UNITS_KEPT = 256
"""How many units are remembered: questions come unit by unit."""


def render_prompt(question: ComposeQuestion) -> str:
    """Return the prompt of one question."""
    theme = question.words
    parts = [
        theme.setting,
        render_unit(question),
        QUESTION + query_text(question),
        REPLY_FORM[question.style],
    ]
    key = question.example % EXAMPLES
    if question.style == "worked-example":
        parts.insert(1, _render_examples(theme, key))
    elif question.style == "two-examples":
        parts.insert(1, _render_examples(theme, *pair_examples(key)))
    return "\n\n".join(parts)


def render_unit(question: ComposeQuestion) -> str:
    """Return the part that all questions of a unit share: its rules and counts."""
    q = question
    return _render_unit(q.words, q.world, q.counts, q.names, q.order, q.details)


@lru_cache(UNITS_KEPT)
def _render_unit(
    theme: ComposeTheme,
    world: ComposeWorld,
    counts: tuple[int, ...],
    names: tuple[str, ...],
    order: tuple[int, ...],
    details: tuple[str, ...],
) -> str:
    called = [theme.in_sentence(name) for name in names]
    rules = []
    for node in order:
        parents = [called[parent] for parent in sorted(world.parents[node], key=order.index)]
        rules.append(theme.rule(world.gates[node], called[node], world.thresholds[node], parents))
    for number, detail in reversed(list(enumerate(details))):
        rules.insert(1 + number * len(order) // len(details), detail)
    held = [
        theme.count_line.render(name=called[v], count=theme.count_text(counts[v])) for v in order
    ]
    listed = "\n- ".join([theme.rules_heading, *rules])
    return listed + "\n\n" + "\n- ".join([theme.counts_heading, *held])


def render_reply(value: bool, style: Style) -> str:
    """Return an answer in the words of an agent that follows the reply form."""
    answer = "yes" if value else "no"
    return answer if style == "direct" else f"The rules and counts settle it.\nAnswer: {answer}"


def query_text(question: ComposeQuestion) -> str:
    """Return what is asked, without what stands before it."""
    theme, names = question.words, question.names
    intervention = None
    if question.intervention is not None:
        cause, value = question.intervention
        intervention = theme.in_sentence(names[cause]), value
    return theme.question(theme.in_sentence(names[question.effect]), intervention)


@cache
def _render_examples(theme: ComposeTheme, *keys: int) -> str:
    """Return worked examples, from their introduction to what leads on to the case itself."""
    parts = []
    for number, key in enumerate(keys):
        example = make_example(theme, key)
        question = example.question
        parts += [
            FURTHER if number else FIRST.format(many=theme.many),
            render_unit(question),
            QUESTION + query_text(question),
            "\n".join([*example.steps, f"Answer: {'yes' if example.answer else 'no'}"]),
        ]
    return "\n\n".join([*parts, "Here is the case that you are asked about."])
