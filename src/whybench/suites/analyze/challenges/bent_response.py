"""The world of `outcome`: a dose with two possible causes, and an outcome that bends with it.

    dose    = pulls of confounder and marker + chance, of mean 0 and variance 1
    outcome = slope · dose + bend · dose² + pushes from confounder and marker + noise

All causes are standard normal and independent. A marker that does not pull and push is no cause
but an echo of the outcome. A dose by lot has no cause, and moves the confounder instead: dose and
confounder are the same normal pair, told in the other order. There are two truths: what the outcome
would be at two doses, and what it is where they were had.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import agreed
from whybench.suites.analyze.columns import real
from whybench.suites.analyze.effects import contrast
from whybench.suites.analyze.world import World, mean_and_error

if TYPE_CHECKING:
    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Parameters, Rows, Simulation
    from whybench.suites.analyze.effects import Effect

ZERO, UNIT = 40.0, 8.0
"""Where the dose has its zero in the data, and how long its unit is; the world has 0 and 1."""

ORDERS = {
    "randomised": ("decoy", "treatment", "confounder", "outcome", "marker"),
    "upstream": ("decoy", "confounder", "marker", "treatment", "outcome"),
}
"""The columns in causal order, where the marker is upstream or the dose is drawn by lot."""

USUAL = ("decoy", "confounder", "treatment", "outcome", "marker")


def parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw what moves the dose (`pull_`) and the outcome (`push_`), the curve, and two doses.

    The doses are not placed evenly about the middle, so that a line misses the curve. The
    confounder errs in the direction of a line, so that the mistakes do not make up for each other.
    The effect is of either sign, large or small.
    """
    sides = (-rng.uniform(0.4, 0.7), rng.uniform(1.0, 1.3))
    if rng.integers(2):
        sides = (-sides[1], -sides[0])
    low, high = (round(ZERO + UNIT * side) for side in sides)
    sign, uneven = rng.choice([-1, 1]), np.sign(sides[1] + sides[0])
    slope, bend = rng.uniform(-1.1, 0.5) * sign, rng.uniform(0.5, 0.7) * sign * uneven
    pull = rng.uniform(0.5, 0.62) * rng.choice([-1, 1])
    push = -rng.uniform(0.8, 1.1) * sign * np.sign(pull)
    pull_marker = rng.uniform(0.35, 0.45) * rng.choice([-1, 1])
    # It errs in the direction of the confounder.
    push_marker = rng.uniform(0.8, 1.1) * np.sign(pull * push * pull_marker)
    early = variant == "upstream"
    at = {
        "low": low,
        "high": high,
        "slope": slope,
        "bend": bend,
        "pull_confounder": pull,
        "push_confounder": push,
        "pull_marker": pull_marker * early,
        "push_marker": push_marker * early,
        "noise": rng.uniform(0.8, 1.0),
        "echo": rng.uniform(0.4, 0.6) * rng.choice([-1, 1]),
    }
    return {name: float(value) for name, value in at.items()}


def find_causes(variant: str) -> tuple[str, ...]:
    """Return the columns that move dose and outcome alike."""
    order = ORDERS.get(variant, USUAL)
    return order[1 : order.index("treatment")]


def _rest(at: Parameters) -> float:
    """Return how much of the dose is chance; its variance is 1 in all."""
    return math.sqrt(1 - at["pull_confounder"] ** 2 - at["pull_marker"] ** 2)


def _mean(at: Parameters, dose: Any, confounder: Any, marker: Any = 0.0) -> Any:
    """Return the mean outcome at a dose, where confounder and an upstream marker are as they are.

    All in units of the world.
    """
    pushed = at["push_confounder"] * confounder + at["push_marker"] * marker
    return at["slope"] * dose + at["bend"] * dose**2 + pushed


def world(variant: str, at: Parameters) -> World:
    """Return the world; the dose is shown in the units of the story."""
    causes = find_causes(variant)

    def pulled(**by: Any) -> Any:
        return sum(at[f"pull_{role}"] * values for role, values in by.items())

    def outcome(treatment: Any, **by: Any) -> Any:
        return _mean(at, treatment, **by)

    columns = {
        "decoy": real("decoy", time=0),
        "confounder": real("confounder", time=0),
        "marker": real("marker", lambda outcome: at["echo"] * outcome, 0.5, time=4),
        "treatment": real(
            "treatment",
            pulled,
            _rest(at) if causes else 1.0,
            time=1,
            causes=causes,
            digits=2,
            show=lambda values: ZERO + UNIT * values,
        ),
        "outcome": real(
            "outcome",
            outcome,
            at["noise"],
            time=3,
            causes=("treatment", *(causes or ("confounder",))),
        ),
    }
    if variant == "upstream":
        columns["marker"] = real("marker", time=0)
    if variant == "randomised":
        columns["confounder"] = real(
            "confounder", lambda treatment: at["pull_confounder"] * treatment, _rest(at), time=2
        )
    return World(tuple(columns[role] for role in ORDERS.get(variant, USUAL)))


def _doses(at: Parameters) -> tuple[float, float]:
    """Return the two doses in units of the world."""
    return (at["low"] - ZERO) / UNIT, (at["high"] - ZERO) / UNIT


def effects(_variant: str, at: Parameters) -> dict[str, Effect]:
    """Give everybody one dose and the other."""
    low, high = _doses(at)
    return {"estimate": contrast({"treatment": high}, {"treatment": low})}


def closed_form(variant: str, at: Parameters) -> dict[str, float]:
    """Subtract the curve at one dose from the curve at the other."""
    low, high = _doses(at)
    moved = 0.0 if find_causes(variant) else at["pull_confounder"] * at["push_confounder"]
    return {"estimate": (at["slope"] + moved) * (high - low) + at["bend"] * (high**2 - low**2)}


def observe(variant: str, at: Parameters, world: World, noise: Rows) -> Simulation:
    """Compare units that had the one dose with units that had the other.

    The dose is causes and a rest, of variance 1 in all. To have had this dose and no other, each of
    them must have been off by its share of the distance.
    """
    seen = world.respond(noise)
    difference = np.zeros(len(seen["treatment"]))
    for dose, sign in zip(_doses(at), (-1, 1), strict=True):
        had = {
            role: seen[role] + at[f"pull_{role}"] * (dose - seen["treatment"])
            for role in find_causes(variant)
        }
        difference += sign * world.respond(noise, {**had, "treatment": dose})["outcome"]
    return {"cond_diff": mean_and_error(difference)}


def certify_difference(at: Parameters) -> Certificate:
    """Add what the doses tell about confounders; and average over those who had the doses."""
    low, high = _doses(at)
    told = sum(at[f"pull_{role}"] * at[f"push_{role}"] for role in ("confounder", "marker"))
    rise = (at["slope"] + told) * (high - low) + at["bend"] * (high**2 - low**2)
    # Sums over an even grid are exact to the last digits for bell curves that are this wide.
    grid = np.arange(-9, 9.01, 0.2)
    confounder, marker = grid[:, None], grid[None, :]
    pulled = at["pull_confounder"] * confounder + at["pull_marker"] * marker
    averaged = []
    for dose in (low, high):
        square = confounder**2 + marker**2 + ((dose - pulled) / _rest(at)) ** 2
        weights = np.exp(-square / 2)
        mean = _mean(at, dose, confounder, marker)
        averaged.append(float(np.sum(weights * mean) / np.sum(weights)))
    return agreed(
        "E[outcome | high dose] - E[outcome | low dose]",
        ("normal regression", rise),
        ("Bayes' rule by quadrature", averaged[1] - averaged[0]),
    )
