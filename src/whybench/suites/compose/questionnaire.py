"""compose in a browser: the rules of a world and one unit of it, and questions with yes or no.

One participant is asked about one unit. Its rules and counts stand open above every question, as
they stand in every prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.compose.wording import asked_of, word_unit
from whybench.suites.contract import UserError
from whybench.suites.questionnaire import ItemPage, Lesson, Questionnaire, Quiz, quiz

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.compose.items import ComposeItem
    from whybench.suites.compose.world import Gate

__all__ = ["QUESTIONNAIRE", "unit_of"]


def unit_of(item: ComposeItem) -> object:
    """Return what all questions of a unit, told in one way, have in common."""
    told = item.question
    return item.kinds, item.gates, item.draw, item.unit, told.theme.name, item.detail, told.style


def _lesson(item: ComposeItem) -> Lesson:
    asked, told = item.question, item.question.theme
    unit = word_unit(told, asked.world, asked.counts, asked.names, asked.order, asked.details)
    return Lesson(
        title=f"The {told.many}",
        text=f"{told.setting}\n\n{unit}",
        quizzes=tuple(_quizzes(item)),
    )


def _quizzes(item: ComposeItem) -> Iterator[Quiz]:
    """Yield whether a count and a rule were read: the true ones among others like them."""
    asked, told = item.question, item.question.theme
    world, called = asked.world, [told.called(name) for name in asked.names]
    node = asked.order[0]
    held = asked.counts[node]
    yield quiz(
        f"Which of these is said of {called[node]}?",
        *(
            told.count_line.say(name=called[node], count=told.counted(count))
            for count in (held, *(other for other in (2, 5, 9) if other != held))
        ),
    )
    ruled = next(node for node in asked.order if world.parents[node])
    parents = [called[node] for node in sorted(world.parents[ruled], key=asked.order.index)]
    gate, enough = world.gates[ruled], world.thresholds[ruled]
    other: Gate = "and" if gate == "or" else "or"
    changed = enough - 3 if enough > 5 else enough + 3
    yield quiz(
        f"Which of these is the rule of {called[ruled]}?",
        *(
            told.rule(form, called[ruled], threshold, parents)
            for form, threshold in ((gate, enough), (other, enough), (gate, changed))
        ),
    )


def _page(item: ComposeItem) -> ItemPage:
    if item.question.style != "direct":
        raise UserError(
            f"people answer yes or no, so style must be direct, got {item.question.style!r}; "
            "choose style=direct"
        )
    return ItemPage(text="", question=asked_of(item.question))


QUESTIONNAIRE = Questionnaire(
    response="choice",
    together=unit_of,
    lesson=_lesson,
    page=_page,
    options={"Yes": "yes", "No": "no"},
    unfolded=True,
)
"""How people are asked the items of compose."""
