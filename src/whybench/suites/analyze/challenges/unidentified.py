"""An effect that cannot be had: those who decided also went by something that is not in the table.

It bears on the outcome, too. So the treated and the untreated differ in it, and no comparison of
the rows, whatever it holds, tells what the treatment does: the adjusted difference is at least five
standard errors off. Honest is to say so. What the rows do say are bounds: nobody knows how the
treated would have fared untreated, nor the untreated treated, but since an outcome is 0 or 1 they
can at the least and at the most have been all the one or all the other (Manski).

Whether the effect can be had is nothing that the table can say. The control `recorded` has the very
rows of its trap, but those who decided went by the recorded column alone: hold it, and the effect
is there. In `randomised` a lot decides, and the plain difference will do; as many are treated, and
as many have the outcome, as in the trap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.adjustment import is_enough
from whybench.suites.analyze.challenges.contract import (
    TRAP,
    CategoricalTruth,
    Challenge,
    NumericTruth,
    UnidentifiedTruth,
    report_effect,
)
from whybench.suites.analyze.challenges.hidden_cause import (
    LOT,
    RECORDED,
    certify_bounds,
    closed_form,
    parameters,
    world,
)
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    interacted_difference,
    mean_difference,
    stratified_difference,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench.suites.analyze.fields import ChoiceField, NumberField
from whybench.suites.analyze.world import World, mean_and_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import (
        Instance,
        Parameters,
        Rows,
        Simulation,
        Truth,
    )

BY = {TRAP: "unrecorded", RECORDED: "recorded", LOT: "random"}
"""By what was decided who is treated, which the text says and nothing else."""

APART = 5.0
"""How many SE_eff naive values are from the truth and from the references, at least."""

CLEAR = 0.005
"""The p value of the effect in controls, at most."""


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    low, high = (
        NumericTruth(certify_bounds(variant, at)[end], {"share of rows": found}, found.se)
        for end, found in _bounds(rows).items()
    )
    return {
        "estimate": UnidentifiedTruth(bounds=(low, high))
        if variant == TRAP
        else _effect(variant, rows, certified["estimate"]),
        "chosen_by": CategoricalTruth(
            BY[variant], naive=("recorded", "random") * (variant == TRAP), alarm=("unrecorded",)
        ),
        "lower_bound": low,
        "upper_bound": high,
    }


def _effect(variant: str, rows: Rows, certificate: Certificate) -> NumericTruth:
    """Return the truth of the effect where it can be had."""
    crude, held = _crude(rows), _adjusted(rows)
    both = [rows[role] for role in ("decoy", "known")]
    panel = {
        "standardised": held,
        "adjusted for both": interacted_difference(rows["outcome"], rows["treatment"], both),
    }
    if variant == LOT:
        return NumericTruth(certificate, {**panel, "difference": crude}, held.se)
    return NumericTruth(certificate, panel, held.se, {"difference": crude.value})


def _bounds(rows: Rows) -> dict[str, Coefficient]:
    """Return the share of rows whose outcome is as their treatment, and that share less 1."""
    value, se = mean_and_error(rows["outcome"] == rows["treatment"])
    return {"lower_bound": Coefficient(value - 1, se), "upper_bound": Coefficient(value, se)}


def _crude(rows: Rows) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _adjusted(rows: Rows) -> Coefficient:
    return stratified_difference(rows["outcome"], rows["treatment"], rows["known"])


def _observe(_variant: str, _at: Parameters, world: World, noise: Rows) -> Simulation:
    """Simulate the bounds."""
    found = _bounds(world.respond(noise))
    return {end: (bound.value, bound.se) for end, bound in found.items()}


def _accept(variant: str, at: Parameters, rows: Rows) -> bool:
    """Whether the rows show an effect; in the trap, another one than there is.

    Where nothing is hidden the same rows show the true one, and the plain difference does not.
    """
    best, crude = _adjusted(rows), _crude(rows).value
    gaps = (
        best.value - closed_form(TRAP, at)["estimate"],
        crude - closed_form(RECORDED, at)["estimate"],
        crude - best.value,
    )
    far = all(abs(gap) >= APART * best.se for gap in gaps)
    return best.p < CLEAR and (variant != TRAP or far)


def _has_trap(instance: Instance) -> bool:
    """Whether all that was recorded beforehand is not enough, by the graph, to hold."""
    graph = world(instance.variant, instance.parameters).find_graph()
    return not is_enough(graph, frozenset({"decoy", "known"}), "treatment", "outcome")


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Read who decided; then hold what came before by two models, or give bounds alone."""
    rows, by = instance.rows, BY[instance.variant]
    ends = _say_bounds(rows)
    if by == "unrecorded":
        return {"estimate": None, "interval": tuple(ends.values()), "chosen_by": by, **ends}
    before = [rows[role] for role in ("decoy", "known")]
    effect = doubly_robust(rows["outcome"], rows["treatment"], before)
    return {"estimate": effect, "chosen_by": by, **ends}


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Hold what is there to be held, and take its interval for all that is not known."""
    found = _adjusted(instance.rows)
    low, high = found.interval
    return {"estimate": found, "chosen_by": "recorded", "lower_bound": low, "upper_bound": high}


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Suspect something unrecorded everywhere."""
    return {"estimate": None, "chosen_by": "unrecorded", **_say_bounds(instance.rows)}


def _say_bounds(rows: Rows) -> dict[str, float]:
    return {end: bound.value for end, bound in _bounds(rows).items()}


CHALLENGE = Challenge(
    name="unidentified",
    family="limits",
    summary="those who decided went by something that is not in the table and bears on the outcome",
    variants=(TRAP, RECORDED, LOT),
    report=report_effect(share=True),
    diagnosis=(
        # To tell whether the effect can be had is what this challenge is about.
        ChoiceField("chosen_by", tuple(sorted(BY.values())), weight=2.0),
        NumberField("lower_bound", share=True, key=False),
        NumberField("upper_bound", share=True, key=False),
    ),
    shown=("decoy", "known", "treatment", "outcome"),
    size=(2600, 3000),
    parameters=parameters,
    world=world,
    effects=lambda *_: {"estimate": increase("treatment")},
    closed_form=closed_form,
    method="gain and bias",
    truths=_truths,
    accept=_accept,
    apart=APART,
    retold=(RECORDED,),
    observe=_observe,
    opposite=("decoy", "known"),
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
