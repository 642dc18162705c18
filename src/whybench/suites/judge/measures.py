"""Records to measures: explaining away and the Markov violation, with intervals.

Each graph has its own contrasts of mean judgments, on the scale from 0 to 1, kept in `tasks.yaml`:

- `ea`, explaining away, in the collider: mean(VIII) - mean(VI). Given the effect, a cause should
  be judged likelier when the other cause is absent than when it is present. In the fork and the
  chain nothing explains anything away, and there is no `ea`.
- `mv`, Markov violation: how much one variable matters for another of which the graph says that
  it should make no difference. A positive value is associative thinking.

  - Collider, mean(IV) - mean(V): the other cause, with the effect unknown.
  - Fork, the mean of VI - VIII and IX - XI: the other effect, once the cause is known. The cause
    screens off its effects whether it is present (VI, VIII) or absent (IX, XI), so both are tests
    of the same law and count alike. A reasoner who suspects something unsaid that stops both
    effects errs only when the cause is present; one who lets every two things of a story go
    together errs in both. The records keep the tasks apart, so that these two can be told.
    IV - V is no violation here: while the cause is unknown, its effects do go together.
  - Chain, the mean of VIII - VII and VI - V: the first variable, once the middle one is known to
    be present or absent.

A contrast of several tasks is one of task *means*, each counting alike: if answers to one task
are missing, the others do not take its place.

Intervals are clustered by vignette, a story under one polarity, since its answers share whatever
the agent believes about that story; those of people by person, each of whom judged one vignette.
There are two of them. The first is for *these stories*: vignettes, or persons, are drawn within
stories that stay as they are. The second is for *stories like these*, which are drawn themselves.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import Estimate, Measure, generalize, weighted_means
from whybench.stats.left_out import Ratio
from whybench.suites.judge.groups import CONDITION, group_answers, make_measure
from whybench.suites.judge.published import people_are_fetched
from whybench.suites.judge.questions import load_structure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import ArrayLike

    from whybench.suites.groups import Group

__all__ = [
    "CONDITION",
    "contrast_measures",
    "contrast_ratios",
    "judge_measures",
    "summed_measures",
    "task_contrast",
    "task_means",
]


def task_contrast(
    name: str,
    values: ArrayLike,
    tasks: ArrayLike,
    vignettes: ArrayLike,
    graph: str = "collider",
    answers: ArrayLike | None = None,
    stories: ArrayLike | None = None,
) -> Estimate:
    """Compute a graph's measure from judgments on the scale 0 to 100.

    Without an answer in each of its tasks there is no estimate.

    Args:
        name: The measure.
        values: The judgments, or means of several.
        tasks: The task of each.
        vignettes: The sampled unit of each.
        graph: Whose contrast it is.
        answers: How many answers each value is the mean of; one if not stated.
        stories: The story of each, within which vignettes are drawn; if not stated, they are drawn
            from all there are, and there is no interval for other stories.
    """
    weights = _contrast_weights(name, graph)
    rows = (values, tasks, vignettes, stories, answers)
    return _weigh_tasks(weights, *rows, "difference of task means")


def contrast_ratios(name: str, graph: str, group: Group) -> Iterator[Ratio]:
    """Yield the task means of a graph's measure, each a ratio of sums with its weight."""
    for task, weight in _contrast_weights(name, graph).items():
        own = group["task"] == task
        yield Ratio(weight, np.where(own, group["value"] / 100, 0.0), own.astype(float))


def _contrast_weights(name: str, graph: str) -> dict[str, float]:
    """Return the weight of each task's mean in a graph's measure."""
    contrast = load_structure(graph).contrasts[name]
    return {
        **{task: 1 / len(contrast.above) for task in contrast.above},
        **{task: -1 / len(contrast.below) for task in contrast.below},
    }


def contrast_measures(records: pa.Table, condition: Sequence[str] = CONDITION) -> Iterator[Measure]:
    """Yield the contrasts of each agent under each condition, in order of appearance."""
    for group in group_answers(records, condition):
        graph = group.labels["graph"]
        for name in load_structure(graph).contrasts:
            answers = (group["value"], group["task"], group.units)
            estimate = task_contrast(name, *answers, graph, group.weights, group["story"])
            yield make_measure(group, name, estimate)


def task_means(records: pa.Table) -> Iterator[Measure]:
    """Yield the mean judgment of each task, on the scale from 0 to 1, at each task."""
    for group in group_answers(records):
        for task in load_structure(group.labels["graph"]).tasks:
            answers = (group["value"], group["task"], group.units, group["story"], group.weights)
            estimate = _weigh_tasks({task: 1.0}, *answers, "mean")
            yield make_measure(replace(group, at={"task": task}), "mean", estimate)


def summed_measures(records: pa.Table) -> list[Measure]:
    """Compute what follows from records that are summed up: all but the likeness to people.

    The measures are those of `judge_measures`, and the task means beside them.
    """
    from whybench.suites.judge.coherence import coherence_measures  # noqa: PLC0415
    from whybench.suites.judge.fitted_models import model_measures  # noqa: PLC0415

    return [
        *coherence_measures(records),
        *contrast_measures(records),
        *task_means(records),
        *model_measures(records),
    ]


def judge_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure: coherence, contrasts, the fitted model, and likeness to people.

    Likeness needs people's judgments, and is computed where these have been fetched; the ceiling
    that people's noise sets and the floor of agents that do not reason stand beside it.
    """
    from whybench.suites.judge.coherence import coherence_measures  # noqa: PLC0415  (not for every use)
    from whybench.suites.judge.confidence import confidence_measures  # noqa: PLC0415
    from whybench.suites.judge.fitted_models import model_measures  # noqa: PLC0415
    from whybench.suites.judge.likeness import likeness_measures  # noqa: PLC0415

    measures = [
        *coherence_measures(records),
        *contrast_measures(records),
        *model_measures(records),
    ]
    measures += confidence_measures(records)
    if people_are_fetched():
        measures += likeness_measures(records)
    return measures


def _weigh_tasks(
    weights: Mapping[str, float],
    values: ArrayLike,
    tasks: ArrayLike,
    vignettes: ArrayLike,
    stories: ArrayLike | None,
    answers: ArrayLike | None,
    what: str,
) -> Estimate:
    """Estimate a weighted sum of task means, on the scale from 0 to 1.

    Flags are left to the group.
    """
    value = np.asarray(values, dtype=float) / 100
    found = weighted_means(weights, value, tasks, vignettes, stories, answers, within="stories")
    if stories is not None:
        found = generalize(found, weighted_means(weights, value, tasks, stories, None, answers))
    return replace(found, method=f"{what}; {found.method}", flags=())
