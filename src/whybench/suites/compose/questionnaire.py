"""compose in a browser: the rules of a world and one unit of it, and questions with yes or no.

One participant is asked about one unit. Its rules and counts stand open below every question, as
they stand in every prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.compose.number_items import NumberItem
from whybench.suites.compose.prompts import query_text, render_unit
from whybench.suites.contract import UserError
from whybench.suites.questionnaire import ItemPage, Lesson, Questionnaire, Quiz, quiz

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.compose.items import ComposeItem
    from whybench.suites.compose.world import Gate


def unit_key(item: ComposeItem | NumberItem) -> object:
    """Return what all questions of a unit, rendered in one way, have in common.

    A question for a number has nothing in common with others.
    """
    if isinstance(item, NumberItem):
        return item.id
    theme, style = item.question.theme.name, item.question.style
    wording = item.question.wording
    return item.kinds, item.gates, item.draw, item.unit, theme, item.detail, style, wording


def _make_lesson(item: ComposeItem | NumberItem) -> Lesson:
    if isinstance(item, NumberItem):
        raise UserError(
            "people are asked for yes or no, got a question for a number; choose another design"
        )
    if item.question.wording != "plain":
        raise UserError(
            f"people are asked in plain wording, got {item.question.wording}; choose wording=plain"
        )
    theme = item.question.theme
    return Lesson(
        title=f"The {theme.many}",
        text=f"{theme.setting}\n\n{render_unit(item.question)}",
        quizzes=tuple(_make_quizzes(item)),
    )


def _make_quizzes(item: ComposeItem) -> Iterator[Quiz]:
    """Yield whether a count and a rule were read: the true ones among others like them."""
    question, theme = item.question, item.question.theme
    world, called = question.world, [theme.in_sentence(name) for name in question.names]
    node = question.order[0]
    actual = question.counts[node]
    yield quiz(
        f"Which of these is true of {called[node]}?",
        *(
            theme.count_line.render(name=called[node], count=theme.count_text(count))
            for count in (actual, *(other for other in (2, 5, 9) if other != actual))
        ),
    )
    ruled = next(node for node in question.order if world.parents[node])
    parents = [called[node] for node in sorted(world.parents[ruled], key=question.order.index)]
    gate, enough = world.gates[ruled], world.thresholds[ruled]
    other: Gate = "and" if gate == "or" else "or"
    changed = enough - 3 if enough > 5 else enough + 3
    yield quiz(
        f"Which of these is the rule of {called[ruled]}?",
        *(
            theme.rule(form, called[ruled], threshold, parents)
            for form, threshold in ((gate, enough), (other, enough), (gate, changed))
        ),
    )


def _make_page(item: ComposeItem) -> ItemPage:
    if item.question.style != "direct":
        raise UserError(
            f"people answer yes or no, so style must be direct, got {item.question.style!r}; "
            "choose style=direct"
        )
    return ItemPage(text="", question=query_text(item.question))


QUESTIONNAIRE = Questionnaire(
    response="choice",
    group_key=unit_key,
    lesson=_make_lesson,
    page=_make_page,
    options={"Yes": "yes", "No": "no"},
    unfolded=True,
)
"""How people are asked the items of compose."""
