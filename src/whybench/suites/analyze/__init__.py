"""analyze: data with a trap in it, and their twin without it.

An agent is given rows, a data dictionary and a question. It reports first, a number and what to do
about it, and is asked afterwards what that rests on; both are JSON objects of fields. A *challenge*
is one kind of trap, such as a confounder that turns the sign of an association. Its
*controls* look alike, and the trap is not there; who cries trap every time does no better than who
never sees one. The challenges are in `challenges`, the words in `stories`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.agents import AGENTS, MINDS, oracle_reply
from whybench.suites.analyze.attacks import ATTACKS
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.checks import CHECKS, self_tests
from whybench.suites.analyze.design import (
    CONTROL,
    DESIGNS,
    DIRECT,
    FEW_ROWS,
    AnalyzeDesign,
    make_design,
)
from whybench.suites.analyze.episode import AnalyzeEpisode
from whybench.suites.analyze.items import (
    COLUMNS,
    RANDOM_COLUMNS,
    AnalyzeItem,
    analyze_items,
    check_rows,
    describe_item,
    describe_truth,
    world_key,
)
from whybench.suites.analyze.measures import CONDITION, MEASURES, analyze_measures, analyze_pairs
from whybench.suites.analyze.prompts import rows_csv
from whybench.suites.analyze.protocols.attempts import code_columns
from whybench.suites.analyze.protocols.prompts import ROWS_FILE
from whybench.suites.analyze.tables import PARTS, fields_table
from whybench.suites.contract import (
    TRAINING_WORLDS,
    Budget,
    Costs,
    HeadlineScale,
    Inspection,
    PairedComparison,
    Scalar,
    ScoreColors,
    SelfTest,
    Suite,
    Training,
    round_mean,
)
from whybench.suites.designs import name_design_file
from whybench.suites.sentences import read_sentences
from whybench.suites.zeros import read_zeros

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.stats import Measure

__all__ = ["SUITE"]

GOLDEN_REPLIES = (
    "", "0.1", "{}", "{{{", '{"estimate": 0.1}', '{"estimate": "12%"}', '{"estimate": "about 0.1"}',
    '{"estimate": null}', '{"ESTIMATE": 0.1, "interval": [0.0, 0.2]}',
    '{"estimate": 0.1, "interval": [0.2, 0.0]}', '{"estimand": "Average effect"}',
    '{"estimate": 1, "estimate": 2}', '{"answer": {"estimate": 0.1}}',
    '{"interval": {"low": 0, "high": 1}}',
    '{"direction": "Increases"}', '{"direction": "no effect"}', '{"adjustment_set": []}',
    '{"adjustment_set": "nothing"}', '{"reversal": "yes"}', "<think>{}</think>",
    '```json\n{"estimate": 1.5}\n``` or {"estimate": 2}', '{"te": 1e400}', '{"graphs": [[]]}',
)  # fmt: skip

BUDGETS = {
    "small": Budget(
        {"design": DIRECT},
        f"one challenge per family, 3 draws, {FEW_ROWS} rows in the prompt: suited to small models "
        "and budgets; do not compare scores with those on all rows",
    ),
    "standard": Budget(
        {"design": "core"},
        "every challenge with its controls, half of the pairs from the harder tier; programs run "
        "on all rows in a sandbox",
    ),
    "full": Budget({"design": "full"}, "every challenge, control, hint and label"),
}

TABLES = {"fields": fields_table}
REPLY_TOKENS = {"direct": 1500, "code": 1200, "code-debug": 1200, "agentic": 800, "free": 800}
TURNS = {"direct": 2, "code": 3, "code-debug": 4, "agentic": 7, "free": 7}


def _advice(design: AnalyzeDesign, _epochs: int) -> Iterator[str]:
    if design.rows:
        yield (
            f"{design.rows} rows may not show a trap that all rows show: do not compare scores "
            "with those on all rows"
        )
    elif DIRECT in design.protocol:
        yield (
            "prompts contain all rows, and a token has about two digits: expect twice the planned "
            "tokens; protocol=code sends no rows"
        )


class Analyze(Suite[AnalyzeDesign, AnalyzeItem]):
    """Analyze data that may have a trap in them, and say what causes what, and how much."""

    name = "analyze"
    version = 1
    summary = "analyzes data that may contain a statistical trap, and estimates causal effects"
    designs = DESIGNS
    agents = AGENTS
    minds = MINDS
    columns = COLUMNS
    parts = PARTS
    condition = CONDITION
    random_columns = frozenset(RANDOM_COLUMNS)
    measure_table = MEASURES
    headline = ("sound_pairs",)
    sentences = read_sentences(__package__)
    attacks = ATTACKS
    zeros = read_zeros(__package__)
    golden_replies = GOLDEN_REPLIES
    checks = CHECKS
    tables = TABLES
    costs = Costs(
        reply_tokens=lambda factors: REPLY_TOKENS[str(factors["protocol"])],
        turns=lambda factors: TURNS[str(factors["protocol"])],
        budgets=BUDGETS,
        advice=_advice,
        temperature="0 for direct answers; the model's default where it writes programs: at 0 a "
        "failed program tends to be repeated",
    )
    training = Training(
        {"seeds": TRAINING_WORLDS, "split": "train", "protocol": DIRECT},
        world_key=world_key,
        reward=lambda _factors, _truth, answer: answer.value or 0.0,
    )
    scale = HeadlineScale(exact=("gold", {}))
    comparison = PairedComparison(analyze_pairs)
    inspection = Inspection(
        task="whybench.tasks:analyze",
        scorer="analysis",
        metric="twin_measures",
        shown=(
            "sound_pairs",
            "paired_score",
            "reliability",
            "score_trap",
            "score_control",
            "trap_rate",
            "false_alarm",
            "diagnosis",
        ),
        sample_scores=dict.fromkeys(("score", "trap", "control", "answered"), ScoreColors()),
    )

    def make_design(self, settings: Mapping[str, object]) -> AnalyzeDesign:
        """Build a design; families and `all` stand for challenges."""
        design = make_design(settings)
        with name_design_file(settings):
            check_rows(design)
        return design

    def items(self, design: AnalyzeDesign) -> Iterable[AnalyzeItem]:
        """Return the items of a design."""
        return analyze_items(design)

    def render(self, item: AnalyzeItem) -> str:
        """Return the prompt of an item."""
        return item.prompt

    def open_episode(self, factors: Mapping[str, Scalar]) -> AnalyzeEpisode:
        """Open the conversation about an item: a report, and what it rests on."""
        return AnalyzeEpisode(factors)

    @property
    def every_turn_acts(self) -> bool:
        """Replies with programs are work; reports and diagnoses count."""
        return False

    def oracle(self, episode: AnalyzeEpisode) -> str:
        """Return what is true of the fields that are asked for as a JSON object."""
        return oracle_reply(episode)

    def is_balanced(self, design: AnalyzeDesign) -> bool:
        """Whether traps are asked as well as controls."""
        return design.twins

    def identity(self, item: AnalyzeItem) -> str:
        """Return what decides an item, rows included, which not every prompt shows."""
        return describe_item(item)

    def files(self, item: AnalyzeItem) -> Mapping[str, str]:
        """Return the rows, where an agent is to find them in a file."""
        if item.protocol == DIRECT:
            return {}
        return {ROWS_FILE: rows_csv(item.instance, item.label)}

    def transcript_columns(self, messages: Sequence[Any]) -> Mapping[str, Scalar]:
        """Return what became of the programs of a conversation."""
        from whybench.suites.analyze.protocols.task import read_outcomes  # noqa: PLC0415

        outcomes = read_outcomes(messages)
        return code_columns(outcomes) if outcomes else {}

    def sample_scores(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float | str | None]:
        """Return the score, once more in the column of traps or that of controls."""

        def mean(chosen: Iterable[Mapping[str, Any]]) -> float | None:
            return round_mean(row["value"] or 0.0 for row in chosen)

        return {
            "score": mean(rows),
            **{twin: mean(row for row in rows if row["twin"] == twin) for twin in (TRAP, CONTROL)},
            "answered": round_mean(row["value"] is not None for row in rows),
        }

    def measures(self, records: pa.Table) -> list[Measure]:
        """Return sound pairs, scores, falls, false alarms and diagnoses."""
        return analyze_measures(records)

    def make_task(
        self, design: AnalyzeDesign, options: Mapping[str, Any], ask: Callable[..., Any]
    ) -> Any:
        """Return the task with the solver of its protocol."""
        from whybench.suites.analyze.task import analysis_task  # noqa: PLC0415  (imports Inspect)

        return analysis_task(design.protocol, options["group"], ask)

    def figures(self, records: pa.Table) -> Iterable[Figure]:
        """Return the figures of a run."""
        from whybench.suites.analyze.figures import analyze_figures  # noqa: PLC0415

        return analyze_figures(records)

    def draw(self, item: AnalyzeItem) -> Iterable[str]:
        """Return lines that say what is true of each field."""
        return describe_truth(item.instance, item.names)

    def self_tests(self, design: AnalyzeDesign, seeds: int) -> Iterable[SelfTest]:
        """Return what each challenge does to agents that fall for it and that do not."""
        return self_tests(design, seeds)


SUITE = Analyze()
