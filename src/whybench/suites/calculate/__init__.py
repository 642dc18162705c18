"""calculate: worlds told in numbers, asked about on three rungs.

An agent reads the rules of a small world with all their numbers, or all but one, and one question:
how likely is something where something else is seen, where it is made, or had it been otherwise?
The answer follows from the numbers as they are printed, or it does not, which is an answer too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.calculate.agents import AGENTS, MINDS, oracle
from whybench.suites.calculate.attacks import ATTACKS
from whybench.suites.calculate.checks import CHECKS
from whybench.suites.calculate.design import DESIGNS, CalculateDesign
from whybench.suites.calculate.diagnoses import DIAGNOSES, RIGHT, diagnose
from whybench.suites.calculate.items import (
    COLUMNS,
    DRAWN,
    CalculateItem,
    calculate_items,
    is_right,
)
from whybench.suites.calculate.measures import (
    CONDITION,
    MEASURES,
    ZEROS,
    calculate_measures,
    calculate_pairs,
)
from whybench.suites.calculate.prompt_parser import parse_stated_prompt
from whybench.suites.calculate.prompts import render_answer
from whybench.suites.calculate.quantities import NOT_COMPUTABLE
from whybench.suites.calculate.questionnaire import QUESTIONNAIRE
from whybench.suites.calculate.replies import parse_stated_reply
from whybench.suites.calculate.rewards import reward_answer
from whybench.suites.calculate.splits import split_of_world, write_numbers
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
from whybench.suites.unions import unite_items

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.stats import Measure

__all__ = ["SUITE"]

GOLDEN_REPLIES = (
    "", "12.3%", "12.3", "-4%", "0.3", "0.3%", "12,3%", "Answer: 12.3%", "answer is 40 percent",
    "Answer: cannot be computed", "It cannot be computed.", "first", "Answer: second",
    "<think>12%</think>13%", "<think>12%", "\\boxed{12.3\\%}", "<answer>-3.5%</answer>",
    '{"answer": "7.5%"}', "0.3 x 0.4 = 12%", "Answer: 12%\nAnswer: 13%", "Answer: 12%. Wait, no.",
    "120%", "I cannot say.", "about 12.3%",
)  # fmt: skip

DIAGNOSIS_COLORS = dict.fromkeys(DIAGNOSES, "bad") | {
    RIGHT: "good",
    "unexplained": "warn",
    "no_answer": "muted",
}

REPLY_TOKENS = {"direct": 5, "cot": 700}

BUDGETS = {
    "small": Budget(
        {"design": "core", "style": "direct"},
        "every query, mechanism and variant once; direct answers",
    ),
    "standard": Budget(
        {"design": "standard"},
        "8 worlds per cell, enough to distinguish error rates of 10% and 20%",
    ),
    "full": Budget(
        {"design": "standard", "worlds": 16}, "16 worlds per cell, for results by rung and query"
    ),
}


class Calculate(Suite[CalculateDesign, CalculateItem]):
    """Say how likely something is where something else is seen, made, or had been otherwise."""

    name = "calculate"
    version = 1
    summary = (
        "computes observational, interventional and counterfactual probabilities of a given model"
    )
    designs = DESIGNS
    agents = AGENTS
    minds = MINDS
    columns = COLUMNS
    condition = CONDITION
    random_columns = DRAWN
    measure_table = MEASURES
    headline = ("number_skill", "answerability_skill", "accuracy")
    sentences = read_sentences(__package__)
    attacks = ATTACKS
    zeros = ZEROS
    golden_replies = GOLDEN_REPLIES
    checks = CHECKS
    validated_items = 500
    costs = Costs(
        reply_tokens=lambda factors: REPLY_TOKENS[str(factors["style"])],
        budgets=BUDGETS,
        profiled=("full",),
        temperature="0: sampling noise would add arithmetic errors",
    )
    study = QUESTIONNAIRE
    training = Training(
        {"worlds": TRAINING_WORLDS, "split": "train"},
        world_key=lambda item: write_numbers(item.question.world),
        split_of=lambda question: split_of_world(question.world),
        reward=reward_answer,
        sampled=120,
    )
    comparison = PairedComparison(calculate_pairs)
    scale = HeadlineScale(
        exact=("exact", {}),
        lapsing=("slips", "error"),
    )
    inspection = Inspection(
        task="whybench.tasks:calculate",
        scorer="answer",
        shown=(
            "number_skill",
            "skill_score",
            "answerability_skill",
            "accuracy",
            "answerability",
            "slope",
        ),
        sample_scores={
            "diagnosis": ScoreColors(DIAGNOSIS_COLORS),
            "correct": ScoreColors(),
            "answered": ScoreColors(),
        },
    )

    def items(self, design: CalculateDesign) -> Iterable[CalculateItem]:
        """Return the items of a design."""
        return unite_items(design, calculate_items)

    def render(self, item: CalculateItem) -> str:
        """Return the prompt of an item."""
        return item.prompt

    def parse_prompt(self, prompt: str) -> object:
        """Return the world and the question that a prompt tells."""
        return parse_stated_prompt(prompt)

    def parse_reply(self, factors: Mapping[str, Scalar], reply: str, truncated: bool) -> Answer:
        """Return the number in percent, the code of one of two, or that there is none."""
        form, style, query = (str(factors[name]) for name in ("form", "style", "query"))
        return parse_stated_reply(reply, form, style, truncated, query)

    def oracle(self, item: CalculateItem) -> str:
        """Return the true answer in the form that is asked for."""
        return oracle(item)

    def is_correct(self, item: CalculateItem, answer: Answer) -> bool:
        """Whether an answer is right: a number if it is near."""
        return is_right(answer.value, item.truth, item.cell.form)

    def show_truth(self, item: CalculateItem) -> str:
        """Return the truth in words, or in percent with two decimals."""
        rounded = item.truth if item.truth == NOT_COMPUTABLE else round(item.truth, 2)
        return render_answer(rounded, item.question, "direct")

    def sample_scores(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float | str | None]:
        """Return what became of the answer, and the shares of right ones and of all."""
        found = [diagnose(row["value"], row["truth"], row["form"], row) for row in rows]
        return {
            "diagnosis": found[0] if len({*found}) == 1 else "different",
            "correct": round_mean(diagnosis == RIGHT for diagnosis in found),
            "answered": round_mean(row["value"] is not None for row in rows),
        }

    def measures(self, records: pa.Table) -> list[Measure]:
        """Return skill and its parts, accuracy, answerability, slope and mistakes."""
        return calculate_measures(records)

    def figures(self, records: pa.Table) -> Iterable[Figure]:
        """Return the figures of a run."""
        from whybench.suites.calculate.figures import calculate_figures  # noqa: PLC0415

        return calculate_figures(records)

    def draw(self, item: CalculateItem) -> Iterable[str]:
        """Return lines that picture the causal graph."""
        for cause, effect in item.question.world.graph.edges:
            yield f"{'picture':16} {cause} -> {effect}"


SUITE = Calculate()
