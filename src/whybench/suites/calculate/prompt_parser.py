"""Words to the world and the question: what a prompt says, from the prompt alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from whybench.suites.calculate.programs import parse_program
from whybench.suites.calculate.prompts import StatedQuestion
from whybench.suites.calculate.quantities import Quantity
from whybench.suites.calculate.world import StatedRule, StatedWorld

if TYPE_CHECKING:
    from collections.abc import Iterable

_OPENING = re.compile(
    r".+?: (?P<names>the .+)\. In every case, each of them is (?P<on>\w+) or (?P<off>\w+)\."
)
_ENTRY = re.compile(
    r"(?m)^- (?P<text>.+)\.$|^(?P<name>the .+?) \((?P<head>.+)\)$|^\| (?P<row>.+) \|$"
)
_COIN = re.compile(r"unless a coin makes it (\w+)")
_SCORE = "a number drawn evenly from 1 to 100"
_HEADS = (" is at most the sum of these points: ", ": ")


def parse_stated_prompt(prompt: str) -> StatedQuestion:
    """Return the world and the question of a prompt.

    Raises:
        ValueError: The prompt is not in our words.
    """
    opening = _OPENING.match(prompt)
    if not opening:
        raise ValueError("a prompt must begin with its variables and their states")
    states = (opening["on"], opening["off"])
    names = re.split(r", | and (?=the )", opening["names"])
    rules = parse_program(prompt) or _parse_rules(prompt, names, states)
    world = StatedWorld(states, tuple(rules))
    if [name for name, _ in world.rules] != names:
        raise ValueError(f"every variable must have a rule, got {world.rules} for {names}")
    asked = re.findall(r"(?m)^(?:Question|First|Second): (.+)\?$", prompt)
    clauses = asked[1:] if asked and asked[0].startswith("Which of these two") else asked
    return StatedQuestion(world, tuple(_parse_clause(clause, states) for clause in clauses))


def _parse_rules(
    prompt: str, names: list[str], states: tuple[str, str]
) -> Iterable[tuple[str, StatedRule]]:
    tables: list[tuple[str, str, list[tuple[str, str]]]] = []
    for entry in _ENTRY.finditer(prompt):
        if entry["text"]:
            text = entry["text"][0].lower() + entry["text"][1:]
            name = max((each for each in names if text.startswith(f"{each} is ")), key=len)
            tables.append((name, *_split_sentence(text.removeprefix(f"{name} is "))))
        elif entry["name"]:
            tables.append((entry["name"], entry["head"], []))
        else:
            when, _, number = entry["row"].rpartition(" | ")
            tables[-1][2].append((when, number))
    return [(name, _make_rule(head, rows, states)) for name, head, rows in tables]


def _split_sentence(text: str) -> tuple[str, list[tuple[str, str]]]:
    """Return what a sentence says of the kind of rule, and its rows: condition and number."""
    head, body = "", text
    for mark in _HEADS:
        if mark in text:
            head, _, body = text.partition(mark)
            break
    rows = []
    for part in body.split("; "):
        number = re.search(r"[-+]?(?:\d+|\?)%?", part)
        if number is None:
            raise ValueError(f"every part of a rule must have a number, got {part!r}")
        _, found, when = part.partition(" if ")
        rows.append((when if found else "in any case", number[0]))
    return head, rows


def _make_rule(head: str, rows: list[tuple[str, str]], states: tuple[str, str]) -> StatedRule:
    conditions = [
        [] if when == "in any case" else [_parse_fact(fact, states) for fact in _facts(when)]
        for when, _ in rows
    ]
    numbers = tuple(
        None if "?" in number else int(number.strip("%").replace("+", "")) for _, number in rows
    )
    coin = _COIN.search(head)
    if not coin and _SCORE not in head:
        return StatedRule("table", tuple(name for name, _ in conditions[0]), numbers)
    causes = tuple(facts[0][0] for facts in conditions if facts)
    if not coin:
        return StatedRule("threshold", causes, numbers)
    active = tuple(facts[0][1] for facts in conditions if facts)
    return StatedRule("or" if coin[1] == states[0] else "and", causes, numbers, active)


def _facts(text: str) -> list[str]:
    return re.split(r" and (?=the )", text)


def _parse_fact(text: str, states: tuple[str, str]) -> tuple[str, int]:
    found = re.fullmatch(r"(the .+) (?:is|was) (\w+)", text)
    if not found or found[2] not in states:
        raise ValueError(f"a condition must say a variable and its state, got {text!r}")
    return found[1], int(found[2] == states[0])


_X, _Y = r"(?P<x>the [^,:.]+?)", r"(?P<y>the [^,:.]+?)"
_MORE = rf"By how many percentage points is it more likely that {_Y} is (?P<v>\w+) "
_LIKELY = "How likely is it that "
_CLAUSES = {
    "observe": rf"{_LIKELY}{_Y} is (?P<v>\w+) in a case in which (?P<facts>.+)",
    "do": rf"{_LIKELY}{_Y} is (?P<v>\w+) if {_X} is set to (?P<s>\w+) from outside",
    "ate": rf"{_MORE}if {_X} is set to \w+ from outside than if it is set to \w+ from outside",
    "ett": rf"{_MORE}in the cases in which {_X} is \w+ by itself than .+",
    "nde": rf"{_MORE}if .+? alone responds as though {_X} were ON, all else .+",
    "nie": rf"{_MORE}if .+? alone responds as though {_X} were OFF, all else .+",
    "counterfactual": rf"In a certain case, (?P<facts>.+?)\. {_LIKELY}in this very case {_Y} would"
    rf" have been (?P<v>\w+), had {_X} been set to (?P<s>\w+) from outside",
    "pn": rf"In a certain case, .+?\. {_LIKELY}{_X} was necessary: that in this very case {_Y}"
    r" would .+",
    "ps": rf"In a certain case, .+?\. {_LIKELY}{_X} would have sufficed: that in this very case"
    rf" {_Y} would .+",
    "pns": rf"{_LIKELY}in one and the same case {_Y} would be \w+ if {_X} were set to .+",
}


def _parse_clause(clause: str, states: tuple[str, str]) -> Quantity:
    for query, pattern in _CLAUSES.items():
        own = pattern.replace("ON", states[0]).replace("OFF", states[1])
        if found := re.fullmatch(own, clause):
            return _make_quantity(query, found.groupdict(), states)
    raise ValueError(f"a question must be one of {', '.join(_CLAUSES)}, got {clause!r}")


def _make_quantity(query: Any, words: dict[str, str], states: tuple[str, str]) -> Quantity:
    value, set_to = (int(words.get(key, states[0]) == states[0]) for key in ("v", "s"))
    facts = tuple(_parse_fact(fact, states) for fact in _facts(words.get("facts", "")) if fact)
    if query == "observe":
        (cause, set_to), *given = facts
        return Quantity(query, cause, words["y"], set_to, value, tuple(given))
    return Quantity(query, words["x"], words["y"], set_to, value, facts)
