"""Questions to words, and words to questions."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whybench.suites.derive.world import DeriveQuestion, Terms

if TYPE_CHECKING:
    from whybench.suites.depths import Naming
    from whybench.suites.derive.world import Pair

DO, PRODUCT = "do", "product"
QUERIES = (DO, PRODUCT)
"""The effect is asked for in words, or as bare arithmetic."""

OPENING = (
    "A machine has {size} lamps. In each run of the machine, each lamp is on or off. The rules "
    "state the probability that a lamp is on. The rule of a lamp names all lamps that directly "
    "affect it. No variable outside the rules directly affects more than one lamp. Setting a lamp "
    "to on or off overrides its rule and leaves all other rules unchanged."
)
RULE = "- {lamp}: on with probability {chances}."
CONDITION = "{cause} is {state}"
STATES = ("off", "on")
ASKED = (
    "Question: Suppose that {cause} is set to on in all runs, or that it is set to off in all runs "
    "instead. By how many percentage points is the probability that {effect} is on higher in the "
    "first case than in the second? If it is lower in the first case, give a negative number."
)
ARITHMETIC = (
    "Question: What is the value of this expression, in percent? It may be negative.\n\n{product}"
)
UNITS = {DO: "percentage points", PRODUCT: "%"}
EXAMPLES = {DO: "-12.3 percentage points", PRODUCT: "-12.3%"}
FORMS = {
    "cot": "Reason step by step. Round only the final result, to three significant digits. Then "
    "end your reply with a line such as “Answer: {example}”.",
    "direct": "Reply with one number and its unit, such as “{example}”, and nothing else. Give "
    "three significant digits.",
}


def render_prompt(question: DeriveQuestion, naming: Naming, style: str) -> str:
    """Return the prompt of a question."""
    form = FORMS[style].format(example=EXAMPLES[question.query])
    if question.query == PRODUCT:
        return f"{ARITHMETIC.format(product=render_product(question.terms))}\n\n{form}"
    names, order = naming
    rules = "\n".join(
        RULE.format(lamp=names[lamp], chances=_render_rule(question, names, lamp)) for lamp in order
    )
    opening = OPENING.format(size=len(names))
    asked = ASKED.format(cause=names[question.cause], effect=names[question.effect])
    return f"{opening}\n\nRules:\n{rules}\n\n{asked}\n\n{form}"


def _render_rule(question: DeriveQuestion, names: tuple[str, ...], lamp: int) -> str:
    causes = [names[cause] for cause in question.structure.causes[lamp]]
    rows = zip(product((0, 1), repeat=len(causes)), question.rules[lamp], strict=True)
    parts = []
    for states, number in reversed(list(rows)):
        facts = (
            CONDITION.format(cause=cause, state=STATES[state])
            for cause, state in zip(causes, states, strict=True)
        )
        parts.append(f"{number}% if {' and '.join(facts)}" if causes else f"{number}%")
    return ", ".join(parts)


def render_product(terms: Terms) -> str:
    """Return the product of differences to which an effect comes."""

    def subtract(pair: Pair) -> str:
        return f"({pair[0]}% − {pair[1]}%)"

    without, with_ = map(subtract, terms.strata)
    first = f"({100 - terms.share}% × {without} + {terms.share}% × {with_})"
    return " × ".join([first, *map(subtract, terms.links)])


class StatedDerivation(NamedTuple):
    """A question in the names of its prompt.

    Attributes:
        rules: The direct causes of each lamp, and its percentages in the order of `DeriveQuestion`.
        cause: The lamp that is set.
        effect: The lamp that is asked for.
    """

    rules: dict[str, tuple[tuple[str, ...], tuple[int, ...]]]
    cause: str
    effect: str

    def find_terms(self) -> Terms:
        """Return the numbers from which the effect follows, by tracing it back to the cause."""
        lamp, links = self.effect, []
        while self.cause not in (causes := self.rules[lamp][0]):
            off, on = self.rules[lamp][1]
            links.append((on, off))
            (lamp,) = causes
        (confounder,) = (name for name in causes if name != self.cause)
        rule = self.rules[lamp][1]
        (share,) = self.rules[confounder][1]
        return Terms(share, ((rule[2], rule[0]), (rule[3], rule[1])), tuple(links[::-1]))

    @property
    def selection(self) -> Pair:
        """The percentages of the cause if the confounder is on, and if it is off."""
        off, on = self.rules[self.cause][1]
        return on, off


def state_question(question: DeriveQuestion, naming: Naming) -> StatedDerivation | Terms:
    """Return the content of the prompt of a question."""
    if question.query == PRODUCT:
        return question.terms
    names = naming.names
    causes = (tuple(names[cause] for cause in own) for own in question.structure.causes)
    rules = dict(zip(names, zip(causes, question.rules, strict=True), strict=True))
    return StatedDerivation(rules, names[question.cause], names[question.effect])


_RULE = re.compile(r"^- (\w\d): on with probability (.+)\.$", re.MULTILINE)
_CHANCE = re.compile(r"(\d+)%(?: if (.+))?")
_FACT = re.compile(r"(\w\d) is (?:on|off)")
_ASKED = re.compile(
    re.escape(ASKED)
    .replace(r"\{effect\}", r"(?P<effect>\w\d)")
    .replace(r"\{cause\}", r"(?P<cause>\w\d)", 1)
    .replace(r"\{cause\}", r"(?P=cause)")
)
_PAIR = r"\((\d+)% − (\d+)%\)"
_FIRST = re.compile(rf"\(\d+% × {_PAIR} \+ (\d+)% × {_PAIR}\)")


def parse_prompt(prompt: str) -> StatedDerivation | Terms:
    """Return the content of a prompt.

    Raises:
        ValueError: The prompt is not in the suite's own words.
    """
    rules = {found[1]: _read_rule(found[2]) for found in _RULE.finditer(prompt)}
    if (asked := _ASKED.search(prompt)) and rules:
        return StatedDerivation(rules, asked["cause"], asked["effect"])
    if first := _FIRST.search(prompt):
        one, two, share, three, four = map(int, first.groups())
        rest = re.findall(_PAIR, prompt[first.end() :])
        return Terms(share, ((one, two), (three, four)), tuple((int(a), int(b)) for a, b in rest))
    raise ValueError("a prompt must state rules and a question, or a product")


def _read_rule(chances: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    found = [_CHANCE.fullmatch(chance) for chance in reversed(chances.split(", "))]
    rows = [row for row in found if row]
    if len(rows) < len(found):
        raise ValueError(f"a rule must state percentages with conditions, got {chances!r}")
    causes = tuple(_FACT.findall(rows[0][2] or ""))
    return causes, tuple(int(row[1]) for row in rows)


def render_answer(value: float, query: str, style: str, significant: int = 3) -> str:
    """Return an answer in the form that is asked for, with this number of significant digits."""
    digits = np.format_float_positional(float(f"{value:.{significant}g}"), trim="-")
    unit = UNITS[query] if query == PRODUCT else f" {UNITS[query]}"
    return f"{digits}{unit}" if style == "direct" else f"Answer: {digits}{unit}"
