"""How far the units of a plan are: in words, and as a table on the screen."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.evaluation.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.table import Table

    from whybench.evaluation.store import Store
    from whybench.evaluation.units import Unit

REFRESH_INTERVAL = 2.0
"""Seconds between two looks at how far units are."""


@dataclass(frozen=True)
class State:
    """How far a unit is.

    Attributes:
        unit: The unit.
        progress: Its samples, as was proved from its log.
        ended: Samples that are known to have ended, also while it runs.
        reason: Why it is incomplete, if that is known.
    """

    unit: Unit
    progress: Progress
    ended: int = 0
    reason: str = ""


def read_state(unit: Unit, store: Store) -> State:
    """Return how far a unit is, by its note; the note of another plan is ignored."""
    planned = unit.samples * unit.ask.epochs
    note = store.read_note(unit)
    if note.get("unit") != unit.digest:
        return State(unit, Progress(planned))
    planned = int(note.get("planned", planned))
    reason = str(note.get("reason", ""))
    errors = Counter({reason: int(note.get("errors", 0))})
    progress = Progress(planned, int(note.get("answered", 0)), +errors)
    return State(unit, progress, int(note.get("ended", 0)), reason)


def explain_progress(progress: Iterable[tuple[Unit, Progress]]) -> str:
    """Return how far each model is in each suite, in words."""
    far: dict[str, dict[str, Progress]] = {}
    for unit, new in progress:
        known = far.setdefault(unit.model, {})
        name = " ".join(filter(None, (unit.ask.suite, unit.words)))
        old = known.get(name, Progress(0))
        known[name] = Progress(
            old.planned + new.planned, old.answered + new.answered, old.errors + new.errors
        )
    return "; ".join(
        (f"{model}: " if len(far) > 1 else "")
        + ", ".join(f"{name} {known}" for name, known in suites.items())
        for model, suites in far.items()
    )


def explain_states(units: Sequence[Unit], store: Store) -> str:
    """Return how far units are, and how to resume, in words."""
    states = [read_state(unit, store) for unit in units]
    complete = sum(state.progress.complete for state in states)
    answered, planned = (
        sum(getattr(state.progress, name) for state in states) for name in ("answered", "planned")
    )
    return (
        f"{complete} of {len(states)} units complete, {answered} of {planned} samples answered. "
        "Run the same command again to resume."
    )


@contextmanager
def show_states(units: Sequence[Unit], store: Store) -> Iterator[Callable[[dict[str, str]], None]]:
    """Show how far units are: a table that follows them on a terminal, and once at the end."""
    from rich.console import Console  # noqa: PLC0415
    from rich.live import Live  # noqa: PLC0415

    console = Console()
    began, last = time.time(), 0.0
    current: dict[str, State] = {}

    def states() -> list[State]:
        for unit in units:
            if unit.place not in current or not current[unit.place].progress.complete:
                current[unit.place] = read_state(unit, store)
        return [*current.values()]

    before = sum(state.ended for state in states())
    with Live(console=console, auto_refresh=False, transient=True) as live:

        def show(failed: dict[str, str]) -> None:
            nonlocal last
            if console.is_terminal and time.time() - last >= REFRESH_INTERVAL:
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
    ended = sum(state.ended for state in states)
    left = sum(state.progress.planned for state in states) - ended
    if ended > before and left:
        rate = (ended - before) / seconds
        table.caption = f"{rate:.1f} samples a second, about {left / rate / 60:.0f} minutes left"
    return table


def _counts(states: Sequence[State], failed: dict[str, str]) -> tuple[str, ...]:
    complete = sum(state.progress.complete for state in states)
    ended = sum(state.ended for state in states)
    planned = sum(state.progress.planned for state in states)
    bad = sum(bool(state.reason) or state.unit.place in failed for state in states)
    errors = sum(state.progress.failed for state in states)
    return f"{complete}/{len(states)}", f"{ended}/{planned}", str(errors or ""), str(bad or "")
