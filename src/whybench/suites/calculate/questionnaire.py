"""calculate in a browser: a world told in numbers on each page, and a percentage to type in.

What people learn before is how worlds are told and how answers are given, and nothing about seeing
and doing: that is what is to be found out. Each page tells its world in the words of the prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.calculate.prompts import (
    CANNOT,
    SIGNED,
    UNTOLD,
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
"""What may be said in place of an answer."""
TWO = {"First": "first", "Second": "second", **INSTEAD}

OPENING = (
    "Each page tells of another small world: a few things, each of which is in one of two states "
    "in every case, and rules with numbers that say how often."
)
ENTERED = (
    "You answer with a percentage. If something is so in 12.3 of 100 cases, type in 12.3, and not "
    "0.123."
)
CHOSEN = "You answer by saying which of two numbers is greater, the first or the second."
OPEN = f"If the answer does not follow from what is told, choose “{CANNOT.capitalize()}”."


def _make_lesson(item: CalculateItem) -> Lesson:
    two = item.cell.form == "greater"
    lines = (CHOSEN if two else ENTERED, UNTOLD, OPEN)
    entered = quiz(
        "Something is so in 5 of 100 cases. What do you type in?", "5", "0.05", "95", "1/20"
    )
    untold = quiz(
        "What does a question mark in a rule stand for?",
        "A number that is not known.",
        "The number 0.",
        "A number that you may choose.",
    )
    cannot = quiz(
        "What do you do if the answer does not follow from what is told?",
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
    if item.telling == "program":
        raise UserError("people read sentences or tables, got a program; choose telling=text,table")
    world = render_world(item.question.world, item.telling, load_stated_theme(item.theme))
    asked, *two = render_question(item.question)
    if two:
        return ItemPage(text="\n".join([world, *two]), question=asked, options=TWO)
    signed = f" {SIGNED}" if item.cell.query in EFFECTS else ""
    return ItemPage(text=world, question=asked + signed)


QUESTIONNAIRE = Questionnaire(
    response="number",
    group_key=lambda item: item.cell.form,
    lesson=_make_lesson,
    page=_make_page,
    options=INSTEAD,
    max_items=12,
)
"""How people are asked the items of calculate."""
