"""The intervene item.

An item is a hidden world, the state in which the agent finds it, and the question whether one
entity causes another. The truth is 1 for yes and 0 for no, and is certified by searching the graph
and by squaring its matrix. Where all pairs are asked the truth is 1, the share of pairs of which a
report can be justified, and who causes whom is certified.

What an agent is told does not say what the hidden world is: two items may open with the same words
and go different ways. The digest follows therefore from a canonical description (`describe_item`):
the theme, the entities as named and listed, the hidden edges, the first state, the question and the
style, and which draw it is. Of the small worlds there are so few that a long series repeats itself,
and its digests must not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from whybench.seeds import Split, canonical
from whybench.suites.designs import name_item
from whybench.suites.intervene.design import MANIPULATED
from whybench.suites.intervene.experimenters import ALL_PAIRS, count_sufficient, survey_steps
from whybench.suites.intervene.sets import classify_initial

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whybench.scm import Certificate
    from whybench.suites.contract import Scalar
    from whybench.suites.intervene.sets import Pair
    from whybench.suites.intervene.themes import InterveneTheme
    from whybench.suites.intervene.world import InterveneWorld, State

DRAWN: Mapping[str, type] = {
    "graph": str,
    "moving": str,
    "asked": str,
    "names": str,
    "words": str,
}
"""The columns that say which case it is. Entities are numbered as they are listed: `graph` holds
the hidden edges ("0>1 1>2"), `moving` the first state ("1 2"), `asked` the supposed cause and the
supposed effect ("0>2"), `all`, or the dotted links ("0>2|3>1"). `names` are those of the entities,
`words` the two verbs and the two states. An episode can be held again from these columns alone."""

COLUMNS: Mapping[str, type] = {
    "worlds": str,
    "structure": str,
    "entities": int,
    "density": float,
    "initial": str,
    "relation": str,
    "order": str,
    "depth": int,
    "theme": str,
    "style": str,
    "interface": str,
    "wording": str,
    "split": str,
    **DRAWN,
}
"""The factor columns of intervene records."""

ALL = "all"
"""What `asked` holds where all pairs are."""

BETWEEN_LINKS = "|"
"""What stands between dotted links in `asked`."""

Asks = Literal["pair", "graph", "links"]
"""Kinds of questions: does one cause another, who causes whom, which dotted link is real."""

Relation = Literal["cause", "effect", "unrelated", "all"]


@dataclass(frozen=True)
class Situation:
    """What the opening of an episode says: all that an agent knows before it acts.

    Attributes:
        names: The entities in the order of their listing.
        moving: Those that move.
        cause: The supposed cause; empty, as the next, where no single pair is asked.
        effect: The supposed effect.
        words: The two verbs and the two states: move, hold, moving, still.
        limit: The number of interventions that are allowed.
        style: How the agent is instructed.
        interface: How it is to reply.
        wording: Plain sentences or formal notation.
        solid: The solid links of a diagram, if there is one.
        dotted: Its dotted links, of which one is real.
    """

    names: tuple[str, ...]
    moving: frozenset[str]
    cause: str
    effect: str
    words: tuple[str, str, str, str]
    limit: int
    style: str
    interface: str
    wording: str
    solid: tuple[tuple[str, str], ...] = ()
    dotted: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class InterveneItem:
    """One question about one hidden world.

    Attributes:
        digest: Equal exactly when description and truth are equal.
        worlds: The set it belongs to.
        structure: Name of the structure in the core set; `random` elsewhere.
        hidden: The hidden world; entity i is the i-th listed.
        density: Share of the possible edges: the one asked for; in the core set the actual one.
        initial: The first state.
        pair: The supposed cause and the supposed effect, `ALL_PAIRS`, or the real dotted link.
        theme: The words of the world.
        names: What the entities are called.
        style: How the agent is instructed.
        interface: How it is to reply.
        wording: Plain sentences or formal notation.
        split: The side of the train/test divide.
        draw: Which of the random worlds of its kind it is; 0 in the core set.
        certificate: The two derivations of the truth.
        dotted: The dotted links in the order of the prompt, where it is asked which one is real.
        depth: The number of actions that settle which link is real; 0 elsewhere.
    """

    digest: str
    worlds: str
    structure: str
    hidden: InterveneWorld
    density: float
    initial: State
    pair: Pair
    theme: InterveneTheme
    names: tuple[str, ...]
    style: str
    interface: str
    wording: str
    split: Split
    draw: int
    certificate: Certificate
    dotted: tuple[Pair, ...] = ()
    depth: int = 0

    @cached_property
    def case(self) -> str:
        """The world, the first state, and the question; entities are numbered as listed.

        A world of the core set is told by its edges, a random one by its number in its series.
        """
        if self.asks == "links":
            return f"links-{self.split}-depth-{self.depth}-{self.draw}"
        question = ALL if self.asks == "graph" else "{}-to-{}".format(*self.pair)
        if self.structure == "random":
            series = f"{self.split}-{self.hidden.n}-{self.density:g}-{self.draw}"
            initial = classify_initial(self.hidden, self.initial)
            return f"{self.worlds}-{series}-{initial}-{question}"
        edges = ".".join(f"{cause}{effect}" for cause, effect in sorted(self.hidden.edges))
        moving = "".join(map(str, sorted(self.initial))) or "none"
        return f"{self.structure}-{edges}-moving-{moving}-{question}"

    @cached_property
    def id(self) -> str:
        """Case, condition and digits; equal exactly when description and truth are."""
        generated = self.structure == "random"
        return name_item(self.digest, self.case, self.factors, MANIPULATED, generated=generated)

    @property
    def truth(self) -> float:
        """Whether the supposed cause is one: 1 for yes, 0 for no; of all pairs 1.

        Of dotted links it is the place of the real one in the list, from 0.
        """
        return 1.0 if self.asks == "graph" else float(self.certificate.value)

    @property
    def asks(self) -> Asks:
        """The kind of question."""
        if self.dotted:
            return "links"
        return "graph" if self.pair == ALL_PAIRS else "pair"

    @property
    def asked(self) -> str:
        """The question, as in records."""
        if self.asks == "graph":
            return ALL
        return BETWEEN_LINKS.join(f"{x}>{y}" for x, y in self.dotted or (self.pair,))

    @property
    def relation(self) -> Relation:
        """The relation of the supposed cause to the supposed effect."""
        x, y = self.pair
        if self.asks != "pair":
            return "all"
        if self.hidden.causes(x, y):
            return "cause"
        return "effect" if self.hidden.causes(y, x) else "unrelated"

    @property
    def order(self) -> Literal["along", "against", "all"]:
        """Whether the supposed cause is listed before the supposed effect, or behind it."""
        if self.asks != "pair":
            return "all"
        return "along" if self.pair[0] < self.pair[1] else "against"

    @property
    def words(self) -> tuple[str, str, str, str]:
        """The two verbs and the two states; in formal wording the states are 1 and 0."""
        move, hold, moving, still = self.theme.verbs_and_states
        return (move, hold, "1", "0") if self.wording == "formal" else (move, hold, moving, still)

    @property
    def limit(self) -> int:
        """The number of interventions that are allowed."""
        return self.depth or count_allowed(self.worlds, self.hidden.n, self.initial, *self.pair)

    @property
    def factors(self) -> dict[str, Scalar]:
        """The place in the design."""
        return {
            "worlds": self.worlds,
            "structure": self.structure,
            "entities": self.hidden.n,
            "density": self.density,
            "initial": classify_initial(self.hidden, self.initial),
            "relation": self.relation,
            "order": self.order,
            "depth": self.depth,
            "theme": self.theme.name,
            "style": self.style,
            "interface": self.interface,
            "wording": self.wording,
            "split": self.split,
            "graph": " ".join(f"{cause}>{effect}" for cause, effect in sorted(self.hidden.edges)),
            "moving": " ".join(map(str, sorted(self.initial))),
            "asked": self.asked,
            "names": ",".join(self.names),
            "words": ",".join(self.words),
        }

    @property
    def world(self) -> Situation:
        """What the opening must say of the world."""
        cause, effect = self._name(self.pair) if self.asks == "pair" else ("", "")
        return Situation(
            names=self.names,
            moving=frozenset(self.names[entity] for entity in self.initial),
            cause=cause,
            effect=effect,
            words=self.words,
            limit=self.limit,
            style=self.style,
            interface=self.interface,
            wording=self.wording,
            solid=tuple(map(self._name, self.solid)),
            dotted=tuple(map(self._name, self.dotted)),
        )

    @property
    def solid(self) -> tuple[Pair, ...]:
        """The solid links of the diagram; none without a diagram."""
        edges = sorted(self.hidden.edges) if self.dotted else ()
        return tuple(edge for edge in edges if edge not in self.dotted)

    def _name(self, pair: Pair) -> tuple[str, str]:
        cause, effect = pair
        return self.names[cause], self.names[effect]


EXACT_BUDGETS = ("limited", "graph", "links")
"""The sets of worlds in which as many actions are allowed as suffice, and no more."""


def count_allowed(worlds: str, n: int, initial: State, x: int, y: int) -> int:
    """Return the number of interventions that a set of worlds allows.

    Twice as many as there are entities; in limited worlds, what suffices in the worst case, and
    in graph worlds what suffices for all pairs.
    """
    if worlds == "graph":
        return survey_steps(n, len(initial))
    return count_sufficient(initial, x, y) if worlds == "limited" else 2 * n


def describe_item(item: InterveneItem) -> str:
    """Return the canonical description that, with the truth, decides an item's digest."""
    return canonical(
        {
            **({"limit": item.limit} if item.worlds in EXACT_BUDGETS else {}),
            "theme": item.theme.hash,
            "names": item.names,
            "edges": sorted(item.hidden.edges),
            "moving": sorted(item.initial),
            "asked": item.pair if item.asks == "pair" else item.asked,
            "style": item.style,
            "interface": item.interface,
            "wording": item.wording,
            "draw": item.draw,
        }
    )


def draw_graph(item: InterveneItem) -> Iterator[str]:
    """Yield lines that picture the hidden world, for those who may see it."""
    for entity, children in enumerate(item.hidden.children):
        if children:
            driven = ", ".join(item.names[child] for child in children)
            yield f"{'hidden':16} {item.names[entity]} -> {driven}"
