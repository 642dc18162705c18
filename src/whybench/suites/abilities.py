"""What a suite may be able to do beside asking and measuring, each ability an object of its own.

A suite without an ability has None in its place, and the commands that need it say so. `Costs`
and `Inspection` are the exceptions: every suite costs something and is run by Inspect, so there are
defaults. `Check` and `SelfTest` are how a suite shows that it is sound, beside the checks that all
suites share.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from whybench.errors import UserError, suggest

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    import pyarrow as pa

    from whybench.seeds import Split
    from whybench.stats import Difference, Measure
    from whybench.suites.items import Answer, Episode, Scalar
    from whybench.suites.people import AgentAmongPeople
    from whybench.suites.sentences import PeoplesValue

ItemT = TypeVar("ItemT", bound=Any)

BUDGETS = ("small", "standard", "full")
"""How much a profile may ask: a first look in minutes, what a paper would want, everything."""


def check_budget(name: str) -> None:
    """Refuse a budget that does not exist."""
    if name not in BUDGETS:
        raise UserError(
            f"budget must be one of {', '.join(BUDGETS)}, got {name!r}{suggest(name, BUDGETS)}"
        )


TRAINING_WORLDS = 2 * 10**9
"""The number of worlds to train on, more than anybody takes; even, since some come in pairs."""


@dataclass(frozen=True)
class Budget:
    """How much of a suite a profile asks.

    Attributes:
        settings: The design, as `Suite.make_design` takes it.
        reason: Why this design and this much of it, in one line.
        blocks: The number of balanced blocks, from the start of the design; None for all.
        epochs: How often everything is asked.
    """

    settings: Mapping[str, object]
    reason: str
    blocks: int | None = None
    epochs: int = 1


@dataclass(frozen=True)
class Costs:
    """What a run will take, known before the first call. Rough numbers do.

    Attributes:
        reply_tokens: Tokens of a reply, from an item's factors.
        turns: Replies in the conversation about an item, from its factors.
        reply_cap: The longest reply that may be valid, in tokens, from an item's factors; None for
            sixteen times `reply_tokens`, from 1,024 to 8,192 (`whybench.planning.caps`).
        budgets: What a profile asks for each of `BUDGETS`; the default design where none is given.
        profiled: The budgets of the profiles that include the suite without being asked to.
        advice: Lines to read before a run: a design and a number of epochs to what they suffice
            for.
        temperature: The temperature that is recommended, and why; runs set none by themselves.
    """

    reply_tokens: Callable[[Mapping[str, Scalar]], int] = lambda _: 50
    turns: Callable[[Mapping[str, Scalar]], int] = lambda _: 1
    reply_cap: Callable[[Mapping[str, Scalar]], int] | None = None
    budgets: Mapping[str, Budget] = field(default_factory=dict)
    profiled: Collection[str] = BUDGETS
    advice: Callable[[Any, int], Iterable[str]] = lambda _design, _epochs: ()
    temperature: str = ""


def equals_truth(_factors: Mapping[str, Scalar], truth: Scalar, answer: Answer) -> float:
    """Return 1 for an answer that equals the truth, and 0 for any other."""
    return float(answer.value == truth)


@dataclass(frozen=True)
class Training:
    """Items to train on: more than anybody takes, none of them of a test world.

    Attributes:
        settings: The settings, in place of the default design's, of its train split without end,
            as `Suite.make_design` takes them. Items are made one after the other, so that a design
            of a trillion costs no more than those that are taken.
        world_key: An item's world in canonical form, which decides its split.
        split_of: The split of a world that was parsed from a prompt (`Suite.parse_prompt`); None
            where prompts do not say.
        reward: The reward of an answer, given the factors and the truth of its item: 1 for one that
            is right, and never more. No answer has 0; what is worse than none may have less. It is
            called for scored answers only.
        sampled: How many items show what prompts have in common, where items take long to make; 0
            for as many as some hundred thousand words take (`whybench.training.fingerprints`).
    """

    settings: Mapping[str, object]
    world_key: Callable[[Any], str]
    split_of: Callable[[Any], Split | None] = lambda _: None
    reward: Callable[[Mapping[str, Scalar], Scalar, Answer], float] = equals_truth
    sampled: int = 0


@dataclass(frozen=True)
class Play:
    """How a person takes part in episodes at the terminal.

    Attributes:
        show: Lines to show before the person's next turn, given the item and the episode so far.
        read: What the person typed, to a reply; a `UserError` says what to type instead.
        help: Lines that explain the rules.
        debrief: Lines to show at the end: what was true, and what the answer was worth.
        refuse: Why people cannot play a design; empty if they can.
    """

    show: Callable[[Any, Any], Iterable[str]]
    read: Callable[[Any, str], str]
    help: Callable[[Any], Iterable[str]]
    debrief: Callable[[Any], Iterable[str]]
    refuse: Callable[[Any], str] = lambda _design: ""


@dataclass(frozen=True)
class ToolUse:
    """How agents act on a suite's worlds by calling tools, whichever scaffold they work in.

    What was called is kept in the sample's store, so that it counts whatever becomes of messages.

    Attributes:
        names: The tools.
        replay: The factors of an item and a sample's store to the episode so far; None if the
            sample keeps no calls.
        call: An episode and a reply to the call that says the same: tool and arguments; None if
            there is no such call.
        answer: The factors of an item, a sample's store and the replies, each with whether the
            token limit cut it off, to the answer; None if the sample keeps no calls.
    """

    names: Sequence[str]
    replay: Callable[[Mapping[str, Any], Mapping[str, Any]], Episode | None]
    call: Callable[[Any, str], tuple[str, Mapping[str, str]] | None]
    answer: Callable[
        [Mapping[str, Any], Mapping[str, Any], Sequence[tuple[str, bool]]], Answer | None
    ]


@dataclass(frozen=True)
class PairedComparison:
    """Two agents on the same items.

    Attributes:
        pairs: Records of two agents, called `first` and `second`, to how main measures differ.
        smallest: Measure to the smallest difference of interest; .01 where none is given.
    """

    pairs: Callable[[pa.Table], Iterable[Difference]]
    smallest: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PeopleComparison:
    """An agent and people who judged the same, from downloaded data.

    Attributes:
        compare: Records of one agent to what differs, how like people it is and where it lies; a
            `UserError` says what of it people would have had to judge.
        is_fetched: Whether people's answers have been downloaded.
        fetch: The command that downloads them.
        published: People's values by measure, known without the download, with the labels of the
            conditions to which they apply.
    """

    compare: Callable[[pa.Table], AgentAmongPeople]
    is_fetched: Callable[[], bool]
    fetch: str
    published: Sequence[tuple[Mapping[str, str], Mapping[str, PeoplesValue]]] = ()


@dataclass(frozen=True)
class Sums:
    """Measures that need no single answers, so that tables too large for memory can be measured.

    Attributes:
        by: The columns by which records may be summed up (`whybench.records.partitions`).
        measures: Records summed up to the measures that follow from them.
    """

    by: tuple[str, ...]
    measures: Callable[[pa.Table], list[Measure]]


class ScoreColors(NamedTuple):
    """The colours in which Inspect's viewer shows a score: by default of a share, green if high.

    Attributes:
        colors: The palette of a number (`good-high`, `good-low`, `neutral`), or a role (`good`,
            `warn`, `bad`, `muted`) for each word.
        low: The lowest number; None for the lowest in the run.
        high: The highest number.
    """

    colors: str | Mapping[str, str] = "good-high"
    low: float | None = 0.0
    high: float | None = 1.0


def round_mean(values: Iterable[float]) -> float | None:
    """Return the mean, with as many digits as a list of samples has room for; None of nothing."""
    known = list(values)
    return round(sum(known) / len(known), 3) if known else None


@dataclass(frozen=True)
class Inspection:
    """How a suite looks in Inspect, where the defaults do not suit it.

    Attributes:
        scorer: What its scorer is called; by default `<suite>_answers`.
        metric: What the figures below a run are called; by default `<suite>_measures`.
        shown: The names of the measures below a run; by default the headline, or all.
        headline: The measure that stands for a run; by default the first that is shown.
        sample_scores: The names of what is shown of a sample, each with its colours.
            `Suite.sample_scores` gives the values.
        options: Arguments of the task beside the factors of the design: name to default and
            meaning. `Suite.make_task` gets them.
        task: Where the suite's task is written out, as `module:function`; by default
            `inspect_task` makes it.
    """

    scorer: str = ""
    metric: str = ""
    shown: tuple[str, ...] = ()
    headline: str = ""
    sample_scores: Mapping[str, ScoreColors] = field(
        default_factory=lambda: {
            "answer": ScoreColors("neutral", None, None),
            "answered": ScoreColors(),
        }
    )
    options: Mapping[str, tuple[Any, str]] = field(default_factory=dict)
    task: str = ""


@dataclass(frozen=True)
class Check(Generic[ItemT]):
    """A check of a suite's own on the items of a design, for `whybench validate`.

    Attributes:
        problems: What is wrong with the items that it looks at, in words.
        select: The items of a design that it looks at. Where there are none, the check does not
            apply, which is not the same as to pass.
        costly: Whether only `validate --full` runs it.
    """

    problems: Callable[[Sequence[ItemT]], Iterable[str]]
    select: Callable[[Sequence[ItemT]], Sequence[ItemT]] = lambda items: items
    costly: bool = False


@dataclass(frozen=True)
class HeadlineScale:
    """The agents that define the scale of a suite's primary measure, which `laws` tests.

    Attributes:
        exact: The agent that has 1: its name, and the settings that differ from its defaults.
        lapsing: An agent, and the parameter that says how often an answer of it lapses; None if
            there is none.
    """

    exact: tuple[str, Mapping[str, Any]]
    lapsing: tuple[str, str] | None = None


@dataclass(frozen=True)
class SelfTest:
    """One line of what a suite shows of itself in `whybench validate`, beside its agents.

    Attributes:
        subject: What was tried.
        figures: What came out, by name; the same names in all lines of a suite.
        misses: What should hold and does not, in words.
    """

    subject: str
    figures: Mapping[str, float]
    misses: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything holds."""
        return not self.misses
