"""judge as an Inspect task, with its measures as Inspect metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer

from whybench.suites.judge import SUITE
from whybench.suites.judge.measures import task_contrast
from whybench.suites.judge.questions import structure
from whybench.suites.task import explained, metric_rows, question_task, score_sample

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState

__all__ = ["judge", "judgment", "likelihood_measures"]


@metric(scores="unreduced")
def likelihood_measures() -> Metric:
    """The contrasts of the graph, such as `ea` and `mv`, with 95% intervals; conditions pooled.

    A run over several conditions is better told apart by `whybench measures`. What cannot be
    estimated is left out rather than reported as zero.
    """

    def compute(scores: list[SampleScore]) -> Value:
        rows = metric_rows(scores)
        scored = [row for row in rows if row["outcome"] == "scored"]
        values: dict[str, Any] = {}
        graph = str(rows[0]["graph"]) if rows else "collider"  # a design is about one graph
        for name in structure(graph).contrasts:
            found = task_contrast(
                name,
                [row["value"] for row in scored],
                [row["task"] for row in scored],
                [f"{row['story']}/{row['polarity']}" for row in scored],
                graph,
            )
            ends = {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
            values |= {key: end for key, end in ends.items() if end is not None}
        return {**values, "scored": len(scored), "no_answer": len(rows) - len(scored)}

    return compute


@scorer(metrics=[likelihood_measures()])
def judgment() -> Scorer:
    """Read the likelihood, 0 to 100, from each reply; without one the score is "N" and a reason."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        return score_sample(state)

    return score


@task
def judge(
    design: str = "core",
    name: str | None = None,
    story: str | list[str] | None = None,
    graph: str | None = None,
    polarity: str | list[str] | None = None,
    overload: str | list[str] | None = None,
    overload_source: str | list[str] | None = None,
    style: str | list[str] | None = None,
    task: str | list[str] | None = None,
    stimuli: str | None = None,
    prior: float | None = None,
    leak: float | None = None,
    strength: float | None = None,
    worlds: int | None = None,
    split: str | None = None,
    shard: str = "1/1",
    group: int = 1,
) -> Task:
    """How likely is it, from 0 to 100? Likelihood judgments about small causal stories.

    Args:
        design: A named design (`core`, `abstract`, `full`, ...) or the path of a YAML file.
        name: A name for the design as changed, for the records.
        story: Stories in place of the design's: names, or paths of YAML files.
        graph: The causal graph: collider, fork, chain.
        polarity: Polarities, such as `ppp`.
        overload: Where distracting text is added: none, d, e, de.
        overload_source: Where it comes from: story, filler.
        style: Form of the reply: numeric, cot, confidence.
        task: Tasks by Roman numeral.
        stimuli: `own` wording, the `published` prompts, or `generated` worlds.
        prior: Prior of a cause at which the normative answer is computed.
        leak: Leak at which it is computed.
        strength: Strength of causes at which it is computed.
        worlds: Number of generated worlds.
        split: The side of the train/test divide, of generated worlds.
        shard: `i/n` asks the i-th of n equal parts of the design.
        group: How many items one sample asks, each in a conversation of its own.
    """
    factors = {
        "name": name,
        "story": story,
        "graph": graph,
        "polarity": polarity,
        "overload": overload,
        "overload_source": overload_source,
        "style": style,
        "task": task,
        "stimuli": stimuli,
        "prior": prior,
        "leak": leak,
        "strength": strength,
        "worlds": worlds,
        "split": split,
    }
    chosen = {factor: levels for factor, levels in factors.items() if levels is not None}
    with explained():
        made = SUITE.design({"base": design, **chosen})
        return question_task(SUITE, made, judgment(), shard=shard, group=group)
