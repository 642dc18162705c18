"""Records to measures where all pairs are asked: the experiment, and what was made of it.

Of all episodes that no technical error ended, where one without a report has reported nothing:

- `justified_pairs`: the share of ordered pairs of which a report claims what is right and follows
  from what was seen, on average over reports.
- `justified_accuracy`: the share of reports that are justified in every pair.
- `accuracy_pairs`: the share of pairs claimed rightly, by luck or not.
- `answered`; `mode_…`; `reasks`.

Of the reports alone:

- `settled`: the share of pairs that what was seen settles, whatever was reported. It tells how good
  the experiment was.
- `as_entailed`: the share of pairs reported just as what was seen entails: a cause, none, or open.
  It tells how well the experiment was read.
- `overclaimed`: of all claims, the share about pairs that what was seen leaves open.
- `verdict_…`: the share of pairs with each verdict that is not justified; `verdict_open` are those
  left open.
- `steps`, interventions made.

The first three are also given at each level of `entities` and `initial` where there are several.
Intervals are clustered by hidden graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import clustered_mean, clustered_share, wilson_estimate
from whybench.suites.intervene.reports import PAIR_VERDICTS, count_verdicts, unpack_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from whybench.stats import Estimate, Measure
    from whybench.suites.groups import Group

SPLIT_BY = ("entities", "initial")
JUSTIFIED, OPEN, LUCKY, PREMATURE, _ = range(len(PAIR_VERDICTS))


def measure_reports(group: Group) -> Iterator[Measure]:
    """Yield the measures of reports, but for how episodes ended."""
    episodes = group.where(group["outcome"] != "error")
    answers = group.where(group["outcome"] == "scored")
    for name, estimate in REPORT_ESTIMATORS.items():
        yield episodes.measure(name, estimate(episodes))
    yield from _readings(answers)
    yield answers.measure("steps", clustered_mean(answers["steps"], answers.units))
    for factor in SPLIT_BY:
        levels = np.unique(group[factor]).tolist()
        for level in levels if len(levels) > 1 else ():
            named = {factor: int(level) if factor == "entities" else level}
            at_level = episodes.where(episodes[factor] == level, **named)
            for name, estimate in REPORT_ESTIMATORS.items():
                yield at_level.measure(name, estimate(at_level))


def _readings(answers: Group) -> Iterator[Measure]:
    counts, pairs = _count_pairs(answers), _pairs(answers)
    entailed = [unpack_report(text).values() for text in answers["evidence"].tolist()]
    settled = np.array([sum(claim != "open" for claim in found) for found in entailed])
    for name, met in (("settled", settled), ("as_entailed", counts[:, -1])):
        yield answers.measure(name, _mean_share(met / pairs, answers.units))
    claims = pairs - counts[:, OPEN]
    unfounded = counts[:, LUCKY] + counts[:, PREMATURE]
    yield answers.measure("overclaimed", _share_of(unfounded, claims, answers.units))
    for place, verdict in enumerate(PAIR_VERDICTS):
        if place != JUSTIFIED:
            share = _mean_share(counts[:, place] / pairs, answers.units)
            yield answers.measure(f"verdict_{verdict}", share)


def _mean_share(shares: NDArray[np.float64], units: NDArray[np.intp]) -> Estimate:
    """Estimate the mean of shares, one of each report."""
    return _share_of(shares, np.ones(shares.size), units)


def _share_of(
    part: NDArray[np.float64], whole: NDArray[np.float64], units: NDArray[np.intp]
) -> Estimate:
    """Estimate the sum of parts over that of wholes; not defined where there is nothing."""
    total = float(whole.sum())
    if not total:
        return clustered_share([], [])
    share = float(part.sum()) / total
    return wilson_estimate(share, (part - share * whole) / total, units, "share; Wilson, clustered")


def _pairs(group: Group) -> NDArray[np.float64]:
    """Return how many ordered pairs there are."""
    found: NDArray[np.float64] = group["entities"] * (group["entities"] - 1)
    return found


def _count_pairs(answers: Group) -> NDArray[np.float64]:
    """Return of each report how many pairs have each verdict, and are said as entailed."""
    columns = ("entities", "graph", "report", "evidence")
    cases = zip(*(answers[name].tolist() for name in columns), strict=True)
    counts = [count_verdicts(int(n), *words) for n, *words in cases]
    return np.array(counts, dtype=float).reshape(-1, len(PAIR_VERDICTS) + 1)


def _justified_pairs(episodes: Group) -> Estimate:
    return _mean_share(np.nan_to_num(episodes["value"]), episodes.units)


def _justified_reports(episodes: Group) -> Estimate:
    return clustered_share(episodes["verdict"] == "justified", episodes.units)


def _right_pairs(episodes: Group) -> Estimate:
    scored = episodes["outcome"] == "scored"
    answers = episodes.where(scored)
    counts = _count_pairs(answers)
    right = np.zeros(scored.size)
    right[scored] = (counts[:, JUSTIFIED] + counts[:, LUCKY]) / _pairs(answers)
    return _mean_share(right, episodes.units)


REPORT_ESTIMATORS: Mapping[str, Callable[[Group], Estimate]] = {
    "justified_pairs": _justified_pairs,
    "justified_accuracy": _justified_reports,
    "accuracy_pairs": _right_pairs,
}
"""The measures in which no report counts as none that is right."""
