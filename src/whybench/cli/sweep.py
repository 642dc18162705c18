"""`sweep`: many models, suites and designs, on this machine or on a cluster."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from whybench.cli.options import (
    json_option,
    keep_errors_option,
    max_cost_option,
    print_json,
    sandbox_option,
    settings_option,
)
from whybench.errors import Fence, Interrupted
from whybench.evaluation.runs import inspect_settings
from whybench.sweep.collection import (
    EVERY,
    collect,
    finished_units,
    read_state,
    tell_progress,
    watch,
)
from whybench.sweep.plan import find_unit, list_units, read_plan
from whybench.sweep.pool import run_units
from whybench.sweep.store import open_store
from whybench.terminal import print_line, print_note, print_rows, track

plan_argument = click.argument(
    "plan_file", metavar="PLAN", type=click.Path(path_type=Path, dir_okay=False)
)


@click.group("sweep")
def sweep_command() -> None:
    """Run many models, suites and designs; PLAN is a YAML file that lists them.

    Run the same command again after any failure: finished units are skipped, others resume.
    """


@sweep_command.command("units")
@plan_argument
@json_option
def _units(plan_file: Path, json_output: bool) -> None:
    """List the units of PLAN, numbered from 1, for array jobs."""
    units = list(enumerate(list_units(read_plan(plan_file)), start=1))
    if json_output:
        print_json(*({"number": n, "name": unit.name, **asdict(unit)} for n, unit in units))
        return
    rows = [
        {
            "number": str(number),
            "unit": unit.name,
            "samples": f"{unit.samples:,}",
            "epochs": str(unit.ask.epochs),
        }
        for number, unit in units
    ]
    print_rows(rows, str(plan_file), share=("epochs",))


@sweep_command.command("run")
@plan_argument
@click.option("--unit", "which", help="Run only this unit (name or number).")
@click.option(
    "--processes",
    type=click.IntRange(1),
    default=None,
    help="Run N units at once. [default: one per core]",
)
@click.option(
    "--ray",
    "address",
    metavar="ADDRESS",
    help="Run on a Ray cluster: ADDRESS, auto, local.",
)
@click.option(
    "--work",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("sweep-work"),
    show_default=True,
    help="Keep logs here until they are uploaded.",
)
@keep_errors_option
@max_cost_option
@sandbox_option
@settings_option
def _run(
    plan_file: Path,
    which: str | None,
    processes: int | None,
    address: str | None,
    work: Path,
    keep_errors: bool,
    max_cost: float | None,
    sandbox: str | None,
    settings: dict[str, Any],
) -> None:
    """Run the incomplete units of PLAN and retry samples that ended in an error."""
    plan = read_plan(plan_file)
    given = inspect_settings({}, {**plan.settings, **settings}, sandbox=sandbox)
    given.pop("model_args")
    plan = replace(plan, settings=given, max_cost=max_cost or plan.max_cost)
    store = open_store(plan.output)
    units = list(list_units(plan))
    chosen = units if which is None else [find_unit(units, which)]
    left = [unit for unit in chosen if not read_state(unit, store).progress.accepted(keep_errors)]
    click.echo(f"{len(chosen)} units, {len(chosen) - len(left)} already finished")
    try:
        with watch(chosen, store) as show:
            failed = run_units(
                plan, left, work.resolve(), show, processes, address, keep_errors=keep_errors
            )
    except Interrupted as error:
        raise Interrupted(error.signal, f"Stopped: {tell_progress(chosen, store)}") from None
    for name, reason in failed.items():
        print_line(f"{name} failed: {reason}", err=True)
    if failed:
        print_line(
            f"{len(failed)} units are incomplete. Run the same command again to resume.", err=True
        )
        sys.exit(1)
    print_line(f"All complete. Convert logs to records: `whybench sweep collect {plan_file}`")


@sweep_command.command("status")
@plan_argument
@click.option("--watch", "again", is_flag=True, help="Refresh until all units are finished.")
@json_option
def _status(plan_file: Path, again: bool, json_output: bool) -> None:
    """Show the progress of all units of PLAN."""
    plan = read_plan(plan_file)
    store = open_store(plan.output)
    units = list(list_units(plan))
    if json_output:
        for state in (read_state(unit, store) for unit in units):
            row = {"name": state.unit.name, "done": state.done, "samples": state.samples}
            errors = state.progress.failed
            print_json({**row, "of": state.total, "errors": errors, "reason": state.reason})
        return
    with watch(units, store) as show:
        while again and not all(read_state(unit, store).done for unit in units):
            show({})
            time.sleep(EVERY)


@sweep_command.command("collect")
@plan_argument
@click.option("-o", "--output", help="Write records here. [default: records/ in output]")
@click.option("--partial", is_flag=True, help="Include the answers of unfinished units.")
@keep_errors_option
@json_option
def _collect(
    plan_file: Path, output: str | None, partial: bool, keep_errors: bool, json_output: bool
) -> None:
    """Convert the complete logs of PLAN to partitioned Parquet."""
    plan = read_plan(plan_file)
    store = open_store(plan.output)
    target = output or f"{plan.output.rstrip('/')}/records"
    units = list(list_units(plan))
    chosen = finished_units(units, store, plan_file, partial, keep_errors)
    fence = Fence()
    units_left = track(chosen, "collecting units", json_output)
    rows, damaged = collect(units_left, store, target, fence)
    for note in (*fence.notes, *damaged):
        print_note(note)
    if json_output:
        print_json({"units": len(chosen), "rows": rows, "output": target})
    else:
        left = len(units) - len(chosen)
        click.echo(
            f"{target}: {rows} answers of {len(chosen)} units"
            + (f"; {left} unfinished units left out" if left else "")
        )
