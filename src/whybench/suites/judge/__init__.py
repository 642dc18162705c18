"""judge: how likely is it? Likelihood judgments, 0 to 100, about small causal stories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.contract import ENDLESS, Answer, Budget, Scalar, Stream, Suite
from whybench.suites.judge.agents import AGENTS
from whybench.suites.judge.answers import read_answer
from whybench.suites.judge.checks import CHECKS
from whybench.suites.judge.design import DESIGNS, JudgeDesign, make_design
from whybench.suites.judge.generation import items_of, world_of
from whybench.suites.judge.groups import SUMMED_BY
from whybench.suites.judge.items import COLUMNS, JudgeItem, draw, word
from whybench.suites.judge.measures import judge_measures, summed_measures
from whybench.suites.judge.questionnaire import QUESTIONNAIRE
from whybench.suites.judge.reading import read_prompt
from whybench.suites.judge.stated import side_told
from whybench.suites.judge.wording import word_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import pyarrow as pa

    from whybench.suites.pairs import Pair

__all__ = ["SUITE"]

PROBES = (
    "", "70", "70%", " 70. ", "0.7", "seventy", "between 60 and 80", "60-80", "101", "-5",
    "<likelihood>70</likelihood>", "<likelihood>70</likelihood><confidence>90</confidence>",
    "<likelihood>70", "<think>60</think>70", "<think>60", "I cannot say.", "70 or 80",
    "Likelihood: 70", "70/100", "**70**",
)  # fmt: skip


BUDGETS = {
    "small": Budget(
        {"base": "core"},
        "half of all combinations of question, story and polarity, balanced; a number for a reply",
        blocks=2,
    ),
    "standard": Budget(
        {"base": "core", "style": ["numeric", "cot"]},
        "every question, story and polarity, with a bare number and with reasoning for a reply",
    ),
    "full": Budget({"base": "full"}, "all stories, distracting texts and styles of reply"),
}


def _read(factors: Mapping[str, Scalar], text: str, truncated: bool) -> Answer:
    judged = read_answer(text, str(factors["style"]), truncated=truncated)
    parts = {} if judged.confidence is None else {"confidence": judged.confidence}
    return Answer(judged.value, judged.reason, parts)


HALF_A_POINT = 0.5
"""Whoever is asked for a number from 0 to 100 may answer with whole ones."""


def _worth(truth: Scalar, answer: Answer) -> float:
    """Return 1 for the normative answer, as near as whole numbers go, and less with distance."""
    off = abs((answer.value or 0.0) - float(truth))
    return 1.0 if off <= HALF_A_POINT else 1 - off / 100


def _people() -> pa.Table:
    """Return the answers of people: 48 were asked about colliders, 48 about forks."""
    import pyarrow as pa  # noqa: PLC0415

    from whybench.suites.judge.people import people_records  # noqa: PLC0415

    return pa.concat_tables([people_records("collider"), people_records("fork")])


def _published() -> pa.Table:
    """Return the replies of the published models to the published prompts."""
    import pyarrow as pa  # noqa: PLC0415

    from whybench.suites.judge.imported import CONDITIONS, published_records  # noqa: PLC0415

    return pa.concat_tables([published_records(design) for design in CONDITIONS])


def _replicate(resamples: int) -> dict[str, list[dict[str, Any]]]:
    from whybench.suites.judge.replication import replicate  # noqa: PLC0415

    return replicate(resamples)


def _paired(records: pa.Table) -> Iterable[Pair]:
    from whybench.suites.judge.paired import judge_pairs  # noqa: PLC0415

    return judge_pairs(records)


def _replicate_figures(folder: Path) -> Iterable[Path]:
    from whybench.suites.judge.figures import replication_figures  # noqa: PLC0415

    return replication_figures(folder)


def _figures(folder: Path, records: pa.Table) -> Iterable[Path]:
    from whybench.suites.judge.figures import judge_figures  # noqa: PLC0415

    return judge_figures(folder, records)


SUITE: Suite[JudgeDesign, JudgeItem] = Suite(
    name="judge",
    version=1,
    summary="rates how likely an event is, 0 to 100, given a small causal story",
    designs=DESIGNS,
    design=make_design,
    items=items_of,
    word=word,
    read_prompt=read_prompt,
    read_answer=_read,
    gold=lambda item: word_answer(round(item.truth), item.style),
    measures=judge_measures,
    summed_by=SUMMED_BY,
    summed_measures=summed_measures,
    headline=("consistency", "alignment"),
    budgets=BUDGETS,
    paired=_paired,
    agents=AGENTS,
    columns=COLUMNS,
    parts={"confidence": float, "person": str},
    reply_tokens=lambda factors: {"numeric": 3, "cot": 300, "confidence": 20}[
        str(factors["style"])
    ],
    task="whybench.suites.judge.task:judge",
    probes=PROBES,
    full_score=lambda item, answer: (
        answer.value is not None and abs(answer.value - item.truth) <= HALF_A_POINT
    ),
    worth=_worth,
    stream=Stream(
        {"stimuli": "generated", "worlds": ENDLESS, "split": "train"}, world_of, side_told
    ),
    own_words=lambda item: not item.published,
    beside={"people": _people, "published": _published},
    replicate=_replicate,
    replicate_figures=_replicate_figures,
    figures=_figures,
    draw=draw,
    questionnaire=QUESTIONNAIRE,
    checks=CHECKS,
)
