"""Tables of compose: a row for each composition of each world, and for each pair of anchors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.stats.resampling import stratified_bootstrap
from whybench.suites.compose.comparisons import Composition, compare_compositions
from whybench.suites.compose.estimators import Quantity, weighted_means
from whybench.suites.compose.groups import WorldAnswers, compose_groups, group_by_world

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from whybench.stats import Estimate
    from whybench.suites.groups import Group

WorldComposition = tuple[WorldAnswers, Composition]

RESAMPLES = 2000

QUANTITIES: tuple[Quantity, ...] = ("pns", "ate")


def list_compositions(
    worlds: Sequence[WorldAnswers], resamples: int = RESAMPLES, quantity: Quantity = "pns"
) -> list[WorldComposition]:
    """Return every composition of worlds, held against truth and whole by a quantity.

    The draw belongs to the world and not to the agent, so that agents are compared on the same
    resamples.
    """
    return [
        (world, composition)
        for world in worlds
        for composition in compare_compositions(
            world.answered, world.chain.compositions, world.keys, quantity, resamples=resamples
        )
    ]


def path_label(composition: Composition) -> str:
    """Return the anchors on the way, as in `0-2-6`."""
    return "-".join(map(str, composition.path))


def compositions_table(records: pa.Table, quantity: Quantity = "pns") -> pa.Table:
    """Return a row for each composition of each world: product, targets, verdicts and class.

    `valid_…` is against the true whole, `consistent_…` against the answered one. By `ate` effects
    count that are the other way round; in truth there are none, so that both have the same truths.
    """
    return _make_table(
        row for group in compose_groups(records) for row in _composition_rows(group, quantity)
    )


def pairs_table(records: pa.Table) -> pa.Table:
    """Return a row for each pair of anchors of each world: the true effect and the answered one.

    `true` is the effect on the same units; `pns` and `ate` are as in `estimators`, and `…_error` is
    how far they are off, as a share of the true effect.
    """
    return _make_table(
        row
        for group in compose_groups(records)
        for world in group_by_world(group)
        for row in _pair_rows(world, group)
    )


def _make_table(rows: Iterator[dict[str, Any]]) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415  (kept out of the start-up path)

    return pa.Table.from_pylist(list(rows))


def _composition_rows(group: Group, quantity: Quantity) -> Iterator[dict[str, Any]]:
    for world, composition in list_compositions(group_by_world(group), quantity=quantity):
        row = _world_columns(group, world)
        row |= {"path": path_label(composition), "steps": len(composition.path) - 1}
        row |= _interval_columns("product", composition.product)
        for name, compared in composition.comparisons.items():
            row[f"{name}_target"] = compared.target
            row |= _interval_columns(f"{name}_difference", compared.difference)
            row |= _interval_columns(f"{name}_ratio", compared.ratio)
            row |= _interval_columns(f"{name}_agreement", compared.agreement)
            row |= {
                f"{name}_resolution": compared.resolution,
                f"{name}_verdict": compared.verdict,
                f"{name}_same_from": compared.same_from,
                f"{name}_differs_to": compared.differs_to,
                f"{name}_source": compared.passes_source,
            }
        yield {**row, "class": composition.kind, "flags": " ".join(composition.flags)}


def _pair_rows(world: WorldAnswers, group: Group) -> Iterator[dict[str, Any]]:
    answered = world.answered
    effects = [answered.true_effects(), *(answered.effects(quantity) for quantity in QUANTITIES)]
    means = weighted_means(np.concatenate(effects, axis=1), answered.sample)
    keys = ("compose", "pairs", world.label)
    estimates = stratified_bootstrap(means, answered.sample.strata, keys)
    count = len(answered.pairs)
    for position, (cause, effect) in enumerate(answered.pairs):
        true, *rest = estimates[position::count]
        row = {
            **_world_columns(group, world),
            "cause": cause,
            "effect": effect,
            "distance": len(world.chain.blocks_between(cause, effect)),
            "mediators": len(world.chain.mediators(cause, effect)),
            "true": true.estimate,
        }
        for name, estimate in zip(QUANTITIES, rest, strict=True):
            row |= _interval_columns(name, estimate)
            off = None
            if estimate.estimate is not None and true.estimate:
                off = (estimate.estimate - true.estimate) / true.estimate
            row[f"{name}_error"] = off
        yield row


def _world_columns(group: Group, world: WorldAnswers) -> dict[str, Any]:
    sampled = world.answered.sample.size
    named = {"kinds": world.kinds, "gates": world.gates, "draw": world.draw}
    return {**group.labels, **named, "units": sampled, "epochs": world.answered.y1.shape[0]}


def _interval_columns(name: str, estimate: Estimate) -> dict[str, float | None]:
    return {name: estimate.estimate, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
