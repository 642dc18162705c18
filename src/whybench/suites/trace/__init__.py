"""trace: how many rules can an agent combine to predict an intervention?

An agent reads the rules of some dials, each of which follows another one that its switch selects,
and predicts the number on a dial if another one is set. The answer combines as many rules
as lie between the two. An agent that misses any of them is right as often as by chance, whatever
else it knows (`world`). The measure is the *horizon*, the depth at which it is right half of the
time (`whybench.stats.horizon`).
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
from whybench.suites.horizon import (
    HEADLINE,
    compare_horizons,
    declare_horizon,
    fit_horizon,
    group_by_depth,
)
from whybench.suites.measures import measure_groups
from whybench.suites.rounds import BUDGETS, Adaptive
from whybench.suites.sentences import read_sentences
from whybench.suites.trace.agents import AGENTS, GUESS, MINDS
from whybench.suites.trace.attacks import ATTACKS
from whybench.suites.trace.design import TraceDesign
from whybench.suites.trace.items import COLUMNS, CONDITION, TraceItem, make_item
from whybench.suites.trace.prompts import parse_prompt, render_answer
from whybench.suites.trace.world import STATES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.stats import Difference, Measure

__all__ = ["SUITE"]

DESIGNS = {
    design.name: design
    for design in (
        TraceDesign("core"),
        TraceDesign("equal", dials=("equal",)),
        TraceDesign("direct", style=("direct",)),
        TraceDesign("adaptive", worlds=24, most=96),
    )
}

GOLDEN_REPLIES = (
    "", "3", "8", "-1", "3.5", "Answer: 3", "**Answer: 3**", "The dial shows 3.", "A2 shows 3",
    "A2 = 3", "3 plus 2 is 5\nAnswer: 5", "<think>4</think>5", "5 or 6", "I don't know.",
    "\\boxed{7}", '{"answer": 7}', "five",
)  # fmt: skip

MEASURES = declare_horizon(GUESS)

_READERS = {
    style: NumberReader(
        number=Percent(0, STATES - 1),
        nouns=f"{NOUNS}|number|value",
        shows_work=style != "direct",
    )
    for style in ("cot", "direct")
}


def count_reply_tokens(factors: Mapping[str, Scalar]) -> int:
    """Return about how many tokens a reply takes."""
    return 2 if factors["style"] == "direct" else 40 + 25 * int(factors["depth"])


def compare_agents(records: pa.Table) -> Iterator[Difference]:
    """Yield the differences between two agents."""
    return compare_horizons(records, CONDITION, MEASURES, GUESS)


class Trace(Suite[TraceDesign, TraceItem]):
    """Say what a dial shows if another one is set."""

    name = "trace"
    version = 1
    summary = "predicts the effect of an intervention through a chain of rules"
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
    )
    comparison = PairedComparison(compare_agents)
    inspection = Inspection(
        task="whybench.tasks:trace",
        shown=(*HEADLINE, "accuracy", "control_accuracy"),
        sample_scores=dict.fromkeys(("correct", "answered"), ScoreColors()),
    )

    def items(self, design: TraceDesign) -> Iterable[TraceItem]:
        """Return the items of a design."""
        return make_items(design, make_item)

    def render(self, item: TraceItem) -> str:
        """Return the prompt of an item."""
        return item.prompt

    def parse_prompt(self, prompt: str) -> object:
        """Return the question that a prompt asks, in the names of the prompt."""
        return parse_prompt(prompt)

    def parse_reply(self, factors: Mapping[str, Scalar], reply: str, truncated: bool) -> Answer:
        """Return the number that a reply gives."""
        answer = _READERS[str(factors["style"])].read(reply, truncated)
        return Answer(answer.value, answer.reason)

    def oracle(self, item: TraceItem) -> str:
        """Return the true answer in the form that is asked for."""
        return render_answer(item.truth, item.style)

    def sample_scores(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float | str | None]:
        """Return whether the answer is right, and whether there is one."""
        return {
            "correct": round_mean(row["value"] == row["truth"] for row in rows),
            "answered": round_mean(row["value"] is not None for row in rows),
        }

    def figures(self, records: pa.Table) -> Iterable[Figure]:
        """Return the curves of a run."""
        from whybench.suites.horizon_figures import horizon_figures  # noqa: PLC0415

        return horizon_figures(
            records,
            CONDITION,
            MEASURES,
            lambda group, query: group.once(fit_horizon, query, GUESS),
            "number of rules",
        )

    def measures(self, records: pa.Table) -> list[Measure]:
        """Return the horizons and the accuracies."""
        return list(measure_groups(group_by_depth(records, CONDITION), MEASURES))


SUITE = Trace()
