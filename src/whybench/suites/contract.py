"""What a suite is.

A suite measures one ability. It is a frozen `Suite`: pure functions and data by which the rest
of the package, and anybody's own suite, meet. `check`, `calibrate`, `run`, `records` and the
reference provider know suites only through it, so a suite from another package is treated like
ours. A suite is announced by an entry point of the group `whybench.suites` that names the `Suite`.

The parts of a suite follow the way of an answer:

    design -> items -> word -> (an agent replies) -> read_answer -> records -> measures

and two parts go backwards, to catch mistakes: `read_prompt` rebuilds the world from the prompt
alone, and `gold` words the true answer as an agent would, so that it can be scored.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from whybench.seeds import generator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import pyarrow as pa

    from whybench.scm import Certificate
    from whybench.stats import Measure

__all__ = [
    "Agent",
    "Answer",
    "Design",
    "Item",
    "Outcome",
    "Parameter",
    "Scalar",
    "Suite",
    "UserError",
    "reply_generator",
]

Scalar = str | int | float | bool
Outcome = Literal["scored", "no_answer", "error"]


class UserError(ValueError):
    """A request that cannot be met: says what was expected, what came and what to do."""


class Design(Protocol):
    """Which questions are asked, as factors and levels; frozen and hashable."""

    @property
    def name(self) -> str:
        """The name under which the design is asked for."""

    @property
    def summary(self) -> str:
        """Its factors in one line."""

    @property
    def hash(self) -> str:
        """A digest of everything that decides which items there are."""

    @property
    def block(self) -> int:
        """The number of items in a block; every prefix of whole blocks is balanced."""


class Item(Protocol):
    """One question, with its world, its truth and its place in the design. Pure data."""

    @property
    def id(self) -> str:
        """Equal exactly when prompt and truth are equal."""

    @property
    def factors(self) -> Mapping[str, Scalar]:
        """The place in the design; every factor becomes a column of the records."""

    @property
    def world(self) -> object:
        """What the prompt says of the world; equal to what `read_prompt` finds there."""

    @property
    def truth(self) -> Scalar:
        """The computed answer."""

    @property
    def certificate(self) -> Certificate:
        """The two derivations of the truth."""


DesignT = TypeVar("DesignT", bound=Design)
ItemT = TypeVar("ItemT", bound=Item)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply says: a value, or the reason why there is none.

    Attributes:
        value: The answer as a number; None if there is none.
        reason: Why there is no value, as a short slug; empty when scored.
        parts: Further numbers of the answer, such as a stated confidence.
    """

    value: float | None
    reason: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome:
        """Say `scored` or `no_answer`; an error never becomes an `Answer`."""
        return "no_answer" if self.value is None else "scored"


@dataclass(frozen=True)
class Parameter:
    """One setting of a reference agent: its default, its range and its meaning."""

    default: Scalar
    meaning: str
    low: float | None = None
    high: float | None = None

    def read(self, agent: str, name: str, value: Any) -> Scalar:
        """Return the value as the type of the default, or say what is wrong with it."""
        try:
            read: Any = type(self.default)(value)
            fits = (
                (self.low is None or self.low <= read)
                and (self.high is None or read <= self.high)
                and (not isinstance(self.default, int) or read == float(value))
            )
        except (TypeError, ValueError):
            fits = False
        if not fits:
            kind = {float: "a number", int: "a whole number"}.get(type(self.default), "a word")
            bounds = "" if self.low is None else f" from {self.low} to {self.high}"
            raise UserError(
                f"{agent}: {name} ({self.meaning}) must be {kind}{bounds}, got {value!r}"
            )
        result: Scalar = read
        return result


@dataclass(frozen=True)
class Agent(Generic[ItemT]):
    """A reference agent: a known strategy that answers items of one suite.

    Attributes:
        name: The name after the suite's, as in `reference/judge.noisy-or`.
        summary: What it does, in one line.
        reply: Words its answer to an item, given parameters and a generator of its own.
        parameters: Its settings by name. `seed` is there for every agent and need not be named.
        known: What the measures of this agent really are on a design, where that is known, from
            its settings and the design.
        noisy: Whether its answers depend on the generator at these parameters.
        calibrate_at: The settings at which it is calibrated.
    """

    name: str
    summary: str
    reply: Callable[[ItemT, Mapping[str, Any], np.random.Generator], str]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    known: Callable[[Mapping[str, Any], Any], Mapping[str, float]] | None = None
    noisy: Callable[[Mapping[str, Any]], bool] = lambda _: False
    calibrate_at: tuple[Mapping[str, Scalar], ...] = ({},)

    def settings(self, given: Mapping[str, object]) -> dict[str, Scalar]:
        """Return all parameters, the given ones checked, the others at their defaults."""
        takes = {**self.parameters, "seed": Parameter(0, "seed of its noise", 0, 2**63)}
        for name in given:
            if name not in takes:
                raise UserError(
                    f"{self.name} has no parameter {name!r}; it takes {', '.join(takes)}"
                )
        return {
            name: parameter.read(self.name, name, given[name])
            if name in given
            else parameter.default
            for name, parameter in takes.items()
        }


def reply_generator(
    agent: str, settings: Mapping[str, Scalar], item_id: str, epoch: int
) -> np.random.Generator:
    """Return the generator of an agent's noise for one item in one epoch."""
    return generator("agent", agent, settings["seed"], item_id, epoch)


@dataclass(frozen=True)
class Suite(Generic[DesignT, ItemT]):
    """One ability and everything needed to measure it.

    Attributes:
        name: The suite's name, on the command line and in every record.
        version: Comparability number: it changes when scores may no longer be compared.
        summary: What the agent does, in one line.
        designs: The named designs; the first is the default.
        design: Builds a design from settings (`base` names one to start from).
        items: The items of a design, in an order in which whole blocks are balanced.
        word: Item to prompt; nothing else makes prompt text.
        read_prompt: Prompt to world, or None where the suite has no such law.
        read_answer: An item's factors, a reply, and whether the token limit cut it off, to an
            answer; never raises, never guesses. It takes factors and not the item, since they
            stand in every log: an old log can be read again without making the items.
        gold: The true answer worded as an agent would word it.
        measures: Records to measures.
        agents: The reference agents by name.
        columns: The factor columns of the records and their types.
        parts: Further columns of the records, which some answers have, and their types.
        reply_tokens: A rough number of tokens of a reply, from an item's factors; for plans.
        task: Where the Inspect task is, as `module:function`.
        probes: Replies whose verdicts go into the content hash, so that a changed reading shows.
        full_score: Whether an answer gets full marks on an item; used on gold answers.
        own_words: Whether an item's prompt is in the suite's own words, which `read_prompt`
            must understand; stimuli taken over from others are not.
        beside: Records to set beside a run, from downloaded data: name to a function that
            makes them, such as people's answers.
        replicate: Recomputes published results from raw data: number of resamples to tables of
            flat rows, by name.
        figures: Draws the figures of the replication into a folder, yielding the files.
        draw: Lines that picture an item's causal graph, for `whybench show`.
        checks: Further checks of this suite: name to a function of a design's items that
            yields what is wrong.
    """

    name: str
    version: int
    summary: str
    designs: Mapping[str, DesignT]
    design: Callable[[Mapping[str, object]], DesignT]
    items: Callable[[DesignT], Iterable[ItemT]]
    word: Callable[[ItemT], str]
    read_prompt: Callable[[str], object] | None
    read_answer: Callable[[Mapping[str, Scalar], str, bool], Answer]
    gold: Callable[[ItemT], str]
    measures: Callable[[pa.Table], list[Measure]]
    agents: Mapping[str, Agent[ItemT]]
    columns: Mapping[str, type]
    parts: Mapping[str, type]
    reply_tokens: Callable[[Mapping[str, Scalar]], int]
    task: str
    probes: Sequence[str]
    full_score: Callable[[ItemT, Answer], bool]
    own_words: Callable[[ItemT], bool] = lambda _: True
    beside: Mapping[str, Callable[[], pa.Table]] = field(default_factory=dict)
    replicate: Callable[[int], Mapping[str, Sequence[Mapping[str, Any]]]] | None = None
    figures: Callable[[Path], Iterable[Path]] | None = None
    draw: Callable[[ItemT], Iterable[str]] | None = None
    checks: Mapping[str, Callable[[Sequence[ItemT]], Iterable[str]]] = field(default_factory=dict)

    def agent(self, name: str) -> Agent[ItemT]:
        """Return a reference agent by name."""
        try:
            return self.agents[name]
        except KeyError:
            raise UserError(
                f"{self.name} has no reference agent {name!r}; it has {', '.join(self.agents)}"
            ) from None
