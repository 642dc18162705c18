"""Cover stories: what the variables of a causal graph are called, and why they are connected.

A story is a YAML file. It names the unit that is judged (an economy), the variables in the roles of
the graph (`C1`, `C2`, `E`) and, for each link, why the cause brings about the effect. The bundled
stories stand in a folder for each graph. Six stand in all of them: such a story keeps its variables
and, where two graphs share a link, its reasons, so that graphs can be compared within a story. The
others are of one graph alone, since two causes of which nobody thinks that they go together in a
collider cannot be cause and effect in a chain. A variable has a `plus` and a `minus` state, each in
words that follow "has". A *polarity* such as `pmm` says, variable by variable, which of the two is
the one the causal rule speaks of: that state is *present*, and its opposite is the `normal` state,
or the other state where there is no normal one. Turning the polarity changes what a reader may
believe about the world but not the causal structure, so that beliefs can be told from reasoning.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from whybench.errors import UserError, suggest
from whybench.suites.files import (
    check_name_is_new,
    explain_shape,
    is_path,
    parse_mapping,
    read_own_file,
)
from whybench.suites.judge.questions import CausalStructure, load_structure

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "MORE_STORIES",
    "STORY_NAMES",
    "JudgeStory",
    "Variable",
    "bundled_stories",
    "load_story",
]

STORY_NAMES = ("economy", "sociology", "weather", "alnum", "mixed", "symbols")
"""The bundled stories of every graph: three with content, three with abstract names in three
alphabets."""

MORE_STORIES: Mapping[str, tuple[str, ...]] = {
    "collider": ("bus", "forest", "market", "pump", "school", "tea", "ward"),
    "fork": ("harbor", "station", "vineyard"),
    "chain": ("laundry", "orchard", "town"),
}
"""The bundled stories of one graph alone, all with content."""

KEYS = ("name", "unit", "intro", "graph", "variables", "links", "polarities", "overload_from")
"""The keys of a story's file; the last two may be left out."""

SIGNS = ("pp", "pm", "mp", "mm")
"""The signs of a cause and its effect, under which a link may have its own reason."""

RESERVED = (";", "\n", ". ")
"""Marks by which a prompt is taken apart again; names and states cannot hold them."""


@dataclass(frozen=True)
class Variable:
    """A variable of a story: its name, what it is, and its states in words that follow "has"."""

    name: str
    description: str
    plus: str
    minus: str
    normal: str

    def state(self, sign: str, value: int) -> str:
        """Return the words for present (1) or absent (0) under the sign `p` or `m`."""
        present, opposite = (self.plus, self.minus) if sign == "p" else (self.minus, self.plus)
        return present if value else self.normal or opposite

    def check(self, where: str) -> None:
        """Raise unless the states can be told apart under the signs it has."""
        states = [state for state in (self.plus, self.minus, self.normal) if state]
        if len(states) < 2:
            raise UserError(
                f"{where} must have a `normal` or a `minus` state beside {self.plus!r}, got neither"
            )
        if len(set(states)) < len(states):
            raise UserError(f"{where} must have states in different words, got one twice")


@dataclass(frozen=True)
class JudgeStory:
    """A cover story for one causal graph.

    Attributes:
        name: The name by which it is chosen; the level of the factor `story`.
        one: The unit judged, singular.
        many: The same, plural.
        intro: Opening sentences of the prompt.
        graph: Name of the causal structure it dresses.
        variables: The variables in the order of the structure's nodes.
        reasons: (cause, effect, signs) to the explanation of that link; may lack entries.
        polarities: The polarities it can be told in.
        overload_from: The story whose text serves to distract from this one: a bundled one, or the
            path of a user's own.
    """

    name: str
    one: str
    many: str
    intro: str
    graph: str
    variables: tuple[Variable, ...]
    reasons: tuple[tuple[tuple[str, str, str], str], ...]
    polarities: tuple[str, ...]
    overload_from: str

    @property
    def structure(self) -> CausalStructure:
        """The causal structure that the story dresses."""
        return load_structure(self.graph)

    @property
    def content(self) -> str:
        """Return `story` if the variables mean something, `abstract` if they are symbols."""
        return "story" if any(variable.description for variable in self.variables) else "abstract"

    def variable(self, node: str) -> Variable:
        """Return the variable in the role of a node."""
        return self.variables[self.structure.nodes.index(node)]

    def state(self, node: str, polarity: str, value: int) -> str:
        """Return the words for a node being present (1) or absent (0) under a polarity."""
        sign = polarity[self.structure.nodes.index(node)]
        return self.variable(node).state(sign, value)

    def reason(self, cause: str, effect: str, polarity: str) -> str:
        """Return why the cause brings about the effect under a polarity; empty if not said."""
        index = self.structure.nodes.index
        signs = polarity[index(cause)] + polarity[index(effect)]
        return dict(self.reasons).get((cause, effect, signs), "")


def bundled_stories(*graphs: str) -> tuple[str, ...]:
    """Return the names of the bundled stories of these graphs, or of all graphs."""
    more = (MORE_STORIES[graph] for graph in graphs or MORE_STORIES)
    return (*STORY_NAMES, *chain.from_iterable(more))


@cache
def load_story(source: str, graph: str = "collider") -> JudgeStory:
    """Return a bundled story by name, or a user's own by the path of its YAML file.

    A story that is bundled for every graph is that of `graph`; any other has a graph of its own. A
    story that distracts is looked up from where the user's own is.
    """
    for folder in (load_structure(graph).name, *MORE_STORIES):
        if source in bundled_stories(folder):
            name = f"{folder}/{source}.yaml"
            return _parse_story(files(__package__).joinpath(name).read_text(encoding="utf-8"), name)
    with explain_shape(source, "a story"):
        story = _parse_story(read_own_file("story", source, bundled_stories(graph)), source)
    check_name_is_new("stories", source, story.name, bundled_stories())
    if is_path(story.overload_from):
        return replace(story, overload_from=str(Path(source).parent / story.overload_from))
    return story


def _parse_story(text: str, where: str) -> JudgeStory:
    entry = _Entry(parse_mapping(text, where), where)
    entry.check_keys(KEYS, "the keys of a story", complete=False)
    graph = entry.text("graph")
    structure = load_structure(graph)
    unit, variables, links = map(entry.child, ("unit", "variables", "links"))
    edges = {f"{cause} -> {effect}": (cause, effect) for cause, effect in structure.edges}
    variables.check_keys(structure.nodes, f"the nodes of the graph {graph}")
    links.check_keys(tuple(edges), f"the links of the graph {graph}")
    reasons: dict[tuple[str, str, str], str] = {}
    for link, edge in edges.items():
        by_signs = links.child(link, optional=True)
        by_signs.check_keys(SIGNS, "the signs of cause and effect", complete=False)
        reasons |= {(*edge, signs): by_signs.text(signs) for signs in by_signs.raw}
    story = JudgeStory(
        name=entry.text("name"),
        one=unit.text("one"),
        many=unit.text("many"),
        intro=entry.text("intro"),
        graph=graph,
        variables=tuple(_parse_variable(variables.child(node)) for node in structure.nodes),
        reasons=tuple(sorted(reasons.items())),
        polarities=entry.polarities(len(structure.nodes)) or structure.polarities,
        overload_from=entry.text("overload_from", "weather"),
    )
    for polarity in story.polarities:
        for sign, variable in zip(polarity, story.variables, strict=True):
            if sign == "m" and not variable.minus:
                raise UserError(
                    f"{where}: {variable.name!r} must have a `minus` state for the polarity "
                    f"{polarity}; add one, or list `polarities` without it"
                )
    return story


def _parse_variable(entry: _Entry) -> Variable:
    known = tuple(field.name for field in fields(Variable))
    entry.check_keys(known, "the keys of a variable", complete=False)
    variable = Variable(
        name=entry.text("name", plain=True),
        description=entry.text("description", ""),
        plus=entry.text("plus", plain=True),
        minus=entry.text("minus", "", plain=True),
        normal=entry.text("normal", "", plain=True),
    )
    variable.check(entry.where)
    return variable


class _Entry:
    """A mapping of the file, with messages that name the key and the file at fault."""

    def __init__(self, raw: Any, where: str) -> None:
        if not isinstance(raw, dict):
            raise UserError(f"{where} must be a mapping of keys to values, got {raw!r}")
        self.raw: Mapping[str, Any] = raw
        self.where = where

    def child(self, key: str, *, optional: bool = False) -> _Entry:
        """Return the mapping under a key."""
        raw = self.raw.get(key)
        if raw is None and not optional:
            self._refuse_missing(key)
        return _Entry({} if raw is None else raw, f"{self.where}: {key}")

    def text(self, key: str, default: str | None = None, *, plain: bool = False) -> str:
        """Return the text under a key; a `plain` one must not hold reserved marks."""
        value = self.raw.get(key, default)
        if value is None:
            self._refuse_missing(key)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise UserError(f"{self.where}: {key} must be some text, got {value!r}")
        if plain and (bad := [mark for mark in RESERVED if mark in value]):
            raise UserError(f"{self.where}: {key} must not contain {bad[0]!r}, got {value!r}")
        return " ".join(value.split())

    def check_keys(self, allowed: tuple[str, ...], what: str, *, complete: bool = True) -> None:
        """Raise if there are other keys, or, where they must be complete, not all of them."""
        wrong = set(self.raw) ^ set(allowed) if complete else set(self.raw) - set(allowed)
        if wrong:
            raise UserError(
                f"{self.where} must have the keys {', '.join(allowed)} ({what}), "
                f"got {self._list_keys()}{self._suggest(allowed)}"
            )

    def polarities(self, length: int) -> tuple[str, ...]:
        given = self.raw.get("polarities", [])
        for polarity in given:
            if not isinstance(polarity, str) or len(polarity) != length or set(polarity) - {*"pm"}:
                raise UserError(
                    f"{self.where}: polarities must be lists of words of {length} letters "
                    f"p or m, such as {'p' * length}, got {polarity!r}"
                )
        return tuple(given)

    def _suggest(self, allowed: tuple[str, ...]) -> str:
        unknown = (key for key in self.raw if key not in allowed)
        return next(filter(None, (suggest(key, allowed) for key in unknown)), "")

    def _refuse_missing(self, key: str) -> NoReturn:
        raise UserError(f"{self.where} must have the key {key!r}; it has {self._list_keys()}")

    def _list_keys(self) -> str:
        return ", ".join(map(str, self.raw)) or "none"
