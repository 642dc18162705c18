"""Questions about numbers to words, and words back to questions.

A prompt has these parts: the setting of the theme, the chain, what it means that one follows
another, that steps rest on nothing in common, the numbers in random order, the question, and the
form of the reply. No rule and no threshold is told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from whybench.suites.compose.number_questions import ChainNumbers, Given
from whybench.suites.compose.prompt_parser import ComposePromptError, find_theme
from whybench.suites.compose.prompts import QUESTION
from whybench.suites.compose.themes.sentences import join_names, split_names

if TYPE_CHECKING:
    from whybench.suites.compose.questions import Style
    from whybench.suites.compose.themes import ComposeTheme

COUNTED = ("Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
"""How many the chain has, from two on."""

KNOWN = "What is known, on average over very many cases:"
"""The line above the numbers, by which these prompts are told from others."""

REPLY_FORM: dict[str, str] = {
    "direct": "Reply with one number from 0 to 100 and nothing else. Decimals are allowed.",
    "cot": (
        "First reason step by step. Then end with a line of its own that reads “Answer:” and one "
        "number from 0 to 100. Decimals are allowed."
    ),
}
"""The last line of a prompt, by style."""

_CHAIN = r"\w+ of the [^:]+ form a chain, in this order: ([^.]+)\. "
_LINE = r"- (.+) follows (.+) in (\d+(?:\.\d+)?) of 100 cases\."
_ASKED = re.escape(QUESTION) + r"In how many of 100 cases, on average, does (.+) follow (.+)\?"


@dataclass(frozen=True)
class NumberQuestion:
    """What a prompt says.

    Attributes:
        numbers: What is known of the chain, and what is asked.
        names: What is called what, in the order of the chain.
        theme: The words in which it is asked.
        style: How the reply is asked for.
    """

    numbers: ChainNumbers
    names: tuple[str, ...]
    theme: ComposeTheme
    style: Style = "direct"


def render_number_prompt(question: NumberQuestion) -> str:
    """Return the prompt of one question."""
    numbers = question.numbers
    theme = question.theme
    called = [theme.in_sentence(name) for name in question.names]
    lines = [
        f"- {_capital(called[effect])} follows {called[cause]} in {render_number(number)} of 100 "
        "cases."
        for cause, effect, number in numbers.given
    ]
    cause, effect = numbers.asked
    asked = f"In how many of 100 cases, on average, does {called[effect]} follow {called[cause]}?"
    return "\n\n".join(
        [
            theme.setting,
            _render_chain(theme, called),
            _render_meaning(theme, called),
            _render_independence(theme, called),
            "\n".join([KNOWN, *lines]),
            QUESTION + asked,
            REPLY_FORM[question.style],
        ]
    )


def _render_chain(theme: ComposeTheme, called: list[str]) -> str:
    return (
        f"{COUNTED[len(called) - 2]} of the {theme.many} form a chain, in this order: "
        f"{join_names(called)}. Each of them can make a difference to the next, and to those "
        "further on only through the next. Think of very many cases: the rules, which are not "
        f"shown here, are the same in all of them, and the numbers of {theme.unit[1]} come about "
        "anew in each."
    )


def _render_meaning(theme: ComposeTheme, called: list[str]) -> str:
    first, second = called[:2]
    there, absent = (
        tuple(sentence.text.format(name=name) for name in (first, second))
        for sentence in (theme.holds, theme.fails)
    )
    return (
        f"We say that {second} follows {first} in a case if both of these are true of it:\n"
        f"- If it were brought about from outside that {there[0]}, the result would be that "
        f"{there[1]}.\n"
        f"- If it were brought about from outside that {absent[0]}, the result would be that "
        f"{absent[1]}.\n"
        f"In all other cases it makes no difference to {second} which of the two is brought about. "
        "Said of any other two in the chain, “follows” means the same, and again the earlier one "
        "makes no difference to the later one in all other cases."
    )


def _render_independence(theme: ComposeTheme, called: list[str]) -> str:
    first, second, third, *more = called
    rest = "; the same goes for any other two steps." if more else "."
    units = theme.unit[1]
    return (
        f"Each step of the chain rests on {units} of its own, and all numbers of {units} come "
        f"about independently of one another. So whether {second} follows {first} in a case says "
        f"nothing about whether {third} follows {second} in it{rest}"
    )


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def render_number(number: Fraction) -> str:
    """Return a number of few digits as it is printed.

    >>> render_number(Fraction(36)), render_number(Fraction(3024, 200))
    ('36', '15.12')
    """
    return f"{float(number):.10f}".rstrip("0").rstrip(".")


def render_number_reply(value: float, style: str) -> str:
    """Return an answer in the words of an agent that follows the reply form."""
    # A bare number up to 1 might be a share of 1, and is not read.
    text = f"{value!r}" if value > 1 or value == int(value) else f"{value!r} of 100"
    text = text.removesuffix(".0")
    return text if style == "direct" else f"The numbers settle it.\nAnswer: {text}"


def is_number_prompt(prompt: str) -> bool:
    """Whether a prompt asks for a number."""
    return f"\n{KNOWN}\n" in prompt


def parse_number_prompt(prompt: str, theme: ComposeTheme | None = None) -> NumberQuestion:
    """Rebuild a question from its prompt.

    Args:
        prompt: The whole prompt.
        theme: The theme of its words; needed for a user's own.

    Raises:
        ComposePromptError: Says which part is not to be found, or does not fit the others.
    """
    theme = theme or find_theme(prompt)
    names = _parse_chain(theme, prompt)
    place = {name: number for number, name in enumerate(names)}

    def find(text: str) -> int:
        name = theme.spelling.get(text.casefold(), text)
        if name not in place:
            raise ComposePromptError(f"a name must be one of {', '.join(names)}, got {text!r}")
        return place[name]

    given = tuple(
        Given(find(found[2]), find(found[1]), Fraction(found[3]))
        for line in prompt.split("\n")
        if (found := re.fullmatch(_LINE, line))
    )
    asked = [found for line in prompt.split("\n") if (found := re.fullmatch(_ASKED, line))]
    if len(asked) != 1:
        raise ComposePromptError(f"a prompt must have one question, got {len(asked)}")
    styles = [style for style, form in REPLY_FORM.items() if prompt.endswith(f"\n{form}")]
    if len(styles) != 1:
        raise ComposePromptError("a prompt must end in the form of the reply")
    style: Style = "direct" if styles == ["direct"] else "cot"
    numbers = ChainNumbers(len(names) - 1, given, (find(asked[0][2]), find(asked[0][1])))
    return NumberQuestion(numbers, names, theme, style)


def _parse_chain(theme: ComposeTheme, prompt: str) -> tuple[str, ...]:
    """Return the names of the chain in their order."""
    found = re.search(_CHAIN, prompt)
    if found is None:
        raise ComposePromptError("a prompt must say which form a chain, got none")
    words = split_names(found[1])
    return tuple(theme.spelling.get(word.casefold(), word) for word in words)
