"""How far a sweep is, and its finished logs as records.

How far a sweep is, on the screen: a row for each suite and model, and one for all.
"""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from whybench.errors import UserError
from whybench.suites.registry import get_suite
from whybench.sweep.store import DONE, PROGRESS, Store
from whybench.sweep.worker import unit_progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.table import Table

    from whybench.errors import Fence
    from whybench.evaluation.progress import Progress
    from whybench.records import ReadLogs
    from whybench.sweep.plan import Unit


@dataclass(frozen=True)
class State:
    """How far a unit is.

    Attributes:
        unit: The unit.
        progress: What became of its samples, as was proved from its log.
        samples: How many of its samples are known to have ended, also while it runs.
        reason: Why it failed, if it did.
    """

    unit: Unit
    progress: Progress
    samples: int
    reason: str

    @property
    def done(self) -> bool:
        """Whether every sample is answered."""
        return self.progress.complete

    @property
    def total(self) -> int:
        """How many samples it has, over all epochs."""
        return self.progress.planned


def read_state(unit: Unit, store: Store) -> State:
    """Return how far a unit is, by its notes in the store."""
    if (note := store.read_note(unit.name, DONE)) is not None:
        progress = unit_progress(unit, note)
        if progress.accepted(keep_errors=True):
            return State(unit, progress, progress.answered, "")
    note = store.read_note(unit.name, PROGRESS) or {}
    reason = str(note.get("failed", ""))
    return State(unit, unit_progress(unit, note), int(note.get("done", 0)), reason)


def tell_progress(units: Sequence[Unit], store: Store) -> str:
    """Say how far units are, and how to go on."""
    states = [read_state(unit, store) for unit in units]
    answered, total = (sum(getattr(s.progress, n) for s in states) for n in ("answered", "planned"))
    return (
        f"{sum(state.done for state in states)} of {len(states)} units complete, {answered} of "
        f"{total} samples answered. Run the same command again to resume."
    )


def read_answers(unit: Unit, store: Store) -> ReadLogs:
    """Read the answers of a unit from its uploaded log."""
    from whybench.records import read_logs  # noqa: PLC0415  (importing Inspect takes seconds)

    with tempfile.TemporaryDirectory() as folder:
        store.download(unit.name, Path(folder))
        return read_logs([folder], salvage=True)


def finished_units(
    units: Sequence[Unit],
    store: Store,
    plan_file: Path,
    partial: bool = False,
    keep_errors: bool = False,
) -> list[Unit]:
    """Return the units that are complete, or, partially, those that have any answers.

    With `keep_errors` a unit is complete though some of its samples ended in an error.

    Raises:
        UserError: There are none.
    """
    states = [read_state(unit, store) for unit in units]
    chosen = [
        state.unit
        for state in states
        if state.progress.accepted(keep_errors) or (partial and state.samples)
    ]
    if not chosen:
        raise UserError(
            f"{plan_file} must have finished units, got none of {len(states)}; "
            f"`whybench sweep run {plan_file}` runs them, `keep_errors` accepts errors, and "
            "`partial` takes what there is"
        )
    return chosen


def collect(
    units: Iterable[Unit], store: Store, target: str, fence: Fence | None = None
) -> tuple[int, list[str]]:
    """Write the answers of units as partitioned records.

    Args:
        units: Whose answers.
        store: Where their logs are.
        target: An address for the records.
        fence: Keeps a unit whose log cannot be read from ending the others.

    Returns:
        How many answers there are, and what of the logs is damaged.
    """
    from whybench.records.partitions import write_partition  # noqa: PLC0415
    from whybench.records.table import record_table  # noqa: PLC0415

    rows, damaged = 0, list[str]()
    for unit in units:
        with fence.around(f"left out {unit.name}") if fence else nullcontext():
            read = read_answers(unit, store)
            damaged += read.damaged
            for name, answers in read.rows.items():
                table = record_table(answers, get_suite(name).record_columns)
                write_partition(table, target, unit.name)
                rows += table.num_rows
    return rows, damaged


EVERY = 2.0
"""Seconds between two looks at how far a sweep is."""


@contextmanager
def watch(units: Sequence[Unit], store: Store) -> Iterator[Callable[[dict[str, str]], None]]:
    """Show how far units are: a table that follows them, on a terminal, and once at the end."""
    from rich.console import Console  # noqa: PLC0415
    from rich.live import Live  # noqa: PLC0415

    console = Console()
    began, last = time.time(), 0.0
    current: dict[str, State] = {}

    def states() -> list[State]:
        for unit in units:
            if unit.name not in current or not current[unit.name].done:
                current[unit.name] = read_state(unit, store)
        return [current[unit.name] for unit in units]

    before = sum(state.samples for state in states())
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(failed: dict[str, str]) -> None:
            nonlocal last
            if console.is_terminal and time.time() - last >= EVERY:
                last = time.time()
                live.update(_table(states(), failed, before, time.time() - began), refresh=True)

        yield show
    console.print(_table(states(), {}, before, time.time() - began))


def _table(states: Sequence[State], failed: dict[str, str], before: int, seconds: float) -> Table:
    """Return a row for each suite and model, and one for all."""
    from rich.table import Table  # noqa: PLC0415

    table = Table(
        "suite", "model", "units", "samples", "errors", "failed", box=None, pad_edge=False
    )
    groups: dict[tuple[str, str], list[State]] = defaultdict(list)
    for state in states:
        groups[state.unit.ask.suite, state.unit.model].append(state)
    for (name, model), members in groups.items():
        table.add_row(name, model, *_counts(members, failed))
    if len(groups) > 1:
        table.add_row("all", "", *_counts(states, failed))
    done = sum(state.samples for state in states)
    left = sum(state.total for state in states) - done
    if done > before and left:
        rate = (done - before) / seconds
        table.caption = f"{rate:.1f} samples a second, about {left / rate / 60:.0f} minutes left"
    return table


def _counts(states: Sequence[State], failed: dict[str, str]) -> tuple[str, ...]:
    done = sum(state.done for state in states)
    samples, total = (sum(getattr(s, name) for s in states) for name in ("samples", "total"))
    bad = sum(bool(state.reason) or state.unit.name in failed for state in states)
    errors = sum(state.progress.failed for state in states)
    return f"{done}/{len(states)}", f"{samples}/{total}", str(errors or ""), str(bad or "")
