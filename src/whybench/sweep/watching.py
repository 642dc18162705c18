"""How far a sweep is, on the screen: a row for each suite and model, and one for all."""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING

from whybench.sweep.collection import State, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.table import Table

    from whybench.sweep.plan import Unit
    from whybench.sweep.store import Store

__all__ = ["EVERY", "watch"]

EVERY = 2.0
"""Seconds between two looks at how far a sweep is."""


@contextmanager
def watch(units: Sequence[Unit], store: Store) -> Iterator[Callable[[dict[str, str]], None]]:
    """Show how far units are: a table that follows them, on a terminal, and once at the end."""
    from rich.console import Console  # noqa: PLC0415
    from rich.live import Live  # noqa: PLC0415

    console = Console()
    began, last = time.time(), 0.0
    finished: dict[str, State] = {}

    def states() -> list[State]:
        for unit in units:
            if unit.name not in finished:  # what is finished need not be asked again
                state = state_of(unit, store)
                if state.done:
                    finished[unit.name] = state
                else:
                    yet[unit.name] = state
        return [finished.get(unit.name) or yet[unit.name] for unit in units]

    yet: dict[str, State] = {}
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

    table = Table("suite", "model", "units", "samples", "failed", box=None, pad_edge=False)
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


def _counts(states: Sequence[State], failed: dict[str, str]) -> tuple[str, str, str]:
    done = sum(state.done for state in states)
    samples, total = (sum(getattr(s, name) for s in states) for name in ("samples", "total"))
    bad = sum(bool(state.reason) or state.unit.name in failed for state in states)
    return f"{done}/{len(states)}", f"{samples}/{total}", str(bad or "")
