"""What differs between two agents, or two runs, that judged the same items.

Contrasts and the held-out R² of the fitted model rest on vignettes, and are compared by leaving out
each vignette on both sides; the model of a side is the one that wins on all its vignettes.
The correlation with people rests on cells (a story, polarity and letter), each of which is held
against one mean of people, and is compared by leaving out cells.

Where answers on both sides are of the same people, vignettes are told apart by person. Where only
one side is people, or each side others, what the sides share is the vignette, in which everybody
who judged it is a part.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from whybench.fits import Judgments, cross_validate
from whybench.fits.intervals import sum_by_unit
from whybench.stats import Estimate, resampled_spearman
from whybench.stats.paired import Jackknifed
from whybench.stats.resampling import jackknife_counts
from whybench.suites.groups import group_records
from whybench.suites.judge.fitted_models import fit_agents, task_table
from whybench.suites.judge.groups import CONDITION
from whybench.suites.judge.human_correlation import CELL, average_cells, human_correlations
from whybench.suites.judge.measures import ANSWERED, CONTRASTS
from whybench.suites.judge.published import human_means, people_are_fetched
from whybench.suites.judge.shift_ratio import compare_shift_ratios
from whybench.suites.pairs import (
    FIRST,
    SECOND,
    compare_groups,
    difference_of,
    filter_reached_by_both,
    filter_scored_by_both,
    match_groups,
    strata_of_units,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from whybench.stats import Difference, Measure
    from whybench.suites.groups import Group
    from whybench.suites.judge.fitted_models import FittedModel

WORD_COLUMNS = ("outcome", "task", "story", "polarity", "letter")

Unit = tuple[str, tuple[str, ...]]
"""What the sampled unit is, and the columns that name it."""

VIGNETTE: Unit = ("vignette", ("story", "polarity", "person"))
SHARED_VIGNETTE: Unit = ("vignette", ("story", "polarity"))


def judge_pairs(records: pa.Table) -> Iterator[Difference]:
    """Yield the differences between two sides: shift ratio, held-out R² and correlation first."""
    both = filter_scored_by_both(records)
    vignette = _choose_vignette(both)
    yield from compare_shift_ratios(filter_reached_by_both(records))
    yield from _compare_heldout_r2(both, vignette)
    if people_are_fetched():
        yield from _compare_human_correlation(both)
    for pair in match_groups(_groups(both, vignette)):
        having = {one.name: one.estimator for one in CONTRASTS if one.when(pair[0])}
        yield from compare_groups(pair, having, strata="story")
    answered = {ANSWERED.name: ANSWERED.estimator}
    yield from compare_groups(_groups(records, vignette), answered)


def _choose_vignette(both: pa.Table) -> Unit:
    """Return the unit that both sides share, and the columns that name it."""
    people: dict[str, set[str]] = {}
    for side, person in zip(both["agent"].to_pylist(), both["person"].to_pylist(), strict=True):
        people.setdefault(side, set()).add(person or "")
    same = len(people) < 2 or people[FIRST] == people[SECOND]
    return VIGNETTE if same else SHARED_VIGNETTE


def _groups(records: pa.Table, unit: Unit) -> list[Group]:
    return group_records(records, CONDITION, WORD_COLUMNS, ("value",), lambda _: unit)


def _compare_heldout_r2(both: pa.Table, vignette: Unit) -> Iterator[Difference]:
    models = {_key(model.group.labels): model for model in fit_agents(both, resamples=0)}
    for pair in match_groups(_groups(both, vignette)):
        sides = [_heldout_r2(group, models[_key(group.labels)]) for group in pair]
        yield difference_of("heldout_r2", pair[0].labels, *sides)


def _heldout_r2(group: Group, model: FittedModel) -> Jackknifed:
    """Return the held-out R² of a side, and what it would be without each vignette."""
    units = np.unique(group.units).tolist()
    if len(units) < 2 or "underdetermined" in model.flags:
        undefined = Estimate(None, None, None, group.units.size, len(units), "R²", ("undefined",))
        return Jackknifed(undefined, {})
    table = task_table(group.labels["graph"])
    columns = (group["story"].tolist(), group["polarity"].tolist(), group.units.tolist())
    clusters = ["/".join(map(str, name)) for name in zip(*columns, strict=True)]
    data = Judgments.from_rows(table, group["value"] / 100, group["task"].tolist(), None, clusters)
    (sample,) = sum_by_unit(data)
    counts, means = sample.jackknife()
    # The lines of a jackknife are in the order of the clusters' names.
    left_out = [int(name.rsplit("/", 1)[1]) for name in sorted(set(clusters))]
    labels = tuple(map(str, left_out))
    without = cross_validate(table, model.scheme, Judgments(labels, counts, means, means)).r2
    return Jackknifed(model.heldout_r2, dict(zip(left_out, without.tolist(), strict=True)))


def _compare_human_correlation(both: pa.Table) -> Iterator[Difference]:
    measures = {
        _key(measure.labels): measure for measure in human_correlations(both, by_story=False)
    }
    for pair in match_groups(_groups(both, CELL)):
        if all(_key(group.labels) in measures for group in pair):
            sides = [_human_correlation(group, measures[_key(group.labels)]) for group in pair]
            yield difference_of("human_correlation", pair[0].labels, *sides)


def _human_correlation(group: Group, measure: Measure) -> Jackknifed:
    """Return the correlation of a side with people, and its value without each cell."""
    people = human_means(group.labels["graph"])
    cells = zip(*(group[name].tolist() for name in CELL[1]), strict=True)
    target = np.array([people.get(cell, np.nan) for cell in cells])
    columns = {**group.columns, "cell": group.units, "target": target}
    judged = average_cells(replace(group, columns=columns).where(~np.isnan(target)))
    units = judged.units.tolist()
    (values,) = resampled_spearman(judged["value"], judged["target"], jackknife_counts(units))
    # The lines of `jackknife_counts` are in the order of the units' names.
    without = dict(zip(sorted(set(units), key=str), values.tolist(), strict=True))
    stories = strata_of_units(units, judged["story"].tolist())
    m = measure
    return Jackknifed(Estimate(m.estimate, m.low, m.high, m.n, m.units, m.method), without, stories)


def _key(labels: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(labels[name] for name in ("agent", *CONDITION))
