"""The class of suites; `contract` explains how its methods belong together."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from whybench.errors import UserError, suggest
from whybench.suites.abilities import Budget, Costs, Inspection, check_budget, round_mean
from whybench.suites.designs import DESIGN, Design, build_design
from whybench.suites.items import Item, OneTurn, find_heard

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.stats import Measure
    from whybench.suites.abilities import (
        Check,
        HeadlineScale,
        PairedComparison,
        PeopleComparison,
        Play,
        SelfTest,
        Sums,
        ToolUse,
        Training,
    )
    from whybench.suites.agents import Agent
    from whybench.suites.attacks import Attack
    from whybench.suites.items import Answer, Episode, Scalar
    from whybench.suites.measures import DeclaredMeasure
    from whybench.suites.questionnaire import Questionnaire
    from whybench.suites.rounds import Adaptive, Rounds
    from whybench.suites.sentences import SentenceRule
    from whybench.suites.zeros import Zeros

DesignT = TypeVar("DesignT", bound=Design)
ItemT = TypeVar("ItemT", bound=Item)

REQUIRED = ("name", "version", "summary", "designs", "agents", "columns")
"""What every class of suites must say of itself."""

NONE: Mapping[str, Any] = MappingProxyType({})


class Suite(ABC, Generic[DesignT, ItemT]):
    """One ability and everything needed to measure it.

    A subclass must say its `name`, `version`, `summary`, `designs`, `agents` and `columns`, and
    have the methods `items`, `render`, `parse_reply` (or `open_episode`), `oracle` and `measures`.
    Everything else has a default.

    Attributes:
        name: The suite's name, on the command line and in every record.
        version: Comparability number: it changes when scores may no longer be compared.
        interface_letter: It changes, from A to B, when arguments of the task do while scores may
            still be compared. Number and letter are the version that Inspect's logs show.
        cases_of: The suite that this one varies: it asks the same cases in other words, or the
            same questions about other data.
            `compare` pairs items of both by `case`, and a profile does not ask it by default.
        summary: What the agent does, in one line.
        designs: The named designs; the first is the default.
        agents: The reference agents by name.
        minds: Which agent stands for a mind (`MINDS`), by the mind's name: the agent's, and the
            settings that differ from its defaults. A mind that is not named is not asked.
        columns: The factor columns of the records and their types.
        parts: Further columns of the records, which some answers have, and their types.
        condition: The factor columns that make up a condition; Inspect's figures pool over them.
        random_columns: The columns whose values are drawn with each world, which no block can
            balance.
        measure_table: The measures, each declared once (`whybench.suites.measures`). Explanations,
            ranges and the list of measures come from it.
        headline: The main measures of the suite, the most important first.
        card_size: How many of them the suite's card on the report's first screen shows.
        styles: Reference agents without noise, each with the settings that differ from its
            defaults, where the headline measures are a style, of which no value is better. `laws`
            tests that neither silence nor errors change the style.
        sentences: Findings about an agent, the most informative first (`sentences`).
        golden_replies: Replies whose answers go into the content hash, so that a changed parser
            shows.
        checks: Further checks of the suite's items, by name.
        tables: Further tables made from records, such as one row for each step of an episode.
        baselines: Records to set beside a run, from downloaded data: name to a function that makes
            them, such as people's answers.
        adaptive: How the suite asks in rounds, each placed by the answers so far.
        attacks: Agents that don't reason causally, of which the best sets the zero of a design.
        zeros: The zeros of designs, where they have been found.
        costs: What a run will take.
        validated_items: The number of items that `whybench validate` checks by default, shared
            equally by the designs.
        training, study, play, tool_use, comparison, people_comparison, sums, scale:
            Further abilities (`abilities`), each None where the suite has it not.
        inspection: How the suite looks in Inspect.
    """

    name: str
    version: int
    summary: str
    designs: Mapping[str, DesignT]
    agents: Mapping[str, Agent[Any]]
    columns: Mapping[str, type]

    minds: Mapping[str, tuple[str, Mapping[str, Scalar]]] = NONE
    interface_letter: str = "A"
    cases_of: str = ""
    parts: Mapping[str, type] = NONE
    condition: tuple[str, ...] = ()
    random_columns: frozenset[str] = frozenset()
    measure_table: Sequence[DeclaredMeasure] = ()
    headline: tuple[str, ...] = ()
    card_size: int = 1
    styles: Sequence[tuple[str, Mapping[str, Scalar]]] = ()
    sentences: tuple[SentenceRule, ...] = ()
    golden_replies: Sequence[str] = ()
    checks: Mapping[str, Check[Any]] = NONE
    tables: Mapping[str, Callable[[pa.Table], pa.Table]] = NONE
    baselines: Mapping[str, Callable[[], pa.Table]] = NONE

    adaptive: Adaptive | None = None
    attacks: Sequence[Attack] = ()
    zeros: Zeros | None = None
    costs: Costs = Costs()
    validated_items: int = 1000
    training: Training | None = None
    study: Questionnaire | None = None
    play: Play | None = None
    tool_use: ToolUse | None = None
    comparison: PairedComparison | None = None
    people_comparison: PeopleComparison | None = None
    sums: Sums | None = None
    scale: HeadlineScale | None = None
    inspection: Inspection = Inspection()

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if missing := [name for name in REQUIRED if not hasattr(cls, name)]:
            raise TypeError(
                f"{cls.__name__} must say its {', '.join(REQUIRED)}, got none for "
                f"{', '.join(missing)}"
            )
        if _overrides(cls, "parse_reply") == _overrides(cls, "open_episode"):
            raise TypeError(f"{cls.__name__} must have one of parse_reply and open_episode")

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.name!r}, version {self.version}: "
            f"{len(self.designs)} designs, {len(self.agents)} reference agents>"
        )

    # What every suite has.

    @abstractmethod
    def items(self, design: DesignT) -> Iterable[ItemT]:
        """Return the items of a design, in an order in which whole blocks are balanced."""

    @abstractmethod
    def render(self, item: ItemT) -> str:
        """Return the prompt of an item; nothing else makes prompt text."""

    def parse_reply(self, factors: Mapping[str, Scalar], reply: str, truncated: bool) -> Answer:
        """Return what a reply says; never raise, never guess.

        Args:
            factors: The factors of the item, and not the item: they stand in every log, so that an
                old log can be read again without making the items.
            reply: What the agent said.
            truncated: Whether the token limit cut it off.
        """
        raise NotImplementedError(f"{self.name} hears replies in an episode")

    def open_episode(self, factors: Mapping[str, Scalar]) -> Episode:
        """Open the conversation about an item, given its factors; by default one of one turn."""
        return OneTurn(partial(self.parse_reply, factors))

    @abstractmethod
    def oracle(self, context: Any) -> str:
        """Return the true answer in the words of an agent.

        Args:
            context: The item; in a conversation, the episode so far, whose next reply is returned.
        """

    @abstractmethod
    def measures(self, records: pa.Table) -> list[Measure]:
        """Return the measures of records."""

    # What a suite may do in its own way.

    def make_design(self, settings: Mapping[str, object]) -> DesignT:
        """Build a design from a named one or a YAML file (`design`) and factors to change.

        By default each setting is converted by the type of the design's field.
        """
        return build_design(settings, self.designs)

    def parse_prompt(self, prompt: str) -> object:
        """Return the world that a prompt describes, which must be the item's.

        Raises:
            ValueError: The prompt is not in the suite's own words.
        """
        raise NotImplementedError(f"{self.name} has no law that a prompt gives back its world")

    def is_native_prompt(self, item: ItemT) -> bool:  # noqa: ARG002
        """Whether an item's prompt is in the suite's own words; stimuli of others are not."""
        return True

    def is_correct(self, item: ItemT, answer: Answer) -> bool:
        """Whether an answer gets full marks on an item; by default if it equals the truth."""
        return answer.value == item.truth

    def is_balanced(self, design: DesignT) -> bool:  # noqa: ARG002
        """Whether a design claims that no constant answer is right more often than not."""
        return True

    def drawn_columns(self, design: DesignT) -> frozenset[str]:  # noqa: ARG002
        """Return the columns that blocks of a design do not balance: `random_columns`, or more."""
        return self.random_columns

    def identity(self, item: ItemT) -> str:
        """Return what of an item, with the truth, decides its id: all that the prompt says."""
        return self.render(item)

    def group_key(self, item: ItemT) -> object:
        """Return what neighbouring items have in common that one sample is to ask."""
        raise NotImplementedError(f"{self.name} gives each item a sample to itself")

    def show_truth(self, item: ItemT) -> str:
        """Return the truth for people to read, such as Inspect's viewer shows it."""
        return f"{item.truth:z.4g}" if isinstance(item.truth, float) else str(item.truth)

    def files(self, item: ItemT) -> Mapping[str, str]:  # noqa: ARG002
        """Return the files that lie in the sandbox's working folder when an item is asked."""
        return {}

    def transcript_columns(self, messages: Sequence[Any]) -> Mapping[str, Scalar]:  # noqa: ARG002
        """Return what messages of Inspect's add to an answer, such as what became of programs."""
        return {}

    def complete_answer(self, answer: Answer, messages: Sequence[Any]) -> Answer:
        """Return an answer with what the messages of its conversation say of it."""
        return replace(answer, parts={**answer.parts, **self.transcript_columns(messages)})

    def draw(self, item: ItemT) -> Iterable[str]:  # noqa: ARG002
        """Return lines that picture an item's causal graph, for `whybench show`."""
        return ()

    def figures(self, records: pa.Table) -> Iterable[Figure]:
        """Return the figures of records."""
        raise NotImplementedError(f"{self.name} draws no figures of runs")

    def self_tests(self, design: DesignT, seeds: int) -> Iterable[SelfTest]:  # noqa: ARG002
        """Return what the suite shows of itself when it is calibrated, beside its agents."""
        return ()

    def make_task(
        self,
        design: DesignT,  # noqa: ARG002
        options: Mapping[str, Any],  # noqa: ARG002
        ask: Callable[..., Any],
    ) -> Any:
        """Return the Inspect task of a design, with what is the suite's own about it.

        Args:
            design: The design.
            options: `shard`, `group` and the suite's own (`Inspection.options`).
            ask: Makes the task that asks every item in one turn; takes `solver`, for
                conversations that are held otherwise.
        """
        return ask()

    def pool(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        """Return the answers of a run as records of one agent under one condition."""
        from whybench.suites.groups import pool_records  # noqa: PLC0415  (imports numpy)

        return pool_records(rows, self.condition, self.record_columns)

    def named_measures(self, records: pa.Table, names: Collection[str]) -> list[Measure]:  # noqa: ARG002
        """Return the measures of these names, among others; override it to leave out slow ones."""
        return self.measures(records)

    def pooled_measures(self, records: pa.Table) -> list[Measure]:
        """Return the measures of pooled answers that Inspect shows below a run."""
        names = self.inspection.shown or self.headline
        overall = [measure for measure in self.measures(records) if not measure.at]
        return [measure for measure in overall if not names or measure.name in names]

    def sample_scores(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float | str | None]:
        """Return what Inspect shows of a sample, under the names of `Inspection.sample_scores`.

        By default the answer, or the mean of several, and the share of questions answered.

        Args:
            rows: For each item of the sample its factors and truth, the `value` of its answer, None
                where there is none, and the answer's parts.
        """
        answer = round_mean(row["value"] for row in rows if row["value"] is not None)
        return {
            "answer": "N" if answer is None else answer,
            "answered": round_mean(row["value"] is not None for row in rows),
        }

    # What follows from the above.

    def rounds(self, design: DesignT) -> Rounds | None:
        """Return the rounds in which a design is asked; None if all of it is asked at once."""
        if self.adaptive is None or not getattr(design, "most", 0):
            return None
        from whybench.suites.rounds import Rounds  # noqa: PLC0415  (imports numpy)

        return Rounds(self.adaptive, design)

    @property
    def inspect_headline(self) -> str:
        """The measure that stands for a run in Inspect."""
        names = (self.inspection.headline, *self.inspection.shown, *self.headline, "answered")
        return next(filter(None, names))

    @property
    def card(self) -> tuple[str, ...]:
        """The measures on the suite's card of the report's first screen."""
        return self.headline[: self.card_size]

    @property
    def record_columns(self) -> dict[str, type]:
        """The columns of the suite's records beside those that all suites share."""
        return {**self.columns, **self.parts}

    @property
    def multi_turn(self) -> bool:
        """Whether conversations go on: agents are asked an episode and not an item."""
        return _overrides(type(self), "open_episode")

    @property
    def every_turn_acts(self) -> bool:
        """Whether every reply acts on a world that openings do not tell of.

        Else replies may be work on an answer, and those count from which a conversation went on,
        and the last.
        """
        return self.multi_turn

    def find_heard(self, messages: Sequence[Any], *, ended: bool = True) -> list[Any]:
        """Return the replies of a conversation that its episode hears; see `items.find_heard`."""
        if self.every_turn_acts:
            return [message for message in messages if message.role == "assistant"]
        return find_heard(messages, ended=ended)

    @property
    def parses_prompts(self) -> bool:
        """Whether prompts in the suite's own words give back their world."""
        return _overrides(type(self), "parse_prompt")

    @property
    def prompts_identify(self) -> bool:
        """Whether prompt and truth decide an id, and nothing that the prompt does not say."""
        return not _overrides(type(self), "identity")

    @property
    def draws_figures(self) -> bool:
        """Whether there are figures of runs."""
        return _overrides(type(self), "figures")

    @property
    def grouping(self) -> Callable[[ItemT], object] | None:
        """The suite's `group_key`; None where each item has a sample to itself."""
        return self.group_key if _overrides(type(self), "group_key") else None

    def converse(
        self, item: ItemT, respond: Callable[[Any, int], str], truncated: bool = False
    ) -> Answer:
        """Hold the conversation about an item to its end, and return the answer.

        Args:
            item: The item.
            respond: Returns a reply, given its context (the item, or the episode so far) and the
                number of the turn, from 0.
            truncated: Whether to treat every reply as cut off by the token limit.
        """
        episode = self.open_episode(item.factors)
        turn = 0
        while not episode.over:
            episode.hear(respond(episode if self.multi_turn else item, turn), truncated)
            turn += 1
        return episode.answer

    def budget(self, name: str) -> Budget:
        """Return how much a profile of this size asks."""
        check_budget(name)
        default = Budget(self.settings(), "the default design of the suite")
        return self.costs.budgets.get(name, default)

    def settings(self, design: str | None = None, **factors: Any) -> dict[str, Any]:
        """Return what `make_design` and the task take; the first design if none is named."""
        return {DESIGN: design or next(iter(self.designs)), **factors}

    def agent(self, name: str) -> Agent[Any]:
        """Return a reference agent by name."""
        if name not in self.agents:
            raise UserError(
                f"{self.name} has no reference agent {name!r}; it has {', '.join(self.agents)}"
                f"{suggest(name, self.agents)}"
            )
        return self.agents[name]


def _overrides(suite: type[Suite[Any, Any]], method: str) -> bool:
    """Whether a class of suites has a method of its own."""
    return getattr(suite, method) is not getattr(Suite, method)
