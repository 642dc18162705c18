"""What differs between two agents, or two runs, that were asked about the same units.

The headline is compared on units about which neither side lost anything to a technical error, by
leaving out worlds; accuracies are compared on questions that both sides answered, by leaving out
units. Answers in numbers are compared on questions that neither side lost, by leaving out worlds.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from whybench.suites.compose.agreements import sum_agreements
from whybench.suites.compose.groups import compose_groups, group_by_world
from whybench.suites.compose.measures import RUNGS, rung_accuracy, rung_ratios
from whybench.suites.compose.number_measures import NUMBER_ESTIMATORS, number_groups
from whybench.suites.pairs import (
    Pair,
    RatioEstimator,
    answered_share,
    compare_groups,
    filter_reached_by_both,
    filter_scored_by_both,
    match_groups,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from whybench.stats import Estimate
    from whybench.suites.groups import Group

ESTIMATORS: Mapping[str, Callable[[Group], Estimate]] = {
    f"balanced_accuracy_{rung}": RatioEstimator(
        partial(rung_accuracy, rung=rung), partial(rung_ratios, rung=rung)
    )
    for rung in RUNGS
}


def compose_pairs(records: pa.Table) -> Iterator[Pair]:
    """Yield the differences between two sides, the headline first."""
    for first, second in match_groups(compose_groups(filter_reached_by_both(records))):
        sides = (sum_agreements(group_by_world(group)).jackknife() for group in (first, second))
        yield Pair.of("agreement", first.labels, *sides)
    yield from compare_groups(compose_groups(filter_scored_by_both(records)), ESTIMATORS)
    yield from compare_groups(compose_groups(records), {"answered": answered_share})
    reached = number_groups(filter_reached_by_both(records))
    yield from compare_groups(reached, {**NUMBER_ESTIMATORS, "answered": answered_share})
