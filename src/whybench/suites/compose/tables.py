"""Further tables from records: a row for each composition, and for each pair of anchors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.stats.stratified import stratified_bootstrap
from whybench.suites.compose.estimators import Quantity, population
from whybench.suites.compose.groups import WorldAnswers, groups_of, worlds_of
from whybench.suites.compose.measures import composed, path_label

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from whybench.stats import Estimate
    from whybench.suites.groups import Group

__all__ = ["compositions_table", "pairs_table"]

QUANTITIES: tuple[Quantity, ...] = ("pns", "ate")


def compositions_table(records: pa.Table) -> pa.Table:
    """Return a row for each composition of each world: product, targets, verdicts and class.

    `valid_…` is against the true whole, `consistent_…` against the answered one.
    """
    return _table(row for group in groups_of(records) for row in _compositions(group))


def pairs_table(records: pa.Table) -> pa.Table:
    """Return a row for each pair of anchors of each world: the true effect and the answered one.

    `true` is the effect on the same units; `pns` and `ate` are as in `estimators`, and `…_error` is
    how far they are off, as a share of the true effect.
    """
    return _table(
        row
        for group in groups_of(records)
        for world in worlds_of(group)
        for row in _pairs(world, group)
    )


def _table(rows: Iterator[dict[str, Any]]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415  (kept out of the start-up path)

    return pa.Table.from_pylist(list(rows))


def _compositions(group: Group) -> Iterator[dict[str, Any]]:
    for world, found in composed(group):
        row = {**_place(group, world), "path": path_label(found), "steps": len(found.path) - 1}
        row |= _ends("product", found.product)
        for name, compared in (("valid", found.valid), ("consistent", found.consistent)):
            row[f"{name}_target"] = compared.target
            row |= _ends(f"{name}_difference", compared.difference)
            row |= _ends(f"{name}_ratio", compared.ratio)
            row |= _ends(f"{name}_agreement", compared.agreement)
            row |= {f"{name}_resolution": compared.resolution, f"{name}_verdict": compared.verdict}
        yield {**row, "class": found.kind, "flags": " ".join(found.flags)}


def _pairs(world: WorldAnswers, group: Group) -> Iterator[dict[str, Any]]:
    answered = world.answered
    effects = [answered.true_effects(), *(answered.effects(quantity) for quantity in QUANTITIES)]
    means = population(np.concatenate(effects, axis=1), answered.sample)
    keys = ("compose", "pairs", world.label)
    found = stratified_bootstrap(means, answered.sample.strata, keys)
    count = len(answered.pairs)
    for place, (cause, effect) in enumerate(answered.pairs):
        true, *rest = found[place::count]
        row = {
            **_place(group, world),
            "cause": cause,
            "effect": effect,
            "distance": len(world.chain.blocks_between(cause, effect)),
            "mediators": len(world.chain.mediators(cause, effect)),
            "true": true.estimate,
        }
        for name, estimate in zip(QUANTITIES, rest, strict=True):
            row |= _ends(name, estimate)
            off = None
            if estimate.estimate is not None and true.estimate:
                off = (estimate.estimate - true.estimate) / true.estimate
            row[f"{name}_error"] = off
        yield row


def _place(group: Group, world: WorldAnswers) -> dict[str, Any]:
    sampled = world.answered.sample.size
    named = {"kinds": world.kinds, "gates": world.gates, "draw": world.draw}
    return {**group.labels, **named, "units": sampled, "epochs": world.answered.y1.shape[0]}


def _ends(name: str, found: Estimate) -> dict[str, float | None]:
    return {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
