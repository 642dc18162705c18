"""compose: causal quantities that multiply up.

An agent reads the rules of a small world, one case in it, and a question: does something hold, or
would it hold if something else were made true or false? From its answers follow how strongly each
part of the world acts on the next, and how strongly the first thing acts on the last. The second
is the product of the first: an agent that composes what it knows gets both right, and the same. Or
the numbers are told, and the agent itself composes them (`number_questions`).
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from whybench.suites.compose.agents import AGENTS, MINDS, oracle
from whybench.suites.compose.aggregates import RUNGS
from whybench.suites.compose.attacks import ATTACKS
from whybench.suites.compose.checks import CHECKS, is_bundled_theme
from whybench.suites.compose.design import DESIGNS, ComposeDesign
from whybench.suites.compose.generation import compose_items
from whybench.suites.compose.groups import CONDITION
from whybench.suites.compose.items import COLUMNS, DRAWN, ComposeItem, draw_graph
from whybench.suites.compose.measures import MEASURES, ZEROS, compose_measures, compose_pairs
from whybench.suites.compose.number_items import NumberItem, draw_numbers, is_near
from whybench.suites.compose.number_measures import NUMBER_MEASURES
from whybench.suites.compose.number_prompts import (
    NumberQuestion,
    is_number_prompt,
    parse_number_prompt,
)
from whybench.suites.compose.number_questions import NUMBER
from whybench.suites.compose.planning import advise
from whybench.suites.compose.prompt_parser import parse_prompt
from whybench.suites.compose.questionnaire import QUESTIONNAIRE, unit_key
from whybench.suites.compose.replies import parse_number_reply, parse_reply
from whybench.suites.compose.tables import compositions_table, pairs_table
from whybench.suites.compose.world import split_of_world
from whybench.suites.contract import (
    TRAINING_WORLDS,
    Answer,
    Budget,
    Costs,
    HeadlineScale,
    Inspection,
    PairedComparison,
    Scalar,
    ScoreColors,
    Suite,
    Training,
    round_mean,
)
from whybench.suites.sentences import read_sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.seeds import Split
    from whybench.stats import Measure
    from whybench.suites.compose.questions import ComposeQuestion

__all__ = ["SUITE"]

GOLDEN_REPLIES = (
    "", "yes", "No.", " YES ", "**no**", "yes or no", "yes/no", "Answer: yes", "Answer: no",
    "The answer is yes.", "Answer: yes\nAnswer: no", "yes, since the rule holds", "maybe",
    "<think>no</think>yes", "<think>no", "\\boxed{yes}", "<answer>no</answer>",
    '{"answer": "yes"}', "I cannot say.", "Yes. Wait, actually no.", "1", "true", "ja",
)  # fmt: skip

BUDGETS = {
    "small": Budget(
        {"design": "core", "kinds": "cycle3+cycle3", "worlds": 4, "units": 8},
        "12 worlds of two blocks, enough to detect an agent that only knows single blocks",
    ),
    "standard": Budget(
        {"design": "core"},
        "24 worlds of three blocks, enough to distinguish error rates of 10% and 20%",
    ),
    "full": Budget(
        {"design": "full"}, "every cover story, detail and style of reply on the same worlds"
    ),
}

UNITS_TO_TRAIN_ON = 16
"""Units of each world in a series to train on: few, so that there are many worlds."""

REPLY_TOKENS = {"direct": 2, "cot": 350, "worked-example": 250, "two-examples": 250}


TABLES: Mapping[str, Callable[[Any], Any]] = {
    "compositions": compositions_table,
    "ate_compositions": partial(compositions_table, quantity="ate"),
    "pairs": pairs_table,
}


AnyItem = ComposeItem | NumberItem


def _split_of(question: ComposeQuestion | NumberQuestion) -> Split | None:
    """Return the side of the divide of a prompt's world; numbers do not tell the world."""
    return None if isinstance(question, NumberQuestion) else split_of_world(question.world)


def _is_right(row: Mapping[str, Any]) -> bool:
    """Whether an answer is right: a number if it is near."""
    if row["rung"] == NUMBER:
        return is_near(row["value"], row["truth"])
    return bool(row["value"] == row["truth"])


class Compose(Suite[ComposeDesign, AnyItem]):
    """Say what would hold if something were made so, about parts of a world and about the whole."""

    name = "compose"
    version = 1
    summary = (
        "predicts the effects of interventions on the parts of a causal model and on the whole"
    )
    designs = DESIGNS
    agents = AGENTS
    minds = MINDS
    columns = COLUMNS
    condition = CONDITION
    random_columns = frozenset(DRAWN)
    measure_table = (*MEASURES, *(m for m in NUMBER_MEASURES if m.name != "answered"))
    headline = ("compositional_agreement",)
    sentences = read_sentences(__package__)
    attacks = ATTACKS
    zeros = ZEROS
    golden_replies = GOLDEN_REPLIES
    checks = CHECKS
    tables = TABLES
    costs = Costs(
        reply_tokens=lambda factors: REPLY_TOKENS[str(factors["style"])],
        budgets=BUDGETS,
        profiled=("full",),
        advice=advise,
        temperature="the model's default, with several epochs: at 0 repeated samples are nearly "
        "identical, so majority voting has no effect",
    )
    training = Training(
        {"worlds": TRAINING_WORLDS, "units": UNITS_TO_TRAIN_ON, "split": "train"},
        world_key=lambda item: item.question.world.text,
        split_of=_split_of,
    )
    study = QUESTIONNAIRE
    comparison = PairedComparison(compose_pairs)
    scale = HeadlineScale(
        exact=("exact", {}),
        lapsing=("flip", "error"),
    )
    inspection = Inspection(
        task="whybench.tasks:compose",
        scorer="verdict",
        metric="composition_measures",
        shown=(
            "compositional_agreement",
            "skill_score",
            "valid_agreement",
            "consistent_agreement",
            "valid_and_consistent",
            "inconclusive",
            "balanced_accuracy_factual",
            "balanced_accuracy_interventional",
            "number_skill",
            "number_accuracy",
        ),
        sample_scores=dict.fromkeys(
            ("correct", "factual", "interventional", "answered"), ScoreColors()
        ),
    )

    def items(self, design: ComposeDesign) -> Iterable[AnyItem]:
        """Return the items of a design."""
        return compose_items(design)

    def render(self, item: AnyItem) -> str:
        """Return the prompt of an item."""
        return item.prompt

    def parse_prompt(self, prompt: str) -> object:
        """Return the question that a prompt asks."""
        if is_number_prompt(prompt):
            return parse_number_prompt(prompt)
        return parse_prompt(prompt)

    def is_native_prompt(self, item: AnyItem) -> bool:
        """Whether a prompt is in the words of a bundled theme."""
        return is_bundled_theme(item)

    def parse_reply(self, factors: Mapping[str, Scalar], reply: str, truncated: bool) -> Answer:
        """Return yes or no, as 1 or 0; or the number, where one is asked."""
        if factors.get("rung") == NUMBER:
            return parse_number_reply(reply, str(factors["style"]), truncated)
        return parse_reply(reply, str(factors["style"]), truncated)

    def oracle(self, item: AnyItem) -> str:
        """Return the true answer in the form that is asked for."""
        return oracle(item)

    def is_correct(self, item: AnyItem, answer: Answer) -> bool:
        """Whether an answer is right: a number if it is near."""
        if isinstance(item, NumberItem):
            return is_near(answer.value, item.truth)
        return answer.value == item.truth

    def is_balanced(self, design: ComposeDesign) -> bool:  # noqa: ARG002
        """Return that no design claims it: worlds decide how often something holds."""
        return False

    def group_key(self, item: AnyItem) -> object:
        """Return the unit: one sample asks all questions about it, and each for a number alone."""
        return unit_key(item)

    def sample_scores(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float | str | None]:
        """Return the share of right answers, of both kinds of questions apart as well."""

        def right(chosen: Iterable[Mapping[str, Any]]) -> float | None:
            return round_mean(map(_is_right, chosen))

        return {
            "correct": right(rows),
            **{rung: right(row for row in rows if row["rung"] == rung) for rung in RUNGS},
            "answered": round_mean(row["value"] is not None for row in rows),
        }

    def measures(self, records: pa.Table) -> list[Measure]:
        """Return validity, consistency, and accuracy."""
        return compose_measures(records)

    def pool(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        """Return the answers of a run under one condition.

        A unit that was rendered in several ways counts as several.
        """
        keys = [tuple(row[name] for name in (*CONDITION, "unit")) for row in rows]
        number = {key: unit for unit, key in enumerate(dict.fromkeys(keys))}
        pairs = zip(rows, keys, strict=True)
        return super().pool([{**row, "unit": number[key]} for row, key in pairs])

    def figures(self, records: pa.Table) -> Iterable[Figure]:
        """Return the figures of a run."""
        from whybench.suites.compose.figures import compose_figures  # noqa: PLC0415

        return compose_figures(records)

    def draw(self, item: AnyItem) -> Iterable[str]:
        """Return lines that picture the causal graph."""
        return draw_numbers(item) if isinstance(item, NumberItem) else draw_graph(item)


SUITE = Compose()
