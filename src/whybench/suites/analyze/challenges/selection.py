"""Selection (Berkson): an association that only being in the table makes.

Who is in the table depends on both the treatment and the outcome. In the population the two have
nothing to do with each other, yet among the selected they go together. The chance with which each
row came in is known and in the data, so that weighting by its inverse undoes the selection.

In the controls the plain comparison is right. Rows came in at `random`; by a bystander of treatment
and outcome, where there is a `true_association`; or by `one_cause`, the treatment alone, which
changes how many are treated but not how the treated fare. In the first and the last of these the
effect is null for half of the worlds, so that no effect is no sign of the trap.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.suites.analyze.challenges.contract import CategoricalTruth, Challenge, NumericTruth
from whybench.suites.analyze.columns import binary, derived
from whybench.suites.analyze.effects import increase
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    mean_difference,
    weighted_difference,
)
from whybench.suites.analyze.fields import ChoiceField, FlagField, IntervalField, NumberField
from whybench.suites.analyze.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Instance, Parameters, Rows, Truth
    from whybench.suites.analyze.columns import Array

__all__ = ["CHALLENGE"]

CELLS = tuple((t, y, z) for t in (0, 1) for y in (0, 1) for z in (0, 1))
"""Treatment, outcome, bystander."""

CLEAR, NOT_SEEN, UNCLEAR = 0.01, 0.05, 0.2


def _real(at: Parameters) -> bool:
    return at["outcome_1"] != at["outcome_0"]


def _accept(variant: str, at: Parameters, rows: Rows) -> bool:
    naive, weighted = _naive_estimate(rows), _weighted(rows)
    shown = weighted.p < CLEAR / 2 if _real(at) else weighted.p > UNCLEAR
    return shown and (variant == "trap" or naive.direction == weighted.direction)


def _truths(
    variant: str, at: Parameters, rows: Rows, certified: Mapping[str, Certificate]
) -> dict[str, Truth]:
    naive, weighted = _naive_estimate(rows), _weighted(rows)
    effect = NumericTruth(
        certified["effect"],
        {"inverse weighting": weighted.value}
        | ({} if variant == "trap" else {"difference": naive.value}),
        weighted.se,
        {"difference among the selected": naive.value} if variant == "trap" else {},
    )
    direction = "none" if not _real(at) else "increases" if effect.value > 0 else "decreases"
    return {
        "effect": effect,
        "direction": CategoricalTruth(direction),
        "collider_bias": CategoricalTruth(variant == "trap", alarm=(True,)),
    }


def _parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the population, and the chance of each kind of person to be in the table."""
    base, change = rng.uniform(0.4, 0.55), rng.uniform(0.13, 0.2) * rng.choice((-1, 1))
    null = variant == "trap" or (variant != "true_association" and bool(rng.integers(2)))
    return {
        "treated": rng.uniform(0.4, 0.6),
        "bystander": rng.uniform(0.4, 0.6),
        "outcome_0": base,
        "outcome_1": base if null else base + change,
        **_inclusion(variant, rng),
    }


def _inclusion(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw the chance of each kind of person to be in the table, as exact as it is shown.

    In the trap, either of treatment and outcome suffices to come in readily, which drives them
    apart; or it takes both, or neither, which draws them together.
    """
    low, middle, high = rng.uniform(0.15, 0.22), rng.uniform(0.4, 0.5), rng.uniform(0.75, 0.95)
    far = rng.uniform(0.7, 0.85)
    suffices = bool(rng.integers(2))
    found = {}
    for t, y, z in CELLS:
        near = 1 if z else far
        if variant == "trap" and suffices:
            chance = (high if t or y else low) * near
        elif variant == "trap":
            chance = (low if t != y else high if t else middle) * near
        elif variant == "one_cause":
            chance = (high if t else middle) * near
        elif variant == "true_association":
            chance = high if z else low
        else:
            chance = middle
        found[f"in_{t}{y}{z}"] = round(float(chance), 3)
    return found


def _share(at: Parameters, t: int, y: int, z: int) -> float:
    """Return the share of a kind of person in the population."""
    chances = ((at["treated"], t), (at[f"outcome_{t}"], y), (at["bystander"], z))
    return math.prod(chance if is_so else 1 - chance for chance, is_so in chances)


def _spelled(cell: tuple[int, int, int]) -> str:
    return "".join(map(str, cell))


def _world(_variant: str, at: Parameters) -> World:
    chances = np.array([at[f"in_{_spelled(cell)}"] for cell in CELLS])
    return World(
        (
            binary("bystander", at["bystander"], time=0),
            binary("treatment", at["treated"], time=1),
            binary(
                "outcome",
                lambda treatment: np.where(treatment, at["outcome_1"], at["outcome_0"]),
                time=2,
            ),
            derived(
                "inclusion",
                lambda treatment, outcome, bystander: chances[
                    4 * treatment + 2 * outcome + bystander
                ],
                "share",
                time=3,
            ),
            binary("selected", lambda inclusion: inclusion),
        ),
        selected="selected",
    )


def _closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    """Weight the selected population back."""
    chance = []
    for t in (0, 1):
        # What the selected look like, and what each of them stands for.
        selected = {c: _share(at, *c) * at[f"in_{_spelled(c)}"] for c in CELLS if c[0] == t}
        stands = {c: share / at[f"in_{_spelled(c)}"] for c, share in selected.items()}
        chance.append(sum(v for c, v in stands.items() if c[1] == 1) / sum(stands.values()))
    return {"effect": chance[1] - chance[0]}


def _naive_estimate(rows: Rows) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _weighted(rows: Rows) -> Coefficient:
    return weighted_difference(rows["outcome"], rows["treatment"], 1 / rows["inclusion"])


def _has_trap(instance: Instance) -> bool:
    """Whether the selected show an association that weighting takes away."""
    naive, weighted = _naive_estimate(instance.rows), _weighted(instance.rows)
    return naive.p < CLEAR and weighted.p > NOT_SEEN


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Fit each group's chance by likelihood, given how selection multiplies its odds."""
    rows = instance.rows
    had, had_not = (_chance(rows, group) for group in (1, 0))
    effect = Coefficient(had.value - had_not.value, math.hypot(had.se, had_not.se))
    return {**_reported(effect), "collider_bias": _odds_bent(rows)}


def _chance(rows: Rows, group: int) -> Coefficient:
    """Return a group's chance of the outcome in the population.

    Among the selected the odds are those of the population times the ratio of the chances of
    inclusion with and without the outcome. The likelihood has its top where as many have the
    outcome as are expected, which is found by halving.
    """
    here = rows["treatment"] == group
    outcome, ratio = rows["outcome"][here], _inclusion_ratio(rows)[here]
    low, high = -10.0, 10.0
    while high - low > 1e-10:
        middle = (low + high) / 2
        expected = _selected_chance(middle, ratio).sum()
        low, high = (middle, high) if expected < outcome.sum() else (low, middle)
    chance = 1 / (1 + math.exp(-low))
    among = _selected_chance(low, ratio)
    return Coefficient(chance, chance * (1 - chance) / math.sqrt(float(among @ (1 - among))))


def _selected_chance(log_odds: float, ratio: Array) -> Array:
    odds = math.exp(log_odds) * ratio
    return odds / (1 + odds)


def _inclusion_ratio(rows: Rows) -> Array:
    """Return, row by row, by what having the outcome multiplies the chance to be included."""
    ratio = np.ones(len(rows["outcome"]))
    for t in (0, 1):
        for z in (0, 1):
            here = (rows["treatment"] == t) & (rows["bystander"] == z)
            with_it, without = (
                rows["inclusion"][here & (rows["outcome"] == y)].mean() for y in (1, 0)
            )
            ratio[here] = with_it / without
    return ratio


def _odds_bent(rows: Rows) -> bool:
    """Whether selection multiplies the odds of the treated and of the others differently."""
    ratio = _inclusion_ratio(rows)
    treated = rows["treatment"] == 1
    return not math.isclose(ratio[treated].mean(), ratio[~treated].mean(), rel_tol=1e-3)


def _naive(instance: Instance) -> Mapping[str, Any]:
    """Compare the rows that there are."""
    return {**_reported(_naive_estimate(instance.rows)), "collider_bias": False}


def _always_trap(instance: Instance) -> Mapping[str, Any]:
    """Put every association down to selection: there is nothing."""
    nothing = Coefficient(0.0, _weighted(instance.rows).se)
    return {**_reported(nothing), "collider_bias": True}


def _reported(effect: Coefficient) -> dict[str, Any]:
    return {"effect": effect.value, "ci": effect.interval, "direction": effect.direction}


CHALLENGE = Challenge(
    name="selection",
    family="confounding",
    summary="being in the table depends on treatment and outcome, which ties them together",
    variants=("trap", "random", "true_association", "one_cause"),
    fields=(
        NumberField("effect", share=True),
        IntervalField("ci", of="effect", share=True),
        ChoiceField("direction", ("increases", "decreases", "none")),
        FlagField("collider_bias"),
    ),
    shown=("bystander", "treatment", "outcome", "inclusion"),
    size=(1600, 2600),
    parameters=_parameters,
    world=_world,
    effects=lambda *_: {"effect": increase("treatment")},
    closed_form=_closed_form,
    method="inverse weighting",
    truths=_truths,
    accept=_accept,
    apart=4.0,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
)
