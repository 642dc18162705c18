"""How many units the verdicts of a design take, said before a run.

The number depends on who is asked: an agent without errors needs enough units for errors to show if
there were any, one that errs now and then needs more, and one that guesses most. With fewer units a
run is as good as before, but more of its compositions are inconclusive.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from whybench.suites.compose.estimators import OUTVOTING
from whybench.suites.compose.power import Plan, plan
from whybench.suites.compose.units import STRETCHES
from whybench.suites.compose.worlds import shape_of, world_at
from whybench.suites.compose.wrong_worlds import transmit_chances

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.seeds import Split
    from whybench.suites.compose.design import ComposeDesign
    from whybench.suites.compose.world import Gates, World

__all__ = ["advice", "plans", "worlds_in"]

PLANNED = 24
"""So many worlds are planned for; the others are of the same kinds."""


def worlds_in(design: ComposeDesign) -> Iterator[tuple[int, World]]:
    """Yield the worlds of a design with their numbers in their series."""
    for number in range(design.worlds):
        for kinds in design.kinds:
            for gates in design.gates:
                split = cast("Split", design.split)
                yield number, world_at(kinds, cast("Gates", gates), number, split)


def plans(design: ComposeDesign, epochs: int) -> list[Plan]:
    """Return the plan of each world, of the first few where there are many.

    Two epochs outvote no more errors than one, so an even number counts as one less.
    """
    odd = epochs - 1 + epochs % 2
    worlds = [world for _, world in zip(range(PLANNED), worlds_in(design), strict=False)]
    return [plan(transmit_chances(world), epochs=odd) for _, world in worlds]


def _most(found: list[Plan]) -> str:
    """Say how many units each agent takes in the world where it takes most."""
    said = []
    for name in found[0].needs:
        numbers = [one.needs[name] for one in found]
        most = "no number" if None in numbers else str(max(cast("list[int]", numbers)))
        said.append(f"{most} for {name}")
    return ", ".join(said)


def advice(design: ComposeDesign, epochs: int) -> Iterator[str]:
    """Yield what a design's number of units suffices for."""
    if max(len(shape_of(kinds)) for kinds in design.kinds) > STRETCHES:
        yield (
            f"{design.units} units a world; how many verdicts take is known beforehand for "
            f"at most {STRETCHES} blocks"
        )
        return
    found = plans(design, epochs)
    often = f"{epochs} epoch{'s' if epochs > 1 else ''}"
    yield f"{design.units} units a world; conclusive verdicts with {often} take {_most(found)}"
    if epochs < OUTVOTING:
        more = _most(plans(design, 5))
        yield f"errors are outvoted from {OUTVOTING} epochs on; with 5 it takes {more}"
    chance = sum("met_by_chance" in one.flags for one in found)
    if chance:
        yield (
            f"in {chance} of {len(found)} worlds guesses multiply to about the true whole: there "
            "validity does not tell guessing from knowing, and consistency does"
        )
