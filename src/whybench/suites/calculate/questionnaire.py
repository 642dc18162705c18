"""calculate in a browser: a world on each page, and a percentage to type in.

The lesson explains how to read worlds and how to answer. It explains nothing about observing and
intervening, which the study measures. Each page describes its world in the words of the prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.calculate.prompts import (
    CANNOT,
    SIGNED,
    UNKNOWN,
    explain,
    render_question,
    render_world,
)
from whybench.suites.calculate.quantities import EFFECTS
from whybench.suites.calculate.themes import load_stated_theme
from whybench.suites.contract import UserError
from whybench.suites.questionnaire import ItemPage, Lesson, Questionnaire, quiz

if TYPE_CHECKING:
    from whybench.suites.calculate.items import CalculateItem

INSTEAD = {CANNOT.capitalize(): CANNOT}
"""The option in place of an answer."""
TWO = {"First": "first", "Second": "second", **INSTEAD}

OPENING = (
    "Each page describes another small world: a few variables, each of which is in one of two "
    "states in every case, and rules with numbers."
)
ENTERED = (
    "You answer with a number of percent or percentage points. If the answer is 12.3%, enter 12.3, "
    "not 0.123."
)
CHOSEN = "You answer by choosing the greater of two numbers, the first or the second."
OPEN = f"If the information does not determine the answer, choose “{CANNOT.capitalize()}”."


def _make_lesson(item: CalculateItem) -> Lesson:
    two = item.cell.form == "greater"
    lines = (CHOSEN if two else ENTERED, UNKNOWN, OPEN)
    entered = quiz("The answer is 5%. What do you enter?", "5", "0.05", "95", "1/20")
    untold = quiz(
        "What does a question mark in a rule mean?",
        "An unknown number.",
        "The number 0.",
        "A number of your choice.",
    )
    cannot = quiz(
        "What do you do if the information does not determine the answer?",
        f"I choose “{CANNOT.capitalize()}”.",
        "I make a guess.",
        "I answer 50.",
    )
    return Lesson(
        title="How to read and answer",
        text="\n\n".join([OPENING, *(f"- {line}" for line in lines)]),
        quizzes=(untold, cannot) if two else (entered, untold, cannot),
    )


def _make_page(item: CalculateItem) -> ItemPage:
    if item.style != "direct":
        raise UserError(
            f"people give the answer alone, so style must be direct, got {item.style!r}; "
            "choose style=direct"
        )
    if item.format == "program" or item.wording != "plain":
        raise UserError(
            f"people read plain sentences or tables, got {item.wording} {item.format}; "
            "choose wording=plain and format=text,table"
        )
    world = render_world(item.question.world, item.format, load_stated_theme(item.theme))
    asked, *two = render_question(item.question)
    signed = [SIGNED] if not two and item.cell.query in EFFECTS else []
    return ItemPage(
        text="\n".join([world, *two]),
        question=" ".join([asked, *signed, *explain(item.question)]),
        options=TWO if two else None,
    )


QUESTIONNAIRE = Questionnaire(
    response="number",
    group_key=lambda item: item.cell.form,
    lesson=_make_lesson,
    page=_make_page,
    options=INSTEAD,
    max_items=12,
)
"""How people are asked the items of calculate."""
