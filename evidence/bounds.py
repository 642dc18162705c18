"""Do the lower bounds of our dependencies hold? The lowest versions, installed and used.

An environment gets the lowest version of everything that we ask for directly. Then commands are run
in it that use each of them: a model behind an address, a program in the sandbox, an export, records
in partitions, a page with figures.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import TYPE_CHECKING

from evidence.fault_server import MODEL, FaultServer
from evidence.figures import Figure, Parts

if TYPE_CHECKING:
    from collections.abc import Iterator

HOUSE = Path(__file__).parents[1]

COMMANDS = (
    f"run judge --model {MODEL} --limit 12 --log-dir logs/asked",
    "run judge --model reference/judge.noisy-or --limit 12 --log-dir logs/judge",
    "run intervene --model reference/intervene.recipe --limit 4 --log-dir logs/intervene",
    "run analyze --model reference/analyze.gold --design code --limit 2 --log-dir logs/analyze",
    "results logs -o partitions --partition",
    "results partitions",
    "train export compose --count 9 -o train.jsonl",
    "report logs/judge logs/intervene -o page.html",
    "compare logs/judge logs/asked",
)


def lowest(small: bool) -> Iterator[Figure]:  # noqa: ARG001  (an environment has one size)
    """Yield which commands run with the lowest versions that we say will do."""
    with tempfile.TemporaryDirectory() as place, FaultServer() as server:
        home = Path(place, "env")
        venv.create(home)
        python = str(home / "bin" / "python")
        installing = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python]
        installing += ["--resolution", "lowest-direct", f"{HOUSE}[all]"]
        installed = subprocess.run(installing, capture_output=True, text=True, check=False)
        failed = {}
        for command in COMMANDS if installed.returncode == 0 else ():
            done = subprocess.run(
                [str(home / "bin" / "whybench"), *command.split()],
                cwd=place,
                env={**os.environ, **server.environment, "INSPECT_DISPLAY": "none"},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                failed[command] = (done.stderr.strip().splitlines() or [""])[-1]
    yield Figure(
        f"with the lowest versions that we ask for, {len(COMMANDS)} commands come to their end",
        f"installed with status {installed.returncode}; {len(failed)} failed {failed or ''}",
        installed.returncode == 0 and not failed,
    )


PARTS: Parts = {"lower bounds": lowest}
