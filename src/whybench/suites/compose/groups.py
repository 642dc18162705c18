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
    """What an agent answered about one world.

    Attributes:
        kinds: The shape of the world.
        gates: Its gates: or, and, mixed.
        draw: Its number in the series of its shape and gates.
        chain: The shape itself.
        answered: Answers, truths and units.
        facts: Whether factual answers are right, epochs x units x anchors: 1 or 0, NaN where a
            question was lost to a technical error. None if no factual questions were asked.
    """

    kinds: str
    gates: str
    draw: int
    chain: Chain
    answered: AnswerArrays
    facts: NDArray[np.float64] | None = None

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
    """Return the answers world by world, in order of appearance."""
    if not group.units.size:
        return []
    keys = [np.unique(group[name], return_inverse=True)[1] for name in ("kinds", "gates", "draw")]
    worlds = (_world_answers(group, rows) for rows in group_rows(combine_codes(keys)))
    return [world for world in worlds if world and world.answered.sample.size]


def _world_answers(group: Group, rows: NDArray[np.intp]) -> WorldAnswers | None:
    factual = rows[group["rung"][rows] == "factual"]
    rows = rows[group["rung"][rows] == "interventional"]
    if not rows.size:
        return None
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
        facts=_grade_facts(group, factual, chain, epochs, column["unit"][first][whole]),
    )


def _grade_facts(
    group: Group,
    rows: NDArray[np.intp],
    chain: Chain,
    epochs: NDArray[np.float64],
    units: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    """Return whether factual answers about these units are right; None without any."""
    if not rows.size:
        return None
    rows = rows[np.isin(group["unit"][rows], units)]
    facts = np.full((epochs.size, units.size, chain.size), np.nan)
    place = (
        np.searchsorted(epochs, group["epoch"][rows]),
        np.searchsorted(units, group["unit"][rows]),
        group["effect"][rows].astype(np.intp),
    )
    right = (group["value"][rows] == group["truth"][rows]).astype(float)
    facts[place] = np.where(group["outcome"][rows] == "error", np.nan, right)
    return facts
