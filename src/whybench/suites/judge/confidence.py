"""Stated confidence: how high it is, and whether it tells where answers go wrong.

Where a style asks for confidence, an answer is two numbers, and the second can be judged by what
became of the first.

- `confidence` is the mean of what is stated, on the scale from 0 to 1.
- `confidence_resolution` is Spearman's rho of the stated confidence and the closeness of the
  answer: 1 if the agent is the more confident the closer it is, 0 if confidence tells nothing,
  below 0 if it is most confident where it is furthest off.

Stories state no rates, so closeness is not to any truth. It is to what the agent's own answers to I
to V imply of VI to XI, in the collider (`whybench.suites.judge.implied`): does it know which of
its judgments do not follow from the others? That is no calibration, and two things beside knowing
move it: an agent that is sure of all answers near 0 and 100, and tasks that are easy for everybody.
Where confidence never changes there is nothing to be told, and no estimate (`constant`).

Intervals are Student's t with the variance of leaving out each vignette, within -1 and 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import Estimate, clustered_mean, resampled_spearman, t_quantile
from whybench.stats.resampling import jackknife_counts
from whybench.stats.results import flag_few_units
from whybench.suites.groups import group_records
from whybench.suites.judge.groups import CONDITION, make_measure
from whybench.suites.judge.implied import ASKED, COLLIDER, imply_each

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Measure
    from whybench.suites.groups import Group

WORD_COLUMNS = ("outcome", "task", "cause", "story", "polarity")
NUMBERS = ("value", "confidence")
VIGNETTE = ("story and polarity", ("story", "polarity"))
METHOD = "Spearman's rho; t, by leaving out"
LEVEL = 0.95
FEWEST = 2
PLACES = 9


def confidence_measures(records: pa.Table) -> Iterator[Measure]:
    """Yield `confidence`, and `confidence_resolution`, wherever an agent states any."""
    if not {*NUMBERS} <= {*records.column_names}:
        return
    for group in group_records(records, CONDITION, WORD_COLUMNS, NUMBERS, lambda _: VIGNETTE):
        scored = group.where(group["outcome"] == "scored")
        stated = scored.where(~np.isnan(scored["confidence"]))
        if not stated.units.size:
            continue
        mean = clustered_mean(stated["confidence"] / 100, stated.units)
        yield make_measure(stated, "confidence", mean)
        off = _distances(scored)
        if off is not None:
            known = ~np.isnan(off) & ~np.isnan(scored["confidence"])
            # What differs by rounding is tied.
            told = _correlate(scored.where(known), -np.round(off[known], PLACES))
            yield make_measure(scored, "confidence_resolution", told)


def _distances(group: Group) -> NDArray[np.float64] | None:
    """Return how far each answer is off, NaN where that cannot be told; None where nowhere."""
    if group.labels["graph"] != COLLIDER:
        return None
    names, units = np.unique(group.units, return_inverse=True)
    implied = imply_each(group, units, names.size)
    place = {question: number for number, question in enumerate(ASKED)}
    off: NDArray[np.float64] = np.full(units.size, np.nan)
    for row, question in enumerate(zip(group["task"], group["cause"], strict=True)):
        if implied is not None and question in place:
            off[row] = abs(group["value"][row] - 100 * implied[units[row], place[question]])
    return off


def _correlate(group: Group, closeness: NDArray[np.float64]) -> Estimate:
    """Return the rank correlation of confidence and closeness."""
    n, units = group.units.size, np.unique(group.units).size
    nothing = Estimate(None, None, None, n, units, METHOD, ("undefined",))
    if n < FEWEST:
        return nothing
    sure = group["confidence"]
    rho = float(resampled_spearman(sure, closeness, np.ones((1, n)))[0, 0])
    if np.isnan(rho):
        return replace(nothing, flags=("constant",))
    found = Estimate(rho, None, None, n, units, METHOD, flag_few_units(units))
    if units < FEWEST:
        return found
    without = resampled_spearman(sure, closeness, jackknife_counts(group.units.tolist()))[0]
    if np.isnan(without).any():
        return found
    spread = (units - 1) / units * float(np.sum((without - without.mean()) ** 2))
    reach = t_quantile(0.5 + LEVEL / 2, units - 1) * spread**0.5
    return replace(found, low=max(-1.0, rho - reach), high=min(1.0, rho + reach))
