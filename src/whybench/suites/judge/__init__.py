"""judge: how likely is it? Likelihood judgments, 0 to 100, about small causal stories."""

from collections.abc import Mapping

from whybench.suites.contract import Answer, Scalar, Suite
from whybench.suites.judge.agents import AGENTS
from whybench.suites.judge.answers import read_answer
from whybench.suites.judge.checks import CHECKS
from whybench.suites.judge.design import DESIGNS, JudgeDesign, make_design
from whybench.suites.judge.items import COLUMNS, JudgeItem, draw, judge_items, word
from whybench.suites.judge.measures import judge_measures
from whybench.suites.judge.reading import read_prompt
from whybench.suites.judge.wording import word_answer

__all__ = ["SUITE"]

PROBES = (
    "", "70", "70%", " 70. ", "0.7", "seventy", "between 60 and 80", "60-80", "101", "-5",
    "<likelihood>70</likelihood>", "<likelihood>70</likelihood><confidence>90</confidence>",
    "<likelihood>70", "<think>60</think>70", "<think>60", "I cannot say.", "70 or 80",
    "Likelihood: 70", "70/100", "**70**",
)  # fmt: skip


def _read(factors: Mapping[str, Scalar], text: str, truncated: bool) -> Answer:
    judged = read_answer(text, str(factors["style"]), truncated=truncated)
    parts = {} if judged.confidence is None else {"confidence": judged.confidence}
    return Answer(judged.value, judged.reason, parts)


SUITE: Suite[JudgeDesign, JudgeItem] = Suite(
    name="judge",
    version=1,
    summary="rates how likely an event is, 0 to 100, given a small causal story",
    designs=DESIGNS,
    design=make_design,
    items=judge_items,
    word=word,
    read_prompt=read_prompt,
    read_answer=_read,
    gold=lambda item: word_answer(round(item.truth), item.style),
    measures=judge_measures,
    agents=AGENTS,
    columns=COLUMNS,
    parts={"confidence": float},
    reply_tokens=lambda factors: {"numeric": 3, "cot": 300, "confidence": 20}[
        str(factors["style"])
    ],
    task="whybench.suites.judge.task:judge",
    probes=PROBES,
    full_score=lambda item, answer: (
        answer.value is not None and abs(answer.value - item.truth) <= 0.5
    ),
    own_words=lambda item: not item.published,
    draw=draw,
    checks=CHECKS,
)
