"""Records to measures: explaining away and the Markov violation, with intervals.

Both are differences between the mean judgments of two tasks, on the scale from 0 to 1:

- `ea`, explaining away: mean(VIII) - mean(VI). Given the effect, a cause should be judged
  likelier when the other cause is absent than when it is present.
- `mv`, Markov violation: mean(IV) - mean(V). The causes are independent, so without the effect
  the other cause should make no difference; a positive value is associative thinking.

Intervals are clustered by vignette, a story under one polarity, since its answers share whatever
the agent believes about that story.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import SMALL_N, Contrast, Measure, mean_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

__all__ = ["CONDITION", "CONTRASTS", "judge_measures", "task_contrast"]

CONTRASTS = {"ea": ("VIII", "VI"), "mv": ("IV", "V")}
"""Measure to the tasks whose means are compared, in collider stories."""

CONDITION = ("graph", "stimuli", "content", "overload", "overload_source", "style")
"""The columns that make up a condition; measures are computed within one."""


def task_contrast(
    name: str, values: Sequence[float], tasks: Sequence[str], vignettes: Sequence[object]
) -> Contrast:
    """Compute `ea` or `mv` from judgments on the scale 0 to 100."""
    judged = np.asarray(values, dtype=float) / 100
    task, vignette = np.asarray(tasks, dtype=str), np.asarray(vignettes, dtype=object)
    above, below = (task == wanted for wanted in CONTRASTS[name])
    return mean_difference(judged[above], judged[below], vignette[above], vignette[below])


def judge_measures(records: pa.Table) -> list[Measure]:
    """Compute every measure for each agent under each condition, in order of appearance."""
    keys = ("agent", "design", "design_hash", *CONDITION)
    columns = {
        name: records[name].to_pylist()
        for name in (*keys, "outcome", "value", "task", "story", "polarity")
    }
    groups: dict[tuple[str, ...], list[int]] = {}
    for row, key in enumerate(zip(*(columns[name] for name in keys), strict=True)):
        groups.setdefault(key, []).append(row)
    measures = []
    for key, rows in groups.items():
        outcomes = Counter(columns["outcome"][row] for row in rows)
        scored = [row for row in rows if columns["outcome"][row] == "scored"]
        for name in CONTRASTS:
            found = task_contrast(
                name,
                [columns["value"][row] for row in scored],
                [columns["task"][row] for row in scored],
                [f"{columns['story'][row]}/{columns['polarity'][row]}" for row in scored],
            )
            measures.append(
                Measure(
                    name=name,
                    estimate=found.estimate,
                    low=found.low,
                    high=found.high,
                    n=found.n,
                    units=found.units,
                    scored=outcomes["scored"],
                    no_answer=outcomes["no_answer"],
                    error=outcomes["error"],
                    method="difference of task means; t, clustered by story and polarity",
                    flags=("small_n",) if outcomes["scored"] < SMALL_N else (),
                    labels=dict(zip(keys, key, strict=True)),
                )
            )
    return measures
