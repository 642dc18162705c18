"""What a suite is.

A suite measures one ability. It is a frozen `Suite`: pure functions and data by which the rest
of the package, and anybody's own suite, meet. `check`, `calibrate`, `run`, `records` and the
reference provider know suites only through it, so a suite from another package is treated like
ours. A suite is announced by an entry point of the group `whybench.suites` that names the `Suite`.

The parts of a suite follow the way of an answer:

    design -> items -> word -> (an agent replies) -> read_answer -> records -> measures

and two parts go backwards, to catch mistakes: `read_prompt` rebuilds the world from the prompt
alone, and `gold` words the true answer as an agent would, so that it can be scored.

Most suites ask an item in one turn. Where a conversation goes on, the suite has an `episode` in
place of `read_answer`: a state machine that hears replies and says what comes next until the end.
`Suite.open` gives either kind the same face, so that who holds a conversation need not ask which.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from whybench.seeds import Split, generator
from whybench.suites.episode import Answer, Episode, OneTurn, Outcome, Scalar
from whybench.suites.trial import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import pyarrow as pa

    from whybench.scm import Certificate
    from whybench.stats import Measure
    from whybench.suites.pairs import Pair
    from whybench.suites.questionnaire import Questionnaire

__all__ = [
    "BUDGETS",
    "ENDLESS",
    "Agent",
    "Answer",
    "Budget",
    "Check",
    "Design",
    "Episode",
    "Item",
    "Outcome",
    "Parameter",
    "Play",
    "Scalar",
    "Stream",
    "Suite",
    "Trial",
    "UserError",
    "reply_generator",
]


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
AskedT = TypeVar("AskedT")


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
class Agent(Generic[AskedT]):
    """A reference agent: a known strategy that answers items of one suite.

    What it is asked is the item, or, where a conversation goes on, the episode so far.

    Attributes:
        name: The name after the suite's, as in `reference/judge.noisy-or`.
        summary: What it does, in one line.
        reply: Words its next reply, given what it is asked, parameters and a generator of its own.
        parameters: Its settings by name. `seed` is there for every agent and need not be named.
        known: What the measures of this agent really are on a design, where that is known, from
            its settings and the design.
        noisy: Whether its answers depend on the generator at these parameters.
        wide: Measures whose intervals are too wide for it, and known to be: where its chances
            differ from case to case, a complete set of cases is less uncertain than a sample.
        calibrate_at: The settings at which it is calibrated.
        answers: Whether its replies are answers; one that gives none shows what
            silence is worth.
    """

    name: str
    summary: str
    reply: Callable[[AskedT, Mapping[str, Any], np.random.Generator], str]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    known: Callable[[Mapping[str, Any], Any], Mapping[str, float]] | None = None
    noisy: Callable[[Mapping[str, Any]], bool] = lambda _: False
    wide: frozenset[str] = frozenset()
    calibrate_at: tuple[Mapping[str, Scalar], ...] = ({},)
    answers: bool = True

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
    agent: str, settings: Mapping[str, Scalar], item_id: str, epoch: int, turn: int = 0
) -> np.random.Generator:
    """Return the generator of an agent's noise for one turn of one item in one epoch."""
    return generator("agent", agent, settings["seed"], item_id, epoch, *([turn] if turn else []))


BUDGETS = ("small", "standard", "full")
"""How much a profile may ask: a first look in minutes, what a paper would want, everything."""


@dataclass(frozen=True)
class Budget:
    """How much of a suite a profile asks.

    Attributes:
        settings: The design, as `Suite.design` takes it.
        reason: Why this and so much, in one line.
        blocks: Only so many balanced blocks of the design, from its start; None for all.
        epochs: How often everything is asked.
    """

    settings: Mapping[str, object]
    reason: str
    blocks: int | None = None
    epochs: int = 1


@dataclass(frozen=True)
class Play:
    """How a person takes part in episodes at the terminal.

    Attributes:
        show: Lines to show before the person's next turn, given the item and the episode so far.
        read: What the person typed, to a reply; a `UserError` tells what to type instead.
        help: Lines that explain the rules.
        debrief: Lines to show at the end: what was true, and what the answer was worth.
    """

    show: Callable[[Any, Any], Iterable[str]]
    read: Callable[[Any, str], str]
    help: Callable[[Any], Iterable[str]]
    debrief: Callable[[Any], Iterable[str]]


@dataclass(frozen=True)
class Check(Generic[ItemT]):
    """A check of a suite's own on the items of a design.

    Attributes:
        problems: What is wrong with the items that it looks at, in words.
        about: The items of a design that it looks at. Where there are none, the check does not
            apply, which is not the same as to pass.
    """

    problems: Callable[[Sequence[ItemT]], Iterable[str]]
    about: Callable[[Sequence[ItemT]], Sequence[ItemT]] = lambda items: items


ENDLESS = 2 * 10**9
"""So many worlds that nobody comes to their end; even, since some worlds come in pairs."""


@dataclass(frozen=True)
class Stream(Generic[ItemT]):
    """How to get items to train on: more than anybody takes, none of them of a test world.

    Attributes:
        settings: What, laid over the default design, puts it on the train side and makes it
            endless, as `Suite.design` takes it. Items are made one after the other, so that a
            design of a trillion costs no more than those that are taken.
        world: An item's world in canonical form: what decides the side of the train/test divide.
        side: The side of a world that was read from a prompt (`Suite.read_prompt`); None where
            prompts do not tell.
    """

    settings: Mapping[str, object]
    world: Callable[[ItemT], str]
    side: Callable[[Any], Split | None] = lambda _: None


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
            stand in every log: an old log can be read again without making the items. None where
            there is an `episode`.
        gold: The true answer worded as an agent would word it; in an episode, the next reply of
            an agent that knows the truth.
        measures: Records to measures.
        headline: The names of the measures that stand for the suite in a profile, first things
            first.
        budgets: What a profile asks for each of `BUDGETS`; the default design where none is given.
        paired: Records of two agents, `first` and `second`, on the same items, to how main measures
            differ; None where the suite has no such comparison.
        summed_by: The columns by which records may be summed up (`whybench.records.scan`) for
            `summed_measures`.
        summed_measures: Records summed up to those measures that follow from them; None where
            measures need single answers.
        agents: The reference agents by name.
        columns: The factor columns of the records and their types.
        parts: Further columns of the records, which some answers have, and their types.
        episode: An item's factors to an episode, where a conversation goes on over several turns.
        identity: What of an item, with the truth, decides its id: the prompt, unless this is given
            because a prompt does not say everything.
        drawn: The columns whose values are drawn with each world, which no block can balance.
        together: What neighbouring items have in common that one sample is to ask, each in a
            conversation of its own; None where each item has a sample to itself.
        advice: Lines to read before a run: a design and a number of epochs to what they suffice
            for.
        fair: Whether a design claims that no constant answer is right more often than not.
        tables: Further tables made from records, such as one row for each step of an episode.
        reply_tokens: A rough number of tokens of a reply, from an item's factors; for plans.
        turns: A rough number of replies in an episode, from an item's factors; for plans.
        task: Where the Inspect task is, as `module:function`.
        probes: Replies whose verdicts go into the content hash, so that a changed reading shows.
        full_score: Whether an answer gets full marks on an item; used on gold answers.
        own_words: Whether an item's prompt is in the suite's own words, which `read_prompt`
            must understand; stimuli taken over from others are not.
        beside: Records to set beside a run, from downloaded data: name to a function that
            makes them, such as people's answers.
        replicate: Recomputes published results from raw data: number of resamples to tables of
            flat rows, by name.
        replicate_figures: Draws the figures of the replication into a folder, yielding the files.
        figures: Draws the figures of records into a folder, yielding the files.
        draw: Lines that picture an item's causal graph, for `whybench show`.
        play: How a person takes part at the terminal, where that is possible.
        questionnaire: How people are asked in a browser, where that is possible.
        checks: Further checks of this suite, by name.
        traces: What the messages of a conversation, as Inspect has them, add to the parts of its
            answer beside what was replied, such as what became of programs.
        trials: What the suite has to show of itself when it is calibrated, beside the measures of
            its agents: a design and a number of seeds to lines of a table.
        stream: How to get items to train on; None where a suite is for testing alone.
        worth: What an answer is worth, from 0 to 1, given the truth of its item: the reward of
            training. It is asked about scored answers only.
    """

    name: str
    version: int
    summary: str
    designs: Mapping[str, DesignT]
    design: Callable[[Mapping[str, object]], DesignT]
    items: Callable[[DesignT], Iterable[ItemT]]
    word: Callable[[ItemT], str]
    read_prompt: Callable[[str], object] | None
    read_answer: Callable[[Mapping[str, Scalar], str, bool], Answer] | None
    gold: Callable[[Any], str]
    measures: Callable[[pa.Table], list[Measure]]
    agents: Mapping[str, Agent[Any]]
    columns: Mapping[str, type]
    parts: Mapping[str, type]
    reply_tokens: Callable[[Mapping[str, Scalar]], int]
    task: str
    probes: Sequence[str]
    full_score: Callable[[ItemT, Answer], bool]
    headline: tuple[str, ...] = ()
    budgets: Mapping[str, Budget] = field(default_factory=dict)
    paired: Callable[[pa.Table], Iterable[Pair]] | None = None
    summed_by: tuple[str, ...] = ()
    summed_measures: Callable[[pa.Table], list[Measure]] | None = None
    turns: Callable[[Mapping[str, Scalar]], int] = lambda _: 1
    episode: Callable[[Mapping[str, Scalar]], Episode] | None = None
    identity: Callable[[ItemT], str] | None = None
    drawn: frozenset[str] = frozenset()
    together: Callable[[ItemT], object] | None = None
    advice: Callable[[DesignT, int], Iterable[str]] = lambda _design, _epochs: ()
    fair: Callable[[DesignT], bool] = lambda _: True
    tables: Mapping[str, Callable[[pa.Table], pa.Table]] = field(default_factory=dict)
    own_words: Callable[[ItemT], bool] = lambda _: True
    beside: Mapping[str, Callable[[], pa.Table]] = field(default_factory=dict)
    replicate: Callable[[int], Mapping[str, Sequence[Mapping[str, Any]]]] | None = None
    replicate_figures: Callable[[Path], Iterable[Path]] | None = None
    figures: Callable[[Path, pa.Table], Iterable[Path]] | None = None
    draw: Callable[[ItemT], Iterable[str]] | None = None
    play: Play | None = None
    questionnaire: Questionnaire | None = None
    checks: Mapping[str, Check[ItemT]] = field(default_factory=dict)
    traces: Callable[[Sequence[Any]], Mapping[str, Scalar]] = lambda _: {}
    trials: Callable[[DesignT, int], Iterable[Trial]] | None = None
    stream: Stream[ItemT] | None = None
    worth: Callable[[Scalar, Answer], float] = lambda truth, answer: float(answer.value == truth)

    def __post_init__(self) -> None:
        if (self.read_answer is None) == (self.episode is None):
            raise ValueError(f"{self.name} must have one of read_answer and episode")

    def open(self, factors: Mapping[str, Scalar]) -> Episode:
        """Open the conversation about an item, given its factors."""
        if self.episode is not None:
            return self.episode(factors)
        assert self.read_answer is not None
        return OneTurn(partial(self.read_answer, factors))

    def converse(
        self, item: ItemT, speak: Callable[[Any, int], str], truncated: bool = False
    ) -> Answer:
        """Let somebody speak with the suite about an item, and return the answer.

        Args:
            item: What is asked.
            speak: Words a reply, given what is asked (the item, or the episode so far) and the
                number of the turn, from 0.
            truncated: Whether to treat every reply as cut off by the token limit.
        """
        episode = self.open(item.factors)
        turn = 0
        while not episode.over:
            asked = item if self.episode is None else episode
            episode.hear(speak(asked, turn), truncated)
            turn += 1
        return episode.answer

    def budget(self, name: str) -> Budget:
        """Return how much a profile of this size asks."""
        if name not in BUDGETS:
            raise UserError(f"budget must be one of {', '.join(BUDGETS)}, got {name!r}")
        whole = Budget({"base": next(iter(self.designs))}, "the default design of the suite")
        return self.budgets.get(name, whole)

    def agent(self, name: str) -> Agent[Any]:
        """Return a reference agent by name."""
        try:
            return self.agents[name]
        except KeyError:
            raise UserError(
                f"{self.name} has no reference agent {name!r}; it has {', '.join(self.agents)}"
            ) from None
