"""What differs between two agents, or two runs, that were asked about the same cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.stats import balanced_accuracy, clustered_share
from whybench.suites.intervene.groups import groups_of
from whybench.suites.pairs import Pair, answered_share, group_pairs, scored_by_both

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from whybench.stats import Estimate
    from whybench.suites.groups import Group

__all__ = ["intervene_pairs"]

ESTIMATORS: Mapping[str, Callable[[Group], Estimate]] = {
    "justified_accuracy": lambda group: clustered_share(
        group["verdict"] == "justified", group.units
    ),
    "accuracy": lambda group: clustered_share(group["value"] == group["truth"], group.units),
    "balanced_accuracy": lambda group: balanced_accuracy(
        group["value"] == 1, group["truth"] == 1, group.units
    ),
}


def intervene_pairs(records: pa.Table) -> Iterator[Pair]:
    """Yield the differences between two sides, the headline first."""
    yield from group_pairs(groups_of(scored_by_both(records)), ESTIMATORS)
    yield from group_pairs(groups_of(records), {"answered": answered_share})
