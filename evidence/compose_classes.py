"""The figures of the classes of compose: noise, coverage, power, and reference agents."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil, floor, prod
from typing import TYPE_CHECKING

import numpy as np

from evidence.figures import Figure, Parts
from whybench.seeds import generator
from whybench.stats import balanced_accuracy
from whybench.suites.compose.agents import (
    Queries,
    Rule,
    answer_coin,
    answer_exact,
    make_constant,
    make_flip,
    make_local_only,
)
from whybench.suites.compose.answer_arrays import AnswerArrays
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.comparisons import compare_compositions
from whybench.suites.compose.estimators import (
    Sample,
    unit_effects,
    weighted_means,
)
from whybench.suites.compose.power import UnitPlan, plan_units, units_needed
from whybench.suites.compose.profiles import (
    EffectProfile,
    anchor_pairs,
    coin_profile,
    composition_positions,
    flip_profile,
)
from whybench.suites.compose.truth import make_answer_key
from whybench.suites.compose.units import draw_units, make_world, round_size
from whybench.suites.compose.verdicts import DELTA
from whybench.suites.compose.world import ComposeWorld
from whybench.suites.compose.wrong_worlds import (
    find_wrong_world,
    transmission_probabilities,
    wrong_world_profile,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from whybench.stats import Estimate

PARTY = ComposeWorld(
    (Block("wheel", 4), Block("bridge", 2), Block("ladder", 4)), ("or",) * 8, (7,) * 8
)
"""The source's party of eight: its whole is 2187/78125."""

TWO, THREE = "cycle3+cycle3", "cycle3+cycle3+cycle3"
WORLDS = {
    "party of eight": PARTY,
    "two cycles, or": make_world(TWO, "or", 0, "test"),
    "three cycles, or": make_world(THREE, "or", 0, "test"),
    "three cycles, and": make_world(THREE, "and", 0, "test"),
    "three cycles, mixed": make_world(THREE, "mixed", 0, "test"),
}
"""The source's world, and those that the designs `full` and `core` begin with."""

QUICK = ("two cycles, or", "three cycles, mixed")
"""The worlds in which simulated runs are short."""

SOURCE_UNITS, SOURCE_BOUND = 1000, 0.1
"""The source draws 1000 units without strata and accepts a relative error of 0.1."""

EPOCHS = 5
RESAMPLES = 500

OFF = 0.14
"""A difference that delta covers, and that is far from nothing."""
MOST_UNITS, MOST_IN_PARTY = 600, 5500

EXPECTED = {"exact": "VC", "local-only": "VI", "wrong-world": "IC", "coin": "II", "flip": "VC"}
CONSTANT = {"always-yes": True, "always-no": False}


def make_queries(
    y1: ArrayLike, y0: ArrayLike, factual: ArrayLike, epochs: int = 1
) -> tuple[Queries, Queries, Queries]:
    """Return all questions about units: cause made true, made false, and nothing made so.

    Args:
        y1: The true y1, units x pairs, with pairs in the order of `ComposeWorld.pairs`.
        y0: The true y0.
        factual: Whether each anchor but the root holds, units x blocks.
        epochs: How often each is asked; the first axis of what is returned.
    """
    actual = np.asarray(factual, dtype=bool)
    units, blocks = actual.shape
    pairs = anchor_pairs(blocks)
    span = np.array([effect - cause for cause, effect in pairs])
    of_pair = actual[:, [effect - 1 for _, effect in pairs]]

    def repeated(truth: ArrayLike, actual: ArrayLike, span: ArrayLike, width: int) -> Queries:
        shape = (epochs, units, width)
        return Queries.of(np.broadcast_to(np.asarray(truth), shape), actual, span, blocks)

    return (
        repeated(y1, of_pair, span, len(pairs)),
        repeated(y0, of_pair, span, len(pairs)),
        repeated(actual, actual, 0, blocks),
    )


@dataclass(frozen=True)
class Reference:
    """A reference agent: its rule, and the world it has in mind."""

    rule: Rule
    world: ComposeWorld


def references(world: ComposeWorld, error: float = 0.05) -> dict[str, Reference]:
    """Return the reference agents, by name."""
    rules: dict[str, Rule] = {
        "exact": answer_exact,
        "local-only": make_local_only(),
        "coin": answer_coin,
        "flip": make_flip(error),
        **{name: make_constant(answer) for name, answer in CONSTANT.items()},
    }
    found = {name: Reference(rule, world) for name, rule in rules.items()}
    return {**found, "wrong-world": Reference(answer_exact, find_wrong_world(world))}


def chosen(small: bool) -> dict[str, ComposeWorld]:
    """Return the worlds that are simulated."""
    return {name: world for name, world in WORLDS.items() if name in QUICK or not small}


def planned(world: ComposeWorld) -> UnitPlan:
    """Return the plan for a world, with its wrong-world agent."""
    other = wrong_world_profile(world, find_wrong_world(world))
    return plan_units(
        transmission_probabilities(world), epochs=EPOCHS, others={"wrong-world": other}
    )


def whole_rounds(world: ComposeWorld, units: float) -> int:
    """Return the next number of units that makes whole rounds."""
    return ceil(units / round_size(world)) * round_size(world)


def answered(
    world: ComposeWorld, agent: Reference, units: int, epochs: int, *keys: object
) -> tuple[AnswerArrays, NDArray[np.float64], NDArray[np.bool_]]:
    """Let an agent answer about units; return also its factual answers and their truths."""
    drawn = draw_units(world, units, "evidence", *keys)
    key = make_answer_key(world, drawn.bits)
    mind = make_answer_key(agent.world, drawn.bits)
    rng = generator("evidence", "compose", *keys)
    y1, y0, factual = (
        agent.rule(asked, rng).astype(float)
        for asked in make_queries(mind.if_true, mind.if_false, mind.factual, epochs)
    )
    sample = Sample.of(drawn.weights, drawn.strata)
    found = AnswerArrays(world.pairs, y1, y0, key.if_true, key.if_false, sample)
    return found, factual, key.factual


def class_shares(
    world: ComposeWorld, agent: Reference, units: int, runs: int, *keys: object
) -> Counter[str]:
    """Return how often the compositions of a run came out how, over runs."""
    found: Counter[str] = Counter()
    for run in range(runs):
        answers, _, _ = answered(world, agent, units, EPOCHS, *keys, run)
        results = compare_compositions(
            answers, world.compositions, ("evidence", run), resamples=RESAMPLES
        )
        kinds = {result.kind for result in results}
        found[kinds.pop() if len(kinds) == 1 else "several"] += 1
    return found


def covered(
    world: ComposeWorld,
    agent: Reference,
    profile: EffectProfile,
    units: int,
    runs: int,
    strata: bool = True,
) -> float:
    """Return how often the intervals of differences hold the true ones, over runs."""
    whole, estimates = prod(transmission_probabilities(world)), profile.estimates
    hits = []
    for run in range(runs):
        found, _, _ = answered(world, agent, units, 1, "coverage", run)
        if not strata:
            sample = Sample.of(found.sample.weights)
            found = AnswerArrays(found.pairs, found.y1, found.y0, found.true1, found.true0, sample)
        results = compare_compositions(
            found, world.compositions, ("evidence", run), resamples=RESAMPLES
        )
        for (steps, place), result in zip(
            composition_positions(len(world.blocks)), results, strict=True
        ):
            made = float(np.prod(estimates[steps]))
            for target, compared in (
                (whole, result.valid),
                (estimates[place], result.consistent),
            ):
                low, high = compared.difference.low, compared.difference.high
                hits.append(low is not None and high is not None and low <= made - target <= high)
    return float(np.mean(hits))


def source_passes(runs: int) -> float:
    """Return how often a perfect reasoner passes the source's rule on the whole, by simulation."""
    rng = generator("evidence", "compose", "source")
    chances = np.array([float(PARTY.chance(node)) for node in PARTY.nodes])
    whole = prod(transmission_probabilities(PARTY))
    place = PARTY.pairs.index((PARTY.root, PARTY.leaf))
    passed = 0
    for _ in range(runs):
        bits = rng.random((SOURCE_UNITS, PARTY.size)) < chances
        share = make_answer_key(PARTY, bits).indicators[:, place].mean()
        passed += abs(share - whole) / whole <= SOURCE_BOUND
    return passed / runs


def source(small: bool) -> Iterator[Figure]:
    """Hold the source's rule against a perfect reasoner."""
    from scipy.stats import binom

    whole = prod(transmission_probabilities(PARTY))
    low = ceil(SOURCE_UNITS * whole * (1 - SOURCE_BOUND))
    high = floor(SOURCE_UNITS * whole * (1 + SOURCE_BOUND))
    share = float(binom.cdf(high, SOURCE_UNITS, whole) - binom.cdf(low - 1, SOURCE_UNITS, whole))
    yield Figure(
        "source's rule: a perfect reasoner passes on the whole in 37% of runs (±0.5, exact)",
        f"{share:.4f}: {low} to {high} of {SOURCE_UNITS} units, whole {whole:.5f}",
        abs(share - 0.37) <= 0.005,
    )
    runs, bound = (200, 0.1) if small else (2000, 0.03)
    simulated = source_passes(runs)
    yield Figure(
        f"source's rule, simulated on units (±{bound:g} of the exact share)",
        f"{simulated:.4f} of {runs} runs",
        abs(simulated - share) <= bound,
    )
    units, runs = whole_rounds(PARTY, planned(PARTY).units), 8 if small else 500
    kinds = class_shares(PARTY, Reference(answer_exact, PARTY), units, runs, "source")
    yield Figure(
        "ours: the perfect reasoner is valid and consistent in every run",
        f"{kinds['VC']} of {runs} runs of {units} units",
        kinds["VC"] == runs,
    )


def noise(small: bool) -> Iterator[Figure]:
    """Measure what 1% of flipped answers does to each estimator."""
    whole = prod(transmission_probabilities(PARTY))
    bias = flip_profile(transmission_probabilities(PARTY), 0.01).estimates
    place = PARTY.pairs.index((PARTY.root, PARTY.leaf))
    yield Figure(
        "flip(1%): the plain indicator is 32% too large on the whole (±0.5, closed form)",
        f"{bias[place] / whole - 1:.4f}",
        abs(bias[place] / whole - 1 - 0.32) <= 0.005,
    )
    units = 100_000 if small else 2_000_000
    agent = Reference(make_flip(0.01), PARTY)
    for label, epochs, quantity, expected, bound in (
        ("plain indicator, one epoch", 1, "pns", 0.324, 0.02),
        ("majority of five epochs", 5, "pns", 0.0, 0.005),
        ("mean p1 - p0, one epoch", 1, "ate", -0.02, 0.02),
    ):
        sums, count = 0.0, 0
        for part in range(units // 50_000):
            found, _, _ = answered(PARTY, agent, 50_000, epochs, "noise", quantity, epochs, part)
            effects = unit_effects(found.y1, found.y0, "ate" if quantity == "ate" else "pns")
            sums += float(weighted_means(effects, found.sample)(np.ones((1, 50_000)))[0, place])
            count += 1
        error = sums / count / whole - 1
        limit = bound * (3 if small else 1)
        yield Figure(
            f"flip(1%), {label}: relative error {expected:+.1%} (±{limit:.1%})",
            f"{error:+.4f} on {units:,} units",
            abs(error - expected) <= limit,
        )


def bias(small: bool) -> Iterator[Figure]:
    """Compare means of weighted estimates over runs with the population."""
    runs = 60 if small else 600
    for name, world in WORLDS.items():
        agents = references(world)
        profiles = {
            "wrong-world": wrong_world_profile(world, agents["wrong-world"].world),
            "coin": coin_profile(transmission_probabilities(world)),
        }
        worst = 0.0
        for agent, profile in profiles.items():
            values = []
            for run in range(runs):
                found, _, _ = answered(world, agents[agent], 160, 1, "bias", agent, run)
                values.append(
                    weighted_means(found.effects("pns"), found.sample)(np.ones((1, 160)))[0]
                )
            spread = np.std(values, axis=0, ddof=1) / np.sqrt(runs)
            off = np.abs(np.mean(values, axis=0) - profile.estimates)
            worst = max(worst, float(np.max(off / np.maximum(spread, 1e-9))))
        bound = 3.5 if small else 3.0
        yield Figure(
            f"{name}: weighted estimates are unbiased, all within {bound:g} standard errors",
            f"worst of {2 * len(world.pairs)}: {worst:.2f}, {runs} runs of 160 units",
            worst <= bound,
        )


def coverage(small: bool) -> Iterator[Figure]:
    """Measure how often the intervals hold the true differences."""
    runs, bounds = (30, (0.85, 1.0)) if small else (500, (0.92, 0.97))
    for name, world in chosen(small).items():
        agents, chances = references(world, 0.1), transmission_probabilities(world)
        units = whole_rounds(world, planned(world).units)
        profiles = {"flip": flip_profile(chances, 0.1), "coin": coin_profile(chances)}
        other = wrong_world_profile(world, agents["wrong-world"].world)
        if other.covariances.any():
            profiles["wrong-world"] = other
        for agent, profile in profiles.items():
            share = covered(world, agents[agent], profile, units, runs)
            yield Figure(
                f"{name}, {agent}: 95% intervals hold {bounds[0]:.0%} to {bounds[1]:.0%}",
                f"{share:.4f} of {runs} runs of {units} units",
                bounds[0] <= share <= bounds[1],
            )
    world = WORLDS["three cycles, mixed"]
    share = covered(
        world,
        Reference(answer_coin, world),
        coin_profile(transmission_probabilities(world)),
        400,
        runs,
        strata=False,
    )
    yield Figure(
        "resampling without strata holds too much: numbers that the design fixes vary (over 95%)",
        f"{share:.4f} of {runs} runs of 400 units",
        share > 0.95,
    )


def power(small: bool) -> Iterator[Figure]:
    """Compare the formula's variance with that of simulated runs, and what delta costs."""
    runs = 60 if small else 1000
    for name, world in WORLDS.items():
        chances = transmission_probabilities(world)
        agents = references(world, 0.1)
        profiles = {"flip": flip_profile(chances, 0.1), "coin": coin_profile(chances)}
        steps, place = composition_positions(len(world.blocks))[-1]
        worst = 0.0
        for agent, profile in profiles.items():
            needed = units_needed(profile, steps, place)
            logs = []
            for run in range(runs):
                found, _, _ = answered(world, agents[agent], 1024, 1, "power", agent, run)
                values = weighted_means(found.effects("pns"), found.sample)(np.ones((1, 1024)))[0]
                logs.append(np.log(np.prod(values[steps]) / values[place]))
            worst = max(worst, abs(float(np.var(logs, ddof=1)) * 1024 / needed.variance - 1))
        bound = 0.6 if small else 0.15
        yield Figure(
            f"{name}: the formula's variance is that of simulated runs (±{bound:.0%})",
            f"off by {worst:.1%} at worst, {runs} runs of 1024 units",
            worst <= bound,
        )
    for name, world in WORLDS.items():
        other = {"wrong-world": wrong_world_profile(world, find_wrong_world(world))}
        plans = [
            plan_units(transmission_probabilities(world), delta, EPOCHS, others=other).needs
            for delta in (0.1, 0.15, 0.2, 0.25)
        ]
        exact_ones, flips, coins = (
            [needs[agent] or 0 for needs in plans] for agent in ("exact", "flip(0.05)", "coin")
        )
        falls = all(np.diff(exact_ones) < 0) and all(np.diff(flips) < 0)
        yield Figure(
            f"{name}: a wider delta makes a yes cheaper and a no dearer",
            f"delta 0.1, 0.15, 0.2, 0.25: exact {exact_ones}, flip {flips}, coin {coins}",
            falls and all(np.diff(coins) > 0),
        )
        stated, most = planned(world), MOST_IN_PARTY if world is PARTY else MOST_UNITS
        yield Figure(
            f"{name}: at delta {DELTA:g} at most {most} units are needed",
            f"{stated.units}: {dict(stated.needs)}",
            stated.units <= most,
        )


def classes(small: bool) -> Iterator[Figure]:
    """Classify every reference agent at the planned number of units."""
    runs, least = (25, 0.88) if small else (500, 0.95)
    for name, world in chosen(small).items():
        units = whole_rounds(world, planned(world).units)
        agents = references(world)
        for agent, kind in EXPECTED.items():
            kinds = class_shares(world, agents[agent], units, runs, "classes", agent)
            yield Figure(
                f"{name}, {units} units: {agent} is {kind} in {least:.0%} of runs or more",
                f"{dict(kinds)}",
                kinds[kind] >= least * runs,
            )


def error_off_by(world: ComposeWorld, share: float) -> float:
    """Return the error at which flips move some comparison by so much, and none by more."""
    chances = transmission_probabilities(world)
    whole = prod(chances)

    def largest(error: float) -> float:
        profile = flip_profile(chances, error, EPOCHS)
        return max(
            abs(units_needed(profile, steps, target).ratio or 0.0)
            for steps, place in composition_positions(len(chances))
            for target in (whole, place)
        )

    low, high = 0.0, 0.25
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if largest(middle) < share else (low, middle)
    return low


def fairness(small: bool) -> Iterator[Figure]:
    """Look for verdicts of no on an agent that delta covers, at many numbers of units."""
    runs, most = (20, 0.05) if small else (500, 0.01)
    for name in QUICK:
        world = WORLDS[name]
        error = error_off_by(world, OFF)
        wrong, left_out = [], []
        sizes = [whole_rounds(world, units) for units in (40, 80, 160, 320, 640, 1280)]
        for units in sizes:
            verdicts: Counter[str] = Counter()
            for run in range(runs):
                agent = Reference(make_flip(error), world)
                found, _, _ = answered(world, agent, units, EPOCHS, "fairness", run)
                keys = ("evidence", run)
                results = compare_compositions(found, world.compositions, keys, resamples=RESAMPLES)
                compared = [side for each in results for side in (each.valid, each.consistent)]
                verdicts["no"] += any(side.verdict == "no" for side in compared)
                verdicts["0 left out"] += any(_only_without_0(side.ratio) for side in compared)
            wrong.append(verdicts["no"])
            left_out.append(verdicts["0 left out"])
        yield Figure(
            f"{name}: off by {OFF:.0%} or less is a no in {most:.0%} of runs at most, at any size",
            f"{wrong} of {runs} runs of {sizes} units by flip({error:.3f}); "
            f"if leaving out 0 were enough: {left_out}",
            max(wrong) <= most * runs,
        )


def _only_without_0(ratio: Estimate) -> bool:
    """Say whether an interval leaves out 0 and is not shown to be within delta."""
    if ratio.low is None or ratio.high is None:
        return False
    inside = ratio.low > -DELTA and ratio.high < DELTA
    return not inside and (ratio.low > 0 or ratio.high < 0)


def constants(small: bool) -> Iterator[Figure]:
    """Look at agents that give one answer to everything."""
    runs = 10 if small else 500
    for name, world in chosen(small).items():
        units = whole_rounds(world, planned(world).units)
        for agent, reference in references(world).items():
            if agent not in CONSTANT:
                continue
            worst, best = 0.0, 0
            for run in range(runs):
                found, factual, true = answered(world, reference, units, 1, "constants", run)
                rungs = (
                    (factual, true),
                    (
                        np.concatenate([found.y1, found.y0], axis=2),
                        np.concatenate([found.true1, found.true0], axis=1),
                    ),
                )
                for answers, truth in rungs:
                    asked = np.repeat(np.arange(units), truth.shape[1])
                    share = balanced_accuracy(answers.ravel() == 1, truth.ravel() == 1, asked)
                    worst = max(worst, abs((share.estimate or 0.0) - 0.5))
                results = compare_compositions(
                    found, world.compositions, ("evidence",), resamples=100
                )
                best += sum(result.kind == "VC" for result in results)
            yield Figure(
                f"{name}: {agent} has 50% balanced accuracy (±1) on both rungs, and no VC",
                f"off by {worst:.2%} at worst, {best} VC in {runs} runs",
                worst <= 0.01 and best == 0,
            )


PARTS: Parts = {
    "source": source,
    "noise": noise,
    "bias": bias,
    "coverage": coverage,
    "power": power,
    "classes": classes,
    "fairness": fairness,
    "constants": constants,
}
