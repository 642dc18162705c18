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

from whybench.scm import Bernoulli, Graph, Model, Table, agreed
from whybench.suites.analyze.arms import exact_risk_difference, simulate_risk_difference
from whybench.suites.analyze.challenges.contract import (
    Array,
    CategoricalTruth,
    Challenge,
    DataColumn,
    Instance,
    NumericTruth,
    Simulation,
    round_values,
    to_integers,
)
from whybench.suites.analyze.estimators.regression import (
    Coefficient,
    mean_difference,
    weighted_difference,
)
from whybench.suites.analyze.fields import ChoiceField, FlagField, IntervalField, NumberField

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate

__all__ = ["CHALLENGE"]

CELLS = tuple((t, y, z) for t in (0, 1) for y in (0, 1) for z in (0, 1))
"""Treatment, outcome, bystander."""

CLEAR, NOT_SEEN, UNCLEAR = 0.01, 0.05, 0.2
APART = 4.0
FEWEST, MOST = 900, 3000


def _draw(variant: str, rng: np.random.Generator) -> Instance | None:
    at = _parameters(variant, rng)
    rows = _rows(at, rng)
    if not FEWEST <= len(rows["outcome"]) <= MOST:
        return None
    found = _ground_truth(variant, at, rows)
    naive, weighted = _naive_estimate(rows), _weighted(rows)
    shown = weighted.p < CLEAR / 2 if _real(at) else weighted.p > UNCLEAR
    agree = variant == "trap" or naive.direction == weighted.direction
    return found if shown and agree and found.number("effect").apart(APART) else None


def _real(at: Mapping[str, float]) -> bool:
    return at["outcome_1"] != at["outcome_0"]


def _ground_truth(variant: str, at: Mapping[str, float], rows: Mapping[str, Array]) -> Instance:
    naive, weighted = _naive_estimate(rows), _weighted(rows)
    effect = NumericTruth(
        _certified(at),
        {"inverse weighting": weighted.value}
        | ({} if variant == "trap" else {"difference": naive.value}),
        weighted.se,
        {"difference among the selected": naive.value} if variant == "trap" else {},
    )
    direction = "none" if not _real(at) else "increases" if effect.value > 0 else "decreases"
    return Instance(
        challenge="selection",
        variant=variant,
        parameters=at,
        columns=(
            DataColumn("bystander", "binary", 0),
            DataColumn("treatment", "binary", 1),
            DataColumn("outcome", "binary", 2),
            DataColumn("inclusion", "share", 3),
        ),
        rows=rows,
        truths={
            "effect": effect,
            "direction": CategoricalTruth(direction),
            "collider_bias": CategoricalTruth(variant == "trap", alarm=(True,)),
        },
    )


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


def _share(at: Mapping[str, float], t: int, y: int, z: int) -> float:
    """Return the share of a kind of person in the population."""
    chances = ((at["treated"], t), (at[f"outcome_{t}"], y), (at["bystander"], z))
    return math.prod(chance if is_so else 1 - chance for chance, is_so in chances)


def _rows(at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    """Draw people until about as many are in the table as there should be, and keep those."""
    wanted = rng.integers(1600, 2600)
    size = int(wanted / sum(_share(at, *cell) * at[f"in_{_spelled(cell)}"] for cell in CELLS))
    chance = rng.random((4, size))
    bystander, treatment = chance[0] < at["bystander"], chance[1] < at["treated"]
    outcome = chance[2] < np.where(treatment, at["outcome_1"], at["outcome_0"])
    inclusion = np.array([at[f"in_{_spelled(cell)}"] for cell in CELLS])[
        4 * treatment + 2 * outcome + bystander
    ]
    kept = chance[3] < inclusion
    return {
        "bystander": to_integers(bystander[kept]),
        "treatment": to_integers(treatment[kept]),
        "outcome": to_integers(outcome[kept]),
        "inclusion": round_values(inclusion[kept]),
    }


def _spelled(cell: tuple[int, int, int]) -> str:
    return "".join(map(str, cell))


def _certified(at: Mapping[str, float]) -> Certificate:
    """Derive the effect from the selected population, weighted back; and by elimination."""
    chance = []
    for t in (0, 1):
        # What the selected look like, and what each of them stands for.
        selected = {c: _share(at, *c) * at[f"in_{_spelled(c)}"] for c in CELLS if c[0] == t}
        stands = {c: share / at[f"in_{_spelled(c)}"] for c, share in selected.items()}
        chance.append(sum(v for c, v in stands.items() if c[1] == 1) / sum(stands.values()))
    return agreed(
        "P(outcome | do(treated)) - P(outcome | do(untreated))",
        ("inverse weighting", chance[1] - chance[0]),
        ("elimination", exact_risk_difference(_model(at))),
    )


def _model(at: Mapping[str, float]) -> Model:
    causes = ("treatment", "outcome", "bystander")
    edges = (("treatment", "outcome"), *((cause, "selected") for cause in causes))
    return Model(
        Graph((*causes, "selected"), edges),
        {
            "treatment": Bernoulli(at["treated"]),
            "outcome": Table((at["outcome_0"], at["outcome_1"])),
            "bystander": Bernoulli(at["bystander"]),
            "selected": Table(tuple(at[f"in_{_spelled(cell)}"] for cell in CELLS)),
        },
    )


def _naive_estimate(rows: Mapping[str, Array]) -> Coefficient:
    return mean_difference(rows["outcome"], rows["treatment"])


def _weighted(rows: Mapping[str, Array]) -> Coefficient:
    return weighted_difference(rows["outcome"], rows["treatment"], 1 / rows["inclusion"])


def _has_trap(instance: Instance) -> bool:
    """Whether the selected show an association that weighting takes away."""
    naive, weighted = _naive_estimate(instance.rows), _weighted(instance.rows)
    return naive.p < CLEAR and weighted.p > NOT_SEEN


def _simulate(instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
    model = _model(instance.parameters)
    return {"effect": simulate_risk_difference(model, n, rng)}


def _competent(instance: Instance) -> Mapping[str, Any]:
    """Fit each group's chance by likelihood, given how selection multiplies its odds."""
    rows = instance.rows
    had, had_not = (_chance(rows, group) for group in (1, 0))
    effect = Coefficient(had.value - had_not.value, math.hypot(had.se, had_not.se))
    return {**_reported(effect), "collider_bias": _odds_bent(rows)}


def _chance(rows: Mapping[str, Array], group: int) -> Coefficient:
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


def _inclusion_ratio(rows: Mapping[str, Array]) -> Array:
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


def _odds_bent(rows: Mapping[str, Array]) -> bool:
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
    draw=_draw,
    ground_truth=_ground_truth,
    has_trap=_has_trap,
    competent=_competent,
    naive=_naive,
    always_trap=_always_trap,
    simulate=_simulate,
)
