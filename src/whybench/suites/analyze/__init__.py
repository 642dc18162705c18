"""analyze: data with a trap in it, and the same data without it.

An agent is given rows, a data dictionary and a question, and returns a JSON object of fields. A
*challenge* is one kind of trap, such as a confounder that turns the sign of an association. Its
*controls* look alike, and the trap is not there; who cries trap every time does no better than who
never sees one. The challenges are in `challenges`, the words in `stories`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.agents import AGENTS, gold
from whybench.suites.analyze.checks import CHECKS
from whybench.suites.analyze.design import DESIGNS, AnalyzeDesign, make_design
from whybench.suites.analyze.generation import analyze_items
from whybench.suites.analyze.items import COLUMNS, DRAWN, AnalyzeItem, described, draw, world_of
from whybench.suites.analyze.known import trials
from whybench.suites.analyze.measures import analyze_measures
from whybench.suites.analyze.paired import analyze_pairs
from whybench.suites.analyze.protocols.attempts import code_parts
from whybench.suites.analyze.published.forms import PUBLISHED
from whybench.suites.analyze.tables import PARTS, fields_table, read_answer
from whybench.suites.contract import ENDLESS, Budget, Stream, Suite

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from whybench.suites.contract import Scalar

__all__ = ["SUITE"]

PROBES = (
    "", "0.1", "{}", "{{{", '{"effect": 0.1}', '{"effect": "12%"}', '{"effect": "about 0.1"}',
    '{"effect": null}', '{"EFFECT": 0.1, "ci": [0.0, 0.2]}', '{"effect": 0.1, "ci": [0.2, 0.0]}',
    '{"effect": 1, "effect": 2}', '{"answer": {"effect": 0.1}}', '{"ci": {"low": 0, "high": 1}}',
    '{"direction": "Increases"}', '{"direction": "no effect"}', '{"adjustment_set": []}',
    '{"adjustment_set": "nothing"}', '{"reversal": "yes"}', "<think>{}</think>",
    '```json\n{"ate": 1.5}\n``` or {"ate": 2}', '{"te": 1e400}', '{"graphs": [[]]}',
)  # fmt: skip

FEW_ROWS = 60
FOR_FEW_ROWS = ("simpson", "direction", "mediator_confounding", "domain_shift", "outcome")
"""One challenge of each family whose groups of rows are not empty in samples of so few; those of
the family intervention are."""

BUDGETS = {
    "small": Budget(
        {
            "base": "core",
            "challenge": list(FOR_FEW_ROWS),
            "rows": FEW_ROWS,
            "seeds": 1,
        },
        f"one challenge of each family that can do with {FEW_ROWS} rows in the prompt, which small "
        "models and purses can take; scores do not compare with those of all rows",
    ),
    "standard": Budget({"base": "core"}, "every challenge and its controls on all rows, six times"),
    "full": Budget({"base": "full"}, "every challenge, control, hint and label"),
}

REPLY_TOKENS = {"direct": 1500, "code": 1200, "code-debug": 1200, "agentic": 800}
TURNS = {"direct": 1, "code": 2, "code-debug": 3, "agentic": 6}


def _traces(messages: Sequence[Any]) -> dict[str, Scalar]:
    """Return what became of the programs of a conversation."""
    from whybench.suites.analyze.protocols.task import attempts_in  # noqa: PLC0415

    outcomes = attempts_in(messages)
    return {**code_parts(outcomes)} if outcomes else {}


def _figures(folder: Path, records: pa.Table) -> Iterable[Path]:
    from whybench.suites.analyze.figures import analyze_figures  # noqa: PLC0415

    return analyze_figures(folder, records)


def _replicate(resamples: int) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    from whybench.suites.analyze.published.replication import replicate  # noqa: PLC0415

    return replicate(resamples)


def _advice(design: AnalyzeDesign, _epochs: int) -> Iterator[str]:
    if design.rows:
        yield (
            f"traps show in whole data sets, and may not in {design.rows} rows of them: scores are "
            "not to be compared with those of all rows"
        )
    elif design.protocol == "direct":
        yield (
            "prompts hold all rows, and a token holds about two digits: count on twice the tokens "
            "that are planned; protocol=code sends no rows"
        )


SUITE: Suite[AnalyzeDesign, AnalyzeItem] = Suite(
    name="analyze",
    version=1,
    summary="analyses data that may have a trap in them, and says what causes what, and how much",
    designs=DESIGNS,
    design=make_design,
    items=analyze_items,
    word=lambda item: item.prompt,
    read_prompt=None,
    read_answer=read_answer,
    gold=gold,
    measures=analyze_measures,
    headline=("twin_score",),
    budgets=BUDGETS,
    paired=analyze_pairs,
    agents=AGENTS,
    columns=COLUMNS,
    parts=PARTS,
    reply_tokens=lambda factors: REPLY_TOKENS[str(factors["protocol"])],
    turns=lambda factors: TURNS[str(factors["protocol"])],
    task="whybench.suites.analyze.task:analyze",
    probes=PROBES,
    full_score=lambda item, answer: answer.value == item.truth,
    worth=lambda _, answer: answer.value or 0.0,
    stream=Stream({"seeds": ENDLESS, "split": "train"}, world_of),
    identity=described,
    drawn=frozenset(DRAWN),
    advice=_advice,
    fair=lambda design: design.twins,
    own_words=lambda item: item.variant != PUBLISHED,
    tables={"fields": fields_table},
    draw=draw,
    checks=CHECKS,
    traces=_traces,
    replicate=_replicate,
    figures=_figures,
    trials=trials,
)
