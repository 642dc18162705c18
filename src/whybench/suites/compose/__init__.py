"""compose: causal quantities that multiply up.

An agent reads the rules of a small world, one case in it, and a question: does something hold, or
would it hold if something else were made true or false? From its answers follow how strongly each
part of the world acts on the next, and how strongly the first thing acts on the last. The second
is the product of the first: an agent that composes what it knows gets both right, and the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.compose.agents import AGENTS, gold
from whybench.suites.compose.answers import read_answer
from whybench.suites.compose.checks import CHECKS, in_bundled_words
from whybench.suites.compose.design import DESIGNS, ComposeDesign, make_design
from whybench.suites.compose.generation import compose_items
from whybench.suites.compose.items import COLUMNS, DRAWN, ComposeItem, draw
from whybench.suites.compose.measures import compose_measures
from whybench.suites.compose.paired import compose_pairs
from whybench.suites.compose.planning import advice
from whybench.suites.compose.questionnaire import QUESTIONNAIRE, unit_of
from whybench.suites.compose.reading import read_prompt
from whybench.suites.compose.tables import compositions_table, pairs_table
from whybench.suites.compose.world import side
from whybench.suites.contract import ENDLESS, Answer, Budget, Scalar, Stream, Suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import pyarrow as pa

__all__ = ["SUITE"]

PROBES = (
    "", "yes", "No.", " YES ", "**no**", "yes or no", "yes/no", "Answer: yes", "Answer: no",
    "The answer is yes.", "Answer: yes\nAnswer: no", "yes, since the rule holds", "maybe",
    "<think>no</think>yes", "<think>no", "\\boxed{yes}", "<answer>no</answer>",
    '{"answer": "yes"}', "I cannot say.", "Yes. Wait, actually no.", "1", "true", "ja",
)  # fmt: skip

BUDGETS = {
    "small": Budget(
        {"base": "core", "kinds": "cycle3+cycle3", "gates": "or", "units": 56},
        "one world of two blocks, with just the units that an agent without errors needs for "
        "verdicts",
    ),
    "standard": Budget(
        {"base": "core"},
        "three worlds of three blocks, with three compositions each, and units enough for verdicts",
    ),
    "full": Budget({"base": "full"}, "every theme, detail and style of reply on the same worlds"),
}

UNITS_TO_TRAIN_ON = 16
"""Units of each world in a series to train on: few, so that there are many worlds."""

REPLY_TOKENS = {"direct": 2, "step-by-step": 350, "worked-example": 250}


def _read(factors: Mapping[str, Scalar], text: str, truncated: bool) -> Answer:
    return read_answer(text, str(factors["style"]), truncated)


def _figures(folder: Path, records: pa.Table) -> Iterable[Path]:
    from whybench.suites.compose.figures import compose_figures  # noqa: PLC0415

    return compose_figures(folder, records)


SUITE: Suite[ComposeDesign, ComposeItem] = Suite(
    name="compose",
    version=1,
    summary="says what would hold if something were made so, about parts of a world and the whole",
    designs=DESIGNS,
    design=make_design,
    items=compose_items,
    word=lambda item: item.prompt,
    read_prompt=read_prompt,
    read_answer=_read,
    gold=gold,
    measures=compose_measures,
    headline=("valid_and_consistent",),
    budgets=BUDGETS,
    paired=compose_pairs,
    agents=AGENTS,
    columns=COLUMNS,
    parts={},
    reply_tokens=lambda factors: REPLY_TOKENS[str(factors["style"])],
    task="whybench.suites.compose.task:compose",
    probes=PROBES,
    full_score=lambda item, answer: answer.value == item.truth,
    stream=Stream(
        {"worlds": ENDLESS, "units": UNITS_TO_TRAIN_ON, "split": "train"},
        lambda item: item.question.world.text,
        lambda question: side(question.world),
    ),
    drawn=frozenset(DRAWN),
    together=unit_of,
    advice=advice,
    fair=lambda _: False,
    tables={"compositions": compositions_table, "pairs": pairs_table},
    own_words=in_bundled_words,
    figures=_figures,
    draw=draw,
    questionnaire=QUESTIONNAIRE,
    checks=CHECKS,
)
