"""Rules as lines of a small program with coins, and back.

A variable without causes is `coin(30)`; gates are `(pump and coin(60)) or coin(10)`, with `not` in
front where coins block; thresholds are `draw(1, 100) <= 20 + 40 * pump`. Tables say no more than
shares, which no program does: they are not told so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from whybench.suites.calculate.world import StatedRule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.calculate.world import RuleKind, StatedWorld

LEGEND = (
    "This program draws one case. coin(p) is true with probability p%{draw}. True means {on}, and "
    "false means {off}."
)
DRAW = (
    ", draw(1, 100) is a whole number from 1 to 100, each equally likely, and true counts as 1 in "
    "sums"
)
UNKNOWN = "?"
_LINE = re.compile(r"(?m)^(\w+) = (.+)$")
_COIN = re.compile(r"(?:(not )?(\w+) and )?coin\((\d+|\?)\)")
_POINTS = re.compile(r"([-+]) (\d+|\?) \* (\w+)")


def render_program(world: StatedWorld) -> Iterator[str]:
    """Yield the lines of a program that tells all rules."""
    on, off = world.states
    draw = DRAW if any(rule.kind == "threshold" for _, rule in world.rules) else ""
    yield LEGEND.format(on=on, off=off, draw=draw)
    yield ""
    for name, rule in world.rules:
        yield render_line(name, rule)


def render_line(name: str, rule: StatedRule) -> str:
    """Return the line of one rule."""
    return f"{to_identifier(name)} = {_expression(rule)}"


def _expression(rule: StatedRule) -> str:
    numbers = [render_number(number and abs(number)) for number in rule.numbers]
    causes = [to_identifier(cause) for cause in rule.causes]
    if rule.kind == "table":
        if causes:
            raise ValueError("tables cannot be told as a program")
        return f"coin({numbers[0]})"
    if rule.kind == "threshold":
        signs = ["-" if (number or 0) < 0 else "+" for number in rule.numbers]
        terms = [f" {s} {n} * {c}" for s, n, c in zip(signs, numbers, causes, strict=False)]
        return f"draw(1, 100) <= {numbers[-1]}{''.join(terms)}"
    coins = [
        f"({'' if on else 'not '}{cause} and coin({number}))"
        for cause, on, number in zip(causes, rule.active, numbers, strict=False)
    ]
    any_of = " or ".join([*coins, f"coin({numbers[-1]})"])
    return any_of if rule.kind == "or" else f"not ({any_of})"


def parse_program(prompt: str) -> list[tuple[str, StatedRule]]:
    """Return the rules that the lines of a program tell; none if there is no program."""
    return [(name_of(found[1]), _parse_expression(found[2])) for found in _LINE.finditer(prompt)]


def _parse_expression(text: str) -> StatedRule:
    if text.startswith("draw"):
        start, terms = text.partition("<= ")[2].split(" ", 1)[0], _POINTS.findall(text)
        points = [parse_number(number, sign == "-") for sign, number, _ in terms]
        causes = tuple(name_of(cause) for *_, cause in terms)
        return StatedRule("threshold", causes, (*points, parse_number(start)))
    coins = _COIN.findall(text)
    numbers = tuple(parse_number(number) for *_, number in coins)
    own = [(absent, cause) for absent, cause, _ in coins if cause]
    if not own:
        return StatedRule("table", (), numbers)
    active = tuple(int(not absent) for absent, _ in own)
    kind: RuleKind = "and" if text.startswith("not (") else "or"
    return StatedRule(kind, tuple(name_of(cause) for _, cause in own), numbers, active)


def render_number(number: int | None) -> str:
    """Return a number, or the sign of one that is not stated."""
    return UNKNOWN if number is None else str(number)


def parse_number(digits: str, negative: bool = False) -> int | None:
    """Return a number; None for the sign of one that is not stated."""
    return None if digits == UNKNOWN else int(digits) * (-1 if negative else 1)


def to_identifier(name: str) -> str:
    """Return the name of a variable in programs and equations."""
    return name.removeprefix("the ").replace(" ", "_")


def name_of(identifier: str) -> str:
    """Return the name of a variable in sentences."""
    return f"the {identifier.replace('_', ' ')}"
