"""Sums over worlds, verdicts on compositions, and errors for the measures of compose."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.stats import Estimate, clustered_slope
from whybench.stats.left_out import Ratio, balanced_ratios
from whybench.suites.compose.agreements import AgreementSums, sum_agreements
from whybench.suites.compose.estimators import OUTVOTING
from whybench.suites.compose.groups import group_by_world
from whybench.suites.compose.tables import WorldComposition, list_compositions
from whybench.suites.measures import DeclaredMeasure, both, equals, scored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from whybench.stats import Measure
    from whybench.suites.compose.verdicts import Class
    from whybench.suites.groups import Group

RUNGS = ("factual", "interventional")

DECIDED: frozenset[Class] = frozenset({"VC", "VI", "IC", "II"})
"""The classes to which an undecided composition may belong."""


@dataclass(frozen=True)
class AgreementMeasure(DeclaredMeasure):
    """An agreement, whose sampled unit is the world if there are several of each kind."""

    def measure(self, group: Group) -> Measure:
        """Return the measure of a group."""
        unit = group.once(sum_of_worlds).unit
        found = super().measure(group)
        method = found.method.removesuffix(f" by {group.unit}") + f" by {unit}"
        return replace(found, method=method)


def sum_of_worlds(group: Group) -> AgreementSums:
    """Return the sums of which agreements are made."""
    return sum_agreements(group.once(group_by_world))


def sum_of_votes(group: Group) -> AgreementSums:
    """Return these sums if the majority of epochs decides each answer."""
    return sum_agreements(group.once(group_by_world), by_vote=True)


def has_votes(group: Group) -> bool:
    """Return whether there are enough epochs for a majority to correct errors."""
    worlds = group.once(group_by_world)
    return max((world.answered.y1.shape[0] for world in worlds), default=0) >= OUTVOTING


def flag_stale_votes(group: Group) -> tuple[str, ...]:
    """Return the flag of worlds whose epochs all have the same answers."""
    outvoted = all(world.answered.outvoted for world in group.once(group_by_world))
    return () if outvoted else ("noise_biased",)


def _list_results(group: Group) -> list[WorldComposition]:
    return list_compositions(group.once(group_by_world))


def flag_bias(group: Group) -> tuple[str, ...]:
    """Return the flags of compositions."""
    results = group.once(_list_results)
    return tuple(sorted({flag for _, composition in results for flag in composition.flags}))


def share_of_class(kind: Class, group: Group) -> Estimate:
    """Estimate the share of compositions in a class."""
    counts = Counter(composition.kind for _, composition in group.once(_list_results))
    undecided = counts["inconclusive"] if kind in DECIDED else 0
    return _share_of_results(group, counts[kind], undecided)


def share_of_yes(name: str, group: Group) -> Estimate:
    """Estimate the share of compositions with a yes in one verdict."""
    results = group.once(_list_results)
    counts = Counter(found.comparisons[name].verdict for _, found in results)
    return _share_of_results(group, counts["yes"], counts["inconclusive"])


def share_passing(group: Group) -> Estimate:
    """Estimate the share of compositions that pass the paper's rule."""
    passed = sum(found.passes_source for _, found in group.once(_list_results))
    return _share_of_results(group, passed, 0)


def _share_of_results(group: Group, count: int, undecided: int) -> Estimate:
    """Return a share of compositions, with the band that the undecided ones leave."""
    results = group.once(_list_results)
    share, most = (
        number / len(results) if results else None for number in (count, count + undecided)
    )
    samples = {id(world): world.answered for world, _ in results}.values()
    answers = sum(int((~np.isnan(y)).sum()) for arrays in samples for y in (arrays.y1, arrays.y0))
    units = sum(arrays.sample.size for arrays in samples)
    flags = () if share is not None else ("undefined",)
    plural = "" if len(results) == 1 else "s"
    band = ", undecided ones either way" if undecided else ""
    method = f"over {len(results)} composition{plural}{band}, verdicts by resampling"
    ends = (share, most) if undecided else (None, None)
    return Estimate(share, *ends, answers, units, method, flags)


def gap_ratios(answers: Group) -> list[Ratio]:
    """Return the ratios of balanced accuracies, those of interventional questions negative."""
    truth = is_true(answers)
    right = says_yes(answers) == truth
    return [
        ratio._replace(weight=sign * ratio.weight)
        for rung, sign in zip(RUNGS, (1, -1), strict=True)
        for ratio in balanced_ratios(right, truth, answers["rung"] == rung)
    ]


def count_mediators(group: Group) -> NDArray[Any]:
    """Return the number of nodes between cause and effect."""
    return np.asarray(group["effect"] - group["cause"] - 1)


def count_blocks(group: Group) -> NDArray[Any]:
    """Return the number of blocks from cause to effect."""
    return group["distance"]


@dataclass(frozen=True)
class ByLength:
    """Split a group by the length of the way from cause to effect.

    Attributes:
        factor: The name of the length.
        count: Returns the length of each row.
    """

    factor: str
    count: Callable[[Group], NDArray[Any]]

    def __call__(self, group: Group) -> Iterator[Group]:
        """Yield the answers to interventional questions at each length."""
        answers = group.where(is_caused(group))
        lengths = self.count(answers)
        for length in np.unique(lengths).tolist():
            yield answers.where(lengths == length, **{self.factor: int(length)})


def slope_on(count: Callable[[Group], NDArray[Any]], answers: Group) -> Estimate:
    """Estimate the slope of errors on a length."""
    return clustered_slope(is_wrong(answers), count(answers), answers.units)


def is_wrong(group: Group) -> NDArray[np.bool_]:
    """Return whether the answer is not the truth."""
    return np.asarray(group["value"] != group["truth"])


def is_right(group: Group) -> NDArray[np.bool_]:
    """Return whether the answer is the truth."""
    return ~is_wrong(group)


says_yes = equals("value", 1)
is_true = equals("truth", 1)
is_caused = both(scored, equals("rung", "interventional"))
