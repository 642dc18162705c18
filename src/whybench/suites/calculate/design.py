"""Which questions are asked: factors, levels, and the named designs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from operator import mul
from typing import TYPE_CHECKING, ClassVar, get_args

from whybench.seeds import Split, digest
from whybench.suites.calculate.prompts import FORMATS, STYLES
from whybench.suites.calculate.quantities import QUERIES
from whybench.suites.calculate.themes import THEME_NAMES, StatedTheme, load_stated_theme
from whybench.suites.contract import WORDINGS, Crossing, Manipulated, UserError, factor
from whybench.suites.designs import check_levels, identifying_settings
from whybench.suites.unions import split_union

if TYPE_CHECKING:
    from collections.abc import Iterator

MECHANISMS = ("tables", "gates", "thresholds")
VARIANTS = ("trap", "control", "idle", "missing")
FORMS = ("number", "greater")
MANIPULATED = {
    "theme": Manipulated("{}"),
    "format": Manipulated("{}"),
    "wording": Manipulated("{}", "plain"),
    "style": Manipulated("{}", "cot"),
}
SIZES = range(2, 13)
STEPS = {"query": (1, 2, 1), "mechanism": (1, 1, 1), "variant": (1, 3, 0)}
"""By how many the number of variables, the theme and the format go on from one level to the next.
"""


def _plural(noun: str, count: int) -> str:
    """Return a noun in the form for a count.

    >>> _plural("query", 10), _plural("world", 8), _plural("world", 1)
    ('queries', 'worlds', 'world')
    """
    if count == 1:
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


@dataclass(frozen=True)
class CalculateDesign(Crossing):
    """Query, mechanism, variant, form, style and wording are crossed; the rest takes turns.

    Numbers of variables, themes and formats change with each item (`take_turns`), so that a design
    need not hold every combination of them.
    """

    query: tuple[str, ...] = factor(QUERIES, "what is asked: " + ", ".join(QUERIES), levels=QUERIES)
    mechanism: tuple[str, ...] = factor(
        MECHANISMS, "rules of worlds: tables, gates, thresholds", levels=MECHANISMS
    )
    variant: tuple[str, ...] = factor(
        VARIANTS,
        "trap (mistakes mislead), control (the main one does not), idle (a number that does not "
        "matter is not told), missing (one that does)",
        levels=VARIANTS,
    )
    form: tuple[str, ...] = factor(
        ("number",), "a number, or which of two is greater", levels=FORMS
    )
    style: tuple[str, ...] = factor(("cot",), "how to reply: cot, direct", levels=STYLES)
    wording: tuple[str, ...] = factor(
        ("plain",), "plain sentences or formal notation", levels=WORDINGS
    )
    variables: str = factor("3,4,5,6", "how many variables worlds have in turn, from 2 to 12")
    theme: str = factor(
        ",".join(THEME_NAMES), "themes that worlds have in turn, by name or .yaml file", files=True
    )
    format: str = factor("text,table", "format of worlds in turn: text, table, program")
    indegree: int = factor(2, "the most causes of a variable, 1 to 3")
    worlds: int = factor(1, "worlds in each cell")
    split: str = factor("test", "the side of the train/test divide", levels=get_args(Split))

    manipulated: ClassVar[dict[str, Manipulated]] = MANIPULATED

    def __post_init__(self) -> None:
        super().__post_init__()
        turns = {"variables": map(str, SIZES), "format": FORMATS}
        for name, levels in turns.items():
            known, given = list(levels), getattr(self, name).split(",")
            if not set(given) <= set(known):
                raise UserError(f"{name} must be among {', '.join(known)}, got {given}")
        check_levels("theme", tuple(theme.name for theme in self.themes))
        if not 1 <= self.indegree <= 3:
            raise UserError(f"indegree must be 1 to 3, got {self.indegree}")
        if self.worlds < 1:
            raise UserError(f"worlds must be 1 or more, got {self.worlds}")
        if "program" in self.format and "tables" in self.mechanism:
            raise UserError(
                "programs describe gates and thresholds; choose mechanism=gates,thresholds"
            )
        if "greater" in self.form and {"nde", "nie"} & {*self.query}:
            raise UserError(
                "which of two is greater is asked of all queries but nde and nie, got "
                f"{', '.join(self.query)}"
            )

    @cached_property
    def themes(self) -> tuple[StatedTheme, ...]:
        """The themes themselves."""
        return tuple(map(load_stated_theme, self.theme.split(",")))

    @property
    def hash(self) -> str:
        """A digest of what decides the items; the words of own themes count, paths do not."""
        named = {**identifying_settings(self), "theme": [theme.name for theme in self.themes]}
        own = [theme for theme in self.themes if theme.name not in THEME_NAMES]
        return digest(type(self).__name__, named, own).hex()[:16]

    @cached_property
    def sizes_in_turn(self) -> tuple[int, ...]:
        """How many variables worlds have, in the order in which they come."""
        return tuple(map(int, self.variables.split(",")))

    @property
    def size(self) -> int:
        """The number of items."""
        if self.union:
            return sum(part.size for part in split_union(self))
        return prod(self.sizes) * self.worlds

    @property
    def summary(self) -> str:
        """The number of items and the factors in one line."""
        if self.union:
            return "; ".join(part.summary for part in split_union(self))
        crossed = " x ".join(
            f"{len(levels)} {_plural(name, len(levels))}" for name, levels in self.levels.items()
        )
        worlds = f"{self.worlds} {_plural('world', self.worlds)} of {self.variables} variables"
        return f"{self.size} items: {crossed}, {worlds}; {self.split}"

    def cells_in_order(self) -> Iterator[tuple[dict[str, str], int]]:
        """Yield the levels of each item, and which of its cell it is."""
        for number in range(self.worlds):
            for levels in self.cells():
                yield levels, number

    def take_turns(self, levels: dict[str, str], number: int) -> tuple[int, str, str]:
        """Return the number of variables, the theme and the format of an item.

        As in a Latin square: each goes with every query, mechanism and variant as often as any
        other, or nearly, and differs between the worlds of a cell. What else is crossed does not
        matter, so that a world is asked about in all styles.
        """
        turns: tuple[tuple[int, ...] | list[str], ...] = (
            self.sizes_in_turn, self.theme.split(","), self.format.split(","))  # fmt: skip
        crossed = [self.levels[name].index(levels[name]) for name in STEPS]
        round_ = number // len(self.sizes_in_turn)
        shifts = (number, number + round_, number + round_)
        steps = zip(*STEPS.values(), strict=True)
        size, theme, layout = (
            turn[(sum(map(mul, step, crossed)) + shift) % len(turn)]
            for turn, step, shift in zip(turns, steps, shifts, strict=True)
        )
        return int(size), str(theme), str(layout)


DESIGNS = {
    "core": CalculateDesign(),
    "standard": CalculateDesign("standard", worlds=8),
    "trivial": CalculateDesign(
        "trivial",
        query=("observe", "do", "ate", "ett"),
        variant=("control",),
        style=("direct",),
        variables="2,3",
        indegree=1,
        worlds=8,
    ),
    "greater": CalculateDesign(
        "greater",
        query=("observe", "do", "ate", "counterfactual", "pns"),
        form=("greater",),
        worlds=3,
    ),
    "hard": CalculateDesign("hard", variables="8,9,10,11,12", indegree=3, worlds=2),
}
