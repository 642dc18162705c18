"""analyze as an Inspect task: the scorer reads the answer and grades it on the rows.

Under the protocol `direct` an agent is asked once. The other protocols run code; how they hold the
conversation is in `protocols`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task, task_with
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer

from whybench.records.schema import record_table
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.grader.criteria import graded_challenges
from whybench.suites.analyze.grader.task import reasons, require_grader
from whybench.suites.analyze.measures import CONDITION, WHOSE, analyze_measures
from whybench.suites.analyze.protocols.task import solver_for
from whybench.suites.analyze.published.forms import PUBLISHED
from whybench.suites.contract import UserError
from whybench.suites.task import (
    as_metrics,
    explained,
    metric_rows,
    question_task,
    score_sample,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from inspect_ai.solver import TaskState

__all__ = ["analysis", "analyze", "twin_measures"]

SANDBOX = "whybench"
"""Where programs are run unless a run says otherwise, as `inspect eval --sandbox docker` does."""

SHOWN = ("twin_score", "reliability", "score_trap", "score_control", "fell_for", "false_alarm")
"""The measures that Inspect shows; `whybench measures` has all."""


@metric(scores="unreduced")
def twin_measures() -> Metric:
    """Twin score and reliability with 95% intervals, falls, alarms, and how many answered."""

    def compute(scores: list[SampleScore]) -> Value:
        return as_metrics(analyze_measures(_pooled(metric_rows(scores))), SHOWN)

    return compute


def _pooled(rows: list[dict[str, Any]]) -> pa.Table:
    """Return the answers of a run as records of one agent and condition.

    Answers of several epochs are here without the number of theirs: a trap is then paired with the
    control of every epoch, which has the same mean.
    """
    one = dict.fromkeys((*WHOSE, *CONDITION), "")
    return record_table([{**row, **one} for row in rows], {**SUITE.columns, **SUITE.parts})


@scorer(metrics=[twin_measures()])
def analysis() -> Scorer:
    """Read the fields of the answer and grade them; without any, "N" and a reason."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        return score_sample(state)

    return score


@task
def analyze(
    design: str = "core",
    name: str | None = None,
    challenge: str | list[str] | None = None,
    variant: str | list[str] | None = None,
    hint: int | str | list[int] | None = None,
    label: str | list[str] | None = None,
    protocol: str | None = None,
    rows: int | str | None = None,
    seeds: int | None = None,
    split: str | None = None,
    shard: str = "1/1",
    group: int = 1,
    graded: bool = False,
    calibration: str | None = None,
) -> Task:
    """Analyse data that may have a trap in them, and say what causes what, and how much.

    Args:
        design: A named design (`core`, `hints`, ...) or the path of a YAML file.
        name: A name for the design as changed, for the records.
        challenge: Challenges or families by name; all.
        variant: trap; control, one a draw in turn; controls, all of them.
        hint: Hint levels, from 1 (roles, method and warning named) to 5 (the bare question).
        label: Names of things: neutral, flattering, damning.
        protocol: How the agent works: direct, code, code-debug, agentic.
        rows: How many rows are shown under the protocol direct, as a sample; all.
        seeds: Number of draws.
        split: The side of the train/test divide.
        shard: `i/n` asks the i-th of n equal parts of the design.
        group: How many items one sample asks, each in a conversation of its own.
        graded: Also have reasons and limitations marked by the model of the role `grader`.
        calibration: The log of `whybench/grader_calibration` by the same grader, whose agreement
            with the labelled answers is then told with its marks.
    """
    factors = {
        "name": name,
        "challenge": challenge,
        "variant": variant,
        "hint": hint,
        "label": label,
        "protocol": protocol,
        "rows": rows,
        "seeds": seeds,
        "split": split,
    }
    chosen = {factor: levels for factor, levels in factors.items() if levels is not None}
    with explained():
        made = SUITE.design({"base": design, **chosen})
        alone = graded or made.protocol != "direct"
        if alone and group != 1:
            raise UserError(
                f"group must be 1 where programs are run or reasons graded, got {group}"
            )
        if graded and PUBLISHED in made.variant:
            raise UserError(
                "graded must be left out with published data: criteria are of our own data sets"
            )
        if graded and (bare := [x for x in made.challenge if x not in graded_challenges()]):
            raise UserError(
                f"graded must be of challenges that have criteria, got {bare[0]!r}; leave it out"
            )
        solver = None if made.protocol == "direct" else solver_for(made.protocol)
        asked = question_task(SUITE, made, analysis(), shard=shard, group=group, solver=solver)
        if solver is not None:
            asked = task_with(asked, sandbox=SANDBOX)
        # The score of the answer comes first: that is the one that records hold.
        if graded:
            both = [analysis(), reasons(calibration)]
            asked = task_with(asked, scorer=both, setup=require_grader())
        return asked
