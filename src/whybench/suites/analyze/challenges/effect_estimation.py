"""A confounder that moves: what the first treatment changed decides on the second.

A second round of treatment is given by what was known at the time: the state at the start, whether
there was a first round, and the state at a follow-up, which the first round has changed. All three
bear on the outcome too. Who adjusts for the start alone, as for a treatment given once, leaves the
largest confounder out, and the groups as they are mislead even more.

The control `after_treatment` has the very same rows as its trap; but its follow-up took place after
the second round, so that it is part of what the treatment does, and adjusting for it is the
mistake. In `treatment_only` the follow-up decides on the second round and does nothing else:
adjusting for it does no harm, and leaving it out neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.adjustment import adjustment_truth
from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Challenge,
    NumericTruth,
    report_effect,
)
from whybench.suites.analyze.challenges.moving_confounder import (
    ALL,
    START,
    closed_form,
    effects,
    parameters,
    world,
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.estimators.regression import (
    interacted_difference,
    mean_difference,
    relate_columns,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench.suites.analyze.fields import FlagField

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.estimators.regression import Coefficient

NOT_SEEN = 0.05
"""What the follow-up does to the outcome has p values above this where it does nothing."""

APART, SEEN = 5.0, 3.0
"""How many SE_eff naive values are off, at least; and how many a competent analyst takes for so."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    trap = variant == TRAP
    panel = {
        "adjusted for the start": _adjusted(rows, START),
        "adjusted for start and decoy": _adjusted(rows, ("decoy", *START)),
    }
    later = {
        "adjusted for the follow-up too": _adjusted(rows, ALL),
        "adjusted for all": _adjusted(rows, ("decoy", *ALL)),
    }
    naive = {
        "crude difference": mean_difference(rows["outcome"], rows["treatment"]).value,
        "adjusted for the baseline": _adjusted(rows, START[:1]).value,
        "adjusted for all but the follow-up": _adjusted(rows, START).value,
    }
    if trap:
        panel = later
    elif variant == "treatment_only":
        panel |= later
    return {
        "estimate": NumericTruth(
            certified["estimate"], panel, next(iter(panel.values())).se, naive if trap else {}
        ),
        "adjustment_set": adjustment_truth(world(variant, at), ALL if trap else START),
        "start_misleads": CategoricalTruth(trap, alarm=(True,)),
    }


def _adjusted(rows: Rows, by: Sequence[str]) -> Coefficient:
    """Adjust by a regression in which the start is free to act in any way."""
    held = [rows[role] for role in by]
    if set(START) <= set(by):
        held.append(rows["baseline"] * rows["earlier"])
    return interacted_difference(rows["outcome"], rows["treatment"], held)


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    """Whether a follow-up that does nothing to the outcome shows that it does not."""
    return variant == TRAP or relate_columns(rows, ALL)["followup"].to_outcome > NOT_SEEN


def _has_trap(instance: Instance) -> bool:
    """Whether the follow-up came before the treatment and adjusting for it moves the effect far."""
    return _moves(instance, APART)


def _moves(instance: Instance, by: float) -> bool:
    full, partial = (_adjusted(instance.rows, held) for held in (ALL, START))
    before = instance.when["followup"] < instance.when["treatment"]
    return before and abs(full.value - partial.value) >= by * full.se


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Adjust, by two models at once, for all that came before the treatment."""
    rows, when = instance.rows, instance.when
    before = [role for role in ("decoy", *ALL) if when[role] < when["treatment"]]
    ate = doubly_robust(rows["outcome"], rows["treatment"], [rows[role] for role in before])
    return _reported(ate, before, _moves(instance, SEEN))


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Adjust for the start, as if the treatment had been decided then."""
    return _reported(_adjusted(instance.rows, START), START, False)


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Adjust for the follow-up whenever it took place, and whatever it does."""
    return _reported(_adjusted(instance.rows, ALL), ALL, True)


def _reported(ate: Coefficient, by: Iterable[str], misleads: bool) -> dict[str, Any]:
    return {
        "estimate": ate,
        "adjustment_set": frozenset(by),
        "start_misleads": misleads,
    }


CHALLENGE = Challenge(
    name="effect_estimation",
    family="intervention",
    summary="a confounder that an earlier treatment changed is left out, or one is taken for it",
    variants=("trap", "treatment_only", "after_treatment"),
    report=report_effect(share=True),
    diagnosis=(ColumnSetField("adjustment_set"), FlagField("start_misleads")),
    shown=("decoy", *ALL, "treatment", "outcome"),
    size=(2600, 3000),
    parameters=parameters,
    world=world,
    effects=effects,
    closed_form=closed_form,
    truths=_truths,
    accept=_accept,
    apart=APART,
    retold=("after_treatment",),
    opposite=("decoy", *ALL),
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
