"""lamp as an Inspect task; the only module here that imports Inspect."""

from inspect_ai import Task, task
from inspect_ai.scorer import Score, Scorer, Target, scorer
from inspect_ai.solver import TaskState

from whybench.suites.task import question_task, score_sample
from whybench_lamp import SUITE

__all__ = ["chance", "lamp"]


@scorer(metrics=[])
def chance() -> Scorer:
    """Read the chance from each reply; `whybench measures` does the rest."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        return score_sample(state)

    return score


@task
def lamp(design: str = "core", shard: str = "1/1", group: int = 1) -> Task:
    """How likely is it that the switch is on, if the lamp is seen, or made, to be lit?"""
    return question_task(SUITE, SUITE.design({"base": design}), chance(), shard=shard, group=group)
