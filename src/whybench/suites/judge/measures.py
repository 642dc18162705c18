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
    together errs in both. The records keep the tasks apart for whoever wants to tell these two.
    IV - V is no violation here: while the cause is unknown, its effects do go together.
  - Chain, the mean of VIII - VII and VI - V: the first variable, once the middle one is known to
    be present or absent.

A contrast of several tasks is one of task *means*, each counting alike: if answers to one task
are missing, the others do not take its place.

Intervals are clustered by vignette, a story under one polarity, since its answers share whatever
the agent believes about that story.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.datasets import state
from whybench.stats import Contrast, Measure, mean_difference
from whybench.suites.judge.groups import CONDITION, groups_of
from whybench.suites.judge.published import PEOPLE, SOURCE
from whybench.suites.judge.questions import structure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["CONDITION", "CONTRASTS", "contrast_measures", "judge_measures", "task_contrast"]

CONTRASTS = structure("collider").contrasts
"""Measure to the tasks whose means are compared, in collider stories."""


def task_contrast(
    name: str,
    values: Sequence[float],
    tasks: Sequence[str],
    vignettes: Sequence[object],
    graph: str = "collider",
) -> Contrast:
    """Compute a graph's measure from judgments on the scale 0 to 100.

    Without an answer in each of its tasks there is no estimate.
    """
    judged = np.asarray(values, dtype=float) / 100
    task, vignette = np.asarray(tasks, dtype=str), np.asarray(vignettes, dtype=object)
    contrast = structure(graph).contrasts[name]
    above, below = np.isin(task, contrast.above), np.isin(task, contrast.below)
    if not set(contrast.above + contrast.below) <= set(task):
        n, units = int((above | below).sum()), len(set(vignette[above | below]))
        return Contrast(None, None, None, n, units)
    return mean_difference(
        _counting_alike(judged[above], task[above]),
        _counting_alike(judged[below], task[below]),
        vignette[above].tolist(),
        vignette[below].tolist(),
    )


def _counting_alike(judged: NDArray[np.float64], task: NDArray[np.str_]) -> NDArray[np.float64]:
    """Return values whose mean is the mean of the task means.

    A value becomes m + (x - m_t) n / (k n_t), with m the mean of the k task means m_t. Its part in
    the mean, and so in the clustered variance, is then that of an answer among the n_t of its task.
    """
    names, place, counts = np.unique(task, return_inverse=True, return_counts=True)
    if len(names) == 1:
        return judged
    means = np.bincount(place, weights=judged) / counts
    weight = len(judged) / (len(names) * counts)
    return np.asarray(means.mean() + (judged - means[place]) * weight[place])


def contrast_measures(records: pa.Table, condition: Sequence[str] = CONDITION) -> Iterator[Measure]:
    """Yield the contrasts of each agent under each condition, in order of appearance."""
    for group in groups_of(records, condition):
        graph = group.labels["graph"]
        for name in structure(graph).contrasts:
            found = task_contrast(name, group.values, group.tasks, group.units, graph)
            yield group.measure(
                name, found, "difference of task means; t, clustered by story and polarity"
            )


def judge_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure: contrasts, the fitted model, and alignment with people.

    Alignment needs people's judgments, and is computed where these have been fetched; their own
    noise ceiling stands beside it.
    """
    from whybench.suites.judge.alignment import POOLED, alignment, pooled_ceiling  # noqa: PLC0415  (not for every use)
    from whybench.suites.judge.modelled import modelled_measures  # noqa: PLC0415

    measures = [*contrast_measures(records), *modelled_measures(records)]
    if state(SOURCE, PEOPLE) != "not fetched":
        for measure in alignment(records):
            labels = dict(measure.labels)
            if labels.pop("story") == POOLED:
                ceiling = pooled_ceiling(labels["graph"])
                measures += [replace(found, labels=labels) for found in (measure, ceiling)]
    return measures
