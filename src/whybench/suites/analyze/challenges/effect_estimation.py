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

from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Challenge,
    NumericTruth,
)
from whybench.suites.analyze.challenges.moving_confounder import (
    ALL,
    START,
    certify_least,
    closed_form,
    effects,
    parameters,
    world,
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

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import (
        Instance,
        Parameters,
        Rows,
        Simulation,
        Truth,
    )
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.world import World

__all__ = ["CHALLENGE"]

CLEAR, UNCLEAR = 0.005, 0.2
"""A relation is clear at p values below the one, and absent at p values above the other."""

APART, OVERLAP = 5.0, 0.05
"""How many SE_eff naive values are off, at least; and the least chance of either treatment."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    needed = ALL if variant == TRAP else START
    return {
        "ate": _ate(variant, rows, certified["ate"]),
        "estimand": CategoricalTruth("ate"),
        "adjustment_set": CategoricalTruth(frozenset(needed), alarm=_with_followup()),
        "min_propensity": _least(at, rows, needed),
    }


def _ate(variant: str, rows: Rows, certificate: Certificate) -> NumericTruth:
    full, partial = _adjusted(rows, ALL), _adjusted(rows, START)
    if variant == TRAP:
        naive = {
            "crude difference": mean_difference(rows["outcome"], rows["treatment"]).value,
            "adjusted for the baseline": _adjusted(rows, START[:1]).value,
            "adjusted for all but the follow-up": partial.value,
        }
        return NumericTruth(certificate, {"standardisation": full.value}, full.se, naive)
    references = {"standardisation": partial.value}
    if variant == "treatment_only":
        references["standardisation with the follow-up"] = full.value
    return NumericTruth(certificate, references, partial.se)


def _with_followup() -> tuple[frozenset[str], ...]:
    """Return every set of earlier columns that has the follow-up in it."""
    others = ("decoy", *START)
    return tuple(
        frozenset((*chosen, "followup"))
        for size in range(len(others) + 1)
        for chosen in combinations(others, size)
    )


def _adjusted(rows: Rows, by: Sequence[str]) -> Coefficient:
    return stratified_difference(rows["outcome"], rows["treatment"], _group(rows, by))


def _group(rows: Rows, by: Sequence[str]) -> Array:
    """Number the groups that the columns form."""
    return np.asarray(sum(rows[role] << place for place, role in enumerate(by)))


def _least(at: Parameters, rows: Rows, by: Sequence[str]) -> NumericTruth:
    """Return the truth of the least propensity, with the least share treated in any group."""
    shares = _shares(rows, by)
    low = min(shares, key=lambda share: share.value)
    return NumericTruth(certify_least(at, by), {"share of a group": low.value}, low.se)


def _shares(rows: Rows, by: Sequence[str]) -> list[Coefficient]:
    found = []
    for level in range(2 ** len(by)):
        here = rows["treatment"][_group(rows, by) == level]
        share = float(here.mean()) if len(here) else math.nan
        found.append(Coefficient(share, math.sqrt(share * (1 - share) / max(len(here), 1))))
    return found


def _overlap(rows: Rows) -> bool:
    return all(OVERLAP <= share.value <= 1 - OVERLAP for share in _shares(rows, ALL))


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    """Whether there is overlap, and the rows show what has to be adjusted for."""
    if not _overlap(rows):
        return False
    found = relate_columns(rows, ("decoy", *ALL))
    decoy, followup = found["decoy"], found["followup"]
    related = [followup.to_treatment]
    unrelated = [decoy.to_treatment, decoy.to_outcome]
    related += [p for role in START for p in (found[role].to_treatment, found[role].to_outcome)]
    (unrelated if variant == "treatment_only" else related).append(followup.to_outcome)
    return max(related) <= CLEAR and min(unrelated) >= UNCLEAR


def _observe(variant: str, _at: Parameters, world: World, noise: Rows) -> Simulation:
    """Count the treated where they are fewest."""
    needed = ALL if variant == TRAP else START
    low = min(_shares(world.respond(noise), needed), key=lambda share: share.value)
    return {"min_propensity": (low.value, low.se)}


def _has_trap(instance: Instance) -> bool:
    """Whether the follow-up came before the treatment and adjusting for it moves the effect far."""
    when = instance.when
    full, partial = (_adjusted(instance.rows, by) for by in (ALL, START))
    return (
        when["followup"] < when["treatment"] and abs(full.value - partial.value) >= APART * full.se
    )


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Adjust, by two models at once, for what came before and bears on treatment and outcome."""
    rows = instance.rows
    when = instance.when
    before = [role for role in ("decoy", *ALL) if when[role] < when["treatment"]]
    chosen = find_confounders(rows, before)
    ate = doubly_robust(rows["outcome"], rows["treatment"], [rows[role] for role in chosen])
    return _reported(ate, chosen, _smoothed_least(rows, chosen))


def _smoothed_least(rows: Rows, by: Sequence[str]) -> float:
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
    shown=("decoy", *ALL, "treatment", "outcome"),
    size=(2200, 3000),
    parameters=parameters,
    world=world,
    effects=effects,
    closed_form=closed_form,
    truths=_truths,
    accept=_accept,
    apart=APART,
    retold=("after_treatment",),
    observe=_observe,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
