"""intervene: find out by acting whether one thing causes another.

The agent acts on a small world, sees what happens, and answers when it is ready. Besides being
right or wrong an answer is *justified* or not: what was seen entails it, or leaves it open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.contract import ENDLESS, Budget, Stream, Suite
from whybench.suites.intervene.agents import AGENTS, gold
from whybench.suites.intervene.design import DESIGNS, InterveneDesign, make_design
from whybench.suites.intervene.episode import Episode, case_of
from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.items import COLUMNS, DRAWN, InterveneItem, described, draw
from whybench.suites.intervene.measures import intervene_measures
from whybench.suites.intervene.paired import intervene_pairs
from whybench.suites.intervene.play import PLAY
from whybench.suites.intervene.questionnaire import QUESTIONNAIRE
from whybench.suites.intervene.reading import read_prompt
from whybench.suites.intervene.sets import who_reaches_whom
from whybench.suites.intervene.steps import PARTS, steps_table
from whybench.suites.intervene.wording import opening

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import pyarrow as pa

    from whybench.suites.contract import Scalar

__all__ = ["SUITE"]

PROBES = (
    "", "yes", '{"answer": "yes"}', '{"answer": "No"}', '{"answer": "yes|no"}', '{"answer": true}',
    '{"answer": "yes"} or {"answer": "no"}', '{"next": "continue"}', '{"next": "answer"}',
    '{"next": "answer"', '{"entity": "nobody", "action": "push"}', '{"ANSWER": "YES"}',
    '```json\n{"answer": "no"}\n```', '{"answer": "yes", "next": "answer"}',
    '{"reply": {"answer": "yes"}}', '{"answer": "yes", "answer": "no"}', "{}", "{{{",
)  # fmt: skip

BUDGETS = {
    "small": Budget({"base": "core"}, "the complete core set: all worlds of three entities"),
    "standard": Budget(
        {"base": "advanced", "graphs": 20}, "random worlds of four to seven entities, 20 of each"
    ),
    "full": Budget({"base": "advanced"}, "random worlds of four to seven entities, 80 of each"),
}

REPLY_TOKENS = {"basic": 20, "fewest-steps": 20, "step-by-step": 250, "recipe": 40}


def _figures(folder: Path, records: pa.Table) -> Iterable[Path]:
    from whybench.suites.intervene.figures import intervene_figures  # noqa: PLC0415

    return intervene_figures(folder, records)


def _open(factors: Mapping[str, Scalar]) -> Episode:
    return Episode(case_of(factors))


SUITE: Suite[InterveneDesign, InterveneItem] = Suite(
    name="intervene",
    version=1,
    summary="finds out by acting whether one thing causes another",
    designs=DESIGNS,
    design=make_design,
    items=intervene_items,
    word=opening,
    read_prompt=read_prompt,
    read_answer=None,
    episode=_open,
    gold=gold,
    measures=intervene_measures,
    headline=("justified_accuracy",),
    budgets=BUDGETS,
    paired=intervene_pairs,
    agents=AGENTS,
    columns=COLUMNS,
    parts=PARTS,
    reply_tokens=lambda factors: REPLY_TOKENS[str(factors["style"])],
    turns=lambda factors: 2 * int(factors["n"]),
    task="whybench.suites.intervene.task:intervene",
    probes=PROBES,
    full_score=lambda item, answer: (
        answer.value == item.truth and answer.parts["verdict"] == "justified"
    ),
    # Nothing but a right answer that what was seen entails has this verdict.
    worth=lambda _, answer: float(answer.parts["verdict"] == "justified"),
    stream=Stream(
        {"base": "advanced", "graphs": ENDLESS, "split": "train"},
        lambda item: who_reaches_whom(item.hidden),
    ),
    identity=described,
    drawn=frozenset(DRAWN),
    fair=lambda design: design.worlds == "advanced",
    tables={"steps": steps_table},
    figures=_figures,
    draw=draw,
    play=PLAY,
    questionnaire=QUESTIONNAIRE,
)
