"""Items to words: the world as sentences, tables or a program, then one question.

A rule has rows: under which condition which number. Sentences and tables state the same rows, and
so do the equations of the wording `formal` (see `formal`). `?` replaces a number that is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from whybench.suites.calculate import formal
from whybench.suites.calculate.programs import render_program
from whybench.suites.calculate.quantities import EFFECTS, FIRST, NOT_COMPUTABLE
from whybench.suites.calculate.themes import THEME_NAMES, load_stated_theme
from whybench.suites.calculate.world import GATES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.calculate.quantities import Quantity
    from whybench.suites.calculate.themes import StatedTheme
    from whybench.suites.calculate.world import RuleKind, StatedRule, StatedWorld

FORMATS = ("text", "table", "program")
"""Formats of a world in plain words."""
STYLES = ("cot", "direct")

INDEPENDENT = (
    "Each rule names every direct cause. There are no other influences, and all chance events are "
    "independent of one another."
)
ONLY_PROBABILITIES = (
    "The probabilities above are all that is known. The mechanism that decides each individual case"
    " is unknown."
)
SAME_NOISE = (
    "In any given case, all chance events would have turned out the same even if some states had "
    "been different."
)
RANDOM = "Each random number is a whole number from 1 to 100, all equally likely."
UNKNOWN = "A question mark stands for an unknown number."
FORCED = "Forcing something overrides its rule and leaves all other rules unchanged."
WHICH = "Which of these two numbers is greater?"
SIGNED = "If the probability is lower, give a negative number."
CANNOT = "cannot be determined"

HEADS: dict[RuleKind, str] = {
    "table": "{on} with probability",
    "or": "{off} unless at least one coin that counts lands heads",
    "and": "{on} unless at least one coin that counts lands heads",
    "threshold": "{on} if a random number is at most the sum of these points",
}
"""How a variable depends on the rows of its rule."""

COLUMNS: dict[RuleKind, tuple[str, str]] = {
    "or": ("coin counts", "chance of heads"),
    "and": ("coin counts", "chance of heads"),
    "threshold": ("condition", "points"),
}
"""The header of a rule as a table; a probability stands in the line above instead."""
PROBABILITY = "probability of being {on}"

ALWAYS = "always"

Row = tuple[tuple[tuple[str, int], ...], "int | None"]


@dataclass(frozen=True)
class StatedQuestion:
    """The content of a prompt: a world, and the quantities asked about it."""

    world: StatedWorld
    asked: tuple[Quantity, ...]


def render_prompt(
    question: StatedQuestion,
    layout: str,
    wording: str,
    style: str,
    theme: StatedTheme | None = None,
) -> str:
    """Return the prompt; arguments that `render_world` has are as there.

    Args:
        question: Its content.
        layout: The format of the world in plain words.
        wording: Plain words or formal notation.
        style: The style of replies.
        theme: The cover story.
    """
    if wording == "formal":
        world, notes = formal.render_world(question.world), formal.explain(question.asked)
        asked = _ask([formal.render_clause(each) for each in question.asked])
    else:
        world, notes = render_world(question.world, layout, theme), explain(question)
        asked = render_question(question)
    lines = "\n".join([f"Question: {asked[0]}", *asked[1:], *notes])
    return "\n\n".join([world, lines, _instruct(question, wording, style)])


def render_world(world: StatedWorld, layout: str, theme: StatedTheme | None = None) -> str:
    """Return the description of a world in plain words.

    Args:
        world: The world.
        layout: The format: text, table or program.
        theme: The cover story in whose words it is named; found by these, if it is a bundled one.
    """
    lines = [_opening(world, theme or _find_theme(world)), ""]
    if layout == "program":
        lines += render_program(world)
    for name, rule in world.rules if layout != "program" else ():
        lines += _list_rows(world, name, rule) if layout == "table" else [_state(world, name, rule)]
    return "\n".join([*lines, "", *_remarks(world, layout)])


def _find_theme(world: StatedWorld) -> StatedTheme:
    return next(t for t in map(load_stated_theme, THEME_NAMES) if t.states == world.states)


def _opening(world: StatedWorld, theme: StatedTheme) -> str:
    names = [name for name, _ in world.rules]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    on, off = world.states
    opening = theme.setting.format(count=len(names))
    return f"{opening}: {listed}. In every case, each of them is {on} or {off}."


def _remarks(world: StatedWorld, layout: str) -> Iterator[str]:
    kinds = {rule.kind for _, rule in world.rules if rule.causes}
    if "threshold" in kinds and layout != "program":
        yield RANDOM
    yield INDEPENDENT
    if "table" in kinds:
        yield ONLY_PROBABILITIES
    if kinds - {"table"}:
        yield SAME_NOISE
    if world.unstated:
        yield UNKNOWN


def rows_of_rule(rule: StatedRule) -> list[Row]:
    """Return the rows of a rule: conditions, and the number that holds under them."""
    if rule.kind == "table":
        configurations = product((0, 1), repeat=len(rule.causes))
        conditions = [tuple(zip(rule.causes, row, strict=True)) for row in configurations]
        return list(zip(conditions, rule.numbers, strict=True))
    active = rule.active or (1,) * len(rule.causes)
    single: list[tuple[tuple[str, int], ...]] = [
        ((cause, value),) for cause, value in zip(rule.causes, active, strict=True)
    ]
    *own, last = rule.numbers
    rows = list(zip(single, own, strict=True))
    return [((), last), *rows] if rule.kind == "threshold" else [*rows, ((), last)]


def _condition(world: StatedWorld, row: Row) -> str:
    return f"if {_list_facts(world, row[0])}" if row[0] else ALWAYS


def _list_facts(world: StatedWorld, facts: tuple[tuple[str, int], ...], verb: str = "is") -> str:
    return " and ".join(f"{name} {verb} {_state_of(world, value)}" for name, value in facts)


def _state_of(world: StatedWorld, value: int) -> str:
    return world.states[1 - value]


def _state(world: StatedWorld, name: str, rule: StatedRule) -> str:
    """Return the sentence of a rule."""
    on, off = world.states
    parts = []
    for row in rows_of_rule(rule):
        number, when = _number(rule, row), _condition(world, row)
        if rule.kind in GATES:
            parts.append(f"{number} (counts {when})" if row[0] else f"{number} (always counts)")
        else:
            parts.append(f"{number} {when}" if row[0] else number)
    lead = {"table": " ", "threshold": ": "}.get(rule.kind, ". The coins' chances of heads: ")
    head = HEADS[rule.kind].format(on=on, off=off)
    return f"- {name[0].upper()}{name[1:]} is {head}{lead}{'; '.join(parts)}."


def _list_rows(world: StatedWorld, name: str, rule: StatedRule) -> Iterator[str]:
    """Yield the lines of a rule as a table."""
    on, off = world.states
    head = PROBABILITY if rule.kind == "table" else HEADS[rule.kind]
    yield f"{name} ({head.format(on=on, off=off)})"
    rows = [(_condition(world, row), _number(rule, row)) for row in rows_of_rule(rule)]
    header = [COLUMNS[rule.kind]] if rule.kind in COLUMNS else []
    for when, number in (*header, *rows):
        yield f"| {when} | {number} |"


def _number(rule: StatedRule, row: Row) -> str:
    """Return the number of a row with its unit or, if it is added to others, its sign."""
    number = "?" if row[1] is None else str(row[1])
    if rule.kind != "threshold":
        return f"{number}%"
    return f"{row[1]:+d}" if row[0] and row[1] is not None else number


def render_question(question: StatedQuestion) -> list[str]:
    """Return the question in plain words, line by line."""
    return _ask([_clause(question.world, each) for each in question.asked])


def _ask(clauses: list[str]) -> list[str]:
    if len(clauses) == 1:
        return [f"{clauses[0]}?"]
    first, second = clauses
    return [WHICH, f"First: {first}?", f"Second: {second}?"]


def explain(question: StatedQuestion) -> list[str]:
    """Return the definition of an intervention, unless none is asked about."""
    return [] if {each.query for each in question.asked} == {"observe"} else [FORCED]


def _clause(world: StatedWorld, asked: Quantity) -> str:
    """Return the question about a quantity, without a question mark."""
    x, y = asked.cause, asked.effect
    on, off = world.states
    to, value = _state_of(world, asked.set_to), _state_of(world, asked.value)
    facts = ((x, asked.set_to), *asked.given) if asked.query == "observe" else asked.given
    seen = _list_facts(world, facts)
    likely = "What is the probability that"
    more = f"by how many percentage points is {y} more likely to be {value}"
    certain = f"In a certain case, {_list_facts(world, facts, 'was')}"
    crossed = {
        "nde": f"as in (a), but the rule for {y}, and no other rule, treats {x} as {on}",
        "nie": f"{x} is forced to be {on}, but the rule for {y}, and no other rule, treats {x} as"
        f" {off}",
    }
    clauses = {
        "observe": f"{likely} {y} is {value} in a case in which {seen}",
        "do": f"{likely} {y} is {value} if {x} is forced to be {to}",
        "ate": f"{more.capitalize()} if {x} is forced to be {on} than if {x} is forced to be {off}",
        "ett": f"Consider the cases in which {x} is {on} without being forced."
        f" {more.capitalize()} in these cases than in the same cases with {x} forced to be {off}",
        **{
            query: f"Compare two situations: (a) {x} is forced to be {off}; (b) {changed}."
            f" {more.capitalize()} in (b) than in (a)"
            for query, changed in crossed.items()
        },
        "counterfactual": f"{certain}. {likely}, in this same case, {y} would have been {value} if"
        f" {x} had been forced to be {to}",
        "pn": f"In a certain case, {x} was {on} and {y} was {on}. {likely} {x} being {on} was"
        f" necessary, that is, that {y} would have been {off} in this same case if {x} had been"
        f" forced to be {off}",
        "ps": f"In a certain case, {x} was {off} and {y} was {off}. {likely} {x} being {on} would"
        f" have been sufficient, that is, that {y} would have been {on} in this same case if {x}"
        f" had been forced to be {on}",
        "pns": f"{likely}, in the same case, {y} would be {on} if {x} were forced to be {on}, and"
        f" {off} if {x} were forced to be {off}",
    }
    return clauses[asked.query]


def _instruct(question: StatedQuestion, wording: str, style: str) -> str:
    two = len(question.asked) == 2
    difference = not two and question.asked[0].query in EFFECTS
    example = "-12.3 percentage points" if difference else "12.3%"
    if style == "direct":
        number = 'Reply with one word, "first" or "second".'
        if not two:
            number = f"Reply with the number alone, with one decimal place, such as {example}."
        cannot = f'reply "{CANNOT}".'
    else:
        number = 'Work it out. Then end with the line "Answer: first" or "Answer: second".'
        if not two:
            number = (
                f'Work it out. Then end with a line such as "Answer: {example}", with one decimal'
                " place."
            )
        cannot = f'end with the line "Answer: {CANNOT}".'
    signed = f" {SIGNED}" if difference and wording == "plain" else ""
    return f"{number}{signed} If this information does not determine the answer, {cannot}"


def render_answer(value: float, question: StatedQuestion, style: str) -> str:
    """Return an answer in the requested form, with all digits that it has.

    Args:
        value: The answer, in the code of answers.
        question: The question that it answers.
        style: The style of replies.
    """
    if value == NOT_COMPUTABLE:
        words = CANNOT
    elif len(question.asked) == 2:
        words = "first" if value == FIRST else "second"
    else:
        unit = " percentage points" if question.asked[0].query in EFFECTS else "%"
        words = f"{value:.12f}".rstrip("0").rstrip(".") + unit
    return words if style == "direct" else f"Answer: {words}"
