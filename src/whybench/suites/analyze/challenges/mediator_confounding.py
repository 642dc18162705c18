"""Mediator and outcome with a common cause: the split into direct and indirect goes wrong.

The treatment is randomised, so the total effect is plain to see. How much of it runs through the
mediator is not: something that was there beforehand moves both the mediator and the outcome, and a
fit without it takes this for an effect of the mediator.

Linear throughout: mediator = a·treatment + c·common + noise, outcome = d·treatment + b·mediator
+ e·common + noise. The direct effect is d, the indirect one a·b, the total their sum. In
`no_confounding` the would-be common cause touches only one of the two; in `null` that holds and
the treatment does nothing to the outcome by either way; in `descendant` it comes last and listens
to mediator and outcome, so that who adjusts for it makes the bias that they meant to remove. The
effects are of either sign, large or next to nothing; the bias is large whatever they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.adjustment import adjustment_truth
from whybench.suites.analyze.challenges.contract import (
    CategoricalTruth,
    Challenge,
    NumericTruth,
    report_effect,
)
from whybench.suites.analyze.column_fields import ColumnSetField
from whybench.suites.analyze.columns import assigned, real
from whybench.suites.analyze.effects import contrast, increase
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    design_matrix,
    least_squares,
    multiply_estimates,
)
from whybench.suites.analyze.fields import FlagField, IntervalField, NumberField
from whybench.suites.analyze.reports import NATURAL
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Column
    from whybench.suites.analyze.effects import Effect

CLEAR, UNCLEAR = 0.001, 0.2
APART = 5.0
EFFECTS = ("estimate", "nie", "te")

KNOWN = (("common", "decoy"), ("common",))
SETS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "trap": KNOWN,
    "no_confounding": KNOWN,
    "null": KNOWN,
    "descendant": (("decoy",),),
}
"""Sets that give all effects; the first is the most precise."""

TOLD = "regression on treatment and mediator"


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    fits = {by: _decomposed(rows, by) for by in SETS[variant]}
    plain = _decomposed(rows)
    truths: dict[str, Truth] = {}
    for name in EFFECTS:
        panel = {" and ".join((TOLD, *by)): fit[name] for by, fit in fits.items()}
        bent = variant == "trap" and name != "te"
        if not bent:
            panel |= {TOLD: plain[name]}
        elif name == "nie":
            panel |= {"total as it is, less direct": _subtracted(rows, "common")}
        naive = {TOLD: plain[name].value} if bent else {}
        truths[name] = NumericTruth(certified[name], panel, fits[SETS[variant][0]][name].se, naive)
    smallest = {"common"} if variant == "trap" else set()
    return {
        **truths,
        "confounded": CategoricalTruth(variant == "trap", alarm=(True,)),
        "adjustment_set": adjustment_truth(
            _world(variant, at), smallest, "mediator", beside=("treatment",)
        ),
    }


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the weights of the arrows; in controls without a common cause, one of its two is 0."""
    b, d = rng.uniform((-0.9, -1.0), (0.9, 1.0)).tolist()
    a, c, e = (rng.choice((-1.0, 1.0), 3) * rng.uniform((0.8, 0.7, 0.7), (1.3, 1.0, 1.0))).tolist()
    decoy = float(rng.uniform(0.2, 0.4) * rng.choice((-1.0, 1.0)))
    touches_mediator = bool(rng.integers(2))
    if variant in ("no_confounding", "null"):
        c, e = (c, 0.0) if touches_mediator else (0.0, e)
    if variant == "null":
        b = d = 0.0
    return {"a": a, "b": b, "d": d, "c": c, "e": e, "decoy": decoy}


def _world(variant: str, at: Parameters) -> World:
    def mediator(treatment: Any, common: Any = 0.0) -> Any:
        return at["a"] * treatment + at["c"] * common

    def outcome(treatment: Any, mediator: Any, decoy: Any, common: Any = 0.0) -> Any:
        through = at["d"] * treatment + at["b"] * mediator
        return through + at["e"] * common + at["decoy"] * decoy

    late = variant == "descendant"
    moves = () if late else ("common",)
    columns: tuple[Column, ...] = (
        real("decoy", time=0),
        assigned("treatment", time=1),
        real("mediator", mediator, causes=("treatment", *moves), time=2),
        real("outcome", outcome, causes=("treatment", "mediator", "decoy", *moves), time=3),
    )
    if late:
        echo = real(
            "common",
            lambda mediator, outcome: at["c"] * mediator + at["e"] * outcome,
            time=4,
        )
        columns = (*columns, echo)
    else:
        columns = (real("common", time=0), *columns)
    return World(columns)


def _effects(_variant: str, _at: Parameters) -> dict[str, Effect]:
    # Treated, with the mediator as it would be without.
    past = {"treatment": 1, "mediator": {"treatment": 0}}
    return {
        "estimate": contrast(past, {"treatment": 0}),
        "nie": contrast({"treatment": 1}, past),
        "te": increase("treatment"),
    }


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    through = at["a"] * at["b"]
    return {"estimate": at["d"], "nie": through, "te": at["d"] + through}


def _decomposed(rows: Rows, by: tuple[str, ...] = ()) -> dict[str, Coefficient]:
    """Return direct, indirect and total effect by two regressions and a third for the total."""
    x, m, y = rows["treatment"], rows["mediator"], rows["outcome"]
    adjusting = [rows[role] for role in by]
    outcome = least_squares(y, design_matrix(x, m, *adjusting))
    upon_mediator = least_squares(m, design_matrix(x, *adjusting))[1]
    return {
        "estimate": outcome[1],
        "nie": multiply_estimates(upon_mediator, outcome[2]),
        "te": least_squares(y, design_matrix(x, *adjusting))[1],
    }


def _subtracted(rows: Rows, by: str) -> Coefficient:
    """Return what the total effect by lot has more than the direct one; both are of the same rows.

    The error is that of the difference of two least squares, each row's part in either (HC0).
    """
    x, m, y = rows["treatment"], rows["mediator"], rows["outcome"]
    value, parts = 0.0, np.zeros(len(y))
    for sign, matrix in ((1, design_matrix(x)), (-1, design_matrix(x, m, rows[by]))):
        toward = np.linalg.pinv(matrix)
        value += sign * float(toward[1] @ y)
        parts += sign * toward[1] * (y - matrix @ (toward @ y))
    return Coefficient(value, float(np.linalg.norm(parts)))


def _touches(rows: Rows) -> tuple[Coefficient, Coefficient]:
    """Return what the would-be common cause does to the mediator and to the outcome."""
    x, m, c = rows["treatment"], rows["mediator"], rows["common"]
    return (
        least_squares(m, design_matrix(x, c))[2],
        least_squares(rows["outcome"], design_matrix(x, m, c))[3],
    )


def _accept(variant: str, _at: Parameters, rows: Rows) -> bool:
    p_values = sorted(touch.p for touch in _touches(rows))
    if variant in ("no_confounding", "null"):
        return p_values[0] < CLEAR and p_values[1] > UNCLEAR
    if variant == "descendant":
        plain, bent = _decomposed(rows)["estimate"], _decomposed(rows, ("common",))["estimate"]
        return abs(plain.value - bent.value) > APART * plain.se
    return p_values[1] < CLEAR


def _has_trap(instance: Instance) -> bool:
    """Whether a column from before the treatment moves both, and a fit without it is far off."""
    when = instance.when
    if when["common"] > when["treatment"]:
        return False
    rows = instance.rows
    plain, adjusted = _decomposed(rows), _decomposed(rows, ("common",))
    both = all(touch.p < CLEAR for touch in _touches(rows))
    return both and all(
        abs(plain[name].value - adjusted[name].value) >= APART * adjusted[name].se
        for name in ("estimate", "nie")
    )


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Take the mediator's share out of the outcome, and see what of the effect is left.

    Sequential g-estimation, with all that was known before the treatment; the indirect effect is
    what the total has more than the direct one.
    """
    rows = instance.rows
    when = instance.when
    known = [role for role in ("decoy", "common") if when[role] < when["treatment"]]
    before = [rows[role] for role in known]
    x, m, y = rows["treatment"], rows["mediator"], rows["outcome"]
    interacting = [x * (values - values.mean()) for values in before]
    outcome = least_squares(y, design_matrix(x, m, *before, *interacting))
    left = least_squares(y - outcome[2].value * m, design_matrix(x, *before))[1]
    total = least_squares(y, design_matrix(x, *before))[1]
    onto = least_squares(m, design_matrix(x, *before))[1]
    indirect = Coefficient(total.value - left.value, multiply_estimates(onto, outcome[2]).se)
    confounded = len(before) == 2 and all(touch.p < 0.05 for touch in _touches(rows))
    effects = {"estimate": Coefficient(left.value, outcome[1].se), "nie": indirect, "te": total}
    return _reported(effects, confounded, known)


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Fit treatment and mediator alone."""
    return _reported(_decomposed(instance.rows), False, ())


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Adjust for the would-be common cause, whenever it was measured."""
    return _reported(_decomposed(instance.rows, ("common",)), True, ("common",))


def _reported(
    effects: Mapping[str, Coefficient], confounded: bool, by: Sequence[str]
) -> dict[str, Any]:
    return {
        "estimate": effects["estimate"],
        **{name: effects[name].value for name in ("nie", "te")},
        **{f"{name}_ci": effects[name].interval for name in ("nie", "te")},
        "confounded": confounded,
        "adjustment_set": frozenset(by),
    }


CHALLENGE = Challenge(
    name="mediator_confounding",
    family="mediation",
    summary="mediator and outcome have a common cause, which passes for an indirect effect",
    variants=("trap", "no_confounding", "null", "descendant"),
    report=report_effect(),
    estimands=(NATURAL,),
    diagnosis=(
        NumberField("nie"),
        NumberField("te", key=False),
        *(IntervalField(f"{name}_ci", of=name) for name in ("nie", "te")),
        FlagField("confounded"),
        ColumnSetField("adjustment_set"),
    ),
    shown=("decoy", "common", "treatment", "mediator", "outcome"),
    size=(1800, 3000),
    parameters=_parameters,
    world=_world,
    effects=_effects,
    closed_form=_closed_form,
    method="product of arrows",
    truths=_truths,
    accept=_accept,
    apart=APART,
    units=("decoy", "common", "mediator", "outcome"),
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
