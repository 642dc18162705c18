"""A confounder that moves: what the first treatment changed decides on the second.

A second round of treatment is given by what was known at the time: the state at the start, whether
there was a first round, and the state at a follow-up, which the first round has changed. All three
bear on the outcome too. Who adjusts for the start alone, as for a treatment given once, leaves the
largest confounder out, and the groups as they are mislead even more.

The control `after_treatment` has the very same rows as its trap; but its follow-up took place after
the second round, so that it is part of what the treatment does, and adjusting for it is the
mistake. In `treatment_only` the follow-up decides on the second round and does nothing else: there
is no need to adjust for it.

Everywhere each group formed by the adjustment set has both treated and untreated rows (overlap):
no chance of treatment is below 0.05 or above 0.95.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import draw_units, respond
from whybench.suites.analyze.challenges.contract import (
    TRAP,
    Array,
    CategoricalTruth,
    Challenge,
    DataColumn,
    Instance,
    NumericTruth,
    Simulation,
    to_integers,
)
from whybench.suites.analyze.challenges.moving_confounder import (
    ALL,
    START,
    certified_effect,
    certified_least,
    chances,
    model,
    parameters,
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    find_confounders,
    mean_difference,
    relate_columns,
    stratified_difference,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench.suites.analyze.fields import ChoiceField, IntervalField, NumberField

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["CHALLENGE"]

CLEAR, UNCLEAR = 0.005, 0.2
"""A relation is clear at p values below the one, and absent at p values above the other."""

APART, OVERLAP = 5.0, 0.05
"""How many SE_eff naive values are off, at least; and the least chance of either treatment."""


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = parameters(variant, rng)
    rows = _rows(at, rng)
    if not _accept(variant, at, rows):
        return None
    return _ground_truth(variant, at, rows)


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    needed = _needed(variant)
    late = variant == "after_treatment"
    return Instance(
        challenge="effect_estimation",
        variant=variant,
        parameters=at,
        columns=(
            DataColumn("decoy", "binary", 0),
            DataColumn("baseline", "binary", 0),
            DataColumn("earlier", "binary", 1),
            DataColumn("followup", "binary", 4 if late else 2),
            DataColumn("treatment", "binary", 3),
            DataColumn("outcome", "binary", 5),
        ),
        rows=rows,
        truths={
            "ate": _ate(variant, at, rows),
            "estimand": CategoricalTruth("ate"),
            "adjustment_set": CategoricalTruth(frozenset(needed), alarm=_with_followup()),
            "min_propensity": _least(at, rows, needed),
        },
    )


def _needed(variant: str) -> tuple[str, ...]:
    return ALL if variant == TRAP else START


def _with_followup() -> tuple[frozenset[str], ...]:
    """Return every set of earlier columns that has the follow-up in it."""
    others = ("decoy", *START)
    return tuple(
        frozenset((*chosen, "followup"))
        for size in range(len(others) + 1)
        for chosen in combinations(others, size)
    )


def _rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    size = int(rng.integers(2200, 3001))
    draws = dict(zip(("decoy", *ALL, "treatment", "outcome"), rng.random((6, size)), strict=True))
    rows = {role: np.zeros(size, dtype=np.int64) for role in draws}
    rows |= {role: to_integers(draws[role] < at[role]) for role in ("decoy", "baseline")}
    for role in ("earlier", "followup", "treatment", "outcome"):
        # A chance rests on earlier columns alone, so those still to be drawn do not matter.
        rows[role] = to_integers(draws[role] < chances(at, rows)[role])
    return rows


def _adjusted(rows: Mapping[str, Array], by: Sequence[str]) -> Coefficient:
    return stratified_difference(rows["outcome"], rows["treatment"], _group(rows, by))


def _group(rows: Mapping[str, Array], by: Sequence[str]) -> Array:
    """Number the groups that the columns form."""
    return np.asarray(sum(rows[role] << place for place, role in enumerate(by)))


def _ate(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> NumericTruth:
    crude = mean_difference(rows["outcome"], rows["treatment"])
    full, partial = _adjusted(rows, ALL), _adjusted(rows, START)
    certificate = certified_effect(variant, at)
    if variant == TRAP:
        naive = {
            "crude difference": crude.value,
            "adjusted for the baseline": _adjusted(rows, START[:1]).value,
            "adjusted for all but the follow-up": partial.value,
        }
        return NumericTruth(certificate, {"standardisation": full.value}, full.se, naive)
    references = {"standardisation": partial.value}
    if variant == "treatment_only":
        references["standardisation with the follow-up"] = full.value
    return NumericTruth(certificate, references, partial.se)


def _least(at: Mapping[str, float], rows: Mapping[str, Array], by: Sequence[str]) -> NumericTruth:
    """Return the truth of the least propensity, with the least share treated in any group."""
    shares = _shares(rows, by)
    low = min(shares, key=lambda share: share.value)
    return NumericTruth(certified_least(at, by), {"share of a group": low.value}, low.se)


def _shares(rows: Mapping[str, Array], by: Sequence[str]) -> list[Coefficient]:
    found = []
    for level in range(2 ** len(by)):
        here = rows["treatment"][_group(rows, by) == level]
        share = float(here.mean()) if len(here) else math.nan
        found.append(Coefficient(share, math.sqrt(share * (1 - share) / max(len(here), 1))))
    return found


def _overlap(rows: Mapping[str, Array]) -> bool:
    return all(OVERLAP <= share.value <= 1 - OVERLAP for share in _shares(rows, ALL))


def _accept(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> bool:
    """Whether there is overlap, and the rows show what has to be adjusted for."""
    if not _overlap(rows):
        return False
    found = relate_columns(rows, ("decoy", *ALL))
    decoy, followup = found["decoy"], found["followup"]
    related = [followup.to_treatment]
    unrelated = [decoy.to_treatment, decoy.to_outcome]
    related += [p for role in START for p in (found[role].to_treatment, found[role].to_outcome)]
    (unrelated if variant == "treatment_only" else related).append(followup.to_outcome)
    if max(related) > CLEAR or min(unrelated) < UNCLEAR:
        return False
    # The same test for the trap and for what comes after, so that they have the same rows.
    return variant == "treatment_only" or _ate(TRAP, at, rows).apart(APART)


def _has_trap(instance: Instance) -> bool:
    """Whether the follow-up came before the treatment and adjusting for it moves the effect far."""
    when = {column.role: column.measured for column in instance.columns}
    full, partial = (_adjusted(instance.rows, by) for by in (ALL, START))
    return (
        when["followup"] < when["treatment"] and abs(full.value - partial.value) >= APART * full.se
    )


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    """Treat all and none of the same cases; and count the treated where they are fewest."""
    world = model(instance.variant, instance.parameters)
    units = draw_units(world, n, rng)
    had, had_not = (respond(world, units, {"treatment": t})["outcome"] for t in (1, 0))
    gain = had.astype(float) - had_not
    seen = {role: values.astype(np.int64) for role, values in respond(world, units).items()}
    low = min(_shares(seen, _needed(instance.variant)), key=lambda share: share.value)
    return {
        "ate": (float(gain.mean()), float(gain.std() / math.sqrt(n))),
        "min_propensity": (low.value, low.se),
    }


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Adjust, by two models at once, for what came before and bears on treatment and outcome."""
    rows = instance.rows
    when = {column.role: column.measured for column in instance.columns}
    before = [role for role in ("decoy", *ALL) if when[role] < when["treatment"]]
    chosen = find_confounders(rows, before)
    ate = doubly_robust(rows["outcome"], rows["treatment"], [rows[role] for role in chosen])
    return _reported(ate, chosen, _smoothed_least(rows, chosen))


def _smoothed_least(rows: Mapping[str, Array], by: Sequence[str]) -> float:
    """Return the least share treated in any group, with half a row more of each kind (Jeffreys)."""
    group = _group(rows, by)
    size, treated = np.bincount(group), np.bincount(group, rows["treatment"])
    return float(np.min((treated[size > 0] + 0.5) / (size[size > 0] + 1)))


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Adjust for the start, as if the treatment had been decided then."""
    return _by_rote(instance, START)


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Adjust for the follow-up whenever it took place, and whatever it does."""
    return _by_rote(instance, ALL)


def _by_rote(instance: Instance, by: Sequence[str]) -> Mapping[str, Any]:
    least = min(share.value for share in _shares(instance.rows, by))
    return _reported(_adjusted(instance.rows, by), by, least)


def _reported(ate: Coefficient, by: Iterable[str], least: float) -> dict[str, Any]:
    return {
        "ate": ate.value,
        "ci": ate.interval,
        "estimand": "ate",
        "adjustment_set": frozenset(by),
        "min_propensity": least,
    }


CHALLENGE = Challenge(
    name="effect_estimation",
    family="intervention",
    summary="a confounder that an earlier treatment changed is left out, or one is taken for it",
    variants=("trap", "treatment_only", "after_treatment"),
    fields=(
        NumberField("ate", share=True),
        IntervalField("ci", of="ate", share=True),
        # The word is easier to get right than the number.
        ChoiceField("estimand", ("ate", "att", "direct_effect", "association"), weight=0.5),
        ColumnSetField("adjustment_set"),
        NumberField("min_propensity", key=False, share=True),
    ),
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
