"""The results of an experiment: records and a report from its logs."""

from __future__ import annotations

import tempfile
from pathlib import Path
from signal import SIGINT
from typing import TYPE_CHECKING

from whybench.errors import Fence, Interrupted, UserError
from whybench.evaluation.store import is_remote
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from whybench.evaluation.statements import Experiment
    from whybench.evaluation.store import Store
    from whybench.evaluation.units import Unit
    from whybench.results import Records

PAGE, RECORDS = "page.html", "records"

MOST_AT_ONCE = 500_000
"""The most answers that are read from logs at once; of more, units are read one by one."""


def write_results(
    stated: Experiment,
    units: Sequence[Unit],
    store: Store,
    output: str,
    reasons: Sequence[str],
    step: Callable[[str], None],
) -> Records:
    """Write `records` and `page.html` about the logs of an output, and return the answers.

    Args:
        stated: The experiment.
        units: Its units.
        store: The store of the output.
        output: Its folder or address.
        reasons: Why units are incomplete.
        step: Called with each step while the page is made.

    Raises:
        Interrupted: A signal ended it; all answers are logged.
    """
    from whybench.page import report  # noqa: PLC0415  (not for those who only plan)
    from whybench.results.sources import load  # noqa: PLC0415

    plans = [plan for each in stated.plans_by_model().values() for plan in each]
    planned = sum(plan.items * plan.epochs for plan in plans)
    try:
        if is_remote(output) or planned > MOST_AT_ONCE:
            records = f"{output}/{RECORDS}"
            answers = load(records, incomplete=[*reasons, *collect(units, store, records)])
        elif not Path(output, "logs").is_dir():
            raise UserError(f"`output` must have answers, got none in {output}")
        else:
            answers = load(Path(output, "logs"), incomplete=reasons)
            answers.save(Path(output, RECORDS))
        shown = answers.with_baselines(*stated.baselines) if stated.baselines else answers
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder if is_remote(output) else output, PAGE)
            statement = stated.state(Path(output))
            report(shown, page, title=stated.title, statement=statement, say=step)
            if is_remote(output):
                store.upload(page)
    except KeyboardInterrupt as error:
        far = "Stopped: all answers are logged. Run the same command again to write the report."
        raise Interrupted(getattr(error, "signal", SIGINT), far) from None
    return answers


def collect(units: Sequence[Unit], store: Store, target: str) -> list[str]:
    """Write the answers of units as partitioned records, and return notes on damage.

    Args:
        units: The units; one whose log cannot be read does not end the others.
        store: The store of their logs.
        target: A folder or an address for the records.
    """
    from whybench.records import read_logs  # noqa: PLC0415  (importing Inspect takes seconds)
    from whybench.records.partitions import write_partition  # noqa: PLC0415
    from whybench.records.table import record_table  # noqa: PLC0415

    fence, damaged, found = Fence(), list[str](), False
    for unit in units:
        if not store.logs(unit):
            continue
        with fence.around(f"left out {unit.label}"), tempfile.TemporaryDirectory() as folder:
            store.download(unit, Path(folder))
            read = read_logs([folder], salvage=True)
            damaged += read.damaged
            for name, answers in read.rows.items():
                table = record_table(answers, get_suite(name).record_columns)
                write_partition(table, target, unit.digest)
                found |= table.num_rows > 0
    notes = [*fence.notes, *damaged]
    if not found:
        raise UserError(
            f"`output` must have answers, got none of {len(units)} units"
            f"{': ' if notes else ''}{'; '.join(notes)}"
        )
    return notes
