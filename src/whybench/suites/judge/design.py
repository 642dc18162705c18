"""The factors of judge, their levels, and the named designs.

A design is about one causal graph and crosses its factors: every question of the graph, in every
polarity, with every kind of distracting text and every style of reply. Or it is a union of such
crossings. Distracting text ("overload") is added to the
variables' descriptions (d), to the explanations of the links (e) or to both (de), and comes from
another story or is filler of the same length. That what is not linked is independent is left to the
reader, or stated.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from whybench.seeds import digest
from whybench.suites.contract import UserError
from whybench.suites.designs import (
    Manipulated,
    block_length,
    change_design,
    check_levels,
    factor,
    identifying_settings,
    name_design_file,
    resolve_settings,
)
from whybench.suites.judge.questions import GRAPHS, load_structure
from whybench.suites.judge.stories import MORE_STORIES, STORY_NAMES, JudgeStory, load_story
from whybench.suites.unions import Cell, check_union, split_union, union_block, union_field

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.judge.questions import JudgeQuestion

CONTENT = STORY_NAMES[:3]
ABSTRACT = STORY_NAMES[3:]

LEVELS: Mapping[str, tuple[str, ...]] = {
    "overload": ("none", "d", "e", "de"),
    "overload_source": ("story", "filler"),
    "independence": ("unstated", "stated"),
    "style": ("direct", "cot", "confidence"),
}
"""The levels of the factors whose levels are fixed."""


MANIPULATED: dict[str, Manipulated] = {
    "style": Manipulated(),
    "overload": Manipulated("overload-{}", "none"),
    "overload_source": Manipulated("from-{}", "none"),
    "independence": Manipulated("independence-{}", "unstated"),
    "content": Manipulated(""),
}
"""What may be manipulated. The story says the content, and belongs to what is asked."""


@dataclass(frozen=True)
class Parameters:
    """The strengths at which the normative answer is computed; prompts do not state them."""

    prior: float = factor(
        0.5, "Prior of a variable without causes at which the normative answer is computed."
    )
    leak: float = factor(
        0.1, "Probability of an effect without its causes at which it is computed."
    )
    strength: float = factor(0.8, "Strength of causes at which it is computed.")

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not isinstance(value, int | float) or not 0 < value < 1:
                raise UserError(f"{field.name} must lie between 0 and 1, got {value!r}")


@dataclass(frozen=True)
class JudgeDesign:
    """Which judge items there are. Most factors are tuples of levels."""

    manipulated: ClassVar[dict[str, Manipulated]] = MANIPULATED

    name: str = "core"
    story: tuple[str, ...] = factor(
        CONTENT, "Stories in place of the design's: names, or paths of YAML files.", files=True
    )
    graph: str = factor(
        GRAPHS[0],
        "The causal graph: collider, fork, chain. It says which bundled stories are meant.",
    )
    polarity: tuple[str, ...] = factor(
        (), "Polarities, such as `ppp`; all that the stories have unless some are named."
    )
    overload: tuple[str, ...] = factor(
        ("none",), "Where distracting text is added: none, d, e, de.", levels=LEVELS["overload"]
    )
    overload_source: tuple[str, ...] = factor(
        ("story",),
        "Where it comes from: story, filler. Idle where overload is none.",
        levels=LEVELS["overload_source"],
    )
    independence: tuple[str, ...] = factor(
        ("unstated",),
        "Whether prompts say that what is not linked is independent: unstated, stated.",
        levels=LEVELS["independence"],
    )
    style: tuple[str, ...] = factor(
        ("direct",), "Form of the reply: direct, cot, confidence.", levels=LEVELS["style"]
    )
    task: tuple[str, ...] = factor(
        (), "Tasks by Roman numeral; all of the graph unless some are named."
    )
    parameters: Parameters = Parameters()
    union: tuple[Cell, ...] = union_field()

    def __post_init__(self) -> None:
        for name, levels in LEVELS.items():
            check_levels(name, getattr(self, name), levels)
        check_levels("graph", (self.graph,), GRAPHS)
        check_levels("story", self.story)
        if any(story.graph != self.graph for story in self.stories):
            raise UserError(
                f"the stories of a design must be of its graph {self.graph}, got "
                + ", ".join(f"{story.name} ({story.graph})" for story in self.stories)
            )
        if self.polarity or not self._shared_polarities:
            check_levels("polarity", self.polarity, self._shared_polarities)
        if self.task:
            check_levels("task", self.task, load_structure(self.graph).tasks)
        if any(part.graph != self.graph for part in split_union(self)):
            raise UserError(f"all cells of a union must be about the {self.graph}")
        check_union([part.crossed for part in split_union(self)])

    @cached_property
    def stories(self) -> tuple[JudgeStory, ...]:
        """The stories themselves; those of a union are all that its cells have."""
        if self.union:
            every = (story for part in split_union(self) for story in part.stories)
            return tuple(dict.fromkeys(every))
        return tuple(load_story(source, self.graph) for source in self.story)

    @property
    def polarities(self) -> tuple[str, ...]:
        """The polarities asked for, or all that every story has."""
        return self.polarity or self._shared_polarities

    @property
    def _shared_polarities(self) -> tuple[str, ...]:
        """The polarities that every story has."""
        first, *others = (story.polarities for story in self.stories)
        return tuple(polarity for polarity in first if all(polarity in other for other in others))

    @property
    def overloads(self) -> tuple[tuple[str, str], ...]:
        """Pairs of overload and its source; no overload has the source `none`, once."""
        return tuple(
            (overload, source)
            for overload in self.overload
            for source in (("none",) if overload == "none" else self.overload_source)
        )

    @property
    def questions(self) -> tuple[JudgeQuestion, ...]:
        """The questions of the graph that belong to the chosen tasks."""
        questions = load_structure(self.graph).questions
        return tuple(q for q in questions if not self.task or q.task in self.task)

    @property
    def crossed(self) -> tuple[tuple[Any, ...], ...]:
        """The levels of each crossed factor, in the order in which items cross them."""
        conditions = self.overloads, self.style, self.independence
        return self.questions, self.stories, self.polarities, *conditions

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of levels of each crossed factor."""
        return tuple(map(len, self.crossed))

    @property
    def size(self) -> int:
        """The number of items."""
        return sum(part.size for part in split_union(self)) if self.union else prod(self.sizes)

    @property
    def summary(self) -> str:
        """The number of items and the levels of each factor in one line."""
        if self.union:
            parts = (f"{part.size} about {part._levels_text}" for part in split_union(self))
            return f"{self.size} items: union of {' | '.join(parts)}"
        default, said = self.independence == ("unstated",), ", ".join(self.independence)
        return (
            f"{self.size} items: {len(self.questions)} questions "
            f"{'' if self.graph == GRAPHS[0] else f'of the {self.graph} '}x "
            f"{self._levels_text}{'' if default else f'; independence {said}'}"
        )

    @property
    def _levels_text(self) -> str:
        """Stories, polarities, overloads and styles."""
        overloads = (f"{o} by {s}" if s != "none" else o for o, s in self.overloads)
        return (
            f"{', '.join(story.name for story in self.stories)} x {len(self.polarities)} "
            f"polarities; overload {', '.join(overloads)}; {', '.join(self.style)}"
        )

    @property
    def block(self) -> int:
        """The number of items in a balanced block."""
        return union_block(split_union(self)) if self.union else block_length(self.sizes)

    @cached_property
    def hash(self) -> str:
        """A digest of what decides the items; texts count, names and paths do not.

        The graph counts as part of the stories.
        """
        if self.union:
            return digest("judge", [part.hash for part in split_union(self)]).hex()[:16]
        settings = identifying_settings(self, "story", "graph")
        sources = tuple(load_story(story.overload_from, story.graph) for story in self.stories)
        stories = tuple(
            replace(story, overload_from=source.name)
            for story, source in zip(self.stories, sources, strict=True)
        )
        return digest("judge", settings, stories, sources).hex()[:16]


CONDITIONS = (
    JudgeDesign("core"),
    JudgeDesign("abstract", story=ABSTRACT),
    JudgeDesign("overload-e", overload=("e",), overload_source=("story", "filler")),
    JudgeDesign(
        "abstract-overload-d", story=ABSTRACT, overload=("d",), overload_source=("filler",)
    ),
)
"""The conditions of Dettki (2025), in our own words. The paper calls the last one `de`, but adds
filler to descriptions only."""

DESIGNS: Mapping[str, JudgeDesign] = {
    design.name: design
    for design in (
        *CONDITIONS,
        JudgeDesign("styles", style=LEVELS["style"]),
        JudgeDesign(
            "full",
            story=STORY_NAMES,
            overload=LEVELS["overload"],
            overload_source=LEVELS["overload_source"],
            style=LEVELS["style"],
        ),
        JudgeDesign("fork", graph="fork"),
        JudgeDesign("fork-abstract", story=ABSTRACT, graph="fork"),
        JudgeDesign("chain", graph="chain"),
        JudgeDesign("chain-abstract", story=ABSTRACT, graph="chain"),
        *(
            JudgeDesign(
                f"{graph}-stories".removeprefix("collider-"),
                story=(*CONTENT, *MORE_STORIES[graph]),
                graph=graph,
            )
            for graph in GRAPHS
        ),
    )
}
"""The named designs."""


def make_design(settings: Mapping[str, object]) -> JudgeDesign:
    """Build a design from a named one or a YAML file (`design`) and factors to change.

    Where the stories are changed to a user's own, or to those of one graph alone, and no graph is
    named, the graph is theirs.
    """
    with name_design_file(settings):
        name, changed = resolve_settings(settings, DESIGNS)
        own = [source for source in changed.get("story", ()) if source not in STORY_NAMES]
        if own:
            graph = changed.get("graph", DESIGNS[name].graph)
            changed.setdefault("graph", load_story(own[0], graph).graph)
        return change_design(DESIGNS[name], changed)
