"""What we claim of evidence in intervene: verdicts are exact and fast, and what steps are needed.

Each function takes its size and returns a small record; `figures` gathers them for the command
line, and the tests call the same functions on less.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import permutations
from time import process_time
from timeit import timeit
from typing import TYPE_CHECKING

from evidence.figures import Figure, Parts, figures_of
from whybench.seeds import generator
from whybench.suites.intervene.entailment import Evidence, Transition, decide_entailment
from whybench.suites.intervene.experimenters import (
    Inquiry,
    bayes,
    expected_steps,
    greedy,
    recipe,
    run_experiment,
    shortest_proof,
)
from whybench.suites.intervene.posets import consistent_orders, list_posets
from whybench.suites.intervene.world import ACTIONS, InterveneWorld

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np

    from whybench.suites.intervene.world import State

CORE_STEPS = {"bayes": 104, "greedy": 103, "recipe": 167, "certificate": 90}
"""Interventions that each needs for the 84 core cases together."""

ACTIVE_STEPS = {2: 1.0, 3: 1.72, 4: 2.4199, 5: 3.0936}
"""Entities, all moving at first, to the expected interventions of the optimal experimenter."""

CORE = (
    InterveneWorld(2, ((0, 1),)),
    InterveneWorld(3, ((0, 1), (1, 2))),
    InterveneWorld(3, ((1, 0), (1, 2))),
    InterveneWorld(3, ((1, 0), (1, 2), (0, 2))),
)
"""Direct, mediation, confounder, confounder whose effects are linked."""


@dataclass(frozen=True)
class Agreement:
    """How often two ways to a verdict were compared, and how often they differed."""

    checks: int
    differences: int
    open: int


@dataclass(frozen=True)
class VerdictTime:
    """Milliseconds of CPU for a verdict on a whole episode."""

    mean: float
    largest: float


def agreement(checks: int = 120_000, largest: int = 5) -> Agreement:
    """Compare the SAT solver with the list of all orders, after each step of random episodes."""
    draw = generator("evidence", "entailment agreement")
    done = differences = undecided = 0
    while done < checks:
        world = _random_world(draw, int(draw.integers(2, largest + 1)))
        initial, transitions = _random_episode(draw, world, 2 * world.n)
        orders = list_posets(world.n)
        with Evidence(world.n, initial) as evidence:
            for seen in range(len(transitions) + 1):
                if seen:
                    evidence.add(transitions[seen - 1])
                fits = consistent_orders(world.n, transitions[:seen], initial)
                for x, y in permutations(range(world.n), 2):
                    answers = orders.causes(x, y)[fits]
                    listed = "yes" if answers.all() else "open" if answers.any() else "no"
                    differences += evidence.entails(x, y) != listed
                    undecided += listed == "open"
                    done += 1
    return Agreement(done, differences, undecided)


def verdict_time(n: int = 15, episodes: int = 100) -> VerdictTime:
    """Time `decide_entailment` on random episodes of 2n interventions, each from nothing."""
    draw = generator("evidence", "entailment speed", n)
    times = []
    for _ in range(episodes):
        world = _random_world(draw, n)
        initial, transitions = _random_episode(draw, world, 2 * n)
        x, y = (int(entity) for entity in draw.choice(n, 2, replace=False))
        verdict = partial(decide_entailment, n, transitions, x, y, initial)
        # timeit collects no garbage meanwhile: that of a large process takes longer than a verdict.
        times.append(1000 * timeit(verdict, timer=process_time, number=1))
    return VerdictTime(sum(times) / len(times), max(times))


def core_cases() -> Iterator[tuple[InterveneWorld, State, int, int]]:
    """Yield world, initial state, x and y of the 84 core cases."""
    for world in CORE:
        for state in world.closed_states():
            for x, y in permutations(range(world.n), 2):
                yield world, state, x, y


def core_steps() -> dict[str, int]:
    """Count the interventions that each experimenter needs for all core cases."""
    steps = dict.fromkeys(CORE_STEPS, 0)
    for case in core_cases():
        for experimenter in (bayes, greedy, recipe):
            steps[experimenter.__name__] += len(run_experiment(experimenter, *case).transitions)
        steps["certificate"] += len(shortest_proof(*case).transitions)
    return steps


def active_steps(n: int) -> float:
    """Return the expected interventions of the optimal experimenter if all n entities move."""
    return expected_steps(Inquiry(n, 0, 1, frozenset(range(n))))


def _random_world(draw: np.random.Generator, n: int) -> InterveneWorld:
    order = [int(entity) for entity in draw.permutation(n)]
    density = draw.random()
    edges = [
        (order[cause], order[effect])
        for effect in range(n)
        for cause in range(effect)
        if draw.random() < density
    ]
    return InterveneWorld(n, tuple(edges))


def _random_episode(
    draw: np.random.Generator, world: InterveneWorld, steps: int
) -> tuple[State, list[Transition]]:
    start = frozenset(entity for entity in range(world.n) if draw.random() < 0.5)
    initial = state = world.close_state(start)
    transitions = []
    for _ in range(steps):
        action, entity = ACTIONS[draw.integers(2)], int(draw.integers(world.n))
        after = world.step(state, action, entity)
        transitions.append(Transition(state, action, entity, after))
        state = after
    return initial, transitions


def _agreement_figures(small: bool) -> Iterator[Figure]:
    found = agreement(12_000 if small else 120_000)
    yield Figure(
        "what the SAT solver says is what all orders of up to 5 entities say",
        f"{found.differences} differences in {found.checks} checks, {found.open} of them open",
        found.differences == 0 and 0 < found.open < found.checks,
    )


def _speed_figures(small: bool) -> Iterator[Figure]:
    episodes, most = (10, 50) if small else (200, 10)
    time = verdict_time(episodes=episodes)
    yield Figure(
        "a verdict on an episode of 30 interventions on 15 entities takes at most "
        f"{most} ms on average",
        f"{time.mean:.1f} ms of CPU, the slowest {time.largest:.1f} ms",
        time.mean <= most,
        timed=True,
    )


def _step_figures(_small: bool) -> Iterator[Figure]:
    cases = len(list(core_cases()))
    for name, steps in core_steps().items():
        expected = CORE_STEPS[name]
        yield Figure(
            f"{name}: {expected / cases:.4f} steps a core case",
            f"{steps / cases:.4f}, {steps} in {cases} cases",
            steps == expected,
        )
    for n, expected_value in ACTIVE_STEPS.items():
        value = active_steps(n)
        yield Figure(
            f"bayes, {n} entities all moving: {expected_value} steps expected",
            f"{value:.6f}",
            round(value, 4) == expected_value,
        )


PARTS: Parts = {
    "agreement": _agreement_figures,
    "speed": _speed_figures,
    "steps": _step_figures,
}

figures = partial(figures_of, PARTS)
