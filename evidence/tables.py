"""Records of very many answers: how fast they are summed up, in how much memory, and how exactly.

The answers are made up, as fast as they can be written: a thousand agents that were asked the 240
core questions of judge 42 times each are ten million records. What is asked of duckdb by
`whybench.records.partitions` is held against the bare query on the same files, in turns, in CPU
time.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from evidence.figures import Figure, Parts
from evidence.processes import ended
from whybench.records import sum_records, write_partition
from whybench.records.partitions import read_agent
from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.judge import SUITE
from whybench.suites.judge.measures import contrast_measures, task_means

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.stats import Measure

EPOCHS = 42
COLUMNS = SUITE.record_columns
GIGABYTE = 1024  # in megabytes


def made_up(folder: Path, agents: int) -> int:
    """Write made-up records of judge, one partition an agent; return how many."""
    design = SUITE.designs["core"]
    rows = [
        {
            "suite": SUITE.name,
            "version": SUITE.version,
            "design": design.name,
            "design_hash": design.hash,
            "item": item.id,
            "epoch": epoch,
            "reason": "",
            "truth": item.truth,
            "input_tokens": 300,
            "output_tokens": 3,
            "log": "made-up.eval",
            **item.factors,
        }
        for epoch in range(1, EPOCHS + 1)
        for item in SUITE.items(design)
    ]
    table = record_table(rows, COLUMNS)
    truth = np.array([row["truth"] for row in rows], dtype=float)
    for number in range(agents):
        rng = generator("evidence", "tables", number)
        value = np.clip(truth + rng.normal(0, 20, truth.size), 0, 100).round()
        lost = rng.random(truth.size) < 0.02
        changed = {
            "agent": np.full(truth.size, f"made-up/{number:04d}"),
            "outcome": np.where(lost, "no_answer", "scored"),
            "value": pa.array(value, mask=lost),
            "seconds": rng.exponential(1.0, truth.size).round(3),
        }
        for name, column in changed.items():
            place = table.schema.get_field_index(name)
            table = table.set_column(place, table.schema.field(name), pa.array(column))
        write_partition(table, folder)
    return agents * len(rows)


def bare_query(folder: Path) -> int:
    """Group the same files by the same columns with duckdb alone; return the number of groups."""
    import duckdb

    keys = ", ".join((*SUITE.sums.by, "outcome"))
    query = (
        f"SELECT {keys}, count(*), sum(value), sum(value * value) "
        f"FROM read_parquet('{folder}/*/*/*.parquet', hive_partitioning = false) GROUP BY {keys}"
    )
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        return int(connection.sql(query).to_arrow_table().num_rows)


@dataclass(frozen=True)
class Summed:
    """What summing up took.

    Attributes:
        rows: Records.
        groups: Rows of the sums.
        ours: CPU seconds, the median of rounds.
        bare: CPU seconds of the bare query, in the same rounds.
        wall: Seconds of ours by the clock.
    """

    rows: int
    groups: int
    ours: float
    bare: float
    wall: float


def summed(folder: Path, rounds: int) -> Summed:
    """Sum up records and time it beside the bare query, in turns."""
    ours: list[float] = []
    bare: list[float] = []
    walls: list[float] = []
    bare_query(folder)  # once unmeasured: imports, and files in the cache of the system
    for _ in range(rounds):
        start, clock = time.process_time(), time.perf_counter()
        table = sum_records(folder, SUITE.name, SUITE.sums.by)
        ours.append(time.process_time() - start)
        walls.append(time.perf_counter() - clock)
        start = time.process_time()
        groups = bare_query(folder)
        bare.append(time.process_time() - start)
    if groups != table.num_rows:
        raise RuntimeError(f"both must find the same groups, got {table.num_rows} and {groups}")
    rows = int(np.sum(table["answers"].to_numpy()))
    return Summed(rows, groups, median(ours), median(bare), median(walls))


def sums(small: bool) -> Iterator[Figure]:
    """Yield the cost of sums beside the bare query, how it grows, and the memory it takes."""
    agents, rounds = (10, 3) if small else (1000, 5)
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder, "few"), Path(folder, "many")
        made_up(few, max(1, agents // 10))
        rows = made_up(many, agents)
        tenth, whole = summed(few, rounds), summed(many, rounds)
        # A tenth of a second is mostly opening files and a database.
        bound = 3.0 if small else 1.5
        yield Figure(
            f"summing up {rows:,} records takes at most {bound} x the bare duckdb query's CPU",
            f"{whole.ours / whole.bare:.2f} x ({whole.ours:.2f} and {whole.bare:.2f} s; "
            f"{whole.wall:.2f} s by the clock), {whole.groups:,} groups",
            whole.ours <= bound * whole.bare,
            timed=True,
        )
        yield Figure(
            "sums are of all records",
            f"{whole.rows:,} of {rows:,} records",
            whole.rows == rows,
        )
        growth = whole.ours / tenth.ours
        low, high = (0.0, 13.0) if small else (7.0, 13.0)
        yield Figure(
            f"ten times the records take {low:g} to {high:g} times as long",
            f"{growth:.1f} x ({tenth.ours:.2f} and {whole.ours:.2f} s)",
            low <= growth <= high,
            timed=True,
        )
        code = (
            "import sys; from whybench.records import sum_records; "
            "from whybench.suites.judge import SUITE; "
            "print(sum_records(sys.argv[1], 'judge', SUITE.sums.by).num_rows)"
        )
        peak = peak_memory([sys.executable, "-c", code, str(many)])
        yield Figure(
            f"summing up {rows:,} records takes at most 2 GB of memory",
            f"{peak / GIGABYTE:.2f} GB at its peak, Python and all",
            peak <= 2 * GIGABYTE,
        )
        yield _exactness(many)


def _exactness(folder: Path) -> Figure:
    """Compare measures of sums with those of single answers, for one agent."""
    agent = "made-up/0000"
    table = sum_records(folder, SUITE.name, SUITE.sums.by)
    mine = table.filter(pa.compute.equal(table["agent"], agent))
    single = read_agent(folder, SUITE.name, agent, COLUMNS)
    pairs = [
        (one, other)
        for measures in (contrast_measures, task_means)
        for one, other in zip(measures(single), measures(mine), strict=True)
    ]
    gap = max(
        abs(a - b) for one, other in pairs for a, b in zip(_ends(one), _ends(other), strict=True)
    )
    counts = all(_counts(one) == _counts(other) for one, other in pairs)
    return Figure(
        "contrasts and task means of sums, with intervals, are those of single answers to 1e-12",
        f"{len(pairs)} measures, at most {gap:.0e} apart, counts equal: {counts}",
        gap <= 1e-12 and counts,
    )


def _ends(measure: Measure) -> tuple[float, ...]:
    ends = (measure.estimate, measure.low, measure.high)
    return tuple(float("nan") if end is None else end for end in ends)


def _counts(measure: Measure) -> tuple[object, ...]:
    return (measure.key, measure.n, measure.units, measure.scored, measure.no_answer)


def streamed(small: bool) -> Iterator[Figure]:
    """Yield that measuring partitions takes the memory of one agent, however many there are."""
    # While one agent is read the one before is still held, so one alone says too little; and of
    # few records the allocator's chance is a large part.
    few, many, bound = (3, 15, 1.4) if small else (5, 100, 1.1)
    code = (
        "import sys; from whybench import load; "
        "from whybench.suites.judge.measures import contrast_measures; "
        "[list(contrast_measures(t)) for _, t in load(sys.argv[1]).{0}]"
    )
    by_agent, at_once = (
        [sys.executable, "-c", code.format(name)] for name in ("iter_tables()", "tables.items()")
    )
    with tempfile.TemporaryDirectory() as folder:
        made_up(Path(folder, "few"), few)
        rows = made_up(Path(folder, "many"), many)
        small_peak = peak_memory([*by_agent, f"{folder}/few"])
        peak = peak_memory([*by_agent, f"{folder}/many"])
        whole = peak_memory([*at_once, f"{folder}/many"])
    yield Figure(
        f"measuring {many} agents, one at a time, takes at most {bound:.2f} x the memory of {few}; "
        "all at once takes more",
        f"{peak / small_peak:.2f} x ({peak:.0f} and {small_peak:.0f} MB); all "
        f"{rows:,} records at once {whole / small_peak:.2f} x ({whole:.0f} MB)",
        peak <= bound * small_peak < whole,
    )


def peak_memory(words: list[str]) -> float:
    """Run a command to its end and return the most memory that it held, in MB."""
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    _, peak = ended(process)
    if process.returncode:
        raise RuntimeError(f"{words} must succeed, got status {process.returncode}")
    return peak


PARTS: Parts = {"sums": sums, "streamed": streamed}
