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

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from whybench.datasets import state
from whybench.fits import Judgments, cross_validate
from whybench.stats import Estimate, resampled_spearman
from whybench.stats.resampling import left_out
from whybench.stats.shift import Replicated
from whybench.suites.groups import grouped
from whybench.suites.judge.alignment import alignment
from whybench.suites.judge.groups import CONDITION
from whybench.suites.judge.measures import task_contrast
from whybench.suites.judge.modelled import model_agents, task_table
from whybench.suites.judge.people import human_cells
from whybench.suites.judge.published import PEOPLE, SOURCE
from whybench.suites.judge.questions import structure
from whybench.suites.pairs import (
    FIRST,
    SECOND,
    Pair,
    answered_share,
    couples,
    group_pairs,
    scored_by_both,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    import pyarrow as pa

    from whybench.suites.groups import Group
    from whybench.suites.judge.modelled import Modelled

__all__ = ["judge_pairs"]

WORDS = ("outcome", "task", "story", "polarity", "letter")
VIGNETTE = ("vignette", ("story", "polarity", "person"))
EVERYBODY_S = ("vignette", ("story", "polarity"))
CELL = ("cell", ("story", "polarity", "letter"))


def judge_pairs(records: pa.Table) -> Iterator[Pair]:
    """Yield the differences between two sides: consistency and alignment first."""
    both = scored_by_both(records)
    vignette = _vignette(both)
    yield from _consistencies(both, vignette)
    if state(SOURCE, PEOPLE) != "not fetched":
        yield from _alignments(both)
    for graph in dict.fromkeys(both["graph"].to_pylist()):
        groups = [group for group in _groups(both, vignette) if group.labels["graph"] == graph]
        estimators = {name: partial(_contrast, name, graph) for name in structure(graph).contrasts}
        yield from group_pairs(groups, estimators)
    yield from group_pairs(_groups(records, vignette), {"answered": answered_share})


def _vignette(both: pa.Table) -> tuple[str, tuple[str, ...]]:
    """Return the unit that both sides share, and the columns that name it."""
    people: dict[str, set[str]] = {}
    for side, person in zip(both["agent"].to_pylist(), both["person"].to_pylist(), strict=True):
        people.setdefault(side, set()).add(person or "")
    same = len(people) < 2 or people[FIRST] == people[SECOND]
    return VIGNETTE if same else EVERYBODY_S


def _groups(records: pa.Table, unit: tuple[str, tuple[str, ...]]) -> list[Group]:
    return grouped(records, CONDITION, WORDS, ("value",), lambda _: unit)


def _contrast(name: str, graph: str, group: Group) -> Estimate:
    return task_contrast(name, group["value"], group["task"], group.units, graph)


def _consistencies(both: pa.Table, vignette: tuple[str, tuple[str, ...]]) -> Iterator[Pair]:
    models = {_key(model.group.labels): model for model in model_agents(both, resamples=0)}
    for one, two in couples(_groups(both, vignette)):
        sides = [_consistency(group, models[_key(group.labels)]) for group in (one, two)]
        yield Pair.of("consistency", one.labels, *sides)


def _consistency(group: Group, model: Modelled) -> Replicated:
    """Return the consistency of a side, and what it would be without each vignette."""
    units = np.unique(group.units).tolist()
    rows = [np.flatnonzero(group.units != unit) for unit in units]
    if len(units) < 2 or "underdetermined" in model.flags:
        nothing = Estimate(None, None, None, group.units.size, len(units), "R²", ("undefined",))
        return Replicated(nothing, {})
    table = task_table(group.labels["graph"])
    every = np.concatenate(rows)
    data = Judgments.from_rows(
        table,
        group["value"][every] / 100,
        group["task"][every].tolist(),
        np.repeat([str(unit) for unit in units], [len(part) for part in rows]).tolist(),
    )
    parts = cross_validate(table, model.scheme, data).r2
    return Replicated(model.consistency, dict(zip(units, parts.tolist(), strict=True)))


def _alignments(both: pa.Table) -> Iterator[Pair]:
    measured = {_key(found.labels): found for found in alignment(both) if not found.at}
    for one, two in couples(_groups(both, CELL)):
        if _key(one.labels) in measured and _key(two.labels) in measured:
            sides = []
            for group in (one, two):
                found = measured[_key(group.labels)]
                estimate = Estimate(
                    found.estimate, found.low, found.high, found.n, found.units, found.method
                )
                sides.append(Replicated(estimate, _without_cells(group)))
            yield Pair.of("alignment", one.labels, *sides)


def _without_cells(group: Group) -> dict[Hashable, float]:
    """Return the correlation with people without each cell that people were asked about."""
    people = human_cells(group.labels["graph"])
    cells = zip(*(group[name].tolist() for name in CELL[1]), strict=True)
    target = np.array([people.get(cell, np.nan) for cell in cells])
    known = group.where(~np.isnan(target))
    units = known.units.tolist()
    values = resampled_spearman(known["value"], target[~np.isnan(target)], left_out(units))[0]
    # The lines of `left_out` are in the order of the units' names.
    names = sorted(set(units), key=str)
    return dict(zip(names, values.tolist(), strict=True))


def _key(labels: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(labels[name] for name in ("agent", *CONDITION))
