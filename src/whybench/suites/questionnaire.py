"""How people are asked the items of a suite, page by page, in a browser.

A participant first learns what all their items are about, answers a check on it, and then sees one
page for each item. A suite says here what these pages show, in the words of its prompts and without
any truth; `whybench.study` makes an experiment of it. A page is answered in one of four ways, and
each makes the reply that a model would have given:

- *rating*: a slider from 0 to 100; the reply is the number;
- *choice*: one of some buttons; the reply is what the button stands for;
- *number*: a percentage that is typed in, or one of some options in its place;
- *episode*: acting on the circuit that a page carries, and then saying yes or no.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from whybench.seeds import generator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Response = Literal["rating", "choice", "number", "episode"]
Link = tuple[str, str]
"""A cause and its effect, in words."""


@dataclass(frozen=True)
class Quiz:
    """A question on what was to be learned, with the position of the right option."""

    question: str
    options: tuple[str, ...]
    right: int


def quiz(question: str, right: str, *wrong: str) -> Quiz:
    """Return a question whose options stand in an order drawn by chance, the same every time."""
    options = [right, *dict.fromkeys(option for option in wrong if option != right)]
    order = generator("questionnaire", "quiz", question, options).permutation(len(options))
    return Quiz(question, tuple(options[option] for option in order), list(order).index(0))


@dataclass(frozen=True)
class CausalPicture:
    """What causes what, to be drawn as boxes and arrows.

    Attributes:
        links: The links, in the order and the words of the text; no effect causes its own cause.
        arrow: What the text says between a cause and its effect.
    """

    links: tuple[Link, ...]
    arrow: str


@dataclass(frozen=True)
class Lesson:
    """What a participant learns before the items.

    Attributes:
        title: What it is about, as a heading.
        text: What is to be learned, in the words of the prompt: paragraphs, and lines with a
            hyphen in front for lists.
        quizzes: Questions on it.
        picture: What the text says of causes, as a picture below it.
    """

    title: str
    text: str
    quizzes: tuple[Quiz, ...]
    picture: CausalPicture | None = None


@dataclass(frozen=True)
class ItemPage:
    """What the page of one item says beside the lesson.

    Attributes:
        text: What holds of this item alone, in the words of the prompt.
        question: What is asked.
        circuit: In an episode, what the page needs to act: names, verbs, states and edges.
        options: What stands on the buttons of this page, which is then answered by a choice
            whatever others are; None where it is answered like all.
    """

    text: str
    question: str
    circuit: Mapping[str, Any] | None = None
    options: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Questionnaire:
    """How people are asked the items of a suite.

    Attributes:
        response: How a page is answered.
        group_key: What the items of one participant have in common: they share a lesson.
        lesson: What a participant learns, from any item of theirs.
        page: What an item's page says. A `UserError` says why an item cannot be asked so.
        ends: What the ends of the slider mean, in a rating.
        options: What stands on the buttons, to the reply that each makes, in a choice; or what may
            be said in place of a number.
        max_items: How many items one participant is asked, unless a study says otherwise.
        unfolded: Whether the lesson stands open below every item, since it is needed each time.
        pictures: Whether there is something to draw beside the words, which a study may leave out.
    """

    response: Response
    group_key: Callable[[Any], object]
    lesson: Callable[[Any], Lesson]
    page: Callable[[Any], ItemPage]
    ends: tuple[str, str] = ("", "")
    options: Mapping[str, str] = field(default_factory=dict)
    max_items: int = 40
    unfolded: bool = False
    pictures: bool = False
