"""The figures of calculate: truths from the printed words, agents, soundness, calibration."""

from __future__ import annotations

import time
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from evidence import calculate_model
from evidence.blind_rewards import rewards
from evidence.calculate_certificate import certificate, pgmpy_agrees
from evidence.calculate_coverage import coverage
from evidence.calibration import calibrated, checked
from evidence.figures import Figure, figures_of
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.generation import draw_item
from whybench.suites.calibration import simulate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evidence.figures import Parts

MAKERS = {
    "sees-only": "conditioning",
    "does-only": "intervening",
    "no-update": "no_abduction",
    "base-rate": "base_rate",
    "total-effect": "total_effect",
}
"""Agents that always make one mistake."""


def speed(small: bool) -> Iterator[Figure]:
    """Yield how many items are made and certified in a second, by size.

    The engines plan each shape of graph once, so that few items would be those of a cold start.
    """
    sizes = (4, 6, 12) if small else range(2, 13)
    for size in sizes:
        least = (5 if size <= 6 else 1) if small else (100 if size <= 6 else 5)
        design = SUITE.make_design(
            {"design": "core" if small else "standard", "variables": str(size)}
        )
        draw_item.cache_clear()
        begun = time.process_time()
        made = sum(1 for _ in islice(SUITE.items(design), 30 if small else 600))
        rate = made / (time.process_time() - begun)
        yield Figure(
            f"at {size} variables, {least} items or more are made and certified in a second",
            f"{rate:.1f} a second of one core",
            rate >= least,
            timed=True,
        )


def agents(small: bool) -> Iterator[Figure]:
    """Yield the table of reference agents, and whether mistakes are named rightly."""
    design = SUITE.designs["core" if small else "standard"]
    items = list(SUITE.items(design))
    named = []
    for agent in SUITE.agents.values():
        measures = {m.name: m for m in simulate(SUITE, design, items, agent, {}) if not m.at}
        shown = {
            name: measures[name].estimate
            for name in (
                "skill_score",
                "number_skill",
                "answerability_skill",
                "accuracy",
                "answerability",
                "slope",
            )
            if name in measures
        }
        words = ", ".join(
            f"{name} {'-' if value is None else format(value, '.3f')}"
            for name, value in shown.items()
        )
        skill = shown["number_skill"]
        yield Figure(f"{design.name}: {agent.name} is measured", words, skill is not None)
        if agent.name in MAKERS:
            share = measures[f"error_{MAKERS[agent.name]}"].estimate
            named.append((agent.name, share))
    yield Figure(
        "mistakes of agents that always make one are named rightly in 95% or more",
        ", ".join(f"{name} {share:.1%}" for name, share in named if share is not None),
        all(share is not None and share >= 0.95 for _, share in named),
    )


def soundness(small: bool) -> Iterator[Figure]:
    """Yield the checks of designs."""
    names = ("trivial",) if small else tuple(SUITE.designs)
    yield from checked(SUITE, [SUITE.designs[name] for name in names])


def calibration(small: bool) -> Iterator[Figure]:
    """Yield the calibration of every measure with an agent of known value."""
    yield from calibrated(SUITE, SUITE.designs["core"], 10 if small else 200, small)


PARTS: Parts = {
    "certificate": certificate,
    "pgmpy": pgmpy_agrees,
    "coverage": coverage,
    "speed": speed,
    "agents": agents,
    "soundness": soundness,
    "calibration": calibration,
    **calculate_model.PARTS,
    "rewards": rewards,
}

figures = partial(figures_of, PARTS)
