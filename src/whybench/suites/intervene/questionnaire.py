"""intervene in a browser: a hidden circuit to act on by buttons, and a question with yes or no.

The circuit has to be where it is acted on, so the page holds its edges: who searches the page's
source can find them. A participant's actions and answer become the JSON replies that a model
gives. One participant meets worlds of one size and theme, whose rules are the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.contract import UserError
from whybench.suites.intervene.prompts import INDIRECT, render_rules, render_style
from whybench.suites.questionnaire import ItemPage, Lesson, Questionnaire, quiz

if TYPE_CHECKING:
    from whybench.suites.intervene.items import InterveneItem

STYLES_FOR_PEOPLE = ("direct", "fewest-steps", "recipe")
"""The styles that say something to a person; the other is about how a reply is written."""


def _make_lesson(item: InterveneItem) -> Lesson:
    theme = item.theme
    one, moving, still = theme.one, theme.moving, theme.still
    return Lesson(
        title=f"The rules of the {theme.many}",
        text=f"{theme.setting}\n\n{render_rules(item)}",
        quizzes=(
            quiz(
                f"You {theme.move} a {one} that is {still}. What happens?",
                f"It becomes {moving}, and so does every {one} that it drives.",
                f"Only that {one} becomes {moving}.",
                f"Every {one} becomes {moving}.",
            ),
            quiz(
                f"You {theme.hold} a {one} that another, {moving} {one} drives. What happens?",
                "Nothing changes.",
                f"It becomes {still}.",
                f"Every {one} becomes {still}.",
            ),
            quiz(
                f"One {one} drives a second, and the second drives a third. Does the first drive "
                "the third?",
                "Yes, indirectly.",
                "No, only the second does.",
            ),
        ),
    )


def _make_page(item: InterveneItem) -> ItemPage:
    if item.wording != "plain":
        raise UserError(f"people are asked in plain wording, got {item.wording}; choose plain")
    if item.style not in STYLES_FOR_PEOPLE or item.interface != "text":
        raise UserError(
            f"people act by buttons, so style must be one of {', '.join(STYLES_FOR_PEOPLE)} and "
            f"interface text, got {item.style} and {item.interface}; choose them in the design"
        )
    if item.asks != "pair":
        raise UserError(
            f"people are asked about one pair, got a question about several ({item.worlds} "
            "worlds); choose another design"
        )
    theme = item.theme
    x, y = item.pair
    return ItemPage(
        text=render_style(item),
        question=f"{theme.ask(item.names[x], item.names[y])} {INDIRECT}",
        circuit={
            "names": item.names,
            "verbs": (theme.move, theme.hold),
            "states": theme.states,
            "edges": sorted(item.hidden.edges),
            "moving": sorted(item.initial),
            "limit": item.limit,
        },
    )


QUESTIONNAIRE = Questionnaire(
    response="episode",
    group_key=lambda item: (item.theme.name, item.hidden.n, item.style),
    lesson=_make_lesson,
    page=_make_page,
    options={"Yes": "yes", "No": "no"},
    max_items=12,
    pictures=True,
)
"""How people are asked the items of intervene."""
