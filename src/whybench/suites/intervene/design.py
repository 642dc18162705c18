"""The factors of intervene, their levels, and the named designs.

A design is about one set of worlds (`sets`) and crosses what is asked of them with themes and
styles; sets of random worlds also with the number of entities, the density and the first state.
The block of a limited or graph design is the whole crossing, that of an advanced one the crossing
asked of two worlds of each size and density, so every prefix of whole blocks has each level equally
often and, where one pair is asked, as many true as false answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from whybench.seeds import digest
from whybench.suites.contract import WORDINGS, UserError
from whybench.suites.designs import Manipulated, check_levels, factor, identifying_settings
from whybench.suites.intervene.links.cases import DEPTHS, ENTITIES, LINKS, TESTS
from whybench.suites.intervene.posets import MAX_ENUMERATED
from whybench.suites.intervene.sets import (
    INITIAL,
    LIMITED,
    QUESTIONS,
    SOURCE_PAIRS,
    edge_count,
    list_core_cases,
)
from whybench.suites.intervene.themes import InterveneTheme, load_theme

if TYPE_CHECKING:
    from collections.abc import Mapping

WORLDS = ("core", "limited", "advanced", "source-advanced", "graph", "links")
"""The sets of worlds."""

LEVELS: Mapping[str, tuple[str, ...]] = {
    "style": ("direct", "fewest-steps", "cot", "recipe"),
    "interface": ("text", "tools"),
    "wording": WORDINGS,
    "initial": INITIAL,
    "split": ("train", "test"),
}
"""The levels of the factors whose levels are fixed."""

MANIPULATED: dict[str, Manipulated] = {
    "theme": Manipulated(),
    "style": Manipulated(),
    "interface": Manipulated(unsaid="text"),
    "wording": Manipulated(unsaid="plain"),
}
"""What may be manipulated while the same is asked."""

SMALLEST = 4
"""The smallest random world: below, hardly any has all four questions, or is for tests."""

OWN_DENSITY = ("limited", "graph")
"""The sets whose graphs have any density, and in which each item has a world of its own."""


@dataclass(frozen=True)
class InterveneDesign:
    """Which intervene items there are. Most factors are tuples of levels."""

    manipulated: ClassVar[dict[str, Manipulated]] = MANIPULATED

    name: str = "core"
    worlds: str = factor(
        "core", "The set of worlds: core, limited, advanced, source-advanced, graph, links."
    )
    theme: tuple[str, ...] = factor(
        ("shapes",), "Themes: names, or paths of YAML files.", files=True
    )
    style: tuple[str, ...] = factor(
        ("direct",),
        "How the agent is instructed: direct, fewest-steps, cot, recipe.",
        levels=LEVELS["style"],
    )
    interface: tuple[str, ...] = factor(
        ("text",),
        "How it replies: JSON in text, or tools that it calls.",
        levels=LEVELS["interface"],
    )
    wording: tuple[str, ...] = factor(
        ("plain",), "Plain sentences or formal notation: plain, formal.", levels=WORDINGS
    )
    entities: tuple[int, ...] = factor(
        (), "Numbers of entities; the core set has its own, as for the next three."
    )
    density: tuple[float, ...] = factor((), "Shares of the possible edges.")
    initial: tuple[str, ...] = factor((), "First states: all-moving, rest, some-moving.")
    depth: tuple[int, ...] = factor(
        (), "Numbers of actions that links worlds need: 2, 3, 4; only for these."
    )
    graphs: int = factor(0, "Number of worlds of each size and density.")
    split: str = factor(
        "test", "The side of the train/test divide; core and source-advanced are for testing."
    )

    def __post_init__(self) -> None:
        check_levels("worlds", (self.worlds,), WORLDS)
        check_levels("theme", self.theme)
        check_levels("theme", tuple(entry.name for entry in self.themes))
        for name in ("style", "interface", "wording"):
            check_levels(name, getattr(self, name), LEVELS[name])
        check_levels("split", (self.split,), LEVELS["split"])
        if self.split == "train" and self.worlds not in {*OWN_DENSITY, "advanced", "links"}:
            raise UserError(f"split must be test for {self.worlds} worlds, got 'train'")
        if self.depth and self.worlds != "links":
            raise UserError(f"depth is for links worlds, got worlds {self.worlds}; leave it out")
        if self.worlds == "core":
            self._check_core()
        elif self.worlds == "links":
            self._check_links()
        else:
            self._check_random()

    def _check_core(self) -> None:
        for name in ("entities", "density", "initial", "graphs"):
            if value := getattr(self, name):
                raise UserError(
                    f"{name} is fixed for core worlds, got {value}; ask for worlds=advanced"
                )

    def _check_links(self) -> None:
        if self.entities or self.density or self.initial:
            raise UserError(
                f"links worlds have {ENTITIES} entities and first states of their own, got "
                f"entities {list(self.entities)}, density {list(self.density)} and initial "
                f"{list(self.initial)}; leave them out"
            )
        check_levels("depth", self.depth, DEPTHS)
        for entry in self.themes:
            entry.pool(ENTITIES)
        if "recipe" in self.style:
            raise UserError(
                "style recipe is about one pair, and links worlds ask which of several links is "
                f"real, got style {list(self.style)}"
            )
        if self.graphs < 1 or (self.split == "test" and self.graphs > TESTS):
            raise UserError(
                f"graphs must be from 1 to {TESTS}, the number of test diagrams of each depth, "
                f"got {self.graphs}"
            )

    def _check_random(self) -> None:
        check_levels("entities", self.entities)
        if self.worlds not in OWN_DENSITY:
            check_levels("density", self.density)
        check_levels("initial", self.initial, LEVELS["initial"])
        for n in self.entities:
            if n < SMALLEST:
                raise UserError(f"entities must be {SMALLEST} or more, got {n}")
            for entry in self.themes:
                entry.pool(n)
            for density in self.density:
                edge_count(n, density)
        if self.worlds == "limited" and (self.density or "rest" in self.initial):
            raise UserError(
                "limited worlds have any density, and begin all-moving or some-moving, "
                f"got density {list(self.density)} and initial {list(self.initial)}"
            )
        if self.worlds == "graph":
            self._check_graph()
        if self.worlds == "source-advanced" and self.initial != ("all-moving",):
            raise UserError(
                f"initial must be all-moving for source-advanced worlds, got {list(self.initial)}"
            )
        if self.graphs < 1 or (self.worlds == "advanced" and self.graphs % 2):
            raise UserError(
                "graphs must be a number of worlds of each size and density, 1 or more, and even "
                f"for advanced worlds (blocks hold two of each), got {self.graphs}"
            )

    def _check_graph(self) -> None:
        if self.density or max(self.entities) > MAX_ENUMERATED:
            raise UserError(
                f"graph worlds have any density, and {SMALLEST} to {MAX_ENUMERATED} entities (so "
                "far it is shown how many actions suffice), "
                f"got density {list(self.density)} and entities {list(self.entities)}"
            )
        if "recipe" in self.style or self.interface != ("text",):
            raise UserError(
                "a report on a whole graph is asked for in text, and in no style recipe, which is "
                f"about one pair, got style {list(self.style)} and interface {list(self.interface)}"
            )

    @cached_property
    def themes(self) -> tuple[InterveneTheme, ...]:
        """The themes themselves."""
        return tuple(load_theme(source) for source in self.theme)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of levels of each crossed factor; what is asked of a world comes first."""
        shared = (*map(len, (self.themes, self.style, self.interface, self.wording)),)
        if self.worlds == "core":
            return (len(list_core_cases()), *shared)
        if self.worlds == "links":
            return (len(self.depth), *shared)
        if self.worlds in OWN_DENSITY:
            asked = (len(LIMITED),) if self.worlds == "limited" else ()
            return (*asked, len(self.entities), len(self.initial), *shared)
        crossed = (len(self.entities), len(self.density), len(self.initial))
        questions = 2 * len(QUESTIONS) if self.worlds == "advanced" else SOURCE_PAIRS
        return (questions, *crossed, *shared)

    @property
    def rounds(self) -> int:
        """How often the crossing is gone through, each time with new worlds."""
        if self.worlds == "core":
            return 1
        return self.graphs // 2 if self.worlds == "advanced" else self.graphs

    @property
    def size(self) -> int:
        """The number of items."""
        return prod(self.sizes) * self.rounds

    @property
    def block(self) -> int:
        """The number of items in a block; core and source-advanced are one block each."""
        blocks = {*OWN_DENSITY, "advanced", "links"}
        return prod(self.sizes) if self.worlds in blocks else self.size

    @property
    def summary(self) -> str:
        """The number of items and the levels of each factor in one line."""
        themes = tuple(entry.name for entry in self.themes)
        crossed = (themes, self.style, self.interface, self.wording)
        named = "; ".join(map(", ".join, crossed))
        if self.worlds == "core":
            return f"{self.size} items: {len(list_core_cases())} cases of the core set; {named}"
        if self.worlds == "links":
            return (
                f"{self.size} items: {self.graphs} diagrams with {LINKS} dotted links at each of "
                f"the depths {', '.join(map(str, self.depth))}, with just enough actions; {named}; "
                f"{self.split}"
            )
        if self.worlds in OWN_DENSITY:
            limited = self.worlds == "limited"
            return (
                f"{self.size} items: {len(LIMITED) * self.graphs if limited else self.graphs} "
                f"worlds of {', '.join(map(str, self.entities))} entities, "
                f"{', '.join(self.initial)}, with just enough actions"
                f"{'' if limited else ' for all pairs'}; {named}; {self.split}"
            )
        questions = len(QUESTIONS) if self.worlds == "advanced" else SOURCE_PAIRS
        return (
            f"{self.size} items: {questions} questions of {self.graphs} worlds with "
            f"{', '.join(map(str, self.entities))} entities, "
            f"density {', '.join(map(str, self.density))}; "
            f"{', '.join(self.initial)}; {named}; {self.split}"
            f"{'; not balanced' if self.worlds == 'source-advanced' else ''}"
        )

    @cached_property
    def hash(self) -> str:
        """A digest of what decides the items; texts count, names and paths do not."""
        unused = () if self.worlds == "links" else ("depth",)
        settings = identifying_settings(self, "theme", *unused)
        return digest("intervene", settings, self.themes).hex()[:16]


_RANDOM: dict[str, Any] = {"entities": (4, 5, 6, 7), "density": (0.5,), "initial": ("all-moving",)}

DESIGNS: Mapping[str, InterveneDesign] = {
    design.name: design
    for design in (
        InterveneDesign("core"),
        InterveneDesign(
            "limited",
            "limited",
            entities=(4, 5),
            initial=("all-moving", "some-moving"),
            graphs=20,
        ),
        InterveneDesign("advanced", "advanced", graphs=80, **_RANDOM),
        InterveneDesign("source-advanced", "source-advanced", graphs=50, **_RANDOM),
        InterveneDesign(
            "graph", "graph", entities=(4, 5), initial=("rest", "all-moving"), graphs=40
        ),
        InterveneDesign("links", "links", depth=DEPTHS, graphs=80),
    )
}
"""The named designs. `links` is that of profiles. The source's advanced set asks 1,200
questions, of which nearly three of four have the answer yes; ours asks 1,280, half of them with the
answer yes."""
