"""The world of `outcome`: a dose with two possible causes, and an outcome that bends with it.

    dose    = pulls on confounder and marker + chance, of mean 0 and variance 1
    outcome = slope · dose + bend · dose² + pushes from confounder and marker + noise

All causes are standard normal and independent. A marker that does not pull and push is no cause
but an echo of the outcome. Here are the rows, and the two truths: what the outcome would be at two
doses, and what it is where they were had; each by algebra, by quadrature, and by simulation.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import agreed
from whybench.suites.analyze.challenges.contract import round_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.analyze.challenges.contract import Array, Simulation

__all__ = [
    "UNITS",
    "certified_difference",
    "certified_effect",
    "draw_rows",
    "parameters",
    "simulated",
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


def _rest(at: Mapping[str, float]) -> float:
    """Return how much of the dose is chance; its variance is 1 in all."""
    return math.sqrt(1 - at["pull_confounder"] ** 2 - at["pull_marker"] ** 2)


def _mean(at: Mapping[str, float], dose: Any, confounder: Any, marker: Any) -> Any:
    """Return the mean outcome at a dose, where confounder and an upstream marker are as they are.

    All in units of the world.
    """
    pushed = at["push_confounder"] * confounder + at["push_marker"] * marker
    return at["slope"] * dose + at["bend"] * dose**2 + pushed


def _in_world(dose: float) -> float:
    zero, unit = UNITS["treatment"]
    return (dose - zero) / unit


def draw_rows(variant: str, at: Mapping[str, float], rng: np.random.Generator) -> dict[str, Array]:
    """Draw rows in the units of the story, in the order in which columns are shown."""
    size = int(rng.integers(1600, 2601))
    confounder, decoy, marker, chance, noise = rng.standard_normal((5, size))
    dose = at["pull_confounder"] * confounder + at["pull_marker"] * marker + _rest(at) * chance
    outcome = _mean(at, dose, confounder, marker) + at["noise"] * noise
    world = {
        "confounder": confounder,
        "decoy": decoy,
        "treatment": dose,
        "outcome": outcome,
        "marker": marker if variant == "upstream" else at["echo"] * outcome + 0.5 * marker,
    }
    return {role: round_values(UNITS[role][0] + UNITS[role][1] * x, 2) for role, x in world.items()}


def certified_effect(at: Mapping[str, float]) -> Certificate:
    """Subtract the curve at one dose from the curve at the other; and average over everybody."""
    low, high = (_in_world(at[dose]) for dose in ("low", "high"))
    rise = at["slope"] * (high - low) + at["bend"] * (high**2 - low**2)
    nodes, weights = np.polynomial.hermite_e.hermegauss(12)
    both = np.outer(weights, weights) / weights.sum() ** 2
    averaged = [
        float(np.sum(both * _mean(at, dose, nodes[:, None], nodes[None, :])))
        for dose in (low, high)
    ]
    unit = UNITS["outcome"][1]
    return agreed(
        "E[outcome | do(high dose)] - E[outcome | do(low dose)]",
        ("curve", unit * rise),
        ("g-formula by quadrature", unit * (averaged[1] - averaged[0])),
    )


def certified_difference(at: Mapping[str, float]) -> Certificate:
    """Add what the doses tell about confounders; and average over those who had the doses."""
    low, high = (_in_world(at[dose]) for dose in ("low", "high"))
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


def simulated(at: Mapping[str, float], n: int, rng: np.random.Generator) -> Simulation:
    """Give n cases one dose and n others the other; and draw who had them, given that they did."""
    unit = UNITS["outcome"][1]
    given, seen = np.zeros(n), np.zeros(n)
    for end, sign in (("high", unit), ("low", -unit)):
        dose = _in_world(at[end])
        confounder, marker, chance, noise = rng.standard_normal((4, n))
        # The dose is two causes and a rest, of variance 1 in all. To have had this dose and no
        # other, each of them must have been off by its share of the distance.
        pulls = at["pull_confounder"], at["pull_marker"]
        distance = dose - (pulls[0] * confounder + pulls[1] * marker + _rest(at) * chance)
        had = confounder + pulls[0] * distance, marker + pulls[1] * distance
        given += sign * (_mean(at, dose, confounder, marker) + at["noise"] * noise)
        seen += sign * (_mean(at, dose, *had) + at["noise"] * noise)
    return {"ate": _mean_and_error(given), "cond_diff": _mean_and_error(seen)}


def _mean_and_error(values: Array) -> tuple[float, float]:
    return float(values.mean()), float(values.std() / math.sqrt(len(values)))
