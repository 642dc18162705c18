"""Runs of the real model: everything answered, nothing asked twice, little lost to a crash."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence.model_server import MODEL, ModelServer
from evidence.processes import command

if TYPE_CHECKING:
    from collections.abc import Sequence

CONNECTIONS = 4
BUFFER = 5


@dataclass(frozen=True)
class RealRuns:
    """What happened in four runs of the same command, and in a reading anew.

    Attributes:
        items: How many items were asked.
        records: Rows of records after the first run.
        outcomes: How many rows have each outcome; every row has one.
        calls: Calls of the first run.
        calls_again: Calls of the second run of the finished command.
        killed_at: Calls when the third run, in a new folder, was killed.
        calls_killed: Calls of that run and of the fourth, which resumed it.
        records_killed: Rows of records after the fourth run.
        allowed: Calls that may be repeated: samples in flight and samples not yet written.
        reread_calls: Calls made by reading all answers anew.
        reread_equal: Whether reading anew with the same reading gives the same records.
    """

    items: int
    records: int
    outcomes: dict[str, int]
    calls: int
    calls_again: int
    killed_at: int
    calls_killed: int
    records_killed: int
    allowed: int
    reread_calls: int
    reread_equal: bool


def real_runs(items: int = 40) -> RealRuns:
    """Ask the real model so many judge items, four times over, as the docstring above says."""
    with ModelServer(CONNECTIONS) as server, tempfile.TemporaryDirectory() as folder:
        place = Path(folder)

        def run(log_dir: str) -> list[str]:
            settings = {
                "--model": MODEL,
                "--limit": items,
                "--max-tokens": 16,
                "--temperature": 0,  # so that both runs are asked again for the same replies
                "--max-connections": CONNECTIONS,
                "--log-buffer": BUFFER,
                "--log-dir": place / log_dir,
            }
            pairs = [str(word) for pair in settings.items() for word in pair]
            return ["run", "judge", "--json", *pairs]

        def call(words: Sequence[str]) -> None:
            subprocess.run(
                [command(), *words],
                env=environment,
                cwd=place,
                check=True,
                stdout=sys.stderr,
                stderr=sys.stderr,
            )

        environment = {**os.environ, **server.environment}
        call(run("whole"))
        calls = server.calls
        call(run("whole"))
        calls_again = server.calls - calls
        rows = _records(place, "whole", environment)

        before = server.calls
        killed = subprocess.Popen(
            [sys.executable, "-c", "from whybench.cli import main; main()", *run("killed")],
            env=environment,
            cwd=place,
            stdout=sys.stderr,
            stderr=sys.stderr,
        )
        deadline = time.monotonic() + 600
        while server.calls - before < items * 2 // 3 and time.monotonic() < deadline:
            if killed.poll() is not None:
                raise RuntimeError("the run must be killed in the middle, got its end before")
            time.sleep(0.05)
        killed_at = server.calls - before
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        call(run("killed"))
        calls_killed = server.calls - before
        resumed = _records(place, "killed", environment)

        before = server.calls
        again = _records(place, "whole", environment, "--reread")
        outcomes = [row["outcome"] for row in rows]
        return RealRuns(
            items=items,
            records=len(rows),
            outcomes={name: outcomes.count(name) for name in ("scored", "no_answer", "error")},
            calls=calls,
            calls_again=calls_again,
            killed_at=killed_at,
            calls_killed=calls_killed,
            records_killed=len({row["item"] for row in resumed}),
            allowed=CONNECTIONS + BUFFER,
            reread_calls=server.calls - before,
            reread_equal=again == rows,
        )


def _records(
    place: Path, log_dir: str, environment: dict[str, str], *options: str
) -> list[dict[str, Any]]:
    """Return records as a user would have them, by the command."""
    from pyarrow import parquet

    target = place / f"{log_dir}.parquet"
    words = [command(), "results", str(place / log_dir), "-o", str(target), "--json", *options]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    notes = json.loads(done.stdout.splitlines()[0])["notes"]
    if any("gave way" in note for note in notes):
        raise RuntimeError(f"each item must be answered once, got {done.stdout}")
    rows: list[dict[str, Any]] = parquet.read_table(target).to_pylist()
    return sorted(rows, key=lambda row: str(row["item"]))
