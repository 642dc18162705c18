"""Coherence: do an agent's judgments of causes follow from what it says of the world itself?

A story of the collider states no rates, so no judgment is right or wrong. But judgments can belong
together. Tasks I to V say how likely the effect is under each pattern of causes, and how likely
each cause is given the other: that is a whole table of probabilities, whatever its form. From it
follows by Bayes' rule what VI to XI should be: each cause, given the effect and the other cause.
Nothing is assumed of how causes combine, neither noisy-OR nor independence.

Two ways to read the answers VI to XI stand against each other:

- *as its own table implies*: the squared distance S of the answers from what the table implies;
- *blind to the other cause*: the squared distance B of the answers from their own means over what
  is known of the other cause, VI to VIII and IX to XI. An agent that never lets the other cause
  matter, and so cannot explain away, has B = 0.

`coherence` is (B - S) / (B + S): 1 for an agent whose judgments follow from its own table, -1 for
one that is blind to the other cause, 0 for one that is as far from the one as from the other, such
as one that goes half of the way. Where the table implies an explaining away nearer to 0 than .05,
both readings say the same, and coherence is *not tested*; nor is it where a question of I to V has
no answer at all. `explaining_away_implied` is that explaining away, to
set beside `explaining_away`.

**The joint table.** P(C1 | C2) and P(C2 | C1) are four numbers for the three of a joint
distribution. Where they contradict each other, the joint is that to which both together lead:
marginals with p1 = Σ P(C1 | C2) p2 and p2 = Σ P(C2 | C1) p1, and cells that are the mean of the two
products of a conditional and a marginal. Where they agree, it is the joint itself.

**Noise.** A square of a noisy number is too large by the noise's variance. So S and B are not means
of squares but of products of different vignettes, each with its own table, over all pairs: noise
that vignettes do not share has mean 0 in a product. An agent may believe something else of each
story; what differs at random from vignette to vignette counts as noise. Noise within I to V also
bends what they imply, which is left as it is: it takes away .01 from the coherence of an exact
agent whose answers have a standard deviation of a tenth of a coin's, and .1 at three tenths.

**Intervals** are Fieller's for the ratio of B - S and B + S, and Student's t. The variances of the
first, for these stories, are by leaving out each vignette (or person), compared within its story;
those of the second, for stories like these, by leaving out each story. Where persons judged several
stories each, there is no second one.

**Silence.** A judgment of VI to XI that was not given counts as the blind one. One that was lost to
a technical error is left out. An unknown answer to I to V is taken to be what the agent says about
the other vignettes on average.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.stats import Estimate, generalize, leave_out_covariance, weighted_means
from whybench.stats.clustered import t_quantile
from whybench.stats.paired import Jackknifed
from whybench.suites.judge.groups import JudgeMeasure, group_every_answer
from whybench.suites.measures import measure_groups
from whybench.suites.pairs import strata_of_units

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Measure
    from whybench.suites.groups import Group

    Array = NDArray[np.float64]

COHERENT_GRAPH = "collider"
"""The graph in which the other cause should matter."""

NOT_TESTED = "not_tested"
LEAST_IMPLIED = 0.05
"""Where less explaining away than this is implied, there is nothing to be coherent about."""

GIVEN = (
    *(("I", "both"), ("II", "C1"), ("II", "C2"), ("III", "both")),
    *(("IV", "C1"), ("V", "C1"), ("IV", "C2"), ("V", "C2")),
)
"""Task and cause of the answers that make up the table: the effect given neither cause, the second
alone, the first alone, and both; the first cause given the second and not; the second likewise."""

BLOCKS = (("VI", "VII", "VIII"), ("IX", "X", "XI"))
"""Tasks that differ only in what is known of the other cause: present, unknown, absent."""

ASKED = tuple((task, cause) for cause in ("C1", "C2") for block in BLOCKS for task in block)
ABOVE, BELOW = (
    [place for place, (task, _) in enumerate(ASKED) if task == wanted] for wanted in ("VIII", "VI")
)
WIDTH = len(BLOCKS[0])

LEVEL = 0.95
FEWEST = 2
"""Vignettes that products need."""


def imply(given: Array) -> Array:
    """Return what answers to I to V imply of VI to XI, vignettes x `ASKED`, NaN where nothing.

    Args:
        given: Probabilities, vignettes x `GIVEN`.
    """
    neither, second, first, both, a, b, c, d = given.T
    with np.errstate(divide="ignore", invalid="ignore"):
        p1 = (b + (a - b) * d) / (1 - (a - b) * (c - d))
        p2 = d + (c - d) * p1
        p11 = (a * p2 + c * p1) / 2
        p01 = ((1 - a) * p2 + d * (1 - p1)) / 2
        p10 = (b * (1 - p2) + (1 - c) * p1) / 2
        p00 = ((1 - b) * (1 - p2) + (1 - d) * (1 - p1)) / 2
        columns: list[Array] = []
        # Of the cause that is judged and the other one: each alone, and how likely the effect is.
        for own, other in (((p10, first), (p01, second)), ((p01, second), (p10, first))):
            cells = ((p11, both), own, other, (p00, neither))
            for happened in (True, False):
                with_both, alone, without, with_none = (
                    p * (effect if happened else 1 - effect) for p, effect in cells
                )
                total = with_both + alone + without + with_none
                columns += [
                    with_both / (with_both + without),
                    (with_both + alone) / total,
                    alone / (alone + with_none),
                ]
    return np.stack(columns, axis=1)


def coherence_measures(records: pa.Table) -> Iterator[Measure]:
    """Yield `coherence` and `explaining_away_implied` wherever there is a collider."""
    return measure_groups(group_every_answer(records), COHERENCE)


@dataclass(frozen=True, eq=False)
class Coherence:
    """What became of one agent under one condition.

    Attributes:
        coherence: The measure.
        implied: The explaining away that its table implies.
        without: The sampled unit to the coherence that the others give.
        stories: The sampled unit to its story.
    """

    coherence: Estimate
    implied: Estimate
    without: Mapping[Hashable, float]
    stories: Mapping[Hashable, Hashable]

    @property
    def jackknifed(self) -> Jackknifed:
        """The measure, and what it would be without each unit."""
        return Jackknifed(self.coherence, self.without, self.stories)


def measure_coherence(group: Group) -> Coherence:
    """Return the coherence of an agent's answers under one condition.

    Args:
        group: All its answers, given or not (`group_every_answer`).
    """
    names, unit = np.unique(group["sampled"], return_inverse=True)
    answered, silent = _cells(group, ASKED, unit, names.size)
    n = int(group.weights[group["outcome"] == "scored"].sum())
    nothing = Estimate(None, None, None, n, names.size, METHOD, ("undefined",))
    untested = replace(nothing, flags=(NOT_TESTED,))
    expected = imply_each(group, unit, names.size)
    if expected is None:
        return Coherence(untested, nothing, {}, {})
    if names.size < FEWEST:
        return Coherence(nothing, nothing, {}, {})
    judged, blind = _fill_silence(answered, silent)
    away, apart = _Products(judged - expected), _Products(judged - blind)
    stories = strata_of_units(group["sampled"].tolist(), group["story"].tolist())
    story = np.array([str(stories.get(name, "")) for name in names.tolist()])
    shift = _mean((expected[:, ABOVE] - expected[:, BELOW]).T)
    implied = _mean_shift(shift, names, story)
    if abs(implied.estimate or 0.0) < LEAST_IMPLIED:
        return Coherence(untested, implied, {}, stories)
    if not apart.total + away.total > 0:
        return Coherence(nothing, implied, {}, stories)
    value = _ratio(apart.total, away.total)
    blank = Estimate(value, None, None, n, names.size, METHOD)
    each, by_story = np.arange(names.size), np.unique(story, return_inverse=True)[1]
    estimate = generalize(
        _add_interval(blank, apart, away, each, story), _add_interval(blank, apart, away, by_story)
    )
    left = zip(apart.without(each), away.without(each), strict=True)
    values = dict(zip(names.tolist(), (_ratio(*pair) for pair in left), strict=True))
    return Coherence(estimate, implied, values, stories)


def _mean_shift(shift: Array, names: NDArray[np.str_], story: NDArray[np.str_]) -> Estimate:
    """Estimate the mean over units of what each has, if it is known."""
    known = ~np.isnan(shift)
    rows = ({"shift": 1.0}, shift[known], ["shift"] * int(known.sum()))
    found = weighted_means(*rows, names[known], story[known], within="stories")
    found = replace(found, method=f"mean over units; {found.method}")
    return generalize(found, weighted_means(*rows, story[known]))


def _add_interval(
    blank: Estimate,
    apart: _Products,
    away: _Products,
    unit: NDArray[np.intp],
    strata: NDArray[np.str_] | None = None,
) -> Estimate:
    """Return an estimate with Fieller's interval, by leaving out units.

    Without two of them, or if what is left may have no pairs, there is none.
    """
    sizes = np.bincount(unit)
    value, found = blank.estimate or 0.0, replace(blank, units=sizes.size)
    if sizes.size < FEWEST or unit.size - sizes.max() < FEWEST:
        return found
    less, more = apart.total - away.total, apart.total + away.total
    left_apart, left_away = apart.without(unit), away.without(unit)
    left = np.stack([left_apart - left_away, left_apart + left_away], axis=1)
    low, high = _fieller(less, more, *leave_out_covariance(left, strata))
    return replace(found, low=min(low, value), high=max(high, value))


def imply_each(group: Group, unit: NDArray[np.intp], units: int) -> Array | None:
    """Return what each unit's answers to I to V imply, units x `ASKED`; None if one has no answer.

    An unknown answer is taken to be the mean of the other units, as for coherence.

    Args:
        group: Answers with the columns `outcome`, `task`, `cause` and `value`.
        unit: The number of each answer's unit.
        units: How many units there are.
    """
    given, _ = _cells(group, GIVEN, unit, units)
    usual = _mean(given)
    return None if np.isnan(usual).any() else imply(np.where(np.isnan(given), usual, given))


METHOD = "products over vignettes; Fieller, by leaving out within stories"


def _cells(
    group: Group, questions: tuple[tuple[str, str], ...], unit: NDArray[np.intp], units: int
) -> tuple[Array, Array]:
    """Return the mean answer of each unit to each question, and the share that was not given."""
    place = {question: number for number, question in enumerate(questions)}
    numbers = np.array(
        [place.get(pair, -1) for pair in zip(group["task"], group["cause"], strict=True)]
    )
    shape = (units, len(questions))
    scored, silent = group["outcome"] == "scored", group["outcome"] == "no_answer"
    sums, counts, missing = (np.zeros(shape) for _ in range(3))
    for chosen, into, weights in (
        (scored, sums, group["value"] / 100 * group.weights),
        (scored, counts, group.weights),
        (silent, missing, group.weights),
    ):
        rows = chosen & (numbers >= 0)
        np.add.at(into, (unit[rows], numbers[rows]), weights[rows])
    with np.errstate(invalid="ignore"):
        return sums / counts, missing / (counts + missing)


def _fill_silence(answered: Array, silent: Array) -> tuple[Array, Array]:
    """Return judgments in which what was not given is blind, and the blind ones themselves."""
    blocks = answered.reshape(len(answered), -1, WIDTH)
    level = _mean(np.moveaxis(blocks, -1, 0))
    usual = np.nan_to_num(_mean(level), nan=0.5)
    level = np.where(np.isnan(level), usual, level)
    base = np.repeat(level, WIDTH, axis=1)
    share = np.nan_to_num(silent)
    judged = np.where(share > 0, (1 - share) * np.nan_to_num(answered) + share * base, answered)
    blind = np.repeat(_mean(np.moveaxis(judged.reshape(blocks.shape), -1, 0)), WIDTH, axis=1)
    return judged, blind


class _Products:
    """The mean over pairs of different units of the products of their numbers, summed over columns.

    Attributes:
        total: Of all units.
    """

    def __init__(self, numbers: Array) -> None:
        known = ~np.isnan(numbers)
        filled = np.where(known, numbers, 0.0)
        self._sums = np.stack([filled, filled**2, known])
        self.total = float(_sum_pairs(*self._sums.sum(axis=1)))

    def without(self, parts: NDArray[np.intp]) -> Array:
        """Return it without each part, given the number of each unit's."""
        shape = (len(self._sums), int(parts.max()) + 1, self._sums.shape[-1])
        own = np.zeros(shape)
        for into, numbers in zip(own, self._sums, strict=True):
            np.add.at(into, parts, numbers)
        return _sum_pairs(*(self._sums.sum(axis=1)[:, None] - own))


def _sum_pairs(sums: Array, squares: Array, count: Array) -> Array:
    pairs = count * (count - 1)
    found = np.divide(sums**2 - squares, pairs, out=np.zeros(sums.shape), where=pairs > 0)
    return np.asarray(found.sum(axis=-1))


def _ratio(apart: float, away: float) -> float:
    """Return (B - S) / (B + S) of two distances, neither of which can be below 0."""
    b, s = max(apart, 0.0), max(away, 0.0)
    return (b - s) / (b + s) if b + s > 0 else float("nan")


def _fieller(less: float, more: float, spread: Array, degrees: float) -> tuple[float, float]:
    """Return the interval of less / more within -1 and 1, all of it where `more` may be 0."""
    q = t_quantile(0.5 + LEVEL / 2, degrees) ** 2
    a = more**2 - q * spread[1, 1]
    b = less * more - q * spread[0, 1]
    c = less**2 - q * spread[0, 0]
    if a <= 0:
        return -1.0, 1.0
    root = max(b * b - a * c, 0.0) ** 0.5
    return max(-1.0, (b - root) / a), min(1.0, (b + root) / a)


def _mean(numbers: Array) -> Array:
    """Return the mean over the first axis of what is known; NaN where nothing is."""
    known = ~np.isnan(numbers)
    count = known.sum(axis=0)
    sums = np.where(known, numbers, 0.0).sum(axis=0)
    found: Array = np.divide(sums, count, out=np.full(sums.shape, np.nan), where=count > 0)
    return found


def _has_collider(group: Group) -> bool:
    return group.labels["graph"] == COHERENT_GRAPH


COHERENCE = (
    JudgeMeasure(
        name="coherence",
        label="coherence",
        meaning="How far judgments of causes follow from the agent's own other answers (1), or "
        "ignore the other cause (-1).",
        range=(-1.0, 1.0),
        direction="higher",
        baseline=-1.0,
        compute=lambda group: group.once(measure_coherence).coherence,
        when=_has_collider,
        compared="reached",
    ),
    JudgeMeasure(
        name="explaining_away_implied",
        label="implied explaining away",
        meaning="The explaining away that the agent's own other answers imply.",
        range=(-1.0, 1.0),
        compute=lambda group: group.once(measure_coherence).implied,
        when=_has_collider,
    ),
)
"""The measures of coherence."""
