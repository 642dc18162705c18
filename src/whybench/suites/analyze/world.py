"""A world, told once: columns in causal order, each a mechanism of earlier columns and of chance.

>>> world = World(
...     (
...         binary("stratum", 0.4, time=0),
...         binary("treatment", lambda stratum: 0.8 - 0.6 * stratum, time=1),
...         binary(
...             "outcome", lambda treatment, stratum: 0.1 + 0.2 * treatment + 0.5 * stratum, time=2
...         ),
...     )
... )

A mechanism's arguments are its causes, so the graph is told with it. Everything else follows:

- **rows** (`draw_rows`): the noise of each column is drawn in turn, the columns are computed from
  it, and those that were measured are shown, rounded;
- **columns and their order in time** (`data_columns`);
- **what is done to it** (`respond`): the same units, by their noise, where some columns are set;
- **the truth of an effect**, exactly (`find_effect`) and by simulation (`run_trial`).

>>> from whybench.suites.analyze.effects import increase
>>> method, effect = world.find_effect(increase("treatment"))
>>> method, round(effect, 12)
('elimination', 0.2)

`selected` names a column that decides which units are in the table.

One table of chances can be told in two orders (`turn`): the rows are the same, the truth is not.

>>> late = world.turn("stratum", "treatment", time=1)
>>> round(late.find_effect(increase("treatment"))[1], 12)
-0.092207792208
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.scm import Bernoulli, Event, Graph, Model, Query, Table, probability
from whybench.seeds import generator
from whybench.suites.analyze.columns import Array, Column, DataColumn, binary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.suites.analyze.effects import Effect, Setting

__all__ = ["World", "mean_and_error"]

TRIED = np.array([0, 1])
"""Values of causes at which it is tried whether they matter."""

SAME = 1e-9
"""By how much effects on single units may differ that are said to be the same."""


@dataclass(frozen=True, eq=False)
class World:
    """Columns, each a mechanism of earlier ones. See the head of this module.

    Attributes:
        columns: The columns, causes before effects.
        selected: The role of a column that is 1 for the units in the table; where it is empty, all
            are.
    """

    columns: tuple[Column, ...]
    selected: str = ""

    def __post_init__(self) -> None:
        earlier: set[str] = set()
        for column in self.columns:
            if not earlier.issuperset(column.causes):
                raise ValueError(
                    f"causes of {column.role} must be earlier columns, got {column.causes}"
                )
            earlier.add(column.role)

    @cached_property
    def by_role(self) -> dict[str, Column]:
        """The columns by role."""
        return {column.role: column for column in self.columns}

    @property
    def graph(self) -> Graph:
        """Which column is a cause of which."""
        return Graph(
            tuple(self.by_role),
            tuple((cause, column.role) for column in self.columns for cause in column.causes),
        )

    def find_graph(self) -> Graph:
        """Return which column is a cause of which, without causes that have no weight."""
        return Graph(
            tuple(self.by_role),
            tuple(
                (cause, column.role)
                for column in self.columns
                for cause in column.causes
                if self._matters(column, cause)
            ),
        )

    def _matters(self, column: Column, cause: str) -> bool:
        """Whether a column is ever another where one of its causes is."""
        if column.chance is not None and all(self.by_role[role].chance for role in column.causes):
            table = column.tabulate()
            return bool(np.ptp(table, axis=column.causes.index(cause)).max() > 0)
        noise = np.full(2, 0.0 if column.noise is None else column.noise.examples[0])
        return any(
            np.ptp(
                column.compute(
                    {role: TRIED if role == cause else np.full(2, at) for role in column.causes},
                    {column.role: noise},
                )
            )
            > 0
            for at in TRIED
        )

    def data_columns(self, shown: Sequence[str]) -> tuple[DataColumn, ...]:
        """Return the columns of the data, in the order in which they are shown.

        Raises:
            ValueError: They are not those that are measured.
        """
        times = {column.role: column.time for column in self.columns if column.time is not None}
        if set(shown) != set(times):
            raise ValueError(f"columns shown must be {sorted(times)}, got {sorted(shown)}")
        return tuple(DataColumn(role, self.by_role[role].kind, times[role]) for role in shown)

    def draw_noise(self, size: int, rng: np.random.Generator) -> dict[str, Array]:
        """Draw units, each by what chance does to its columns.

        Columns of the same role have the same noise in twins, whatever others there are.
        """
        seed = int(rng.integers(2**62))
        return {
            column.role: column.noise.draw(generator("noise", seed, column.role), size)
            for column in self.columns
            if column.noise is not None
        }

    def respond(
        self, noise: Mapping[str, Array], setting: Setting | None = None
    ) -> dict[str, Array]:
        """Return the columns of units, in the world as it is or where some columns are set."""
        done = setting or {}
        values: dict[str, Array] = {}
        size = len(next(iter(noise.values())))
        for column in self.columns:
            value = done.get(column.role)
            if value is None:
                values[column.role] = column.compute(values, noise)
            elif isinstance(value, Mapping):
                values[column.role] = self.respond(noise, value)[column.role]
            else:
                values[column.role] = np.broadcast_to(np.asarray(value), size)
        return values

    def draw_rows(
        self, size: int, shown: Sequence[str], rng: np.random.Generator
    ) -> dict[str, Array]:
        """Draw so many rows: units, or those of them that are selected, as they are seen."""
        values = self.respond(self.draw_noise(size, rng))
        if self.selected:
            values = self._select(values, size, rng)
        return {role: self.by_role[role].render(values[role]) for role in shown}

    def _select(
        self, values: Mapping[str, Array], size: int, rng: np.random.Generator
    ) -> dict[str, Array]:
        """Return the first units that are selected, drawing more until there are enough."""
        kept: dict[str, Array] = {role: column[:0] for role, column in values.items()}
        while len(kept[self.selected]) < size:
            here = values[self.selected] == 1
            kept = {role: np.append(kept[role], values[role][here]) for role in kept}
            values = self.respond(self.draw_noise(size, rng))
        return {role: column[:size] for role, column in kept.items()}

    def find_effect(self, effect: Effect) -> tuple[str, float]:
        """Return a method and what it finds: the effect, exactly.

        Where all columns involved are binary, variables are eliminated from the causal model. Else
        the effect must be the same for every unit, as where noise is only added, and it is read off
        units as examples.

        Raises:
            ValueError: It is neither.
        """
        if all(self.by_role[role].chance for role in self._involved(effect)):
            return "elimination", self._eliminate(effect)
        noise = {
            column.role: np.array(column.noise.examples)
            for column in self.columns
            if column.noise is not None
        }
        found = self._contrast(effect, noise)
        if np.ptp(found) > SAME:
            raise ValueError(f"{effect} must be the same for every unit, got {found}")
        return "contrast of interventions", float(found[1])

    def run_trial(
        self, effects: Mapping[str, Effect], noise: Mapping[str, Array]
    ) -> dict[str, tuple[float, float]]:
        """Return the mean and the standard error of effects on units, under every setting."""
        return {
            name: mean_and_error(self._contrast(effect, noise)) for name, effect in effects.items()
        }

    def _contrast(self, effect: Effect, noise: Mapping[str, Array]) -> Array:
        """Return the effect on each unit that counts."""
        total = np.zeros(len(next(iter(noise.values()))))
        for weight, setting in effect.arms:
            total += weight * self.respond(noise, setting)[effect.on]
        if not effect.given:
            return total
        seen = self.respond(noise)
        return total[np.all([seen[role] == value for role, value in effect.given.items()], axis=0)]

    def _involved(self, effect: Effect) -> tuple[str, ...]:
        """Return the columns that an effect rests on."""
        needed = {effect.on, *effect.given}
        for column in reversed(self.columns):
            if column.role in needed:
                needed.update(column.causes)
        return tuple(column.role for column in self.columns if column.role in needed)

    def model(self, roles: Sequence[str]) -> Model:
        """Return the causal model of binary columns, which must have their causes among them."""
        columns = [self.by_role[role] for role in roles]
        edges = tuple((cause, column.role) for column in columns for cause in column.causes)
        tables = {column.role: column.tabulate().ravel().tolist() for column in columns}
        return Model(
            Graph(tuple(roles), edges),
            {
                role: Table(tuple(table)) if len(table) > 1 else Bernoulli(table[0])
                for role, table in tables.items()
            },
        )

    def _eliminate(self, effect: Effect) -> float:
        model = self.model(self._involved(effect))
        given = tuple(Event(role, value) for role, value in effect.given.items())
        total = 0.0
        for weight, setting in effect.arms:
            event = Event(effect.on, 1, tuple(setting.items()))
            total += weight * float(probability(model, Query((event,), given)))
        return total

    def turn(self, first: str, second: str, time: int) -> World:
        """Return the world with the same chances in which a binary column answers to a later one.

        By Bayes' rule: the second no longer knows the first, and the first comes after it.

        Args:
            first: The role of the column that is told later.
            second: The role of the one that is told before it.
            time: When the first is measured then.
        """
        one, other = self.by_role[first], self.by_role[second]
        known = [role for role in self.by_role if role in {*one.causes, *other.causes} - {first}]
        axes = dict(zip((*known, first), np.indices((2,) * (len(known) + 1)), strict=True))
        chance_one, chance_other = (
            column.tabulate()[tuple(axes[cause] for cause in column.causes)]
            for column in (one, other)
        )
        before = np.where(axes[first] == 1, chance_one, 1 - chance_one)
        # The last axis is the first column, then the second.
        both = np.stack([before * (1 - chance_other), before * chance_other], axis=-1)
        marginal = both.sum(axis=-2)
        sooner = marginal[..., 1] / marginal.sum(axis=-1)
        later = both[..., 1, :] / marginal
        turned = (
            _from_table(other, known, sooner, other.time),
            _from_table(one, (*known, second), later, time),
        )
        columns = [column for column in self.columns if column is not one]
        place = columns.index(other)
        columns[place : place + 1] = turned
        return replace(self, columns=tuple(columns))

    def without_hidden(self, roles: Sequence[str]) -> World:
        """Return a world with the same distribution of rows in which no cause is hidden.

        Each of the binary columns is caused by all columns before it. Where units are selected,
        these are all units of the new world.

        Args:
            roles: The roles of the columns, in their order.
        """
        model = self.model(tuple(self.by_role))
        selected = (Event(self.selected, 1),) if self.selected else ()
        columns = []
        for place, role in enumerate(roles):
            known, column = roles[:place], self.by_role[role]
            table = np.empty((2,) * place)
            for values in np.ndindex(table.shape):
                given = (*selected, *map(Event, known, values))
                table[values] = float(probability(model, Query((Event(role, 1),), given)))
            columns.append(_from_table(column, known, table, column.time))
        return World(tuple(columns))


def _from_table(column: Column, causes: Sequence[str], table: Array, time: int | None) -> Column:
    def chance(**values: Any) -> Any:
        return table[tuple(values[cause] for cause in causes)]

    return binary(column.role, chance, time=time, causes=causes)


def mean_and_error(values: Array) -> tuple[float, float]:
    """Return the mean and its standard error."""
    return float(values.mean()), float(values.std() / math.sqrt(len(values)))
