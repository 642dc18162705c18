"""Records by agent, condition and world: what a measure is computed on.

The sampled unit is the unit of a world: all answers about it share what the agent makes of this
case. Compositions are about one world each, so `group_by_world` lays the answers of a group out
world by world, as arrays of epochs, units and pairs. A unit about which not everything was asked,
because a run ended there, is left out of these arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from whybench.suites.compose.answer_arrays import AnswerArrays
from whybench.suites.compose.chain import Chain
from whybench.suites.compose.estimators import Sample
from whybench.suites.compose.number_questions import NUMBER
from whybench.suites.compose.units import parse_shape
from whybench.suites.groups import Group, combine_codes, group_records, group_rows

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

CONDITION = ("theme", "detail", "style", "wording", "split")
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
    answered: AnswerArrays

    @property
    def keys(self) -> tuple[str, str]:
        """What the random draw of its intervals belongs to: the world, whoever answers."""
        return "compose", self.label

    @property
    def label(self) -> str:
        """The world in one word."""
        return f"{self.kinds}/{self.gates}/{self.draw}"


def compose_groups(records: pa.Table) -> list[Group]:
    """Return the groups of answers with yes or no, in order of appearance."""
    import pyarrow.compute as pc  # noqa: PLC0415  (kept out of the start-up path)

    asked = pc.not_equal(records["rung"], NUMBER)
    if not pc.all(asked).as_py():
        records = records.filter(asked)
    if not records.num_rows:
        return []
    return group_records(records, CONDITION, WORDS, NUMBERS, lambda _: ("unit", UNIT))


def group_by_world(group: Group) -> list[WorldAnswers]:
    """Return the answers about made causes world by world, in order of appearance."""
    causal = group.where(group["rung"] == "interventional")
    if not causal.units.size:
        return []
    keys = [np.unique(causal[name], return_inverse=True)[1] for name in ("kinds", "gates", "draw")]
    worlds = (_world_answers(causal, rows) for rows in group_rows(combine_codes(keys)))
    return [world for world in worlds if world.answered.sample.size]


def _world_answers(group: Group, rows: NDArray[np.intp]) -> WorldAnswers:
    column = {name: group[name][rows] for name in (*WORDS, *NUMBERS)}
    kinds = str(column["kinds"][0])
    chain = Chain(parse_shape(kinds))
    # Pairs are in the order of cause, then effect, so their numbers are sorted.
    numbers = np.array([cause * chain.size + effect for cause, effect in chain.pairs])
    pair = np.searchsorted(numbers, column["cause"] * chain.size + column["effect"])
    _, first, unit = np.unique(column["unit"], return_index=True, return_inverse=True)
    epochs, epoch = np.unique(column["epoch"], return_inverse=True)
    answers, truths, reached = [], [], []
    for setting in ("true", "false"):
        chosen = column["setting"] == setting
        answered = np.full((epochs.size, first.size, numbers.size), np.nan)
        answered[epoch[chosen], unit[chosen], pair[chosen]] = column["value"][chosen]
        there = np.zeros(answered.shape, dtype=bool)
        there[epoch[chosen], unit[chosen], pair[chosen]] = column["outcome"][chosen] != "error"
        true = np.full(answered.shape[1:], np.nan)
        true[unit[chosen], pair[chosen]] = column["truth"][chosen]
        answers.append(answered)
        truths.append(true)
        reached.append(there)
    whole = ~np.isnan(truths[0] + truths[1]).any(axis=1)
    y1, y0 = (answered[:, whole] for answered in answers)
    true1, true0 = (true[whole] == 1 for true in truths)
    asked = reached[0] & reached[1]
    sample = Sample.of(column["weight"][first][whole], column["stratum"][first][whole])
    return WorldAnswers(
        kinds=kinds,
        gates=str(column["gates"][0]),
        draw=int(column["draw"][0]),
        chain=chain,
        answered=AnswerArrays(chain.pairs, y1, y0, true1, true0, sample, asked[:, whole]),
    )
