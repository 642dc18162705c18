"""judge in a browser: a story to learn, and a slider from impossible to certain.

One participant hears one story in one condition, as in the laboratory, and judges all of its
questions. The words are those of the prompt; only the form of the reply is left out, since the
slider is the form. What causes what is drawn too, as people in the laboratory had it before them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.contract import UserError
from whybench.suites.judge.prompts import background_text, capitalize, evidence_text, query_text
from whybench.suites.questionnaire import (
    CausalPicture,
    ItemPage,
    Lesson,
    Questionnaire,
    Quiz,
    quiz,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.judge.items import JudgeItem


def _group_key(item: JudgeItem) -> object:
    overloaded = item.overload, item.overload_source
    return item.story.name, item.polarity, *overloaded, item.independence


def _lesson(item: JudgeItem) -> Lesson:
    story = item.story
    return Lesson(
        title=capitalize(story.many),
        text=background_text(
            story, item.polarity, item.overload, item.overload_source, item.independence
        ),
        quizzes=tuple(_quizzes(item)),
        picture=_picture(item),
    )


def _picture(item: JudgeItem) -> CausalPicture:
    """Return what causes what, in the words of the rules."""
    story, polarity = item.story, item.polarity
    return CausalPicture(
        tuple(
            (story.state(cause, polarity, 1), story.state(effect, polarity, 1))
            for cause, effect in story.structure.edges
        ),
        arrow="can cause",
    )


def _quizzes(item: JudgeItem) -> Iterator[Quiz]:
    """Yield what a reader of the story must know: the states, the links, and how causes act."""
    story, polarity = item.story, item.polarity
    structure = story.structure
    present = {node: story.state(node, polarity, 1) for node in structure.nodes}
    first = structure.topological_order[0]
    yield quiz(
        f"Some {story.many} have {present[first]}. What do the others have?",
        story.state(first, polarity, 0),
        *(present[node] for node in structure.nodes if node != first),
    )
    for cause in dict.fromkeys(cause for cause, _ in structure.edges):
        effects = [present[effect] for source, effect in structure.edges if source == cause]
        others = [words for node, words in present.items() if node != cause]
        yield quiz(
            f"What is said to be caused directly by {present[cause]}?",
            " and ".join(effects),
            *(words for words in others if words not in effects),
            *([" and ".join(others)] if len(others) > len(effects) else others),
            "none of these",
        )
    for node in structure.nodes:
        causes = [present[cause] for cause in structure.graph.parents(node)]
        if len(causes) > 1:
            yield quiz(
                f"Can {causes[0]} bring about {present[node]} without {causes[1]}?",
                "Yes, each can without the other.",
                "No, it takes both.",
            )


def _page(item: JudgeItem) -> ItemPage:
    if item.style != "direct":
        raise UserError(
            f"people answer with a slider, so style must be direct, got {item.style!r}; "
            "choose style=direct"
        )
    return ItemPage(text=evidence_text(item), question=query_text(item))


QUESTIONNAIRE = Questionnaire(
    response="rating",
    group_key=_group_key,
    lesson=_lesson,
    page=_page,
    ends=("impossible", "certain"),
    pictures=True,
)
"""How people are asked the items of judge."""
