"""Records to measures: explaining away and the Markov violation, with intervals.

Each graph has its own contrasts of mean judgments, on the scale from 0 to 1, kept in `tasks.yaml`:

- `explaining_away`, explaining away, in the collider: mean(VIII) - mean(VI). Given the effect, a
  cause should be judged likelier when the other cause is absent than when it is present. In the
  fork and the chain nothing explains anything away, and there is no `explaining_away`.
- `markov_violation`, Markov violation: how much one variable matters for another of which the graph
  says that it should make no difference. A positive value is associative thinking.

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
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.stats import Estimate, Measure, generalize, weighted_means
from whybench.stats.left_out import Ratio
from whybench.suites.judge.groups import CONDITION, JudgeMeasure, group_answers
from whybench.suites.judge.published import people_are_fetched
from whybench.suites.judge.questions import load_structure
from whybench.suites.judge.shift_ratio import SHIFTS, shift_measures
from whybench.suites.measures import (
    SHARE,
    DeclaredMeasure,
    measure_groups,
    reached,
    scored,
    share,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
    return measure_groups(group_answers(records, condition), CONTRASTS)


def task_means(records: pa.Table) -> Iterator[Measure]:
    """Yield the mean judgment of each task, on the scale from 0 to 1, at each task."""
    return measure_groups(group_answers(records), TASK_MEANS)


def summed_measures(records: pa.Table) -> list[Measure]:
    """Compute the measures that records with sums are enough for, and the task means."""
    from whybench.suites.judge.fitted_models import model_measures  # noqa: PLC0415  (imports scipy)

    found = (
        contrast_measures(records),
        shift_measures(records),
        task_means(records),
        model_measures(records),
    )
    return _describe(chain(*found))


def judge_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure: contrasts, the shift ratio, the fitted model, and likeness to people.

    Likeness requires people's judgments, and is computed if these have been fetched.
    """
    from whybench.suites.judge.confidence import confidence_measures  # noqa: PLC0415
    from whybench.suites.judge.fitted_models import model_measures  # noqa: PLC0415
    from whybench.suites.judge.likeness import likeness_measures  # noqa: PLC0415

    found = (
        contrast_measures(records),
        shift_measures(records),
        model_measures(records),
        confidence_measures(records),
        likeness_measures(records) if people_are_fetched() else (),
    )
    return _describe(chain(*found))


def _describe(measures: Iterable[Measure]) -> list[Measure]:
    """Return measures with the ranges that the table declares."""
    ranges = {one.name: one.range for one in MEASURES}
    return [replace(one, range=ranges[one.name]) for one in measures]


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


def _contrast(name: str, label: str, meaning: str, **declared: Any) -> JudgeMeasure:
    def estimate(group: Group) -> Estimate:
        answers = (group["value"], group["task"], group.units)
        return task_contrast(name, *answers, group.labels["graph"], group.weights, group["story"])

    return JudgeMeasure(
        name=name,
        label=label,
        meaning=meaning,
        range=(-1.0, 1.0),
        compute=estimate,
        ratios=lambda group: contrast_ratios(name, group.labels["graph"], group),
        when=lambda group: name in load_structure(group.labels["graph"]).contrasts,
        compared="scored",
        **declared,
    )


def _by_task(group: Group) -> Iterator[Group]:
    for task in load_structure(group.labels["graph"]).tasks:
        yield replace(group, at={"task": task})


def _mean_of_task(group: Group) -> Estimate:
    answers = (group["value"], group["task"], group.units, group["story"], group.weights)
    return _weigh_tasks({str(group.at["task"]): 1.0}, *answers, "mean")


def _described(
    name: str, label: str, meaning: str, low: float, high: float, **declared: Any
) -> DeclaredMeasure:
    """Declare a measure that is computed for all groups together elsewhere."""
    return DeclaredMeasure(name=name, label=label, meaning=meaning, range=(low, high), **declared)


CONTRASTS = (
    _contrast(
        "explaining_away",
        "explaining away",
        "How much lower a cause is judged, given the effect, if the other cause is present.",
    ),
    _contrast(
        "markov_violation",
        "Markov violation",
        "How much higher a variable is judged if one to which it has no link is present.",
    ),
)

TASK_MEANS = (
    JudgeMeasure(
        name="mean",
        label="mean judgment",
        meaning="The mean judgment in a task.",
        range=SHARE,
        compute=_mean_of_task,
        overall=False,
        levels=(_by_task,),
    ),
)

FITS = (
    _described("prior", "prior", "The prior probability of a cause in the fitted model.", 0, 1),
    _described("leak", "leak", "The probability of an effect without its causes, fitted.", 0, 1),
    _described("strength", "strength", "The mean strength of a cause in the fitted model.", 0, 1),
    _described(
        "leak_adjusted_determinacy",
        "leak-adjusted determinacy (LAD)",
        "The strength less the leak: 0 if causes make no difference, 1 if they decide everything.",
        -1,
        1,
    ),
    _described(
        "heldout_r2",
        "held-out R²",
        "The R² with which the model predicts the mean judgment of each task from the other tasks.",
        -inf,
        1,
        direction="higher",
        compared="scored",
    ),
    _described(
        "heldout_class_r2",
        "held-out R² (whole classes)",
        "The same R², if all tasks that the model forces to be equal are held out together.",
        -inf,
        1,
        direction="higher",
    ),
)

CONFIDENCE = (
    _described("confidence", "confidence", "The mean stated confidence.", 0, 1),
    _described(
        "confidence_resolution",
        "resolution of confidence",
        "The rank correlation of stated confidence with the closeness of an answer to the agent's "
        "other answers.",
        -1,
        1,
        direction="higher",
    ),
)

LIKENESS = (
    _described(
        "human_correlation",
        "correlation with people",
        "The rank correlation of mean judgments with those of people.",
        -1,
        1,
        direction="higher",
        compared="scored",
    ),
    _described(
        "human_correlation_ceiling",
        "noise ceiling of the correlation",
        "The rank correlation that an agent would have which knew people's true means.",
        -1,
        1,
    ),
    _described(
        "human_correlation_baseline",
        "baseline of the correlation",
        "The rank correlation of the best agent that does not reason.",
        -1,
        1,
    ),
    _described(
        "human_distance",
        "distance from people",
        "The mean distance of mean judgments from those of people, in points from 0 to 100.",
        0,
        100,
        direction="lower",
    ),
)

ANSWERED = share(
    "answered",
    "answered",
    "The share of questions with an answer.",
    reached,
    scored,
    overall=False,
    compared="all",
    direction="higher",
    exact=1.0,
)

MEASURES = (*CONTRASTS, *SHIFTS, *TASK_MEANS, *FITS, *CONFIDENCE, *LIKENESS, ANSWERED)
"""The measures of judge; those without a function are computed for all groups together."""
