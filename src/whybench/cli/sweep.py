"""`sweep`: many models, suites and designs, on this machine or on a cluster."""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from whybench.cli.options import as_json, json_option
from whybench.suites.contract import UserError
from whybench.sweep.collection import State, answers_of, state_of
from whybench.sweep.plan import Unit, read_plan, units_of
from whybench.sweep.store import Store, open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.table import Table

__all__ = ["sweep_command"]

EVERY = 2.0
"""Seconds between two looks at how far a sweep is."""

plan_argument = click.argument(
    "plan_file", metavar="PLAN", type=click.Path(path_type=Path, dir_okay=False)
)


@click.group("sweep")
def sweep_command() -> None:
    """Many units of work: PLAN is a YAML file with output, models and suites.

    A unit is resumed when it is run again, and costs nothing when it is finished. So whatever
    went wrong, the cure is to run the same command again.
    """


@sweep_command.command("units")
@plan_argument
@json_option
def _units(plan_file: Path, json_output: bool) -> None:
    """Print the units of PLAN, numbered from 1; an array job runs one each."""
    for number, unit in enumerate(units_of(read_plan(plan_file)), start=1):
        if json_output:
            click.echo(as_json({"number": number, "name": unit.name, **asdict(unit)}))
        else:
            click.echo(f"{number:5} {unit.name}  {unit.samples} samples x {unit.ask.epochs}")


@sweep_command.command("run")
@plan_argument
@click.option("--unit", "which", help="Only this unit, by name or number.")
@click.option(
    "--processes",
    type=click.IntRange(1),
    default=None,
    help="Units at once on this machine. [default: one for each core]",
)
@click.option(
    "--ray",
    "address",
    metavar="ADDRESS",
    help="Run on a Ray cluster: its address, `auto`, or `local` to start one here.",
)
@click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("sweep-work"),
    show_default=True,
    help="Where workers keep logs until they are uploaded.",
)
def _run(
    plan_file: Path, which: str | None, processes: int | None, address: str | None, work: Path
) -> None:
    """Run the units of PLAN that are not finished."""
    plan = read_plan(plan_file)
    store = open_store(plan.output)
    units = list(units_of(plan))
    chosen = units if which is None else [_find(units, which)]
    left = [unit for unit in chosen if not state_of(unit, store).done]
    click.echo(f"{len(chosen)} units, {len(chosen) - len(left)} of them finished before")
    if left:
        with _watched(chosen, store) as show:
            if address is not None:
                from whybench.sweep.cluster import run_cluster  # noqa: PLC0415

                failed = run_cluster(plan, left, work.resolve(), address, show)
            else:
                from whybench.sweep.pool import run_pool  # noqa: PLC0415

                at_once = processes or os.cpu_count() or 1
                failed = run_pool(plan, left, work.resolve(), at_once, show)
    else:
        failed = {}
    for name, reason in failed.items():
        click.echo(f"{name} failed: {reason}", err=True)
    if failed:
        click.echo(f"{len(failed)} units failed; the same command resumes them.", err=True)
        sys.exit(1)
    click.echo(f"All finished. `whybench sweep collect {plan_file}` makes records of the logs.")


@sweep_command.command("status")
@plan_argument
@click.option("--watch", is_flag=True, help="Look again and again, until all are finished.")
@json_option
def _status(plan_file: Path, watch: bool, json_output: bool) -> None:
    """Show how far the units of PLAN are, wherever they run."""
    plan = read_plan(plan_file)
    store = open_store(plan.output)
    units = list(units_of(plan))
    if json_output:
        for state in (state_of(unit, store) for unit in units):
            row = {"name": state.unit.name, "done": state.done, "samples": state.samples}
            click.echo(as_json({**row, "of": state.total, "reason": state.reason}))
        return
    with _watched(units, store) as show:
        while watch and not all(state_of(unit, store).done for unit in units):
            show({})
            time.sleep(EVERY)


@sweep_command.command("collect")
@plan_argument
@click.option("-o", "--output", help="An address for the records. [default: records/ in output]")
@click.option("--partial", is_flag=True, help="Take the answers of unfinished units as well.")
@json_option
def _collect(plan_file: Path, output: str | None, partial: bool, json_output: bool) -> None:
    """Turn the finished logs of PLAN into partitioned Parquet."""
    from whybench.records.partitions import write_partition  # noqa: PLC0415
    from whybench.records.schema import record_table  # noqa: PLC0415
    from whybench.suites.registry import suite  # noqa: PLC0415

    plan = read_plan(plan_file)
    store = open_store(plan.output)
    target = output or f"{plan.output.rstrip('/')}/records"
    states = [state_of(unit, store) for unit in units_of(plan)]
    chosen = [state.unit for state in states if state.done or (partial and state.samples)]
    if not chosen:
        raise UserError(
            f"{plan_file} must have finished units, got none of {len(states)}; "
            f"`whybench sweep run {plan_file}` runs them, and --partial takes what there is"
        )
    rows = 0
    with click.progressbar(chosen, label="Collecting", file=sys.stderr) as bar:
        for unit in bar:
            for name, answers in answers_of(unit, store).rows.items():
                asked = suite(name)
                table = record_table(answers, {**asked.columns, **asked.parts})
                write_partition(table, target, unit.name)
                rows += table.num_rows
    if json_output:
        click.echo(as_json({"units": len(chosen), "rows": rows, "output": target}))
    else:
        left = len(states) - len(chosen)
        click.echo(
            f"{target}: {rows} answers of {len(chosen)} units"
            + (f"; {left} unfinished units left out" if left else "")
        )


def _find(units: Sequence[Unit], which: str) -> Unit:
    """Return a unit by name or number, from 1."""
    by_name = {unit.name: unit for unit in units}
    if which in by_name:
        return by_name[which]
    if which.isdigit() and 1 <= int(which) <= len(units):
        return units[int(which) - 1]
    raise UserError(f"--unit must be a name or a number from 1 to {len(units)}, got {which!r}")


@contextmanager
def _watched(units: Sequence[Unit], store: Store) -> Iterator[Callable[[dict[str, str]], None]]:
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
