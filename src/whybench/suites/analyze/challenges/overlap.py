"""Weak overlap: where hardly anybody is treated, or everybody, the effect is another.

Two columns known beforehand form four groups. In one of them hardly anybody is treated, in the
opposite one hardly anybody is not, and in both the effect is other than in the two between. A
regression that adds the columns up weighs a group by how evenly it is treated, so it tells the
effect in the two between; so does who leaves the others out. Interactions with each column alone do
not mend it, since the effect goes by the group. The few rows there are enough: averaging the
groups' differences over all rows is consistent, and so is weighting by the inverse propensity.

In the control `randomised` a lot decides, with one chance for all: the effects are those of the
trap, and every comparison is right. In `same_effect` the overlap is as weak as in the trap, but the
effect is the same in all groups: the regression is right, and the plain difference is not. In every
variant as many are treated, and as many have the outcome, as in the trap.
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
from whybench.suites.analyze.challenges.weak_overlap import (
    ENDS,
    GROUPING,
    closed_form,
    effects,
    has_room,
    parameters,
    world,
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.estimators.groups import (
    count_sides,
    find_weak_rows,
    regressed_difference,
    reweighted_difference,
    same_effect_p,
)
from whybench.suites.analyze.estimators.regression import (
    interacted_difference,
    stratified_difference,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench.suites.analyze.fields import FlagField, NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array
    from whybench.suites.analyze.estimators.regression import Coefficient

BEFORE = ("decoy", *GROUPING)
WEAK, CLEARLY = 0.1, 0.085
"""Overlap is weak in a group with a smaller share than this on one side; it shows below that."""

ENOUGH = 12
"""Rows of every group on either side, at least."""

APART = 5.0
"""How many SE_eff every naive value is from the truth and from the references, at least."""

SAME, OTHER = 0.1, 0.001
"""Groups show one effect at p values above the one, and several at p values below the other."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    best, strong = _standardised(rows), _standardised(rows, ~_find_weak(rows))
    columns = rows["outcome"], rows["treatment"], [rows[role] for role in GROUPING]
    panel = {"standardised": best, "inverse propensity": reweighted_difference(*columns)}
    crude = {"difference": _difference(rows, ())}
    sums = {"regression": _difference(rows), "interacted": interacted_difference(*columns)}
    naive = {TRAP: {**crude, **sums, "groups with overlap alone": strong}, "same_effect": crude}
    right = {"same_effect": sums, "randomised": {**crude, **sums}}.get(variant, {})
    weak, varies = variant != "randomised", variant != "same_effect"
    return {
        "estimate": NumericTruth(
            certified["estimate"],
            {**panel, **right},
            best.se,
            {name: found.value for name, found in naive.get(variant, {}).items()},
        ),
        "overlap_effect": NumericTruth(
            certified["overlap_effect"], {"standardised": strong, **right}, strong.se
        ),
        "weak_overlap": CategoricalTruth(weak, alarm=(True,)),
        "effect_varies": CategoricalTruth(varies, alarm=(True,)),
        "adjustment_set": adjustment_truth(world(variant, at), GROUPING if weak else ()),
    }


def _group(rows: Rows) -> Array:
    return 2 * rows["first"] + rows["second"]


def _find_weak(rows: Rows) -> Array:
    return find_weak_rows(rows["treatment"], _group(rows), WEAK)


def _difference(rows: Rows, by: Sequence[str] = BEFORE) -> Coefficient:
    return regressed_difference(rows["outcome"], rows["treatment"], [rows[role] for role in by])


def _standardised(rows: Rows, here: Array | slice = slice(None)) -> Coefficient:
    return stratified_difference(rows["outcome"][here], rows["treatment"][here], _group(rows)[here])


def _p_same(rows: Rows) -> float:
    return same_effect_p(rows["outcome"], rows["treatment"], _group(rows))


def _accept(variant: str, at: Parameters, rows: Rows) -> bool:
    """Whether chances are chances, and overlap and effects are clearly what they should be."""
    counts = count_sides(rows["treatment"], _group(rows))
    ends = (counts.min(axis=1) / counts.sum(axis=1))[ENDS]
    clear = variant == "randomised" or ends.max() < CLEARLY
    if not has_room(variant, at) or counts.min() < ENOUGH or not clear:
        return False
    return _p_same(rows) > SAME if variant == "same_effect" else _p_same(rows) < OTHER


def _has_trap(instance: Instance) -> bool:
    """Whether overlap is weak somewhere, and a regression is far from what groups tell."""
    rows, best = instance.rows, _standardised(instance.rows)
    far = abs(_difference(rows).value - best.value) >= APART * best.se
    return far and bool(_find_weak(rows).any())


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Use two models at once, each with the groups; look at overlap and effects group by group."""
    rows, weak = instance.rows, _find_weak(instance.rows)
    columns = [*(rows[role] for role in BEFORE), rows["first"] * rows["second"]]
    first = rows["first"][~weak]
    elsewhere = interacted_difference(rows["outcome"][~weak], rows["treatment"][~weak], [first])
    effect = doubly_robust(rows["outcome"], rows["treatment"], columns)
    said = _say(effect, elsewhere.value, claimed=bool(weak.any()))
    return {**said, "effect_varies": _p_same(rows) < OTHER}


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Add the columns up in a regression, and read one effect off it."""
    effect = _difference(instance.rows)
    return _say(effect, effect.value, claimed=False)


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Take every table for one with weak overlap and several effects."""
    elsewhere = _standardised(instance.rows, ~_find_weak(instance.rows))
    return _say(_standardised(instance.rows), elsewhere.value, claimed=True)


def _say(effect: Coefficient, elsewhere: float, *, claimed: bool) -> dict[str, Any]:
    return {
        "estimate": effect,
        "overlap_effect": elsewhere,
        "weak_overlap": claimed,
        "effect_varies": claimed,
        "adjustment_set": frozenset(GROUPING),
    }


CHALLENGE = Challenge(
    name="overlap",
    family="limits",
    summary="a regression speaks for groups treated evenly, and the effect is another elsewhere",
    variants=("trap", "randomised", "same_effect"),
    report=report_effect(share=True),
    diagnosis=(
        FlagField("weak_overlap"),
        FlagField("effect_varies"),
        NumberField("overlap_effect", share=True, key=False),
        ColumnSetField("adjustment_set"),
    ),
    shown=(*BEFORE, "treatment", "outcome"),
    size=(2800, 3000),
    parameters=parameters,
    world=world,
    effects=effects,
    closed_form=closed_form,
    method="average of gains",
    truths=_truths,
    accept=_accept,
    apart=APART,
    opposite=BEFORE,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
