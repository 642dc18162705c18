"""derive: through how many rules can an agent calculate an average causal effect?

An agent reads the rules of some lamps, which state probabilities, and derives how much a lamp
changes the probability of another one. The effect is a product of as many differences as there are
rules between the two, and the first of them is confounded. An agent that misses one of the rules is
rarely right, whatever else it knows (`world`). The measure is the *horizon*, the depth at which it
is right half of the time (`whybench.stats.horizon`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.replies.numbers import Percent
from whybench.replies.statements import NOUNS, NumberReader
from whybench.suites.contract import (
    TRAINING_WORLDS,
    Answer,
    Costs,
    Inspection,
    PairedComparison,
    Scalar,
    ScoreColors,
    Suite,
    Training,
    round_mean,
)
from whybench.suites.depths import make_items
from whybench.suites.derive.agents import AGENTS, GUESS, MINDS
from whybench.suites.derive.attacks import ATTACKS
from whybench.suites.derive.design import DeriveDesign
from whybench.suites.derive.items import COLUMNS, CONDITION, DeriveItem, make_item
from whybench.suites.derive.prompts import DO, PRODUCT, parse_prompt, render_answer
from whybench.suites.derive.world import TOLERANCE
from whybench.suites.horizon import (
    HEADLINE,
    Control,
    compare_horizons,
    declare_horizon,
    fit_horizon,
    group_by_depth,
)
from whybench.suites.measures import measure_groups
from whybench.suites.rounds import BUDGETS, Adaptive
from whybench.suites.sentences import read_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.stats import Difference, Measure

__all__ = ["SUITE"]

DESIGNS = {
    design.name: design
    for design in (
        DeriveDesign("core"),
        DeriveDesign("equal", lamps=("equal",)),
        DeriveDesign("direct", style=("direct",)),
        DeriveDesign("adaptive", worlds=24, most=96),
    )
}

GOLDEN_REPLIES = (
    "", "12.3", "-12.3", "Answer: 12.3 percentage points", "**Answer: -12.3 percentage points**",
    "Answer: −4.56%", "Answer: 0.642", "Answer: 0.642 percentage points", "Answer: 0.123 (12.3%)",
    "0.75 × 0.5 = 0.375\nAnswer: 37.5 percentage points", "The probability is 12.3% lower.",
    "between 10 and 12", "12.3 or 15", "101%", "I can't determine this.", "\\boxed{12.3}",
    '{"answer": 12.3}', "twelve percent",
)  # fmt: skip

CONTROL = Control(
    PRODUCT,
    "the product to which the effect comes is asked for, which takes the same calculation",
    "bare products",
    "the bare product is asked for",
)

MEASURES = declare_horizon(GUESS, TOLERANCE, CONTROL)

_READERS = {
    (style, query): NumberReader(
        number=Percent(-100, 100, difference=query == DO),
        nouns=f"{NOUNS}|number|value|effect|difference|product",
        shows_work=style != "direct",
    )
    for style in ("cot", "direct")
    for query in (DO, PRODUCT)
}


def count_reply_tokens(factors: Mapping[str, Scalar]) -> int:
    """Return about how many tokens a reply takes."""
    return 8 if factors["style"] == "direct" else 100 + 40 * int(factors["depth"])


def is_near(value: float | None, truth: Scalar) -> bool:
    """Return whether an answer is right: within `TOLERANCE` of the effect."""
    return value is not None and abs(value - float(truth)) <= TOLERANCE * abs(float(truth))


def compare_agents(records: pa.Table) -> Iterator[Difference]:
    """Yield the differences between two agents."""
    return compare_horizons(records, CONDITION, MEASURES, GUESS, TOLERANCE, CONTROL)


class Derive(Suite[DeriveDesign, DeriveItem]):
    """Derive an average causal effect from the probabilities of a stated model."""

    name = "derive"
    version = 1
    summary = "derives an average causal effect from the probabilities of a stated model"
    designs = DESIGNS
    agents = AGENTS
    minds = MINDS
    columns = COLUMNS
    condition = CONDITION
    random_columns = frozenset({"draw"})
    measure_table = MEASURES
    headline = HEADLINE
    sentences = read_sentences(__package__)
    attacks = ATTACKS
    adaptive = Adaptive(GUESS, make_item)
    golden_replies = GOLDEN_REPLIES
    costs = Costs(
        reply_tokens=count_reply_tokens,
        temperature="the model's default, or 0: every question is asked once",
        budgets=BUDGETS,
    )
    training = Training(
        {"worlds": TRAINING_WORLDS, "split": "train"},
        world_key=lambda item: repr(item.question.structure),
        reward=lambda _, truth, answer: float(is_near(answer.value, truth)),
    )
    comparison = PairedComparison(compare_agents)
    inspection = Inspection(
        task="whybench.tasks:derive",
        shown=(*HEADLINE, "accuracy", "control_accuracy"),
        sample_scores=dict.fromkeys(("correct", "answered"), ScoreColors()),
    )

    def items(self, design: DeriveDesign) -> Iterable[DeriveItem]:
        """Return the items of a design."""
        return make_items(design, make_item)

    def render(self, item: DeriveItem) -> str:
        """Return the prompt of an item."""
        return item.prompt

    def parse_prompt(self, prompt: str) -> object:
        """Return the question that a prompt asks, in the names of the prompt."""
        return parse_prompt(prompt)

    def parse_reply(self, factors: Mapping[str, Scalar], reply: str, truncated: bool) -> Answer:
        """Return the number of percentage points that a reply gives.

        A number needs no unit, unless it has decimals and is from -1 to 1: then it may be a share.
        """
        reader = _READERS[str(factors["style"]), str(factors["query"])]
        answer = reader.read(reply, truncated)
        return Answer(answer.value, answer.reason)

    def is_correct(self, item: DeriveItem, answer: Answer) -> bool:
        """Whether an answer is right."""
        return is_near(answer.value, item.truth)

    def oracle(self, item: DeriveItem) -> str:
        """Return the effect in the form that is asked for."""
        return render_answer(item.truth, item.question.query, item.style)

    def sample_scores(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float | str | None]:
        """Return whether the answer is right, and whether there is one."""
        return {
            "correct": round_mean(is_near(row["value"], row["truth"]) for row in rows),
            "answered": round_mean(row["value"] is not None for row in rows),
        }

    def figures(self, records: pa.Table) -> Iterable[Figure]:
        """Return the curves of a run."""
        from whybench.suites.horizon_figures import (  # noqa: PLC0415
            CONTROL_STYLE,
            horizon_figures,
        )

        return horizon_figures(
            records,
            CONDITION,
            MEASURES,
            lambda group, query: group.once(fit_horizon, query, GUESS, TOLERANCE),
            "number of rules",
            CONTROL_STYLE._replace(query=PRODUCT, series="dashed: bare product (control)"),
        )

    def measures(self, records: pa.Table) -> list[Measure]:
        """Return the horizons and the accuracies."""
        return list(measure_groups(group_by_depth(records, CONDITION), MEASURES))


SUITE = Derive()
