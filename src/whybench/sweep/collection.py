"""How far a sweep is, and its finished logs as records."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite
from whybench.sweep.store import DONE, PROGRESS, Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whybench.records import ReadLogs
    from whybench.sweep.plan import Unit

__all__ = ["State", "answers_of", "collect", "finished_units", "state_of"]


@dataclass(frozen=True)
class State:
    """How far a unit is.

    Attributes:
        unit: The unit.
        done: Whether it is finished.
        samples: How many of its samples are known to have ended.
        reason: Why it failed, if it did.
    """

    unit: Unit
    done: bool
    samples: int
    reason: str

    @property
    def total(self) -> int:
        """How many samples it has, over all epochs."""
        return self.unit.samples * self.unit.ask.epochs


def state_of(unit: Unit, store: Store) -> State:
    """Return how far a unit is, by what it says of itself in the store."""
    if store.note(unit.name, DONE) is not None:
        return State(unit, True, unit.samples * unit.ask.epochs, "")
    said = store.note(unit.name, PROGRESS) or {}
    return State(unit, False, int(said.get("done", 0)), str(said.get("failed", "")))


def answers_of(unit: Unit, store: Store) -> ReadLogs:
    """Read the answers of a unit from its uploaded log."""
    from whybench.records import read_logs  # noqa: PLC0415  (importing Inspect takes seconds)

    with tempfile.TemporaryDirectory() as folder:
        store.download(unit.name, Path(folder))
        return read_logs([folder])


def finished_units(
    units: Sequence[Unit], store: Store, plan_file: Path, partial: bool = False
) -> list[Unit]:
    """Return the units that are finished, or, partially, those that have any answers.

    Raises:
        UserError: There are none.
    """
    states = [state_of(unit, store) for unit in units]
    chosen = [state.unit for state in states if state.done or (partial and state.samples)]
    if not chosen:
        raise UserError(
            f"{plan_file} must have finished units, got none of {len(states)}; "
            f"`whybench sweep run {plan_file}` runs them, and `partial` takes what there is"
        )
    return chosen


def collect(units: Iterable[Unit], store: Store, target: str) -> int:
    """Write the answers of units as partitioned records; return how many there are."""
    from whybench.records.partitions import write_partition  # noqa: PLC0415
    from whybench.records.schema import record_table  # noqa: PLC0415

    rows = 0
    for unit in units:
        for name, answers in answers_of(unit, store).rows.items():
            one = get_suite(name)
            table = record_table(answers, one.record_columns)
            write_partition(table, target, unit.name)
            rows += table.num_rows
    return rows
