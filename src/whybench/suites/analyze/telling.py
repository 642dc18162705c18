"""How a data set is told: in which setting, under which names, in which order, direction and units.

A world and its truths know columns by role. What somebody is shown has a setting of its split,
names drawn from it, columns in an order by lot, some of them told the other way round (`opposite`:
0 for 1) or in other units, and decoys among them. None of this changes what is true, but that
numbers are in the units of the outcome: they are converted with it.

A telling follows from the keys of a data set. Twins have the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from whybench.seeds import generator
from whybench.suites.analyze.columns import Array, DataColumn, round_values, to_integers
from whybench.suites.analyze.settings import AFTER, BEFORE
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.suites.analyze.settings import Setting

OUTCOME = "outcome"

FACTORS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
"""How many units of the data one unit of the world may be."""

FARTHEST = 40
"""How many units of the world the zero of the data may be away from the world's, on either side."""

MOST_DECOYS = 2

ECHO = 0.25
"""How far the chance of a decoy that follows the outcome goes to either side of a half."""


@dataclass(frozen=True)
class Telling:
    """How a data set is told.

    Attributes:
        setting: The name of the setting.
        names: Which of its names each column has, by role.
        opposite: The roles that are told the other way round.
        units: By role, how many units of the data one of the world is, and where the world has its
            zero in the data.
        order: The roles in the order in which they are shown, decoys among them.
    """

    setting: str
    names: Mapping[str, int] = field(default_factory=dict)
    opposite: frozenset[str] = frozenset()
    units: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    order: tuple[str, ...] = ()

    @property
    def unit(self) -> float:
        """How many units of the data one unit of the outcome is; numbers are in these."""
        return self.units.get(OUTCOME, (1.0, 0.0))[0]


def draw_telling(
    settings: Sequence[Setting],
    shown: Sequence[str],
    opposite: Sequence[str],
    units: Sequence[str],
    *keys: object,
) -> Telling:
    """Draw how the data set of these keys is told.

    Args:
        settings: The settings to choose from.
        shown: The roles of the columns.
        opposite: Those of them that may be told the other way round.
        units: Those of them that may be in other units.
        keys: What the data set is made from.
    """
    rng = generator("analyze", "telling", *keys)
    if not settings:
        raise UserError("there must be a setting of each split, train and test; got none of one")
    setting = settings[int(rng.integers(len(settings)))]
    count = min(int(rng.integers(MOST_DECOYS + 1)), len(setting.decoys))
    decoys = [setting.decoys[place] for place in rng.permutation(len(setting.decoys))[:count]]
    roles = (*shown, *decoys)
    return Telling(
        setting.name,
        {role: int(rng.integers(6)) for role in roles},
        frozenset(role for role in opposite if rng.integers(2)),
        {
            role: (factor, round(factor * int(rng.integers(-FARTHEST, FARTHEST + 1)), 1))
            for role in units
            for factor in (float(rng.choice(FACTORS)),)
        },
        tuple(roles[place] for place in rng.permutation(len(roles))),
    )


def tell_columns(columns: Iterable[DataColumn], telling: Telling) -> tuple[DataColumn, ...]:
    """Return the columns as they are told; decoys come before everything else or after it."""
    by_role = {column.role: column for column in columns}
    first = min(column.measured for column in by_role.values())
    last = max(column.measured for column in by_role.values()) + 1
    return tuple(
        by_role.get(role) or DataColumn(role, "binary", first if role.startswith(BEFORE) else last)
        for role in telling.order
    )


def tell_rows(rows: Mapping[str, Array], telling: Telling, *keys: object) -> dict[str, Array]:
    """Return rows as they are told, with decoys that follow from these keys."""
    told: dict[str, Array] = {}
    for role in telling.order:
        if role not in rows:
            told[role] = _draw_decoy(rows, role, *keys)
        elif role in telling.opposite:
            told[role] = 1 - rows[role]
        elif role in telling.units:
            factor, zero = telling.units[role]
            told[role] = round_values(zero + factor * rows[role], _digits(factor))
        else:
            told[role] = rows[role]
    return told


def untell_rows(rows: Mapping[str, Array], telling: Telling) -> dict[str, Array]:
    """Return told rows in the directions and units of the world, without decoys."""
    world: dict[str, Array] = {}
    for role, values in rows.items():
        if role in telling.opposite:
            world[role] = 1 - values
        elif role in telling.units:
            factor, zero = telling.units[role]
            world[role] = (values - zero) / factor
        elif not role.startswith((BEFORE, AFTER)):
            world[role] = values
    return world


def _digits(factor: float) -> int:
    """Return how many digits are shown of values in these units; three of a world's are kept."""
    return int(np.clip(np.ceil(3 - np.log10(factor)), 1, 4))


def _draw_decoy(rows: Mapping[str, Array], role: str, *keys: object) -> Array:
    """Draw a column of 0 and 1: by chance alone, or more often 1 where the outcome is high."""
    rng = generator("analyze", "decoy", role, *keys)
    size = len(next(iter(rows.values())))
    chance: float | Array = rng.uniform(0.3, 0.7)
    if role.startswith(AFTER) and OUTCOME in rows:
        sign = 1 - 2 * int(rng.integers(2))
        high = rows[OUTCOME] > np.mean(rows[OUTCOME])
        chance = 0.5 + sign * np.where(high, ECHO, -ECHO)
    return to_integers(rng.random(size) < chance)
