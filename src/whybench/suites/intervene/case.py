"""The case of an episode: the hidden world, its first state, the question, and the words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

from whybench.suites.intervene.experimenters.inquiry import ALL_PAIRS
from whybench.suites.intervene.items import ALL, BETWEEN_LINKS, count_allowed
from whybench.suites.intervene.links.diagram import Diagram
from whybench.suites.intervene.prompts import (
    ACT,
    NEXT,
    REQUESTS,
    render_link,
    render_observation,
    state_phrases,
)
from whybench.suites.intervene.replies import NO_SYNONYMS, Synonyms
from whybench.suites.intervene.verdicts import ANSWERS
from whybench.suites.intervene.world import ACTIONS, InterveneWorld, bits_to_state

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.contract import Scalar
    from whybench.suites.intervene.items import Asks
    from whybench.suites.intervene.links.diagram import Pair
    from whybench.suites.intervene.world import Action

CACHED = 4096

Request = Literal["act", "next", "answer"]


@dataclass(frozen=True)
class InterveneCase:
    """The hidden world, its first state, the question, and the words.

    Attributes:
        world: The hidden world.
        initial: The first state, as bits.
        x: The supposed cause; with y `ALL_PAIRS` where all pairs are asked, or a dotted link.
        y: The supposed effect.
        names: The names of the entities.
        words: The verbs for moving and holding, and the states they bring about.
        tools: Whether the agent replies by calling tools.
        worlds: The set of worlds, which decides how many actions are allowed.
        counts_actions: Whether each message states how many actions are left.
        dotted: The dotted links, where it is asked which one is real.
        depth: The number of actions that settle this.
        synonyms: Other words for keys and choices that replies may use.
    """

    counts_actions: ClassVar[bool] = True
    synonyms: ClassVar[Synonyms] = NO_SYNONYMS

    world: InterveneWorld
    initial: int
    x: int
    y: int
    names: tuple[str, ...]
    words: tuple[str, ...]
    tools: bool
    worlds: str = ""
    dotted: tuple[Pair, ...] = ()
    depth: int = 0

    @cached_property
    def limit(self) -> int:
        """The number of actions that are allowed."""
        initial = bits_to_state(self.initial)
        return self.depth or count_allowed(self.worlds, self.world.n, initial, self.x, self.y)

    @property
    def asks(self) -> Asks:
        """The kind of question."""
        if self.dotted:
            return "links"
        return "graph" if (self.x, self.y) == ALL_PAIRS else "pair"

    @cached_property
    def diagram(self) -> Diagram:
        """The diagram, where it is asked which dotted link is real."""
        solid = tuple(edge for edge in self.world.edges if edge not in self.dotted)
        return Diagram(self.world.n, solid, self.dotted, self.initial)

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """The possible answers in words; none where a report is asked."""
        if self.asks == "links":
            return tuple(render_link(link, self.names) for link in self.dotted)
        return ANSWERS if self.asks == "pair" else ()

    @cached_property
    def right(self) -> str:
        """The correct answer in words."""
        if self.asks == "links":
            return next(
                name
                for link, name in zip(self.dotted, self.answers, strict=True)
                if link in self.world.edges
            )
        return "yes" if self.truth else "no"

    @cached_property
    def truth(self) -> bool:
        """Whether x causes y."""
        return self.world.causes(self.x, self.y)

    @cached_property
    def entities(self) -> dict[str, int]:
        """The entities by their possible names, in lower case."""
        lower = {name.lower(): number for number, name in enumerate(self.names)}
        return {f"the {name}": number for name, number in lower.items()} | lower

    @cached_property
    def actions(self) -> dict[str, Action]:
        """The actions by their verbs, in lower case."""
        return {verb.lower(): action for verb, action in zip(self.words, ACTIONS, strict=False)}

    @cached_property
    def requests(self) -> dict[Request, str]:
        """The words that ask the agent for each kind of reply."""
        if self.tools:
            act = "Call a tool."
            return {"act": act, "next": act, "answer": "Call the tool answer."}
        act = ACT.format(move=self.words[0], hold=self.words[1])
        return {
            "act": f"Reply with {act}.",
            "next": f"Reply with {NEXT}.",
            "answer": f"Reply with {REQUESTS[self.asks]}.",
        }

    @cached_property
    def _shown(self) -> tuple[tuple[str, str], ...]:
        return state_phrases(self.names, (self.words[2], self.words[3]))

    @cached_property
    def _seen(self) -> dict[int, str]:
        return {}

    def seen(self, state: int) -> str:
        """Return the observation of a state; few states come often."""
        text = self._seen.get(state)
        if text is None:
            text = self._seen[state] = render_observation(self._shown, state)
        return text


def parse_case(factors: Mapping[str, Scalar]) -> InterveneCase:
    """Return the case that an item's columns describe."""
    return _make_case(
        *(str(factors[name]) for name in ("graph", "moving", "asked", "names", "words")),
        tools=factors["interface"] == "tools",
        worlds=str(factors.get("worlds", "")),
        depth=int(factors.get("depth") or 0),
    )


@lru_cache(maxsize=CACHED)
def _make_case(
    graph: str,
    moving: str,
    asked: str,
    names: str,
    words: str,
    *,
    tools: bool,
    worlds: str,
    depth: int,
) -> InterveneCase:
    called = tuple(names.split(","))
    edges = tuple(map(_parse_pair, graph.split()))
    dotted = tuple(map(_parse_pair, asked.split(BETWEEN_LINKS))) if depth else ()
    x, y = ALL_PAIRS if asked == ALL or dotted else _parse_pair(asked)
    return InterveneCase(
        world=InterveneWorld(len(called), edges),
        initial=sum(1 << int(entity) for entity in moving.split()),
        x=x,
        y=y,
        names=called,
        words=tuple(words.split(",")),
        tools=tools,
        worlds=worlds,
        dotted=dotted,
        depth=depth,
    )


def _parse_pair(text: str) -> tuple[int, int]:
    cause, effect = text.split(">")
    return int(cause), int(effect)
