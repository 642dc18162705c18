"""Real runs until decided: where they end, and whether a run that was killed ends alike."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from evidence.figures import Figure, Parts
from evidence.processes import command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STATED = {
    "title": "Two agents",
    "models": [
        "reference/trace.exact",
        {"model": "reference/trace.lapses", "args": {"error": 0.6}},
    ],
    "suites": [{"suite": "trace", "design": "core"}],
    "measures": ["accuracy"],
}
WORDS = ("experiment", "two.yaml", "--until", "decided", "-o", "output")


def interrupted(small: bool) -> Iterator[Figure]:
    """Yield whether runs that were killed have the same looks and results as one that was not."""
    with tempfile.TemporaryDirectory() as whole:
        calm = _run(Path(whole))
        ended = calm["ended"]["trace"]
        samples = calm["plan"]["suites"]["trace"]["samples"]
        share = samples[ended - 1] / samples[-1]
        result = calm["results"][0]
        yield Figure(
            "trace, exact and lapses 0.6: the run ends after at most 60% of the samples, with an "
            "interval that excludes 0",
            f"look {ended} of {len(samples)}, {share:.0%}: {result['difference']:+.2f} "
            f"[{result['low']:.2f}, {result['high']:.2f}], p {result['p']:.2g}",
            share <= 0.6 and result["high"] < 0,
        )
    moments: dict[str, Callable[[Path], object]] = {
        "in the first look": lambda folder: any(folder.rglob("*.eval")),
        "after the first look": lambda folder: _read(folder).get("history"),
        "in the second look": lambda folder: any(folder.rglob("look-2-of-*/*.eval")),
    }
    for name, moment in list(moments.items())[1:2] if small else moments.items():
        with tempfile.TemporaryDirectory() as place:
            _kill(Path(place), moment)
            found = _run(Path(place))
        yield Figure(
            f"killed {name} and run again: the same looks, statistics and results",
            f"{len(found['history'])} differences at looks, ended at {found['ended']}",
            found == calm,
        )


def _start(folder: Path) -> subprocess.Popen[bytes]:
    (folder / "two.yaml").write_text(yaml.safe_dump(STATED), encoding="utf-8")
    nowhere = subprocess.DEVNULL
    return subprocess.Popen([command(), *WORDS], cwd=folder, stdout=nowhere, stderr=nowhere)


def _run(folder: Path) -> dict[str, Any]:
    """Run to the end, and return the looks."""
    assert _start(folder).wait() == 0
    return _read(folder)


def _kill(folder: Path, moment: Callable[[Path], object]) -> None:
    """Run, and kill the process as soon as something holds of its folder."""
    with _start(folder) as process:
        while not moment(folder) and process.poll() is None:
            time.sleep(0.02)
        process.kill()


def _read(folder: Path) -> dict[str, Any]:
    path = folder / "output" / "looks.json"
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


PARTS: Parts = {"runs, interrupted": interrupted}
