"""What differs between two agents, or two runs, that were asked about the same units.

The headline is a share of compositions, each with a verdict that is a test already. It is compared
composition by composition, and its difference is uncertain in two ways. Verdicts near the margin
depend on the units: on the same resamples of units for both sides the ratio of a composition moves,
its interval with it, and with the interval perhaps the verdict. And errors too rare to show in a
run would turn verdicts of another: resamples do not see these, but Wilson's interval of a share of
so many compositions does. The farther ends count.

Accuracies are compared by leaving out units.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import (
    Estimate,
    Replicated,
    balanced_accuracy,
    resampled_shift,
    shift_between,
    wider,
)
from whybench.stats.stratified import stratified_counts
from whybench.suites.compose.comparisons import COLUMNS, RATIOS, CompositionStatistics
from whybench.suites.compose.groups import groups_of, worlds_of
from whybench.suites.compose.measures import RESAMPLES, RUNGS, composed
from whybench.suites.compose.verdicts import DELTA, UNTRUSTED
from whybench.suites.groups import GROUP_KEYS
from whybench.suites.pairs import (
    Pair,
    answered_share,
    couples,
    group_pairs,
    scored_by_both,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.suites.compose.comparisons import Comparison
    from whybench.suites.compose.groups import WorldAnswers
    from whybench.suites.groups import Group

__all__ = ["compose_pairs"]


def _on_rung(rung: str) -> Callable[[Group], Estimate]:
    def estimate(group: Group) -> Estimate:
        chosen = group.where(group["rung"] == rung)
        return balanced_accuracy(chosen["value"] == 1, chosen["truth"] == 1, chosen.units)

    return estimate


ESTIMATORS: Mapping[str, Callable[[Group], Estimate]] = {
    f"balanced_accuracy_{rung}": _on_rung(rung) for rung in RUNGS
}


def compose_pairs(records: pa.Table) -> Iterator[Pair]:
    """Yield the differences between two sides, the headline first."""
    groups = groups_of(records)
    for one, two in couples(groups):
        if (pair := _headline(one, two)) is not None:
            yield pair
    yield from group_pairs(groups_of(scored_by_both(records)), ESTIMATORS)
    yield from group_pairs(groups, {"answered": answered_share})


def _headline(one: Group, two: Group) -> Pair | None:
    """Return the difference of the shares that are valid and consistent."""
    sides = [_resampled(group) for group in (one, two)]
    shared = [key for key in sides[0] if key in sides[1]]
    if not shared:
        return None
    first, second = (float(np.mean([side[key][0] for key in shared])) for side in sides)
    draws = [np.mean([side[key][1] for key in shared], axis=0) for side in sides]
    units = len(np.unique(one.units))
    moved = resampled_shift(first, second, (draws[0], draws[1]), one.units.size, units)
    seldom = shift_between(*(_of_trials([side[key][0] for key in shared]) for side in sides))
    labels = {name: value for name, value in one.labels.items() if name not in GROUP_KEYS}
    return Pair("valid_and_consistent", labels, first, second, wider(moved, seldom))


def _of_trials(yes: Sequence[bool]) -> Replicated:
    """Return the share of compositions that are valid and consistent, each counting as a trial."""
    share, n = float(np.mean(yes)), len(yes)
    q = NormalDist().inv_cdf(0.975) ** 2 / n
    half = (q * share * (1 - share) + q**2 / 4) ** 0.5
    low, high = ((share + q / 2 + side * half) / (1 + q) for side in (-1, 1))
    without: dict[Hashable, float] = {
        place: (share * n - one) / max(n - 1, 1) for place, one in enumerate(yes)
    }
    return Replicated(Estimate(share, low, high, n, n, "Wilson"), without)


def _resampled(
    group: Group,
) -> dict[tuple[str, tuple[int, ...]], tuple[bool, NDArray[np.bool_]]]:
    """Return for each composition whether it is valid and consistent, and on each resample."""
    draws = {world.label: _ratios(world) for world in worlds_of(group)}
    found = {}
    place = dict.fromkeys(draws, 0)
    for world, composition in composed(group):
        start = place[world.label]
        place[world.label] += COLUMNS
        yes = np.ones(RESAMPLES, dtype=bool)
        for column, compared in zip(
            RATIOS, (composition.valid, composition.consistent), strict=True
        ):
            yes &= _says_yes(compared, draws[world.label][:, start + column])
        found[world.label, composition.path] = (composition.kind == "VC", yes)
    return found


def _ratios(world: WorldAnswers) -> NDArray[np.float64]:
    """Return the statistics of all compositions of a world on the resamples of its verdicts."""
    answered = world.answered
    counts = stratified_counts(answered.sample.strata, RESAMPLES, ("compose", world.label))
    return CompositionStatistics(answered, world.chain.compositions, "pns")(counts)


def _says_yes(compared: Comparison, ratios: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return on which resamples the verdict is yes: the interval moves with the ratio."""
    found = compared.ratio
    ends = () if found.low is None or found.high is None else (found.low, found.high)
    if found.estimate is None or not ends or compared.resolution > DELTA:
        return np.zeros(ratios.size, dtype=bool)
    if UNTRUSTED & set(found.flags):
        return np.zeros(ratios.size, dtype=bool)
    moved = ratios - found.estimate
    return np.asarray((ends[0] + moved > -DELTA) & (ends[1] + moved < DELTA))
