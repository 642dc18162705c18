"""What differs between two agents, or two runs, that analysed the same data.

A reply without an answer is worth 0, as in the measures; who fell for a trap, and who saw one that
is not there, is compared on what both answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.stats import clustered_share
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.design import CONTROL
from whybench.suites.analyze.measures import bounded_mean, groups_of, scores_of, twin_scores
from whybench.suites.pairs import Pair, answered_share, group_pairs, scored_by_both

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from whybench.stats import Estimate
    from whybench.suites.groups import Group

__all__ = ["analyze_pairs"]


def _of_twin(twin: str, column: str) -> Callable[[Group], Estimate]:
    def estimate(group: Group) -> Estimate:
        chosen = group.where(group["twin"] == twin)
        return clustered_share(chosen[column] == "True", chosen.units)

    return estimate


OF_REPLIES: Mapping[str, Callable[[Group], Estimate]] = {
    "twin_score": twin_scores,
    "score": lambda group: bounded_mean(scores_of(group), group.units, "mean"),
    "answered": answered_share,
}
OF_ANSWERS: Mapping[str, Callable[[Group], Estimate]] = {
    "fell_for": _of_twin(TRAP, "fell_for"),
    "false_alarm": _of_twin(CONTROL, "false_alarm"),
}


def analyze_pairs(records: pa.Table) -> Iterator[Pair]:
    """Yield the differences between two sides, the headline first."""
    yield from group_pairs(groups_of(records), OF_REPLIES)
    yield from group_pairs(groups_of(scored_by_both(records)), OF_ANSWERS)
