"""The primary measure of analyze: attacks, agents that err, coverage and false alarms.

`python -m evidence analyze --only sound` prints these figures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from scipy.stats import binom

from evidence.figures import ALPHA, LEAST_COVERED, Figure, Parts, covers_enough
from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.measures import MEASURES, analyze_groups
from whybench.suites.attack_runs import rank_attacks, run_attack
from whybench.suites.calibration import simulate, simulate_rows
from whybench.suites.measures import compare_declared
from whybench.suites.pairs import stack_sides

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from whybench.stats import Estimate

    Array = NDArray[np.float64]

HEADLINE = SUITE.headline[0]
(MEASURE,) = (one for one in MEASURES if one.name == HEADLINE)
MOST_BY_ATTACK, MOST_BY_ONE_ANSWER, LAPSE = 0.35, 0.05, 0.05
RUNS, FEW_RUNS = 2000, 60
MOST_ALARMS = 0.05
MEANS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""Mean chances of a sound pair. Those of challenges are around them, by beta distributions."""
SPREAD = 4.0
"""The sum of both parameters of a beta distribution."""


def sound_attacks(small: bool) -> Iterator[Figure]:
    """Yield the values of the attacks, and that of an agent that errs in one item in twenty."""
    design = SUITE.make_design({"design": "core", **({"seeds": 2} if small else {})})
    items = list(SUITE.items(design))
    runs = [run_attack(SUITE, design, items, attack) for attack in SUITE.attacks]
    found = {run.attack.name: run.measures[HEADLINE] for run in rank_attacks(SUITE, runs)}
    (erring,) = (
        one
        for one in simulate(SUITE, design, items, SUITE.agent("competent"), {"lapse": LAPSE})
        if one.name == HEADLINE and not one.at
    )
    best = next(iter(found))
    yield Figure(
        f"the best attack has at most {MOST_BY_ATTACK} on {len(items)} items",
        "; ".join(f"{name} {one.estimate:.2f}" for name, one in found.items()),
        (found[best].estimate or 0.0) <= MOST_BY_ATTACK,
    )
    yield Figure(
        f"an agent with {LAPSE:.0%} errors is above every attack, with disjoint intervals",
        f"{erring.estimate:.3f} from {erring.low:.3f}; {best} up to {found[best].high:.3f}",
        (erring.low or 0.0) > (found[best].high or 1.0),
    )
    for name in ("always-trap", "naive"):
        yield Figure(
            f"{name} has at most {MOST_BY_ONE_ANSWER}",
            f"{found[name].estimate:.2f}",
            (found[name].estimate or 0.0) <= MOST_BY_ONE_ANSWER,
        )


def _draw(table: pa.Table, chances: Array, rng: np.random.Generator) -> pa.Table:
    """Return answers in which the pairs of each challenge are sound with their chance."""
    names, challenge = np.unique(table["challenge"].to_numpy(), return_inverse=True)
    draws = table["draw"].to_numpy().astype(int)
    sound = rng.random((names.size, draws.max() + 1)) < chances[:, None]
    # One member of a pair that is not sound, or both, have partial marks.
    partial = rng.random(draws.size) < 0.5
    partial |= (table["twin"].to_numpy() == "trap") & ~sound[challenge, draws]
    value = np.where(sound[challenge, draws] | ~partial, 1.0, 0.6)
    return table.set_column(table.column_names.index("value"), "value", pa.array(value))


def _estimate(table: pa.Table) -> Estimate:
    (group,) = analyze_groups(table)
    if MEASURE.compute is None:
        raise ValueError(f"{HEADLINE} must be computed from a group")
    return MEASURE.compute(group.where(MEASURE.rows(group)))


def _answers() -> pa.Table:
    design = SUITE.designs["core"]
    items = list(SUITE.items(design))
    rows = simulate_rows(SUITE, design, items, SUITE.agent("gold"), {}, "drawn", {})
    return record_table(list(rows), SUITE.record_columns)


def _draw_chances(mean: float, number: int, rng: np.random.Generator) -> Array:
    return rng.beta(mean * SPREAD, (1 - mean) * SPREAD, number)


def sound_intervals(small: bool) -> Iterator[Figure]:
    """Yield how often intervals cover, and how often equal agents differ by compare."""
    runs, table = FEW_RUNS if small else RUNS, _answers()
    number = len(set(table["challenge"].to_pylist()))
    for mean in MEANS[::2] if small else MEANS:
        rng = generator("evidence", "sound pairs", mean)
        covered = alarms = 0
        for _ in range(runs):
            chances = _draw_chances(mean, number, rng)
            one, other = (_draw(table, chances, rng) for _ in range(2))
            found = _estimate(one)
            covered += (found.low or 0.0) <= chances.mean() <= (found.high or 1.0)
            (change,) = compare_declared(stack_sides(one, other), analyze_groups, (MEASURE,))
            alarms += change.p is not None and change.p < MOST_ALARMS
        yield Figure(
            f"intervals of {HEADLINE} hold a mean chance of about {mean} in {LEAST_COVERED:.1%} "
            f"of {runs} runs or more, and compare has at most {MOST_ALARMS:.0%} false alarms",
            f"{covered / runs:.1%}, {alarms / runs:.1%}",
            covers_enough(covered, runs) and bool(binom.sf(alarms - 1, runs, MOST_ALARMS) >= ALPHA),
        )


PARTS: Parts = {"sound-attacks": sound_attacks, "sound-intervals": sound_intervals}
