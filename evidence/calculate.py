"""The figures of calculate: truths from the printed words, agents, soundness, calibration."""

from __future__ import annotations

import time
from collections import Counter
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from evidence import calculate_model
from evidence.blind_rewards import rewards
from evidence.calibration import calibrated, checked
from evidence.figures import Figure, figures_of
from evidence.printed_worlds import answer_prompt
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.generation import draw_item
from whybench.suites.calculate.prompt_parser import parse_stated_prompt
from whybench.suites.calibration import simulate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evidence.figures import Parts
    from whybench.suites.calculate.items import CalculateItem

__all__ = ["PARTS", "figures"]

ROUNDING = 1e-9

MAKERS = {
    "sees-only": "seeing",
    "does-only": "doing",
    "no-update": "no_update",
    "base-rate": "base_rate",
    "total-effect": "total_effect",
}
"""Agents that always make one mistake."""


def _many_items(count: int) -> Iterator[CalculateItem]:
    """Yield items of the main design, of the one that asks which is greater, and programs."""
    greater = count // 5
    settings = {"design": "standard", "worlds": count // 120 + 1}
    yield from islice(SUITE.items(SUITE.make_design(settings)), count - greater)
    settings = {"design": "greater", "worlds": greater // 45 + 1}
    yield from islice(SUITE.items(SUITE.make_design(settings)), greater // 2)
    told = {"mechanism": "gates,thresholds", "telling": "program"}
    settings = {"design": "standard", "worlds": greater // 160 + 1, **told}
    yield from islice(SUITE.items(SUITE.make_design(settings)), greater - greater // 2)


def certificate(small: bool) -> Iterator[Figure]:
    """Yield that truths follow from the printed words, by code that shares nothing with ours."""
    count = 240 if small else 100_000
    wrong: list[str] = []
    lost = 0
    kinds: Counter[str] = Counter()
    for item in _many_items(count):
        kinds[item.gap] += 1
        if not abs(answer_prompt(item.prompt) - item.truth) <= ROUNDING:
            wrong.append(item.id)
        lost += parse_stated_prompt(item.prompt) != item.world
    looked_at = sum(kinds.values())
    told = ", ".join(f"{number} {gap}" for gap, number in sorted(kinds.items()))
    yield Figure(
        f"{count} prompts: what follows from their words is the truth that both engines found",
        f"{len(wrong)} of {looked_at} differ {wrong[:3] or ''}; by what is not told: {told}",
        not wrong and looked_at == count,
    )
    yield Figure(
        f"{count} prompts give back their world", f"{lost} of {looked_at} do not", not lost
    )


def speed(small: bool) -> Iterator[Figure]:
    """Yield how many items are made and certified in a second, by size."""
    for size, least in ((4, 5), (6, 5), (12, 1)):
        design = SUITE.make_design({"design": "core", "variables": str(size)})
        draw_item.cache_clear()
        begun = time.process_time()
        made = sum(1 for _ in islice(SUITE.items(design), 30 if small else 120))
        rate = made / (time.process_time() - begun)
        yield Figure(
            f"at {size} variables, {least} items or more are made and certified in a second",
            f"{rate:.1f} a second of one core",
            rate >= least,
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
            for name in ("skill", "accuracy", "computability", "slope")
            if name in measures
        }
        words = ", ".join(
            f"{name} {'-' if value is None else format(value, '.3f')}"
            for name, value in shown.items()
        )
        skill = shown["skill"]
        blind = agent.name in {name for name, _ in (SUITE.scale.blind if SUITE.scale else ())}
        holds = skill is not None and (skill <= ROUNDING if blind else skill > -1)
        claim = "has a skill of 0 or less" if blind else "is placed"
        yield Figure(f"{design.name}: {agent.name} {claim}", words, holds)
        if agent.name in MAKERS:
            share = measures[f"mistake_{MAKERS[agent.name]}"].estimate
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
    "speed": speed,
    "agents": agents,
    "soundness": soundness,
    "calibration": calibration,
    **calculate_model.PARTS,
    "rewards": rewards,
}

figures = partial(figures_of, PARTS)
