"""Questions about numbers to words, and words back to questions.

A prompt has these parts: the setting of the theme, the chain, what it means that one follows
another, that steps are independent, the numbers in random order, the question, and the form of the
reply. No rule and no threshold is shown. In formal wording, *follows* is the probability of
necessity and sufficiency.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from whybench.suites.compose.number_questions import ChainNumbers, Given
from whybench.suites.compose.prompt_parser import ComposePromptError, find_theme
from whybench.suites.compose.prompts import QUESTION
from whybench.suites.compose.themes.formal import formal_theme
from whybench.suites.compose.themes.sentences import join_names, split_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.suites.compose.questions import Style
    from whybench.suites.compose.themes import ComposeTheme

ARROW = " → "
"""What joins the names of a chain in formal wording."""

COUNTED = ("Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
"""How many the chain has, from two on."""

KNOWN = {
    "plain": "Known averages over a very large number of cases:",
    "formal": "Known probabilities:",
}
"""The line above the numbers by wording; no other prompt has it."""

REPLY_FORM: dict[str, str] = {
    "direct": "Reply with one number from 0 to 100 and nothing else. Decimals are allowed.",
    "cot": (
        "First reason step by step. Then end with a separate line that reads “Answer:” and one "
        "number from 0 to 100. Decimals are allowed."
    ),
}
"""The last line of a prompt, by style."""

LINE = {
    "plain": "- {Effect} follows {cause} in {number} of 100 cases.",
    "formal": "- PNS({cause}, {effect}) = {number}%",
}
ASKED = {
    "plain": "In how many of 100 cases, on average, does {effect} follow {cause}?",
    "formal": "What is PNS({cause}, {effect}), in percent?",
}
"""What is known of a cause and an effect, and the question, by wording."""

_CHAIN = re.compile(r"\w+ of the [^:]+ form a chain, in this order: ([^.]+)\. ")


@dataclass(frozen=True)
class NumberQuestion:
    """What a prompt says.

    Attributes:
        numbers: What is known of the chain, and what is asked.
        names: What is called what, in the order of the chain.
        theme: The words in which it is asked.
        style: How the reply is asked for.
        wording: Plain sentences or formal notation.
    """

    numbers: ChainNumbers
    names: tuple[str, ...]
    theme: ComposeTheme
    style: Style = "direct"
    wording: str = "plain"

    @property
    def words(self) -> ComposeTheme:
        """The theme, or the notation in place of its words."""
        return formal_theme(self.theme) if self.wording == "formal" else self.theme


def render_number_prompt(question: NumberQuestion) -> str:
    """Return the prompt of one question."""
    theme, wording = question.words, question.wording
    called = [theme.in_sentence(name) for name in question.names]

    def fill(template: str, cause: int, effect: int, number: str = "") -> str:
        start = theme.at_start(called[effect])
        return template.format(
            cause=called[cause], effect=called[effect], Effect=start, number=number
        )

    lines = [
        fill(LINE[wording], cause, effect, render_number(number))
        for cause, effect, number in question.numbers.given
    ]
    explain = _explain_formally if wording == "formal" else _explain
    return "\n\n".join(
        [
            theme.setting,
            *explain(theme, called),
            "\n".join([KNOWN[wording], *lines]),
            QUESTION + fill(ASKED[wording], *question.numbers.asked),
            REPLY_FORM[question.style],
        ]
    )


def _explain(theme: ComposeTheme, called: list[str]) -> Iterator[str]:
    """Yield the chain, what it means that one follows another, and that steps are independent."""
    first, second, third = called[:3]
    units = theme.unit[1]
    held, failed = (
        [sentence.text.format(name=name) for name in (first, second)]
        for sentence in (theme.holds, theme.fails)
    )
    yield (
        f"{COUNTED[len(called) - 2]} of the {theme.many} form a chain, in this order: "
        f"{join_names(called)}. Each of them can affect the next, and affects later ones only "
        "through the next. Consider a very large number of cases. The rules, which are not shown "
        f"here, are the same in every case. The numbers of {units} are drawn at random in each "
        "case."
    )
    yield (
        f"We say that {second} follows {first} in a case if both of these statements are true:\n"
        f"- If an intervention ensured that {held[0]}, the result would be that {held[1]}.\n"
        f"- If an intervention ensured that {failed[0]}, the result would be that {failed[1]}.\n"
        f"In every other case, both interventions would have the same result for {second}. "
        f"“Follows” has the same meaning for any two {theme.many} in the chain. Where the later "
        "one does not follow the earlier one, both interventions on the earlier one would again "
        "have the same result for the later one."
    )
    yield (
        f"All numbers of {units} are independent of one another, and none of them affects more "
        "than one step of the chain. So the steps are independent of one another: for example, "
        f"whether {second} follows {first} gives no information about whether {third} follows "
        f"{second}."
    )


def _explain_formally(theme: ComposeTheme, called: list[str]) -> Iterator[str]:
    """Yield the same in notation."""
    units = theme.unit[1]
    yield (
        f"{COUNTED[len(called) - 2]} of the variables form a chain, in this order: "
        f"{ARROW.join(called)}. Each of them affects later ones only through the next. The "
        f"equations are fixed and are not shown here. The values of {units} are random."
    )
    yield (
        "Y_{X=x} is the value of Y under do(X = x). For all X and Y in the chain with X before Y:\n"
        "- PNS(X, Y) = P(Y_{X=1} = 1, Y_{X=0} = 0)\n"
        "- P(Y_{X=1} = 0, Y_{X=0} = 1) = 0"
    )
    yield (
        f"All values of {units} are mutually independent, and none of them affects more than one "
        "step X → Y of the chain. So the pairs (Y_{X=0}, Y_{X=1}) of the steps are mutually "
        "independent."
    )


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
    return any(f"\n{line}\n" in prompt for line in KNOWN.values())


def parse_number_prompt(prompt: str, theme: ComposeTheme | None = None) -> NumberQuestion:
    """Rebuild a question from its prompt.

    Args:
        prompt: The whole prompt.
        theme: The theme of its words; needed for a user's own.

    Raises:
        ComposePromptError: Says which part is not to be found, or does not fit the others.
    """
    theme, wording = find_theme(prompt, theme)
    spelling = (formal_theme(theme) if wording == "formal" else theme).spelling
    names = _parse_chain(spelling, prompt)
    place = {name: number for number, name in enumerate(names)}

    def find(text: str) -> int:
        name = spelling.get(text.casefold(), text)
        if name not in place:
            raise ComposePromptError(f"a name must be one of {', '.join(names)}, got {text!r}")
        return place[name]

    def find_all(template: str) -> list[re.Match[str]]:
        pattern = _pattern(template)
        return [found for line in prompt.split("\n") if (found := pattern.fullmatch(line))]

    given = tuple(
        Given(find(found["cause"]), find(found["effect"]), Fraction(found["number"]))
        for found in find_all(LINE[wording])
    )
    asked = find_all(QUESTION + ASKED[wording])
    if len(asked) != 1:
        raise ComposePromptError(f"a prompt must have one question, got {len(asked)}")
    styles = [style for style, form in REPLY_FORM.items() if prompt.endswith(f"\n{form}")]
    if len(styles) != 1:
        raise ComposePromptError("a prompt must end in the form of the reply")
    style: Style = "direct" if styles == ["direct"] else "cot"
    ends = find(asked[0]["cause"]), find(asked[0]["effect"])
    return NumberQuestion(ChainNumbers(len(names) - 1, given, ends), names, theme, style, wording)


def _parse_chain(spelling: Mapping[str, str], prompt: str) -> tuple[str, ...]:
    """Return the names of the chain in their order."""
    found = _CHAIN.search(prompt)
    if found is None:
        raise ComposePromptError("a prompt must say which form a chain, got none")
    words = found[1].split(ARROW) if ARROW in found[1] else split_names(found[1])
    return tuple(spelling.get(word.casefold(), word) for word in words)


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return what finds a template in a line, its places being groups."""
    pattern = re.escape(template).replace(r"\{number\}", r"(?P<number>\d+(?:\.\d+)?)")
    return re.compile(re.sub(r"\\{(\w+)\\}", lambda place: f"(?P<{place[1].lower()}>.+)", pattern))
