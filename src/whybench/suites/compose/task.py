"""compose as an Inspect task: a sample is a unit, its questions are conversations of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer

from whybench.records.schema import record_table
from whybench.suites.compose import SUITE
from whybench.suites.compose.groups import CONDITION
from whybench.suites.compose.measures import compose_measures
from whybench.suites.groups import WHOSE
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

__all__ = ["compose", "composition_measures", "verdict"]

SHOWN = (
    "valid_and_consistent",
    "inconclusive",
    "undefined",
    "balanced_accuracy_factual",
    "balanced_accuracy_interventional",
)
"""The measures that Inspect shows; `whybench measures` has all."""


@metric(scores="unreduced")
def composition_measures() -> Metric:
    """The share of compositions that are valid and consistent, and accuracy; conditions pooled."""

    def compute(scores: list[SampleScore]) -> Value:
        return as_metrics(compose_measures(_pooled(metric_rows(scores))), SHOWN)

    return compute


def _pooled(rows: list[dict[str, Any]]) -> pa.Table:
    """Return the answers of a run as records of one condition.

    A unit that was told in several ways counts as several.
    """
    one = dict.fromkeys((*WHOSE, *CONDITION), "")
    told = [tuple(row[name] for name in (*CONDITION, "unit")) for row in rows]
    number = {telling: place for place, telling in enumerate(dict.fromkeys(told))}
    return record_table(
        [{**row, **one, "unit": number[way]} for row, way in zip(rows, told, strict=True)],
        {**SUITE.columns, **SUITE.parts},
    )


@scorer(metrics=[composition_measures()])
def verdict() -> Scorer:
    """Read yes or no from each reply; without either, "N" and a reason."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        return score_sample(state)

    return score


@task
def compose(
    design: str = "core",
    name: str | None = None,
    kinds: str | list[str] | None = None,
    gates: str | list[str] | None = None,
    theme: str | list[str] | None = None,
    detail: str | list[str] | None = None,
    style: str | list[str] | None = None,
    worlds: int | None = None,
    units: int | None = None,
    split: str | None = None,
    shard: str = "1/1",
    group: int | None = None,
) -> Task:
    """Say what would hold if something were made so, about parts of a world and about the whole.

    Args:
        design: A named design (`core`, `full`, ...) or the path of a YAML file.
        name: A name for the design as changed, for the records.
        kinds: Shapes of worlds, such as cycle3+bridge+wheel4, or worlds by name.
        gates: Gates of worlds: or, and, mixed.
        theme: Themes: names, or paths of YAML files.
        detail: Sentences without bearing among the rules: none, some.
        style: Form of the reply: direct, step-by-step, worked-example.
        worlds: Number of worlds of each shape and kind of gates.
        units: Number of units of each world.
        split: The side of the train/test divide.
        shard: `i/n` asks the i-th of n equal parts of the design; units stay whole.
        group: How many items one sample asks, each in a conversation of its own, in place of all
            questions about a unit.
    """
    factors = {
        "name": name,
        "kinds": kinds,
        "gates": gates,
        "theme": theme,
        "detail": detail,
        "style": style,
        "worlds": worlds,
        "units": units,
        "split": split,
    }
    chosen = {factor: levels for factor, levels in factors.items() if levels is not None}
    with explained():
        made = SUITE.design({"base": design, **chosen})
        return question_task(SUITE, made, verdict(), shard=shard, group=group)
