"""Items to words: the world as sentences, tables or a program, then one question.

A rule is told by its rows: under which condition which number. Sentences and tables say the same
rows. `?` stands for a number that is not told.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from whybench.suites.calculate.programs import render_program
from whybench.suites.calculate.quantities import EFFECTS, FIRST, NOT_COMPUTABLE
from whybench.suites.calculate.themes import THEME_NAMES, load_stated_theme

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.calculate.quantities import Quantity
    from whybench.suites.calculate.themes import StatedTheme
    from whybench.suites.calculate.world import StatedRule, StatedWorld

TELLINGS = ("text", "table", "program")
STYLES = ("cot", "direct")

INDEPENDENT = "Nothing else links them: all that is told here happens independently of the rest."
ONLY_SHARES = "Only these shares are known, and not what decides in a single case."
SIGNED = "If it is less likely, put a minus sign in front."
SAME_NOISE = (
    "In a given case, every coin would have fallen as it did, and every number would have been "
    "drawn as it was, had anything else been different."
)
UNTOLD = "A question mark stands for a number that is not known."
CANNOT = "cannot be computed"

Row = tuple[tuple[tuple[str, int], ...], "int | None"]


@dataclass(frozen=True)
class StatedQuestion:
    """What a prompt says: a world, and what is asked about it."""

    world: StatedWorld
    asked: tuple[Quantity, ...]


def render_prompt(
    question: StatedQuestion, telling: str, style: str, theme: StatedTheme | None = None
) -> str:
    """Return the prompt; arguments that `render_world` has are as there.

    Args:
        question: What it says.
        telling: How the world is told.
        style: The style of replies.
        theme: The theme.
    """
    first, *more = render_question(question)
    asked = "\n".join([f"Question: {first}", *more])
    world = render_world(question.world, telling, theme)
    return "\n\n".join([world, asked, _instruct(question, style)])


def render_world(world: StatedWorld, telling: str, theme: StatedTheme | None = None) -> str:
    """Return what is told of a world.

    Args:
        world: The world.
        telling: How it is told.
        theme: The theme in whose words it is named; found by these, if it is a bundled one.
    """
    lines = [_opening(world, theme or _find_theme(world)), ""]
    if telling == "program":
        lines += render_program(world)
    for name, rule in world.rules if telling != "program" else ():
        lines += _tell_table(world, name, rule) if telling == "table" else _tell(world, name, rule)
    return "\n".join([*lines, "", *_remarks(world)])


def _find_theme(world: StatedWorld) -> StatedTheme:
    return next(t for t in map(load_stated_theme, THEME_NAMES) if t.states == world.states)


def _opening(world: StatedWorld, theme: StatedTheme) -> str:
    names = [name for name, _ in world.rules]
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    on, off = world.states
    opening = theme.setting.format(count=len(names))
    return f"{opening}: {listed}. In every case, each of them is {on} or {off}."


def _remarks(world: StatedWorld) -> Iterator[str]:
    yield INDEPENDENT
    kinds = {rule.kind for _, rule in world.rules if rule.causes}
    if "table" in kinds:
        yield ONLY_SHARES
    if kinds - {"table"}:
        yield SAME_NOISE
    if world.unstated:
        yield UNTOLD


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
    return list(zip([*single, ()], rule.numbers, strict=True))


def _condition(world: StatedWorld, row: Row) -> str:
    return " and ".join(_holds(world, name, value) for name, value in row[0])


def _tell(world: StatedWorld, name: str, rule: StatedRule) -> Iterator[str]:
    on, off = world.states
    rows = rows_of_rule(rule)
    title = name[0].upper() + name[1:]
    if rule.kind == "table" and not rule.causes:
        yield f"- {title} is {on} in {_percent(rows[0][1])} of cases."
        return
    parts = []
    for row in rows:
        when = f"if {_condition(world, row)}" if row[0] else "in any case"
        if rule.kind == "table":
            parts.append(f"in {_percent(row[1])} of cases {when}")
        elif rule.kind == "threshold":
            parts.append(f"{_points(row)} {when}")
        else:
            parts.append(f"one with a chance of {_percent(row[1])} {when}")
    heads = {
        "table": f"{title} is {on}",
        "or": f"{title} is {off} unless a coin makes it {on}:",
        "and": f"{title} is {on} unless a coin makes it {off}:",
        "threshold": f"{title} is {on} if a number drawn evenly from 1 to 100 is at most the sum"
        " of these points:",
    }
    yield f"- {heads[rule.kind]} {'; '.join(parts)}."


def _tell_table(world: StatedWorld, name: str, rule: StatedRule) -> Iterator[str]:
    on, off = world.states
    heads = {
        "table": f"share of cases in which it is {on}",
        "or": f"{off} unless a coin makes it {on}; chance of each coin",
        "and": f"{on} unless a coin makes it {off}; chance of each coin",
        "threshold": f"{on} if a number drawn evenly from 1 to 100 is at most the sum of points",
    }
    yield f"{name} ({heads[rule.kind]})"
    for row in rows_of_rule(rule):
        number = _points(row) if rule.kind == "threshold" else _percent(row[1])
        yield f"| {_condition(world, row) or 'in any case'} | {number} |"


def _percent(number: int | None) -> str:
    return "?%" if number is None else f"{number}%"


def _points(row: Row) -> str:
    number = row[1]
    if number is None:
        return "?"
    return f"{number:+d}" if row[0] else str(number)


def _holds(world: StatedWorld, name: str, value: int, verb: str = "is") -> str:
    return f"{name} {verb} {world.states[1 - value]}"


def render_question(question: StatedQuestion) -> list[str]:
    """Return what is asked, line by line."""
    clauses = [_clause(question.world, each) for each in question.asked]
    if len(clauses) == 1:
        return [f"{clauses[0]}?"]
    first, second = clauses
    return ["Which of these two numbers is greater?", f"First: {first}?", f"Second: {second}?"]


def _clause(world: StatedWorld, asked: Quantity) -> str:
    """Return what is asked, without a question mark."""
    x, y = asked.cause, asked.effect
    on, off = world.states
    effect = _holds(world, y, asked.value)
    made = f"{x} is set to {world.states[1 - asked.set_to]} from outside"
    facts = {x: asked.set_to} if asked.query == "observe" else {}
    known = {**facts, **dict(asked.given)}
    seen = " and ".join(_holds(world, name, value) for name, value in known.items())
    was = " and ".join(_holds(world, name, value, "was") for name, value in known.items())
    more = "By how many percentage points is it more likely"
    likely = "How likely is it"
    imagined = f"had {x} been set to"
    clauses = {
        "observe": f"{likely} that {effect} in a case in which {seen}",
        "do": f"{likely} that {effect} if {made}",
        "ate": f"{more} that {effect} if {x} is set to {on} from outside than if it is set to {off}"
        " from outside",
        "ett": f"{more} that {effect} in the cases in which {x} is {on} by itself than it would be"
        f" in these very cases if {x} were set to {off} from outside",
        "nde": f"{more} that {effect} if {y} alone responds as though {x} were {on}, all else"
        f" being as it is when {x} is set to {off} from outside, than if {x} is set to {off} from"
        " outside for all",
        "nie": f"{more} that {effect} if {y} alone responds as though {x} were {off}, all else"
        f" being as it is when {x} is set to {on} from outside, than if {x} is set to {off} from"
        " outside for all",
        "counterfactual": f"In a certain case, {was}. {likely} that in this very case"
        f" {y} would have been {world.states[1 - asked.value]}, {imagined}"
        f" {world.states[1 - asked.set_to]} from outside",
        "pn": f"In a certain case, {x} was {on} and {y} was {on}. {likely} that {x} was necessary:"
        f" that in this very case {y} would have been {off}, {imagined} {off} from outside",
        "ps": f"In a certain case, {x} was {off} and {y} was {off}. {likely} that {x} would have"
        f" sufficed: that in this very case {y} would have been {on}, {imagined} {on} from outside",
        "pns": f"{likely} that in one and the same case {y} would be {on} if {x} were set to {on}"
        f" from outside, and {off} if {x} were set to {off} from outside",
    }
    return clauses[asked.query]


def _instruct(question: StatedQuestion, style: str) -> str:
    two = len(question.asked) == 2
    if style == "direct":
        number = 'Reply with one word, "first" or "second".'
        if not two:
            number = "Reply with the percentage alone, with one decimal, such as 12.3%."
        cannot = f'reply "{CANNOT}".'
    else:
        number = 'Work it out, then end with the line "Answer: first" or "Answer: second".'
        if not two:
            number = 'Work it out, then end with a line such as "Answer: 12.3%", with one decimal.'
        cannot = f'end with the line "Answer: {CANNOT}".'
    signed = ""
    if not two and question.asked[0].query in EFFECTS:
        signed = f" {SIGNED}"
    return f"{number}{signed} If the answer does not follow from what is told, {cannot}"


def render_answer(value: float, two: bool, style: str) -> str:
    """Return an answer in the form that is asked for, with all digits that it has.

    Args:
        value: The answer, in the code of answers.
        two: Whether it says which of two is greater.
        style: The style of replies.
    """
    if value == NOT_COMPUTABLE:
        words = CANNOT
    elif two:
        words = "first" if value == FIRST else "second"
    else:
        words = f"{value:.12f}".rstrip("0").rstrip(".") + "%"
    return words if style == "direct" else f"Answer: {words}"
