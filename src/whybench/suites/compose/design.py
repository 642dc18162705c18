"""The factors of compose, their levels, and the named designs.

A design crosses shapes of worlds and their gates with how a world is rendered: its theme, sentences
without bearing, and the form of the reply. Each combination of shape and gates has `worlds` worlds,
and each of these `units` units. They are the same however they are rendered, so that renderings can
be compared question by question. All questions of a unit stand together. The block is the whole
crossing, asked of one unit each, so every prefix of whole blocks has each level equally often.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, get_args

from whybench.seeds import Split, digest
from whybench.suites.compose.chain import Chain
from whybench.suites.compose.questions import Style
from whybench.suites.compose.themes import THEME_NAMES, ComposeTheme, load_theme
from whybench.suites.compose.units import NAMED, check_kinds, parse_shape
from whybench.suites.compose.world import Gates
from whybench.suites.contract import WORDINGS, UserError
from whybench.suites.designs import (
    Manipulated,
    cells_in_blocks,
    check_levels,
    factor,
    identifying_settings,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

LEVELS: Mapping[str, tuple[str, ...]] = {
    "gates": get_args(Gates),
    "detail": ("none", "some"),
    "style": get_args(Style),
    "wording": WORDINGS,
    "split": get_args(Split),
}
"""The levels of the factors whose levels are fixed."""

MANIPULATED: dict[str, Manipulated] = {
    "theme": Manipulated(),
    "detail": Manipulated("detail-{}", "none"),
    "style": Manipulated(),
    "wording": Manipulated(unsaid="plain"),
}
"""What may be manipulated while the same is asked."""


@dataclass(frozen=True)
class ComposeDesign:
    """Which compose items there are. Most factors are tuples of levels."""

    manipulated: ClassVar[dict[str, Manipulated]] = MANIPULATED

    name: str = "core"
    kinds: tuple[str, ...] = factor(
        ("cycle3+cycle3+cycle3",),
        "Shapes of worlds, such as cycle3+bridge+wheel4 or edges XA.XB.AY.BY+bridge, or by name.",
    )
    gates: tuple[str, ...] = factor(
        LEVELS["gates"], "Whether nodes are or gates, and gates, or some of both: or, and, mixed."
    )
    theme: tuple[str, ...] = factor(
        ("feast",), "Themes: names, or paths of YAML files.", files=True
    )
    detail: tuple[str, ...] = factor(
        ("none",),
        "Whether irrelevant sentences stand among the rules: none, some.",
        levels=LEVELS["detail"],
    )
    style: tuple[str, ...] = factor(
        ("direct",),
        "Form of the reply: direct, cot, worked-example, two-examples.",
        levels=LEVELS["style"],
    )
    wording: tuple[str, ...] = factor(
        ("plain",), "Plain sentences or formal notation: plain, formal.", levels=WORDINGS
    )
    worlds: int = factor(8, "Number of worlds of each shape and kind of gates.")
    units: int = factor(16, "Number of units of each world.")
    split: str = factor(
        "test", "The side of the train/test divide; worlds by name are for testing."
    )

    def __post_init__(self) -> None:
        for name, levels in LEVELS.items():
            chosen = getattr(self, name)
            check_levels(name, (chosen,) if isinstance(chosen, str) else chosen, levels)
        for name in ("kinds", "theme"):
            check_levels(name, getattr(self, name))
        check_levels("theme", tuple(entry.name for entry in self.themes))
        for count in ("worlds", "units"):
            if getattr(self, count) < 1:
                raise UserError(f"{count} must be 1 or more, got {getattr(self, count)}")
        for kinds in self.kinds:
            check_kinds(kinds, self.gates, self.worlds, self.split)
            for entry in self.themes:
                entry.pool(Chain(parse_shape(kinds)).size)

    @cached_property
    def themes(self) -> tuple[ComposeTheme, ...]:
        """The themes themselves."""
        return tuple(load_theme(source) for source in self.theme)

    @cached_property
    def cells(self) -> tuple[tuple[int, ...], ...]:
        """The crossing: the places of kinds, gates, theme, detail, style and wording."""
        factors = (self.kinds, self.gates, self.theme, self.detail, self.style, self.wording)
        return tuple(cells_in_blocks(tuple(map(len, factors))))

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The number of items of a block up to the end of each cell."""
        return tuple(accumulate(self.count_asked(self.kinds[cell[0]]) for cell in self.cells))

    def count_asked(self, kinds: str) -> int:
        """Return how many questions are asked about a unit of a shape."""
        return count_questions(kinds)

    @property
    def block(self) -> int:
        """The number of items in a block, which asks about one unit in every cell."""
        return self.ends[-1]

    @property
    def size(self) -> int:
        """The number of items."""
        return self.block * self.worlds * self.units

    @property
    def summary(self) -> str:
        """The number of items and the levels of each factor in one line."""
        themes = tuple(entry.name for entry in self.themes)
        telling = "; ".join(
            (
                ", ".join(themes),
                f"detail {', '.join(self.detail)}",
                ", ".join(self.style),
                ", ".join(self.wording),
            )
        )
        many = f"{self.worlds} world{'s' if self.worlds > 1 else ''}"
        return (
            f"{self.size} items: {many} of each of {', '.join(self.kinds)} with gates "
            f"{', '.join(self.gates)}; {self.units} units of each world; {telling}; {self.split}"
        )

    @cached_property
    def hash(self) -> str:
        """A digest of what decides the items; texts count, names and paths do not."""
        settings = identifying_settings(self, "theme")
        return digest("compose", settings, self.themes).hex()[:16]


@dataclass(frozen=True)
class NumbersDesign(ComposeDesign):
    """Which questions for numbers there are (`number_questions`): all that a world of a kind gives.

    They are about a world and not about a unit of it, and have factors, levels and worlds in common
    with other designs. No answer may lie below 1 of 100 cases, where a number might be a share of
    1; so worlds are small.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.split != "test":
            raise UserError(
                "numbers are for testing: their prompts are too much alike for some of them to be "
                f"trained on; split must be test, got {self.split}"
            )
        if self.units != 1:
            raise UserError(
                "numbers are asked about worlds and not about units, so units must be 1, got "
                f"{self.units}"
            )
        if self.detail != ("none",) or {"worked-example", "two-examples"} & {*self.style}:
            raise UserError(
                "numbers are asked without details and worked examples, so detail must be none and "
                f"style direct or cot, got {', '.join((*self.detail, *self.style))}"
            )
        for kinds in self.kinds:
            if kinds in NAMED or sum(block.size - 1 for block in parse_shape(kinds)) > MOST_NODES:
                raise UserError(
                    "numbers are asked about random worlds of at most "
                    f"{MOST_NODES + 1} nodes, got kinds={kinds}"
                )

    def count_asked(self, kinds: str) -> int:
        """Return how many questions are asked about a world of a shape."""
        return count_number_questions(kinds)

    @property
    def summary(self) -> str:
        """The number of items and the levels of each factor in one line."""
        themes = ", ".join(entry.name for entry in self.themes)
        many = f"{self.worlds} world{'s' if self.worlds > 1 else ''}"
        return (
            f"{self.size} items: numbers of {many} of each of {', '.join(self.kinds)} with gates "
            f"{', '.join(self.gates)}; {themes}; {', '.join(self.style)}; "
            f"{', '.join(self.wording)}; {self.split}"
        )

    @cached_property
    def hash(self) -> str:
        """A digest of what decides the items; texts count, names and paths do not."""
        settings = identifying_settings(self, "theme")
        return digest("compose numbers", settings, self.themes).hex()[:16]


def count_questions(kinds: str) -> int:
    """Return the number of questions about a unit: k factual ones and two a pair of anchors."""
    blocks = len(parse_shape(kinds))
    return blocks * (blocks + 2)


def count_number_questions(kinds: str) -> int:
    """Return the number of questions about numbers: two a pair of anchors that are not next."""
    blocks = len(parse_shape(kinds))
    return blocks * (blocks - 1)


MOST_NODES = 9
"""Nodes beside the root of a world whose numbers are asked: each lets its parents decide at 6 of 10
counts or more, so that the last follows the root in .6^9 of cases, 1 of 100, or more."""

TWO_CYCLES = "cycle3+cycle3"

DESIGNS: Mapping[str, ComposeDesign] = {
    design.name: design
    for design in (
        ComposeDesign("core"),
        ComposeDesign("verdicts", worlds=1, units=128),
        ComposeDesign(
            "shapes",
            kinds=(
                TWO_CYCLES,
                "cycle4+wheel4",
                "cycle3+bridge+cycle3",
                "wheel4+bridge+ladder4",
            ),
            gates=("mixed",),
        ),
        ComposeDesign("long", kinds=("+".join(["cycle3"] * 5),), gates=("mixed",), units=64),
        ComposeDesign("party", kinds=("party",), gates=("or",), worlds=1, units=512),
        ComposeDesign(
            "full",
            kinds=(TWO_CYCLES,),
            theme=THEME_NAMES,
            detail=LEVELS["detail"],
            style=("direct", "cot", "worked-example"),
            worlds=10,
        ),
        NumbersDesign(
            "numbers",
            kinds=("cycle3+cycle3+cycle3", "wheel4+bridge+cycle4"),
            units=1,
        ),
    )
}
"""The named designs. `core` has three compositions in each of eight worlds of each kind of gates;
`verdicts` has one of each, with the units that an agent without errors needs for conclusive
verdicts, as has `party`, the source's party of eight. `shapes` varies the blocks, `long` the number
of them, `full` the telling. `numbers` asks for numbers in place of yes or no."""
