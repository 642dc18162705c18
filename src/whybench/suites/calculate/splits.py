"""On which side of the train/test divide a world lies, and how worlds come to lie there.

The side follows from the numbers of a world's rules as they are told, whatever names its variables
have, in whatever order and graph they stand: no world to train on is a test's with other words, or
with its causes exchanged. A world that lies on the wrong side is moved by the share of its first
variable, which has no causes: up by a point, and round at the end, until it lies on the right one.
That keeps shares as evenly spread as they were drawn, and takes no second draw.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from whybench.seeds import split_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whybench.seeds import Split
    from whybench.suites.calculate.world import StatedRule, StatedWorld

SHARES = range(15, 86)
"""The shares that a variable without causes may have, in percent."""


def write_numbers(world: StatedWorld) -> str:
    """Return the kinds and numbers of all rules in one line; a number that is not told is a `?`."""
    return _join(_write_rule(rule) for _, rule in world.rules)


def _write_rule(rule: StatedRule) -> str:
    told = sorted(number for number in rule.numbers if number is not None)
    return " ".join([rule.kind, *map(str, told), *["?"] * rule.numbers.count(None)])


def _join(written: Iterable[str]) -> str:
    return "; ".join(sorted(written))


def split_of_world(world: StatedWorld) -> Split:
    """Return the side on which a world lies."""
    return _split_of_numbers(write_numbers(world))


def _split_of_numbers(written: str) -> Split:
    return split_of(("calculate", written))


def move_to_split(
    full: StatedWorld, told: StatedWorld, split: Split
) -> tuple[StatedWorld, StatedWorld] | None:
    """Return a world, and what is told of it, moved to a side; None where that cannot be.

    Args:
        full: The world with all its numbers.
        told: The same, perhaps without one of them.
        split: The side.
    """
    name, rule = told.rules[0]
    if (drawn := rule.numbers[0]) is None:
        return (full, told) if split_of_world(told) == split else None
    others = [_write_rule(other) for _, other in told.rules[1:]]
    for step in range(len(SHARES)):
        share = SHARES[(drawn - SHARES[0] + step) % len(SHARES)]
        moved = replace(rule, numbers=(share,))
        if _split_of_numbers(_join([_write_rule(moved), *others])) == split:
            here = replace(told, rules=((name, moved), *told.rules[1:]))
            if full is told:
                return here, here
            return replace(full, rules=((name, moved), *full.rules[1:])), here
    return None
