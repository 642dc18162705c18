"""Prompts to worlds and questions: what a prompt states, from its text alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from whybench.suites.calculate import formal
from whybench.suites.calculate.programs import parse_program
from whybench.suites.calculate.prompts import ALWAYS, COLUMNS, HEADS, WHICH, StatedQuestion
from whybench.suites.calculate.quantities import Quantity
from whybench.suites.calculate.world import StatedRule, StatedWorld

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whybench.suites.calculate.world import RuleKind

_OPENING = re.compile(
    r".+?: (?P<names>the .+)\. In every case, each of them is (?P<on>\w+) or (?P<off>\w+)\."
)
_ENTRY = re.compile(
    r"(?m)^- (?P<text>.+)\.$|^(?P<name>the [^.:(]+?)(?: \((?P<head>.+)\))?$|^\| (?P<row>.+) \|$"
)
_NUMBER = re.compile(r"[-+]?(?:\d+|\?)%?")

Rows = list[tuple[str, str]]


def parse_stated_prompt(prompt: str) -> StatedQuestion:
    """Return the world and the question of a prompt.

    Raises:
        ValueError: The prompt is not in our words.
    """
    asked = re.findall(r"(?m)^(?:Question|First|Second): (.+)\?$", prompt)
    clauses = asked[1:] if asked and WHICH.startswith(asked[0]) else asked
    if formal.is_formal(prompt):
        world, parse_clause = formal.parse_world(prompt), formal.parse_clause
        return StatedQuestion(world, tuple(map(parse_clause, clauses)))
    opening = _OPENING.match(prompt)
    if not opening:
        raise ValueError("a prompt must begin with its variables and their states")
    states = (opening["on"], opening["off"])
    names = re.split(r", | and (?=the )", opening["names"])
    rules = parse_program(prompt) or _parse_rules(prompt, names, states)
    world = StatedWorld(states, tuple(rules))
    if [name for name, _ in world.rules] != names:
        raise ValueError(f"every variable must have a rule, got {world.rules} for {names}")
    return StatedQuestion(world, tuple(_parse_clause(clause, states) for clause in clauses))


def _parse_rules(
    prompt: str, names: list[str], states: tuple[str, str]
) -> Iterable[tuple[str, StatedRule]]:
    found: list[tuple[str, str, Rows]] = []
    headers = {columns[0] for columns in COLUMNS.values()}
    for entry in _ENTRY.finditer(prompt):
        if entry["text"]:
            text = entry["text"][0].lower() + entry["text"][1:]
            name = max((each for each in names if text.startswith(f"{each} is ")), key=len)
            found.append((name, *_split_sentence(text.removeprefix(f"{name} is "), states)))
        elif entry["name"]:
            found.append((entry["name"], entry["head"] or "", []))
        else:
            when, _, number = entry["row"].rpartition(" | ")
            if when not in headers:
                found[-1][2].append((when, number))
    return [(name, _make_rule(head, rows, states)) for name, head, rows in found]


def _split_sentence(text: str, states: tuple[str, str]) -> tuple[str, Rows]:
    """Return the head of a sentence, and its rows: condition and number."""
    head = max(_heads(states), key=lambda head: len(head) if text.startswith(head) else 0)
    rows = []
    for part in text.removeprefix(head).split("; "):
        number = _NUMBER.search(part)
        if number is None:
            raise ValueError(f"every part of a rule must have a number, got {part!r}")
        _, found, when = part.rstrip(")").partition("if ")
        rows.append((f"if {when}" if found else ALWAYS, number[0]))
    return head, rows


def _heads(states: tuple[str, str]) -> dict[str, RuleKind]:
    """Return the kind of rule that each head introduces."""
    return {head.format(on=states[0], off=states[1]): kind for kind, head in HEADS.items()}


def _make_rule(head: str, rows: Rows, states: tuple[str, str]) -> StatedRule:
    conditions = [
        [] if when == ALWAYS else [_parse_fact(f, states) for f in _facts(when.removeprefix("if "))]
        for when, _ in rows
    ]
    numbers = tuple(
        None if "?" in number else int(number.strip("%").replace("+", "")) for _, number in rows
    )
    kind = _heads(states).get(head, "table")
    if kind == "table":
        return StatedRule("table", tuple(name for name, _ in conditions[0]), numbers)
    causes = tuple(facts[0][0] for facts in conditions if facts)
    if kind == "threshold":
        start, *points = numbers
        return StatedRule("threshold", causes, (*points, start))
    return StatedRule(kind, causes, numbers, tuple(facts[0][1] for facts in conditions if facts))


def _facts(text: str) -> list[str]:
    return re.split(r" and (?=the )", text)


def _parse_fact(text: str, states: tuple[str, str]) -> tuple[str, int]:
    found = re.fullmatch(r"(the .+) (?:is|was) (\w+)", text)
    if not found or found[2] not in states:
        raise ValueError(f"a condition must state a variable and its state, got {text!r}")
    return found[1], int(found[2] == states[0])


_X, _Y = r"(?P<x>the [^,:.;]+?)", r"(?P<y>the [^,:.;]+?)"
_MORE = rf"by how many percentage points is {_Y} more likely to be (?P<v>\w+)"
_LIKELY = "What is the probability that"
_CLAUSES = {
    "observe": rf"{_LIKELY} {_Y} is (?P<v>\w+) in a case in which (?P<facts>.+)",
    "do": rf"{_LIKELY} {_Y} is (?P<v>\w+) if {_X} is forced to be (?P<s>\w+)",
    "ate": rf"{_MORE} if {_X} is forced to be \w+ than if .+",
    "ett": rf"Consider the cases in which {_X} is \w+ without being forced\. {_MORE} in these .+",
    "nde": rf"Compare two situations: .+ as in \(a\), .+ treats {_X} as ON\. {_MORE} in \(b\) .+",
    "nie": rf"Compare two situations: .+ treats {_X} as OFF\. {_MORE} in \(b\) than .+",
    "counterfactual": rf"In a certain case, (?P<facts>.+?)\. {_LIKELY}, in this same case, {_Y}"
    rf" would have been (?P<v>\w+) if {_X} had been forced to be (?P<s>\w+)",
    "pn": rf"In a certain case, .+?\. {_LIKELY} {_X} being \w+ was necessary, that is, that"
    rf" {_Y} would .+",
    "ps": rf"In a certain case, .+?\. {_LIKELY} {_X} being \w+ would have been sufficient, that is,"
    rf" that {_Y} would .+",
    "pns": rf"{_LIKELY}, in the same case, {_Y} would be \w+ if {_X} were forced to be .+",
}


def _parse_clause(clause: str, states: tuple[str, str]) -> Quantity:
    for query, pattern in _CLAUSES.items():
        own = pattern.replace("ON", states[0]).replace("OFF", states[1])
        if found := re.fullmatch(f"(?i:{own})", clause):
            return _make_quantity(query, found.groupdict(), states)
    raise ValueError(f"a question must be one of {', '.join(_CLAUSES)}, got {clause!r}")


def _make_quantity(query: Any, words: dict[str, str], states: tuple[str, str]) -> Quantity:
    value, set_to = (int(words.get(key, states[0]) == states[0]) for key in ("v", "s"))
    facts = tuple(_parse_fact(fact, states) for fact in _facts(words.get("facts", "")) if fact)
    return Quantity.of_facts(query, words.get("x", ""), words["y"], set_to, value, facts)
