"""The world of `outcome`: a dose with two possible causes, and an outcome that bends with it.

    dose    = pulls on confounder and marker + chance, of mean 0 and variance 1
    outcome = slope · dose + bend · dose² + pushes from confounder and marker + noise

All causes are standard normal and independent. A marker that does not pull and push is no cause
but an echo of the outcome. There are two truths: what the outcome would be at two doses, and what
it is where they were had.
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
    from collections.abc import Sequence

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Parameters, Rows, Simulation
    from whybench.suites.analyze.columns import Column
    from whybench.suites.analyze.effects import Effect

__all__ = [
    "UNITS",
    "certify_difference",
    "closed_form",
    "effects",
    "observe",
    "parameters",
    "world",
]

UNITS = {
    "confounder": (20.0, 3.0),
    "decoy": (90.0, 20.0),
    "treatment": (40.0, 8.0),
    "outcome": (30.0, 4.0),
    "marker": (50.0, 10.0),
}
"""Where a column of the story has its zero, and how long its unit is; the world has 0 and 1."""


def parameters(variant: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw what moves the dose (`pull_`) and the outcome (`push_`), the curve, and two doses.

    The doses are not placed evenly about the middle, so that a line misses the curve. Slope and
    bend work together, so that the effect is never small; the confounder errs against them, so that
    the mistakes do not make up for each other.
    """
    sides = (-rng.uniform(0.4, 0.7), rng.uniform(1.0, 1.3))
    if rng.integers(2):
        sides = (-sides[1], -sides[0])
    zero, unit = UNITS["treatment"]
    low, high = (round(zero + unit * side) for side in sides)
    sign, uneven = rng.choice([-1, 1]), np.sign(sides[1] + sides[0])
    slope, bend = rng.uniform(0.3, 0.7) * sign, rng.uniform(0.5, 0.7) * sign * uneven
    pull = rng.uniform(0.5, 0.62) * rng.choice([-1, 1])
    push = -rng.uniform(0.8, 1.1) * sign * np.sign(pull)
    marker = np.array([rng.uniform(0.35, 0.45), rng.uniform(0.8, 1.1)]) * rng.choice([-1, 1])
    at = {
        "low": low,
        "high": high,
        "slope": slope,
        "bend": bend,
        "pull_confounder": pull,
        "push_confounder": push,
        "pull_marker": 0.0,
        "push_marker": 0.0,
        "pull_decoy": 0.0,
        "push_decoy": 0.0,
        "noise": rng.uniform(0.8, 1.0),
        "echo": rng.uniform(0.4, 0.6),
    }
    if variant == "linear":
        at |= {"bend": 0.0, "push_confounder": 0.0}
    if variant == "unconfounded":
        at |= {"pull_confounder": 0.0}
    if variant == "upstream":
        # It errs in the direction of the confounder.
        at |= {"pull_marker": marker[0], "push_marker": marker[1] * np.sign(pull * push)}
    return {name: float(value) for name, value in at.items()}


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
    """Return the world; columns are shown in the units of the story."""
    early = variant == "upstream"
    causes = ("confounder", "marker") if early else ("confounder",)

    def dose(confounder: Any, marker: Any = 0.0) -> Any:
        return at["pull_confounder"] * confounder + at["pull_marker"] * marker

    def outcome(treatment: Any, **before: Any) -> Any:
        return _mean(at, treatment, **before)

    def column(role: str, *mechanism: Any, time: int, causes: Sequence[str] = ()) -> Column:
        zero, unit = UNITS[role]
        return real(
            role,
            *mechanism,
            time=time,
            causes=causes,
            digits=2,
            show=lambda values: zero + unit * values,
        )

    before = column("confounder", time=0), column("decoy", time=0)
    after = (
        column("treatment", dose, _rest(at), time=1, causes=causes),
        column("outcome", outcome, at["noise"], time=2, causes=("treatment", *causes)),
    )
    if early:
        columns = (*before, column("marker", time=0), *after)
    else:
        echo = column(
            "marker", lambda outcome: at["echo"] * outcome, 0.5, time=3, causes=("outcome",)
        )
        columns = (*before, *after, echo)
    return World(columns)


def _doses(at: Parameters) -> tuple[float, float]:
    """Return the two doses in units of the world."""
    zero, unit = UNITS["treatment"]
    return (at["low"] - zero) / unit, (at["high"] - zero) / unit


def effects(_variant: str, at: Parameters) -> dict[str, Effect]:
    """Give everybody one dose and the other."""
    low, high = _doses(at)
    return {"ate": UNITS["outcome"][1] * contrast({"treatment": high}, {"treatment": low})}


def closed_form(_variant: str, at: Parameters) -> dict[str, float]:
    """Subtract the curve at one dose from the curve at the other."""
    low, high = _doses(at)
    rise = at["slope"] * (high - low) + at["bend"] * (high**2 - low**2)
    return {"ate": UNITS["outcome"][1] * rise}


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
            for role in ("confounder", *(("marker",) if variant == "upstream" else ()))
        }
        difference += sign * world.respond(noise, {**had, "treatment": dose})["outcome"]
    return {"cond_diff": mean_and_error(UNITS["outcome"][1] * difference)}


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
    unit = UNITS["outcome"][1]
    return agreed(
        "E[outcome | high dose] - E[outcome | low dose]",
        ("normal regression", unit * rise),
        ("Bayes' rule by quadrature", unit * (averaged[1] - averaged[0])),
    )
