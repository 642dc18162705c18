"""What differs between two agents, or two runs, that judged the same items.

Contrasts and the consistency of the fitted model rest on vignettes, and are compared by leaving out
each vignette on both sides; the model of a side is the one that wins on all its vignettes.
Alignment rests on cells (a story, polarity and letter), each of which is held against one mean of
people, and is compared by leaving out cells.

Where answers on both sides are of the same people, vignettes are told apart by person. Where only
one side is people, or each side others, what the sides share is the vignette, in which everybody
who judged it is a part.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from whybench.fits import Judgments, cross_validate
from whybench.fits.intervals import sum_by_unit
from whybench.stats import Estimate, resampled_spearman
from whybench.stats.paired import Jackknifed
from whybench.stats.resampling import jackknife_counts
from whybench.suites.groups import group_records
from whybench.suites.judge.alignment import CELL, alignment, average_cells
from whybench.suites.judge.coherence import COHERENT_GRAPH, measure_coherence
from whybench.suites.judge.fitted_models import fit_agents, task_table
from whybench.suites.judge.groups import CONDITION, group_every_answer
from whybench.suites.judge.measures import contrast_ratios, task_contrast
from whybench.suites.judge.published import human_means, people_are_fetched
from whybench.suites.judge.questions import load_structure
from whybench.suites.pairs import (
    FIRST,
    SECOND,
    Pair,
    RatioEstimator,
    answered_share,
    compare_groups,
    filter_reached_by_both,
    filter_scored_by_both,
    match_groups,
    strata_of_units,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from whybench.stats import Measure
    from whybench.suites.groups import Group
    from whybench.suites.judge.fitted_models import FittedModel

WORD_COLUMNS = ("outcome", "task", "story", "polarity", "letter")

Unit = tuple[str, tuple[str, ...]]
"""What the sampled unit is, and the columns that name it."""

VIGNETTE: Unit = ("vignette", ("story", "polarity", "person"))
SHARED_VIGNETTE: Unit = ("vignette", ("story", "polarity"))


def judge_pairs(records: pa.Table) -> Iterator[Pair]:
    """Yield the differences between two sides: coherence, consistency and alignment first."""
    both = filter_scored_by_both(records)
    vignette = _choose_vignette(both)
    yield from _compare_coherence(filter_reached_by_both(records))
    yield from _compare_consistency(both, vignette)
    if people_are_fetched():
        yield from _compare_alignment(both)
    for graph in dict.fromkeys(both["graph"].to_pylist()):
        groups = [group for group in _groups(both, vignette) if group.labels["graph"] == graph]
        estimators = {
            name: RatioEstimator(
                partial(_contrast, name, graph), partial(contrast_ratios, name, graph)
            )
            for name in load_structure(graph).contrasts
        }
        yield from compare_groups(groups, estimators, strata="story")
    yield from compare_groups(_groups(records, vignette), {"answered": answered_share})


def _choose_vignette(both: pa.Table) -> Unit:
    """Return the unit that both sides share, and the columns that name it."""
    people: dict[str, set[str]] = {}
    for side, person in zip(both["agent"].to_pylist(), both["person"].to_pylist(), strict=True):
        people.setdefault(side, set()).add(person or "")
    same = len(people) < 2 or people[FIRST] == people[SECOND]
    return VIGNETTE if same else SHARED_VIGNETTE


def _groups(records: pa.Table, unit: Unit) -> list[Group]:
    return group_records(records, CONDITION, WORD_COLUMNS, ("value",), lambda _: unit)


def _contrast(name: str, graph: str, group: Group) -> Estimate:
    answers = (group["value"], group["task"], group.units)
    return task_contrast(name, *answers, graph, stories=group["story"])


def _compare_coherence(both: pa.Table) -> Iterator[Pair]:
    """Compare sides on what neither lost; what one did not answer counts against it."""
    for pair in match_groups(group_every_answer(both)):
        if pair[0].labels["graph"] == COHERENT_GRAPH:
            sides = (measure_coherence(group).jackknifed for group in pair)
            yield Pair.of("coherence", pair[0].labels, *sides)


def _compare_consistency(both: pa.Table, vignette: Unit) -> Iterator[Pair]:
    models = {_key(model.group.labels): model for model in fit_agents(both, resamples=0)}
    for pair in match_groups(_groups(both, vignette)):
        sides = [_consistency(group, models[_key(group.labels)]) for group in pair]
        yield Pair.of("consistency", pair[0].labels, *sides)


def _consistency(group: Group, model: FittedModel) -> Jackknifed:
    """Return the consistency of a side, and what it would be without each vignette."""
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
    return Jackknifed(model.consistency, dict(zip(left_out, without.tolist(), strict=True)))


def _compare_alignment(both: pa.Table) -> Iterator[Pair]:
    measures = {_key(measure.labels): measure for measure in alignment(both, by_story=False)}
    for pair in match_groups(_groups(both, CELL)):
        if all(_key(group.labels) in measures for group in pair):
            sides = [_alignment(group, measures[_key(group.labels)]) for group in pair]
            yield Pair.of("alignment", pair[0].labels, *sides)


def _alignment(group: Group, measure: Measure) -> Jackknifed:
    """Return the alignment of a side, and what it would be without each cell that people judged."""
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
