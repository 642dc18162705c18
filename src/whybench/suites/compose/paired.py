"""What differs between two agents, or two runs, that were asked about the same units.

The headline is a share of compositions, each with a verdict that is a test already. It is compared
composition by composition, and its difference is uncertain in two ways. Verdicts near the margin
depend on the units: on the same resamples of units for both sides the ratio of a composition moves,
its interval with it, and with the interval perhaps the verdict. And errors too rare to show in a
run would turn verdicts of another: resamples do not see these, but Wilson's interval of a share of
that many compositions does. The farther ends count.

Accuracies are compared by leaving out units.
"""

from __future__ import annotations

from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import (
    Estimate,
    Jackknifed,
    difference_between,
    envelope,
    resampled_difference,
)
from whybench.stats.resampling import draw_stratified_counts
from whybench.suites.compose.comparisons import COLUMNS, RATIOS, CompositionStatistics
from whybench.suites.compose.groups import compose_groups, group_by_world
from whybench.suites.compose.measures import RESAMPLES, RUNGS, list_compositions, rung_accuracy
from whybench.suites.compose.verdicts import DELTA, UNTRUSTED
from whybench.suites.groups import GROUP_KEYS
from whybench.suites.pairs import (
    Pair,
    answered_share,
    compare_groups,
    filter_scored_by_both,
    match_groups,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.suites.compose.comparisons import TargetComparison
    from whybench.suites.compose.groups import WorldAnswers
    from whybench.suites.groups import Group

__all__ = ["compose_pairs"]


ESTIMATORS: Mapping[str, Callable[[Group], Estimate]] = {
    f"balanced_accuracy_{rung}": partial(rung_accuracy, rung=rung) for rung in RUNGS
}


def compose_pairs(records: pa.Table) -> Iterator[Pair]:
    """Yield the differences between two sides, the headline first."""
    groups = compose_groups(records)
    for first, second in match_groups(groups):
        if (pair := _headline(first, second)) is not None:
            yield pair
    yield from compare_groups(compose_groups(filter_scored_by_both(records)), ESTIMATORS)
    yield from compare_groups(groups, {"answered": answered_share})


def _headline(baseline: Group, other: Group) -> Pair | None:
    """Return the difference of the shares that are valid and consistent."""
    sides = [_resample_verdicts(group) for group in (baseline, other)]
    shared = [key for key in sides[0] if key in sides[1]]
    if not shared:
        return None
    first, second = (float(np.mean([side[key][0] for key in shared])) for side in sides)
    draws = [np.mean([side[key][1] for key in shared], axis=0) for side in sides]
    units = len(np.unique(baseline.units))
    moved = resampled_difference(first, second, (draws[0], draws[1]), baseline.units.size, units)
    shares = (_wilson_share([side[key][0] for key in shared]) for side in sides)
    seldom = difference_between(*shares)
    labels = {name: value for name, value in baseline.labels.items() if name not in GROUP_KEYS}
    return Pair("valid_and_consistent", labels, first, second, envelope(moved, seldom))


def _wilson_share(yes: Sequence[bool]) -> Jackknifed:
    """Return the share of compositions that are valid and consistent, each counting as a trial."""
    share, n = float(np.mean(yes)), len(yes)
    q = NormalDist().inv_cdf(0.975) ** 2 / n
    half = (q * share * (1 - share) + q**2 / 4) ** 0.5
    low, high = ((share + q / 2 + side * half) / (1 + q) for side in (-1, 1))
    without: dict[Hashable, float] = {
        number: (share * n - is_yes) / max(n - 1, 1) for number, is_yes in enumerate(yes)
    }
    return Jackknifed(Estimate(share, low, high, n, n, "Wilson"), without)


def _resample_verdicts(
    group: Group,
) -> dict[tuple[str, tuple[int, ...]], tuple[bool, NDArray[np.bool_]]]:
    """Return for each composition whether it is valid and consistent, and on each resample."""
    draws = {world.label: _resample_statistics(world) for world in group_by_world(group)}
    results = {}
    position = dict.fromkeys(draws, 0)
    for world, composition in list_compositions(group):
        start = position[world.label]
        position[world.label] += COLUMNS
        yes = np.ones(RESAMPLES, dtype=bool)
        for column, compared in zip(RATIOS, composition.comparisons.values(), strict=True):
            yes &= _is_yes(compared, draws[world.label][:, start + column])
        results[world.label, composition.path] = (composition.kind == "VC", yes)
    return results


def _resample_statistics(world: WorldAnswers) -> NDArray[np.float64]:
    """Return the statistics of all compositions of a world on the resamples of its verdicts."""
    answered = world.answered
    counts = draw_stratified_counts(answered.sample.strata, RESAMPLES, world.keys)
    return CompositionStatistics(answered, world.chain.compositions, "pns")(counts)


def _is_yes(compared: TargetComparison, ratios: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return on which resamples the verdict is yes: the interval moves with the ratio."""
    ratio = compared.ratio
    untrusted = compared.resolution > DELTA or bool(UNTRUSTED & set(ratio.flags))
    if ratio.estimate is None or ratio.low is None or ratio.high is None or untrusted:
        return np.zeros(ratios.size, dtype=bool)
    moved = ratios - ratio.estimate
    return np.asarray((ratio.low + moved > -DELTA) & (ratio.high + moved < DELTA))
