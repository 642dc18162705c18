"""judge in a browser: a story to learn, and a slider from impossible to certain.

One participant hears one story in one condition, as in the laboratory, and judges all of its
questions. The words are those of the prompt; only the form of the reply is left out, since the
slider is the form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.contract import UserError
from whybench.suites.judge.wording import asked_of, known_of, setting
from whybench.suites.questionnaire import ItemPage, Lesson, Questionnaire, Quiz, quiz

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.judge.items import JudgeItem

__all__ = ["QUESTIONNAIRE"]


def _together(item: JudgeItem) -> object:
    return item.told.name, item.polarity, item.overload, item.overload_source


def _lesson(item: JudgeItem) -> Lesson:
    told = item.told
    return Lesson(
        title=told.many[:1].upper() + told.many[1:],
        text=setting(told, item.polarity, item.overload, item.overload_source),
        quizzes=tuple(_quizzes(item)),
    )


def _quizzes(item: JudgeItem) -> Iterator[Quiz]:
    """Yield what a reader of the story must know: the states, the links, and how causes act."""
    told, polarity = item.told, item.polarity
    shape = told.structure
    present = {node: told.state(node, polarity, 1) for node in shape.nodes}
    first = shape.causes_first[0]
    yield quiz(
        f"Some {told.many} have {present[first]}. What do the others have?",
        told.state(first, polarity, 0),
        *(present[node] for node in shape.nodes if node != first),
    )
    for cause in dict.fromkeys(cause for cause, _ in shape.edges):
        effects = [present[effect] for source, effect in shape.edges if source == cause]
        others = [words for node, words in present.items() if node != cause]
        yield quiz(
            f"What is said to be caused directly by {present[cause]}?",
            _listed(effects),
            *(words for words in others if words not in effects),
            *([_listed(others)] if len(others) > len(effects) else others),
            "none of these",
        )
    for node in shape.nodes:
        causes = [present[cause] for cause, effect in shape.edges if effect == node]
        if len(causes) > 1:
            yield quiz(
                f"Can {causes[0]} bring about {present[node]} without {causes[1]}?",
                "Yes, each can without the other.",
                "No, it takes both.",
            )


def _listed(words: list[str]) -> str:
    return " and ".join(words)


def _page(item: JudgeItem) -> ItemPage:
    if item.published:
        raise UserError(
            "people can be asked in our own words alone, got stimuli=published; "
            "choose a design with stimuli=own"
        )
    if item.style != "numeric":
        raise UserError(
            f"people answer with a slider, so style must be numeric, got {item.style!r}; "
            "choose style=numeric"
        )
    return ItemPage(text=known_of(item), question=asked_of(item))


QUESTIONNAIRE = Questionnaire(
    response="rating",
    together=_together,
    lesson=_lesson,
    page=_page,
    ends=("impossible", "certain"),
)
"""How people are asked the items of judge."""
