"""Two mediators in a row: one way of the effect is the product of three arrows.

A randomised treatment moves two mediators, and the first of them moves the second. So there are
four ways from treatment to outcome: past both mediators, through either alone, and through one
after the other. Who fits the mediators side by side, as if neither listened to the other, finds no
fourth way and books it under the second mediator.

Linear throughout: a = onto_a·treatment + noise, b = onto_b·treatment + chain·a + noise, outcome =
direct·treatment + from_a·a + from_b·b + noise. The effect along a way is the product of its arrows.

Which mediator comes first is nothing the rows can say: a normal pair can be written in either
order. The control `reversed` has the very same rows as its trap, but b was measured before a, so
that the arrow between them runs from b to a and the ways through mediators have other effects. In
`parallel` there is no arrow between them, and the fit side by side is right. Effects are of either
sign, those that the trap does not rest on large or next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.challenges.contract import (
    CategoricalTruth,
    Challenge,
    NumericTruth,
    report_effect,
)
from whybench.suites.analyze.challenges.mediator_chain import (
    ALONE,
    A,
    B,
    arrows_of,
    closed_form,
    effects,
    world,
)
from whybench.suites.analyze.column_fields import ColumnOrderField
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    design_matrix,
    least_squares,
    multiply_estimates,
)
from whybench.suites.analyze.fields import NumberField
from whybench.suites.analyze.reports import PATH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array

CLEAR, UNCLEAR = 0.001, 0.2
APART = 5.0

BENT = ("estimate", "through_both")
"""The ways that a fit side by side gets wrong where a moves b."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    arrows, parallel = arrows_of(variant, at), _side_by_side(rows)
    order = () if variant == "parallel" else arrows.order
    truths: dict[str, Truth] = {
        "order": CategoricalTruth(order, naive=((),) if variant == "trap" else (), alarm=((A, B),))
    }
    fits = {
        "products of regressions": _in_a_row(rows, arrows.order, (rows["decoy"],)),
        "products of regressions, nothing held": _in_a_row(rows, arrows.order),
    }
    for name, estimate in fits["products of regressions"].items():
        references: dict[str, float | Coefficient] = {way: fits[way][name] for way in fits}
        beside = {"mediators side by side": parallel[name].value}
        if variant == "parallel":
            references |= beside
        bent = variant == "trap" and name in BENT
        truths[name] = NumericTruth(
            certified[name], references, estimate.se, beside if bent else {}
        )
    return truths


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the arrows; those of the way through both mediators are never small."""
    onto_a, chain, from_b = (
        rng.choice((-1.0, 1.0), 3) * rng.uniform((0.8, 0.5, 0.5), (1.3, 1.2, 1.0))
    ).tolist()
    onto_b, from_a, direct = rng.uniform((-1.2, -0.9, -0.9), (1.2, 0.9, 0.9)).tolist()
    return {
        "onto_a": onto_a,
        "onto_b": onto_b,
        "chain": 0.0 if variant == "parallel" else chain,
        "from_a": from_a,
        "from_b": from_b,
        "direct": direct,
        "noise_a": float(rng.uniform(0.9, 1.1)),
        "noise_b": float(rng.uniform(0.8, 1.0)),
        "decoy": float(rng.uniform(0.2, 0.4) * rng.choice((-1.0, 1.0))),
    }


def _in_a_row(
    rows: Rows, order: tuple[str, str], held: Sequence[Array] = ()
) -> dict[str, Coefficient]:
    """Multiply regression coefficients along each of the four ways."""
    x, first, second = rows["treatment"], rows[order[0]], rows[order[1]]
    onto_first = least_squares(first, design_matrix(x))[1]
    onto_second = least_squares(second, design_matrix(x, first))
    outcome = least_squares(rows["outcome"], design_matrix(x, first, second, *held))
    return {
        "direct": outcome[1],
        ALONE[order[0]]: multiply_estimates(onto_first, outcome[2]),
        ALONE[order[1]]: multiply_estimates(onto_second[1], outcome[3]),
        "through_both": multiply_estimates(
            multiply_estimates(onto_first, onto_second[2]), outcome[3]
        ),
    }


def _side_by_side(rows: Rows) -> dict[str, Coefficient]:
    """Do the same as if neither mediator listened to the other."""
    x = rows["treatment"]
    outcome = least_squares(rows["outcome"], design_matrix(x, rows[A], rows[B], rows["decoy"]))
    onto = [least_squares(rows[role], design_matrix(x))[1] for role in (A, B)]
    return {
        "direct": outcome[1],
        "through_a": multiply_estimates(onto[0], outcome[2]),
        "estimate": multiply_estimates(onto[1], outcome[3]),
        "through_both": Coefficient(0.0, 0.0),
    }


def _link(rows: Rows) -> Coefficient:
    """Return how b goes with a among equally treated rows."""
    return least_squares(rows[B], design_matrix(rows["treatment"], rows[A]))[2]


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    return _link(rows).p > UNCLEAR if variant == "parallel" else _bent(rows)


def _bent(rows: Rows) -> bool:
    """Whether a and b go together, and a fit side by side is far from one in a row."""
    in_a_row, beside = _in_a_row(rows, (A, B), (rows["decoy"],)), _side_by_side(rows)
    return _link(rows).p < CLEAR and all(
        abs(in_a_row[name].value - beside[name].value) >= APART * in_a_row[name].se for name in BENT
    )


def _has_trap(instance: Instance) -> bool:
    """Whether a came before b, they go together, and a fit side by side is far off."""
    return _measured_order(instance) == (A, B) and _bent(instance.rows)


def _measured_order(instance: Instance) -> tuple[str, str]:
    when = instance.when
    return (A, B) if when[A] < when[B] else (B, A)


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Take the order from the dates; let every slope differ between the arms, and average."""
    rows, order = instance.rows, _measured_order(instance)
    x, decoy, first, second = (rows[role] for role in ("treatment", "decoy", *order))
    onto_first = _averaged(first, x, decoy)
    onto_second = _averaged(second, x, first, decoy)
    outcome = _averaged(rows["outcome"], x, first, second, decoy)
    chain = multiply_estimates(onto_first[0], onto_second[1])
    effects = {
        "direct": outcome[0],
        ALONE[order[0]]: multiply_estimates(onto_first[0], outcome[1]),
        ALONE[order[1]]: multiply_estimates(onto_second[0], outcome[2]),
        "through_both": multiply_estimates(chain, outcome[2]),
    }
    return _reported(order if onto_second[1].p < 0.05 else (), effects)


def _averaged(outcome: Array, treatment: Array, *columns: Array) -> list[Coefficient]:
    """Return the slopes of treatment and columns, averaged over the rows of a fit by arm."""
    x, *others = (values - values.mean() for values in (treatment, *columns))
    fit = least_squares(outcome, design_matrix(x, *others, *(x * values for values in others)))
    return [fit[place] for place in range(1, len(columns) + 2)]


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit the mediators side by side."""
    return _reported((), _side_by_side(instance.rows))


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Take the mediators for a chain in the order of the columns."""
    return _reported((A, B), _in_a_row(instance.rows, (A, B)))


def _reported(order: tuple[str, ...], effects: Mapping[str, Coefficient]) -> dict[str, Any]:
    values = {name: effect.value for name, effect in effects.items()}
    return {**values, "order": order, "estimate": effects["estimate"]}


CHALLENGE = Challenge(
    name="sequential",
    family="mediation",
    summary="one mediator moves the other, which a fit side by side does not see",
    variants=("trap", "parallel", "reversed"),
    report=report_effect(),
    estimands=(PATH,),
    diagnosis=(
        ColumnOrderField("order"),
        NumberField("direct", key=False),
        NumberField("through_a", key=False),
        NumberField("through_both"),
    ),
    shown=("decoy", "treatment", A, B, "outcome"),
    size=(1500, 3000),
    parameters=_parameters,
    world=world,
    effects=effects,
    closed_form=closed_form,
    method="product of arrows",
    truths=_truths,
    accept=_accept,
    apart=APART,
    units=("decoy", A, B, "outcome"),
    retold=("reversed",),
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
