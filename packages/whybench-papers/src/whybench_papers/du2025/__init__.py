"""du2025: the data sets, questions, keys and rubrics of CausalPitfalls (Du and others 2025).

The paper publishes 75 data sets, five for each of 15 challenges, with questions at five hint
levels, keys and rubrics. They are downloaded (`whybench data fetch CausalPitfalls`) and never
bundled. Answers are graded by the rows, like answers of analyze, and compared with the printed keys
(`replication`); or they are in free words, and a model marks them by the paper's rubrics
(`grader`). The answer keys are recomputed from the rows (`recomputed`) with two kinds of
`arithmetic`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze import SUITE as ANALYZE
from whybench.suites.analyze.checks import check_derivations, check_labels
from whybench.suites.analyze.design import DIRECT
from whybench.suites.analyze.measures import CONDITION, analyze_pairs
from whybench.suites.analyze.prompts import rows_csv
from whybench.suites.analyze.protocols.prompts import ROWS_FILE
from whybench.suites.analyze.tables import PARTS
from whybench.suites.contract import (
    Answer,
    Check,
    Costs,
    PairedComparison,
    Scalar,
    Suite,
    round_mean,
)
from whybench_papers.du2025.agents import AGENTS, true_reply
from whybench_papers.du2025.design import DESIGNS, Du2025Design, make_design
from whybench_papers.du2025.episode import Du2025Episode
from whybench_papers.du2025.forms import NAME, NO_RUBRICS
from whybench_papers.du2025.grader.verdicts import RUBRIC_MARKS, apply_marks
from whybench_papers.du2025.items import (
    COLUMNS,
    RANDOM_COLUMNS,
    Du2025Item,
    describe_answer_key,
    du2025_items,
)
from whybench_papers.du2025.measures import du2025_measures, select_marked
from whybench_papers.replication import Replication

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.stats import Difference, Measure


def _tables(
    resamples: int, beside: pa.Table | None = None
) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    from whybench_papers.du2025.reliability import agent_tables, printed_tables  # noqa: PLC0415
    from whybench_papers.du2025.replication import replicate  # noqa: PLC0415

    own = {} if beside is None else agent_tables(beside)
    tables = {**replicate(resamples), **printed_tables()}
    return {name: [*own.get(name, ()), *rows] for name, rows in tables.items()}


REPLICATION = Replication(
    _tables,
    names=("keys", "not_recomputed", "reliability", "families", "challenges", "hints"),
    suite=NAME,
)


def _advise(design: Du2025Design, _epochs: int) -> Iterator[str]:
    if DIRECT in design.protocol:
        yield (
            "prompts contain all rows, and a token has about two digits: expect twice the planned "
            "tokens; protocol=code sends no rows"
        )


def _pairs(records: pa.Table) -> Iterator[Difference]:
    return analyze_pairs(select_marked(records))


class Du2025(Suite[Du2025Design, Du2025Item]):
    """Analyze the data sets of CausalPitfalls, and answer its questions."""

    name = NAME
    cases_of = "analyze"
    version = 1
    summary = "asks the questions of CausalPitfalls about its data sets"
    designs = DESIGNS
    agents = AGENTS
    columns = COLUMNS
    parts = {**PARTS, "key_score": float, RUBRIC_MARKS: str, "grader": str}  # noqa: RUF012
    condition = CONDITION
    random_columns = frozenset(RANDOM_COLUMNS)
    headline = ("reliability",)
    golden_replies = ANALYZE.golden_replies
    checks = {  # noqa: RUF012
        "every number is derived twice": Check(check_derivations),
        "labels change names alone": Check(check_labels),
    }
    tables = ANALYZE.tables
    costs = Costs(
        reply_tokens=ANALYZE.costs.reply_tokens,
        turns=ANALYZE.costs.turns,
        advice=_advise,
        temperature=ANALYZE.costs.temperature,
    )
    comparison = PairedComparison(_pairs)
    inspection = replace(
        ANALYZE.inspection,
        task="",
        shown=("reliability", "family_reliability", "score", "key_score", "answered"),
    )

    def make_design(self, settings: Mapping[str, object]) -> Du2025Design:
        """Build a design; a family or `all` selects several challenges."""
        return make_design(settings)

    def items(self, design: Du2025Design) -> Iterable[Du2025Item]:
        """Return the items of a design."""
        return du2025_items(design)

    def render(self, item: Du2025Item) -> str:
        """Return the prompt of an item."""
        return item.prompt

    def is_native_prompt(self, item: Du2025Item) -> bool:  # noqa: ARG002
        """Whether a prompt is in our words; none is."""
        return False

    def open_episode(self, factors: Mapping[str, Scalar]) -> Du2025Episode:
        """Open the conversation about an item."""
        return Du2025Episode(factors)

    @property
    def every_turn_acts(self) -> bool:
        """Whether every reply acts; replies with programs only prepare the report."""
        return False

    def oracle(self, episode: Du2025Episode) -> str:
        """Return the true values of the fields as a JSON object."""
        return true_reply(episode)

    def is_balanced(self, design: Du2025Design) -> bool:  # noqa: ARG002
        """Whether a constant answer is right no more often than not, which nobody claims."""
        return False

    def identity(self, item: Du2025Item) -> str:
        """Return the description that decides an item, with its rows and its rubric."""
        return item.identity

    def files(self, item: Du2025Item) -> Mapping[str, str]:
        """Return the rows, where an agent finds them in a file."""
        return {} if item.protocol == DIRECT else {ROWS_FILE: rows_csv(item.instance, item.label)}

    def transcript_columns(self, messages: Sequence[Any]) -> Mapping[str, Scalar]:
        """Return the outcomes of the programs of a conversation."""
        return ANALYZE.transcript_columns(messages)

    def complete_answer(self, answer: Answer, messages: Sequence[Any]) -> Answer:
        """Return an answer with columns, and with its score if a rubric was applied to it."""
        marked = apply_marks(answer, messages) if RUBRIC_MARKS in answer.parts else answer
        return super().complete_answer(marked, messages)

    def sample_scores(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float | str | None]:
        """Return the scores of a sample; unmarked answers have none."""
        marked = [row for row in rows if row.get(RUBRIC_MARKS) != ""]
        answered = round_mean(row["value"] is not None for row in rows)
        return {**ANALYZE.sample_scores(marked), "answered": answered}

    def measures(self, records: pa.Table) -> list[Measure]:
        """Return the measures of analyze, and agreement with keys."""
        return du2025_measures(records)

    def make_task(
        self, design: Du2025Design, options: Mapping[str, Any], ask: Callable[..., Any]
    ) -> Any:
        """Return the task with the solver of its protocol, and a grader where rubrics apply."""
        from inspect_ai import task_with  # noqa: PLC0415  (seconds)

        from whybench.suites.analyze.task import analysis_task  # noqa: PLC0415
        from whybench_papers.du2025.grader.task import (  # noqa: PLC0415
            mark_by_rubric,
            require_grader,
        )

        if design.rubrics == NO_RUBRICS:
            return analysis_task(design.protocol, options["group"], ask)
        task = analysis_task(design.protocol, options["group"], ask, mark_by_rubric())
        setup = task.setup if isinstance(task.setup, list) else [task.setup] if task.setup else []
        return task_with(task, setup=[*setup, require_grader()])

    def figures(self, records: pa.Table) -> Iterable[Figure]:
        """Return the figures of a run."""
        from whybench_papers.du2025.figures import du2025_figures  # noqa: PLC0415

        return du2025_figures(records)

    def draw(self, item: Du2025Item) -> Iterable[str]:
        """Return the criteria of the rubric, or the truth of each field."""
        return describe_answer_key(item)


SUITE = Du2025()
