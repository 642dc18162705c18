"""Shift ratio: an agent's explaining away, relative to what its own other answers imply.

Given the effect, an agent judges a cause with the other cause absent (VIII) and present (VI). The
*observed* shift is VIII less VI. The *implied* shift is the same difference in the judgments that
follow from its answers to I to V (`whybench.suites.judge.implied`). `shift_ratio` is the mean
observed shift over the mean implied one: 1 for an agent whose judgments follow from its own
answers, 0 for an agent that ignores the other cause, below 0 for an agent that shifts against its
own answers. It is a style and not an ability: no value is better.

**Why the effect-present judgments only.** Given that the effect is absent (XI less IX), noisy-OR
implies no shift at all, so that block would only add noise. A conjunctive table implies shifts of
opposite signs in the two blocks, which would cancel in a mean. A regression of observed on implied
shifts would not cancel, but its slope is too small by the noise of the implied shifts.

**Means before the ratio.** Shifts are averaged over vignettes and the two causes, so noise that
vignettes don't share has mean 0 above and below. An agent may believe something else in each
vignette. A vignette and cause counts if both VI and VIII have an answer.

**Intervals** are Fieller's with Student's t. The variances of the first, for these stories, are by
leaving out each vignette (or person), compared within its story; those of the second, for stories
like these, by leaving out each story. Missing answers to I to V are replaced by means over
vignettes, and when a part is left out by means over the others. Fieller's interval is bounded where
the mean implied shift differs from 0 at p < 0.05. The first always is, since the ratio has a value
only where the implied shift differs from 0 at p < 0.01; where the second is not, it is left out and
flagged. An implied shift nearer to 0 than `LEAST_IMPLIED` counts as 0, since answers are whole
numbers.

**Silence** buys no value: where more than a tenth of the answers to I to VI and VIII were not
given, there is no ratio. Fewer are left out, as answers that were lost to a technical error are.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import Estimate, generalize, leave_out_covariance, weighted_means
from whybench.stats.clustered import ROUNDING, t_quantile
from whybench.stats.paired import Jackknifed
from whybench.stats.results import flag_few_units
from whybench.suites.judge.groups import JudgeMeasure, group_every_answer
from whybench.suites.judge.implied import ASKED, COLLIDER, GIVEN, fill_in, imply, mean_answers
from whybench.suites.measures import measure_groups
from whybench.suites.pairs import difference_of, match_groups, strata_of_units

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Difference, Measure
    from whybench.suites.groups import Group

    Array = NDArray[np.float64]

METHOD = "ratio of mean shifts; Fieller, by leaving out within stories"

NO_IMPLIED_SHIFT = "no_implied_shift"
MANY_UNANSWERED = "many_unanswered"
UNBOUNDED = "unbounded"
"""The second interval has no ends."""

LEVEL, GATE = 0.95, 0.01
LEAST_IMPLIED = 0.02
MOST_UNANSWERED = 0.1
FEWEST = 2
"""Vignettes or stories that an interval needs."""

ABSENT, PRESENT = (
    [place for place, (task, _) in enumerate(ASKED) if task == wanted] for wanted in ("VIII", "VI")
)
NEEDED = (*dict.fromkeys(task for task, _ in GIVEN), "VI", "VIII")


@dataclass(frozen=True, eq=False)
class ShiftRatio:
    """The shift ratio of one agent under one condition.

    Attributes:
        ratio: The measure.
        implied: The mean implied shift: the explaining away that follows from its other answers.
        without: The sampled unit to the ratio of the others.
        stories: The sampled unit to its story.
    """

    ratio: Estimate
    implied: Estimate
    without: Mapping[Hashable, float] = field(default_factory=dict)
    stories: Mapping[Hashable, Hashable] = field(default_factory=dict)

    @property
    def jackknifed(self) -> Jackknifed:
        """The measure, and its value without each unit."""
        return Jackknifed(self.ratio, self.without, self.stories)


def shift_measures(records: pa.Table) -> Iterator[Measure]:
    """Yield `shift_ratio` and `explaining_away_implied` wherever there is a collider."""
    return measure_groups(group_every_answer(records), SHIFTS)


def measure_shift_ratio(group: Group) -> ShiftRatio:
    """Return the shift ratio of an agent's answers under one condition.

    Args:
        group: All its answers, given or not (`group_every_answer`).
    """
    names, unit = np.unique(group["sampled"], return_inverse=True)
    n = int(group.weights[group["outcome"] == "scored"].sum())
    nothing = Estimate(None, None, None, n, names.size, METHOD, ("undefined",))
    if _share_unanswered(group) > MOST_UNANSWERED:
        return ShiftRatio(replace(nothing, flags=(MANY_UNANSWERED,)), nothing)
    answers = _Answers(*(mean_answers(group, asked, unit, names.size) for asked in (GIVEN, ASKED)))
    sums, counts = answers.sum_shifts()
    having = counts > 0
    if having.sum() < FEWEST:
        return ShiftRatio(nothing, nothing)
    names, sums, counts = names[having], sums[having], counts[having]
    stories = strata_of_units(group["sampled"].tolist(), group["story"].tolist())
    story = np.array([str(stories.get(name, "")) for name in names.tolist()])
    implied = _estimate_implied(sums[:, 1] / counts, counts, names, story)
    observed, expected = (sums.sum(axis=0) / counts.sum()).tolist()
    left = answers.leave_out(_number_parts(names, having))
    if np.isnan(left).any():
        return ShiftRatio(nothing, implied, {}, stories)
    covariance, degrees = leave_out_covariance(left, story)
    reach = t_quantile(1 - GATE / 2, degrees) * covariance[1, 1] ** 0.5
    if abs(expected) <= max(reach, LEAST_IMPLIED):
        flagged = replace(nothing, flags=(NO_IMPLIED_SHIFT,))
        return ShiftRatio(flagged, implied, {}, stories)
    low, high = _fieller(observed, expected, covariance, degrees)
    flags = flag_few_units(names.size) + (("no_spread",) if high - low <= ROUNDING else ())
    found = Estimate(observed / expected, low, high, n, names.size, METHOD, flags)
    with np.errstate(divide="ignore", invalid="ignore"):
        without = dict(zip(names.tolist(), (left[:, 0] / left[:, 1]).tolist(), strict=True))
    found = _add_stories(found, answers, _number_parts(story, having))
    return ShiftRatio(found, implied, without, stories)


def compare_shift_ratios(both: pa.Table) -> Iterator[Difference]:
    """Yield how the shift ratios of two sides differ, given the answers that neither lost."""
    for pair in match_groups(group_every_answer(both)):
        if has_collider(pair[0]):
            sides = (measure_shift_ratio(group).jackknifed for group in pair)
            yield difference_of("shift_ratio", pair[0].labels, *sides)


def _share_unanswered(group: Group) -> float:
    """Return the share of the answers that are needed and not lost that were not given."""
    reached = np.isin(group["task"], NEEDED) & (group["outcome"] != "error")
    silent = reached & (group["outcome"] == "no_answer")
    total = float(group.weights[reached].sum())
    return float(group.weights[silent].sum()) / total if total else 0.0


def _estimate_implied(
    shift: Array, counts: NDArray[np.intp], names: NDArray[np.str_], story: NDArray[np.str_]
) -> Estimate:
    """Estimate the mean implied shift, with both intervals."""
    rows = ({"shift": 1.0}, shift, ["shift"] * shift.size)
    found = weighted_means(*rows, names, story, counts, within="stories")
    found = replace(found, method=f"mean over units; {found.method}")
    return generalize(found, weighted_means(*rows, story, None, counts))


@dataclass(frozen=True, eq=False)
class _Answers:
    """The mean answers of each unit, NaN where there is none.

    Attributes:
        given: The answers to I to V, units x `GIVEN`.
        judged: The judgments given the effect, units x `ASKED`.
    """

    given: Array
    judged: Array

    def of(self, rows: NDArray[np.bool_]) -> _Answers:
        """Return the answers of some units."""
        return _Answers(self.given[rows], self.judged[rows])

    def sum_shifts(self) -> tuple[Array, NDArray[np.intp]]:
        """Return the sums of the observed and implied shifts of each unit, and their numbers."""
        both = (self.judged, imply(fill_in(self.given)))
        shifts = np.stack([each[:, ABSENT] - each[:, PRESENT] for each in both], axis=-1)
        known = ~np.isnan(shifts.sum(axis=-1))
        return np.where(known[..., None], shifts, 0.0).sum(axis=1), known.sum(axis=1)

    def mean_shifts(self) -> Array:
        """Return the mean observed and implied shift; NaN without any."""
        sums, counts = self.sum_shifts()
        return np.asarray(sums.sum(axis=0) / (counts.sum() or np.nan))

    def leave_out(self, parts: NDArray[np.intp]) -> Array:
        """Return the mean shifts without each part, parts x 2; units of part -1 always stay."""
        return np.array([self.of(parts != part).mean_shifts() for part in range(parts.max() + 1)])


def _number_parts(names: NDArray[np.str_], having: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the number of each unit's part, given those of units with shifts; -1 for others."""
    parts = np.full(having.size, -1)
    parts[having] = np.unique(names, return_inverse=True)[1]
    return parts


def _add_stories(found: Estimate, answers: _Answers, parts: NDArray[np.intp]) -> Estimate:
    """Return the ratio with the interval for other stories, or with a flag if it has no ends."""
    size = int(parts.max()) + 1
    if size < FEWEST:
        return found
    observed, expected = answers.mean_shifts().tolist()
    covariance, degrees = leave_out_covariance(answers.leave_out(parts))
    low, high = _fieller(observed, expected, covariance, degrees)
    if not low > -inf:
        return replace(found, flags=(*found.flags, UNBOUNDED))
    return generalize(found, replace(found, low=low, high=high, units=size))


def _fieller(
    observed: float, expected: float, covariance: Array, degrees: float
) -> tuple[float, float]:
    """Return the interval of observed / expected, without ends where `expected` may be 0."""
    (above, both), (_, below) = (t_quantile(0.5 + LEVEL / 2, degrees) ** 2 * covariance).tolist()
    a, b, c = expected**2 - below, observed * expected - both, observed**2 - above
    if a <= 0:
        return -inf, inf
    square = b * b - a * c
    root = square**0.5 if square > ROUNDING * b * b else 0.0
    # The ends are on the far side of the ratio, or on it, but for rounding.
    value = observed / expected
    return min((b - root) / a, value), max((b + root) / a, value)


def shift_ratio_of(judged: Mapping[tuple[str, str], float]) -> float | None:
    """Return the shift ratio of an agent with one judgment by task and cause.

    Args:
        judged: Task and cause to the judgment, from 0 to 1, for all of `GIVEN` and `ASKED`.

    Returns:
        The ratio; None if the judgments imply no shift.
    """
    table = imply(np.array([[judged[question] for question in GIVEN]]))[0]
    own = np.array([judged[question] for question in ASKED])
    observed, implied = (float((x[ABSENT] - x[PRESENT]).mean()) for x in (own, table))
    return observed / implied if abs(implied) > LEAST_IMPLIED else None


def has_collider(group: Group) -> bool:
    """Return whether a group's answers are about the graph that has a shift ratio."""
    return group.labels["graph"] == COLLIDER


SHIFTS = (
    JudgeMeasure(
        name="shift_ratio",
        label="shift ratio",
        meaning="Explaining away, relative to what the agent's own other answers imply.",
        range=(-inf, inf),
        compute=lambda group: group.once(measure_shift_ratio).ratio,
        when=has_collider,
        compared="reached",
    ),
    JudgeMeasure(
        name="explaining_away_implied",
        label="implied explaining away",
        meaning="The explaining away that the agent's own other answers imply.",
        range=(-1.0, 1.0),
        compute=lambda group: group.once(measure_shift_ratio).implied,
        when=has_collider,
    ),
)
"""The measures of shifts."""
