"""Records by agent, condition and world: what a measure is computed on.

The sampled unit is the unit of a world: all answers about it share what the agent makes of this
case. Compositions are about one world each, so `worlds_of` lays the answers of a group out world by
world, as arrays of epochs, units and pairs. A unit about which not everything was asked, because a
run ended there, is left out of these arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.compose.chain import Chain
from whybench.suites.compose.comparisons import Answered
from whybench.suites.compose.estimators import Sample
from whybench.suites.compose.worlds import shape_of
from whybench.suites.groups import Group, alike, combined, grouped

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["CONDITION", "WorldAnswers", "groups_of", "worlds_of"]

CONDITION = ("theme", "detail", "style", "split")
"""The columns that make up a condition; measures are computed within one."""

WORDS = ("outcome", "reason", "kinds", "gates", "rung", "setting")
NUMBERS = (
    "value",
    "truth",
    "epoch",
    "blocks",
    "distance",
    "draw",
    "unit",
    "stratum",
    "weight",
    "cause",
    "effect",
)
UNIT = ("kinds", "gates", "draw", "unit")


@dataclass(frozen=True, eq=False)
class WorldAnswers:
    """What an agent answered about the made causes of one world.

    Attributes:
        kinds: The shape of the world.
        gates: Its gates: or, and, mixed.
        draw: Its number in the series of its shape and gates.
        chain: The shape itself.
        answered: Answers, truths and units.
    """

    kinds: str
    gates: str
    draw: int
    chain: Chain
    answered: Answered

    @property
    def label(self) -> str:
        """The world in one word."""
        return f"{self.kinds}/{self.gates}/{self.draw}"


def groups_of(records: pa.Table) -> list[Group]:
    """Return the groups of compose records, in order of appearance."""
    return grouped(records, CONDITION, WORDS, NUMBERS, lambda _: ("unit", UNIT))


def worlds_of(group: Group) -> list[WorldAnswers]:
    """Return the answers about made causes world by world, in order of appearance."""
    made = group.where(group["rung"] == "interventional")
    if not made.units.size:
        return []
    keys = [np.unique(made[name], return_inverse=True)[1] for name in ("kinds", "gates", "draw")]
    found = (_world_answers(made, rows) for rows in alike(combined(keys)))
    return [world for world in found if world.answered.sample.size]


def _world_answers(made: Group, rows: NDArray[np.intp]) -> WorldAnswers:
    kinds = str(made["kinds"][rows[0]])
    chain = Chain(shape_of(kinds))
    # Pairs are in the order of cause, then effect, so their numbers are sorted.
    numbers = np.array([cause * chain.size + effect for cause, effect in chain.pairs])
    pair = np.searchsorted(numbers, made["cause"][rows] * chain.size + made["effect"][rows])
    _, first, unit = np.unique(made["unit"][rows], return_index=True, return_inverse=True)
    epochs, epoch = np.unique(made["epoch"][rows], return_inverse=True)
    answers, truths = [], []
    for setting in ("true", "false"):
        chosen = made["setting"][rows] == setting
        said = np.full((epochs.size, first.size, numbers.size), np.nan)
        said[epoch[chosen], unit[chosen], pair[chosen]] = made["value"][rows][chosen]
        true = np.full(said.shape[1:], np.nan)
        true[unit[chosen], pair[chosen]] = made["truth"][rows][chosen]
        answers.append(said)
        truths.append(true)
    whole = ~np.isnan(truths[0] + truths[1]).any(axis=1)
    weights, strata = (made[name][rows][first][whole] for name in ("weight", "stratum"))
    y1, y0 = (said[:, whole] for said in answers)
    true1, true0 = (true[whole] == 1 for true in truths)
    return WorldAnswers(
        kinds=kinds,
        gates=str(made["gates"][rows[0]]),
        draw=int(made["draw"][rows[0]]),
        chain=chain,
        answered=Answered(chain.pairs, y1, y0, true1, true0, Sample.of(weights, strata)),
    )
