"""How many units the verdicts of a design require, computed before a run.

The number depends on who is asked: an agent without errors needs enough units for errors to show if
there were any, one that errs now and then needs more, and one that guesses most. With fewer units a
run is as good as before, but more of its compositions are inconclusive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from whybench.suites.compose.design import NumbersDesign
from whybench.suites.compose.estimators import OUTVOTING
from whybench.suites.compose.power import UnitPlan, plan_units
from whybench.suites.compose.units import SEGMENTS, make_world, parse_shape
from whybench.suites.compose.wrong_worlds import transmission_probabilities

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.seeds import Split
    from whybench.suites.compose.design import ComposeDesign
    from whybench.suites.compose.world import ComposeWorld, Gates

PLANNED = 24
"""How many worlds are planned for; the others are of the same kinds."""


def list_worlds(design: ComposeDesign) -> Iterator[tuple[int, ComposeWorld]]:
    """Yield the worlds of a design with their numbers in their series."""
    for number in range(design.worlds):
        for kinds in design.kinds:
            for gates in design.gates:
                split = cast("Split", design.split)
                yield number, make_world(kinds, cast("Gates", gates), number, split)


def plan_worlds(design: ComposeDesign, epochs: int) -> list[UnitPlan]:
    """Return the plan of each world, of the first few where there are many.

    Two epochs outvote no more errors than one, so an even number counts as one less.
    """
    odd = epochs - 1 + epochs % 2
    worlds = [world for _, world in zip(range(PLANNED), list_worlds(design), strict=False)]
    return [plan_units(transmission_probabilities(world), epochs=odd) for _, world in worlds]


def _describe_units(plans: list[UnitPlan]) -> str:
    """Say how many units each agent takes in the world where it takes most."""
    parts = []
    for name in plans[0].needs:
        numbers = [plan.needs[name] for plan in plans]
        most = "no number" if None in numbers else str(max(cast("list[int]", numbers)))
        parts.append(f"{most} for {name}")
    return ", ".join(parts)


def advise(design: ComposeDesign, epochs: int) -> Iterator[str]:
    """Yield what a design's number of units suffices for; numbers take none."""
    if isinstance(design, NumbersDesign):
        return
    if max(len(parse_shape(kinds)) for kinds in design.kinds) > SEGMENTS:
        yield (
            f"{design.units} units per world; the units that verdicts require are computed only "
            f"for up to {SEGMENTS} blocks"
        )
        return
    plans = plan_worlds(design, epochs)
    exact = max(plan.needs["exact"] or 0 for plan in plans)
    if exact > design.units:
        yield (
            f"{design.units} units per world are enough for the primary measure, but not for the "
            f"classes of compositions, which require at least {exact} (use the design verdicts)"
        )
        return
    often = f"{epochs} epoch{'s' if epochs > 1 else ''}"
    needed = _describe_units(plans)
    yield f"{design.units} units per world; conclusive verdicts with {often} require {needed}"
    if epochs < OUTVOTING:
        more = _describe_units(plan_worlds(design, 5))
        yield f"majority votes correct errors from {OUTVOTING} epochs on; 5 epochs require {more}"
    chance = sum("met_by_chance" in plan.flags for plan in plans)
    if chance:
        yield (
            f"in {chance} of {len(plans)} worlds guesses multiply to about the true whole: there "
            "only consistency, not validity, separates knowledge from guessing"
        )
