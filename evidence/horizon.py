"""Horizons: worlds of certified depth, and recovery of agents whose horizon is known.

`python -m evidence horizon` prints these figures.
"""

from __future__ import annotations

from functools import cache, partial
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from evidence import horizon_derive
from evidence.figures import Figure, Parts, figures_of
from evidence.recovery import FEW_RUNS, RUNS, AskedDesign, recover
from whybench.seeds import generator
from whybench.stats.correlation import spearman
from whybench.suites.attack_runs import run_attack
from whybench.suites.calibration import simulate
from whybench.suites.registry import get_suite
from whybench.suites.trace.agents import GUESS
from whybench.suites.trace.design import DEPTHS
from whybench.suites.trace.world import draw_structure, size_for
from whybench.training.items import training_lessons

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

ITEMS, FEW_ITEMS = 800, 40
SLACK = 0.05
"""By how much an attack may be right more often than by chance."""
LEAST_YIELD = 0.9
READ = {
    "one-from-effect": 1,
    "one-from-cause": 1,
    "repeats": 1,
    "three-from-effect": 3,
    "three-from-cause": 3,
}
"""The depths up to which an attack uses all rules."""
MOST_WITHOUT_SWITCHES = (0.5, 0.3, 0.25, 0.2)
"""The largest shares without switches at the first depths: one of two numbers at depth 1, and
sums of such numbers at the others, some of which agree."""

TRACE = AskedDesign("trace", DEPTHS, 8, GUESS)
"""The items of a simulated run: those of the design core."""
LADDER = 30
"""Agents of a ladder, which differ in their error rate."""
ERRING = {
    "trace": ("slips", "error"),
    "derive": ("slips", "error"),
    "calculate": ("slips", "error"),
    "compose": ("flip", "error"),
    "intervene": ("bayes", "error"),
    "analyze": ("competent", "lapse"),
}
"""Suites, their agents that err, and the parameter that is the rate of errors."""
LEAST_AGAIN, LEAST_BETWEEN = 0.8, 0.7

MOST_FLAGGED = 0.02
EQUAL_RUNS = 2000
ALPHA = 0.05


def worlds(small: bool) -> Iterator[Figure]:
    """Yield how many worlds have questions of a depth, and how long prompts are."""
    suite = get_suite("trace")
    number = 50 if small else 500
    shares, lengths = [], []
    for depth in DEPTHS:
        rng = generator("evidence", "horizon", "yield", depth)
        fitting = sum(
            bool(draw_structure(rng, size_for(depth)).pairs(depth)) for _ in range(number)
        )
        shares.append(fitting / number)
    for dials in ("growing", "equal"):
        design = suite.make_design({"dials": dials, "worlds": 4})
        items = list(suite.items(design))
        lengths.append(
            [
                round(np.mean([len(suite.render(i)) for i in items if i.factors["depth"] == depth]))
                for depth in DEPTHS
            ]
        )
    yield Figure(
        f"trace: at least {LEAST_YIELD:.0%} of drawn worlds have a question of each depth",
        ", ".join(f"{depth}: {share:.0%}" for depth, share in zip(DEPTHS, shares, strict=True)),
        min(shares) >= LEAST_YIELD,
    )
    growing, equal = lengths
    yield Figure(
        "trace: prompts of worlds of equal size are equally long at every depth, within 2%",
        f"characters at depths {DEPTHS}: equal {equal}; growing {growing}",
        max(equal) <= 1.02 * min(equal),
    )


def attacks(small: bool) -> Iterator[Figure]:
    """Yield how often attacks are right at each depth."""
    suite = get_suite("trace")
    number = FEW_ITEMS if small else ITEMS
    # Four standard errors where there are few items.
    slack = max(SLACK, 4 * (GUESS * (1 - GUESS) / number) ** 0.5)
    shares: dict[str, list[float]] = {}
    lessons = cache(training_lessons)
    for depth in DEPTHS:
        design = suite.make_design({"depth": str(depth), "query": "do", "worlds": number})
        items = list(suite.items(design))
        for attack in suite.attacks:
            if attack.fit and (small or depth not in (1, 4, 16)):
                continue
            run = run_attack(suite, design, items, attack, lessons)
            shares.setdefault(attack.name, []).append(run.value("accuracy") or 0.0)
    for name, found in shares.items():
        if name == "no-switches":
            bounds = [*MOST_WITHOUT_SWITCHES, *[GUESS] * len(found)]
            yield Figure(
                f"trace: without the switches at most {MOST_WITHOUT_SWITCHES} + {slack:.2f} are "
                "correct at depths 1 to 4, and 0.20 from depth 6 on",
                ", ".join(f"{share:.3f}" for share in found),
                all(
                    share <= bound + slack + (0.025 if bound == GUESS else 0.0)
                    for share, bound in zip(found, bounds, strict=False)
                ),
            )
            continue
        first = sum(depth <= READ.get(name, 0) for depth in DEPTHS)
        yield Figure(
            f"trace: {name} is right in at most {GUESS:.3f} + {slack:.2f} at every depth"
            + (f" above {READ[name]}" if first else ""),
            ", ".join(f"{share:.3f}" for share in found),
            max(found[first:]) <= GUESS + slack,
        )


def curves() -> Mapping[str, tuple[Array, float | None]]:
    """Return how often agents are right at each depth, and their horizon."""
    depths = np.array(DEPTHS, dtype=float)

    def corrected(chances: Array) -> Array:
        return GUESS + (1 - GUESS) * chances

    found: dict[str, tuple[Array, float | None]] = {
        f"reader of {rules}": (np.where(depths <= rules, 1.0, GUESS), None) for rules in (1, 3, 8)
    }
    for rate in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3):
        right = (1 - rate) ** depths
        found[f"slips {rate:g}"] = corrected(right), float(np.log(0.5) / np.log(1 - rate))
    for lapse in (0.1, 0.2):
        right = (1 - lapse) * 0.9**depths
        true = float(np.log(0.5 / (1 - lapse)) / np.log(0.9))
        found[f"slips 0.1, lapses {lapse:g}"] = corrected(right), true
    for steepness in (1.0, 2.0, 4.0, 6.0):
        for horizon in (2.0, 5.0, 11.0):
            right = 2.0 ** -((depths / horizon) ** steepness)
            found[f"horizon {horizon:g}, steepness {steepness:g}"] = corrected(right), horizon
    return found


def recovery(small: bool) -> Iterator[Figure]:
    """Yield how often intervals contain a known horizon, with the items of the design core."""
    for name, (chances, true) in curves().items():
        rules = 0 if true else int(name.rpartition(" ")[2])
        # Every horizon up to the next depth that is asked fits what a reader does.
        span = (true, true) if true else (float(rules), TRACE.next_depth(rules))
        yield recover(TRACE, name, chances, span, small=small)


def rises(small: bool) -> Iterator[Figure]:
    """Yield how often success that does not rise with depth is flagged, and success that does."""
    runs = FEW_RUNS if small else RUNS
    shares = {}
    for name, (chances, _) in curves().items():
        rng = generator("evidence", "horizon", "rises", name)
        shares[name] = sum(TRACE.answer(chances, rng).rises for _ in range(runs)) / runs
    worst = max(shares, key=lambda name: shares[name])
    yield Figure(
        f"success that falls with depth is flagged as rising in at most {MOST_FLAGGED:.0%} "
        f"of {runs} runs, or 1% more by chance",
        f"at most {shares[worst]:.1%} ({worst}), over {len(shares)} agents",
        shares[worst] <= MOST_FLAGGED + (0.05 if small else 0.01),
    )
    depths = np.array(DEPTHS, dtype=float)
    gap = np.where((depths > 2) & (depths < 16), GUESS, 0.95)
    rng = generator("evidence", "horizon", "rises", "gap")
    found = sum(TRACE.answer(gap, rng).rises for _ in range(runs)) / runs
    yield Figure(
        "an agent that fails at depths 3 to 12 only is flagged in at least 90% of runs",
        f"{found:.1%} of {runs}",
        found >= 0.9,
    )


def two_agents(small: bool) -> Iterator[Figure]:
    """Yield how often comparisons separate agents with equal and with unequal horizons."""
    runs = 4 * FEW_RUNS if small else EQUAL_RUNS
    depths = np.array(DEPTHS, dtype=float)

    def right(horizon: float, steepness: float) -> Array:
        return np.asarray(GUESS + (1 - GUESS) * 2.0 ** -((depths / horizon) ** steepness))

    def differ(one: Array, other: Array, each: int, runs: int) -> float:
        rng = generator("evidence", "horizon", "two", one.tolist(), other.tolist(), each)
        found = (
            TRACE.answer(one, rng, each).subtract(TRACE.answer(other, rng, each))
            for _ in range(runs)
        )
        return sum((gap.p or 0.0) < ALPHA for gap in found) / runs

    for horizon, steepness, other in ((5, 1, 1), (5, 4, 4), (5, 1, 4), (11, 1, 4), (3, 2, 6)):
        share = differ(right(horizon, steepness), right(horizon, other), TRACE.each, runs)
        slack = 2.33 * (ALPHA * (1 - ALPHA) / runs) ** 0.5
        yield Figure(
            f"agents with horizon {horizon} and steepness {steepness} and {other} differ "
            f"in not significantly more than {ALPHA:.0%} of {runs} runs",
            f"{share:.1%}",
            share <= ALPHA + slack,
        )
    for each in (4, TRACE.each, 24):
        steep, slips = (
            differ(right(3, steepness), right(5, steepness), each, min(runs, RUNS))
            for steepness in (6, 1)
        )
        yield Figure(
            f"horizons 3 and 5 with {each * len(DEPTHS)} items each: how often they differ",
            f"steepness 6: {steep:.1%}, steepness 1: {slips:.1%}",
            steep >= 0.9 or each < TRACE.each,
        )


def retest(small: bool) -> Iterator[Figure]:
    """Yield the correlation of horizons of the same agents with two seeds."""
    runs = 5 if small else 50
    found = []
    for run in range(runs):
        rng = generator("evidence", "horizon", "retest", run)
        scores = [
            [np.log(TRACE.answer(chances, rng).estimate().estimate or 1.0) for _ in range(2)]
            for chances, _ in curves().values()
        ]
        found.append(float(np.corrcoef(np.array(scores).T)[0, 1]))
    yield Figure(
        f"two runs of {len(curves())} agents correlate at 0.9 or more in log horizon",
        f"median {median(found):.3f} over {runs} pairs of runs, at least {min(found):.3f}",
        median(found) >= 0.9,
    )


def ladder(small: bool) -> Iterator[Figure]:
    """Yield correlations over agents of every suite that err at the same rates."""
    rates = np.geomspace(0.01, 0.5, 4 if small else LADDER)
    names = ("trace", "calculate") if small else tuple(ERRING)
    # Seeds of their own: with the same one, the errors at a rate are among those at a higher one.
    scores = {
        name: np.array(
            [
                [_score(name, rate, 2 * place + run) for run in (0, 1)]
                for place, rate in enumerate(rates)
            ]
        )
        for name in names
    }
    for name, found in scores.items():
        again = float(spearman(found[:, 0], found[:, 1]))
        yield Figure(
            f"{name}: two runs of {len(rates)} agents with error rates from {rates[0]:g} to "
            f"{rates[-1]:g} correlate at {LEAST_AGAIN} or more in rank",
            f"{again:.3f} in {get_suite(name).headline[0]}",
            again >= LEAST_AGAIN,
        )
    horizons = scores["trace"].mean(axis=1)
    for name in names[1:]:
        between = float(spearman(horizons, scores[name].mean(axis=1)))
        yield Figure(
            f"the horizon of trace and {get_suite(name).headline[0]} of {name} correlate at "
            f"{LEAST_BETWEEN} or more in rank over these agents",
            f"{between:.3f}",
            between >= LEAST_BETWEEN,
        )


def _score(name: str, rate: float, seed: int) -> float:
    """Return the primary measure of a suite for its agent that errs at a rate."""
    suite = get_suite(name)
    agent, parameter = ERRING[name]
    design, items = _small_items(name)
    found = simulate(suite, design, items, suite.agent(agent), {parameter: rate, "seed": seed})
    value = next(one.estimate for one in found if one.name == suite.headline[0] and not one.at)
    return 0.0 if value is None else value


@cache
def _small_items(name: str) -> tuple[Any, list[Any]]:
    suite = get_suite(name)
    design = suite.make_design(suite.budget("small").settings)
    return design, list(suite.items(design))


PARTS: Parts = {
    "worlds": worlds,
    "attacks": attacks,
    "recovery": recovery,
    "rises": rises,
    "two-agents": two_agents,
    "retest": retest,
    **horizon_derive.PARTS,
    "ladder": ladder,
}

figures = partial(figures_of, PARTS)
