"""A profile of the real model: how long it takes, and what a crash in the middle repeats."""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure, Parts
from evidence.model_server import MODEL, ModelServer

if TYPE_CHECKING:
    from collections.abc import Iterator

CONNECTIONS = 2
CONTEXT = 4096
BUFFER = 5
LONGEST = 24
"""Tokens of a reply; the real model goes on and on where it is let."""

MOST_SECONDS = 3600


@dataclass(frozen=True)
class RealProfile:
    """What happened in a profile that was killed in the middle and run again.

    Attributes:
        seconds: Wall time of both runs together.
        processor: Processor time of all runs and of the model.
        killed_at: Calls when it was killed.
        calls: Calls of both runs.
        replies: Replies in the logs: the calls of a run that nothing had interrupted.
        calls_once_more: Calls of a third run, of the finished command.
        allowed: Calls that a crash may repeat: in flight, and of samples not yet written.
        headlines: Suite and measure of every headline.
        outcomes: How many answers of each suite have each outcome.
        files: What the folder holds beside the logs.
    """

    seconds: float
    processor: float
    killed_at: int
    calls: int
    replies: int
    calls_once_more: int
    allowed: int
    headlines: tuple[tuple[str, str], ...]
    outcomes: dict[str, dict[str, int]]
    files: tuple[str, ...]


def real_profile(options: list[str], kill_after: int, a_sample: int) -> RealProfile:
    """Profile the real model, kill the run by force after so many calls, and run it again.

    Args:
        options: Further options of `whybench profile`.
        kill_after: Calls after which it is killed.
        a_sample: Calls of one sample of the suite in which that happens.
    """
    words = [sys.executable, "-c", "from whybench.cli import main; main()", "profile", MODEL]
    words += ["--json", "-o", "profile", "--max-tokens", str(LONGEST), "--log-buffer", str(BUFFER)]
    words += ["--max-connections", str(CONNECTIONS), *options]
    before = _processor()
    with ModelServer(CONNECTIONS, CONTEXT) as server, tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, **server.environment}
        start = time.monotonic()
        first = subprocess.Popen(
            words, env=environment, cwd=folder, stdout=sys.stderr, stderr=sys.stderr
        )
        while server.calls < kill_after and time.monotonic() - start < MOST_SECONDS:
            if first.poll() is not None:
                raise RuntimeError("the profile must be killed in the middle, got its end before")
            time.sleep(0.05)
        killed_at = server.calls
        first.send_signal(signal.SIGKILL)
        first.wait()
        rows = _profile(words, environment, folder)
        seconds, calls = time.monotonic() - start, server.calls
        again = _profile(words, environment, folder)
        if again != rows:
            raise RuntimeError(f"the finished profile must stay what it is, got {again}")
        place = Path(folder) / "profile"
        found = RealProfile(
            seconds=seconds,
            processor=0.0,
            killed_at=killed_at,
            calls=calls,
            replies=_replies(place / "logs"),
            calls_once_more=server.calls - calls,
            allowed=(CONNECTIONS + BUFFER) * a_sample,
            headlines=tuple((row["suite"], row["measure"]) for row in rows),
            outcomes={file.stem: _outcomes(file) for file in place.glob("records/*.parquet")},
            files=tuple(
                sorted(
                    str(file.relative_to(place))
                    for file in place.rglob("*")
                    if file.is_file() and file.relative_to(place).parts[0] != "logs"
                )
            ),
        )
    # The model's share is known once its process has ended.
    return replace(found, processor=_processor() - before)


ESTIMATE = re.compile(r"after \d+ calls: about (?:(\d+) more minutes|a minute or two more)")


def default_profile(options: list[str], seconds: float) -> tuple[int, float, float]:
    """Profile the real model with our defaults; return status, minutes estimated, and minutes left.

    Args:
        options: Further words of `whybench profile`.
        seconds: After which it is ended.
    """
    words = [sys.executable, "-c", "from whybench.cli import main; main()", "profile", MODEL]
    estimated, told, calls_end = 0.0, 0.0, 0.0
    with ModelServer(CONNECTIONS, CONTEXT) as server, tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [*words, "-o", "profile", *options],
            env={**os.environ, **server.environment, "INSPECT_DISPLAY": "none"},
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        ending = threading.Timer(seconds, process.terminate)
        ending.start()
        assert process.stderr is not None
        for line in process.stderr:
            print(line, end="", file=sys.stderr)
            if found := ESTIMATE.search(line):
                estimated, told = float(found[1] or 1.5), time.monotonic()
            if "…" in line and not calls_end:  # the page is begun
                calls_end = time.monotonic()
        status = process.wait()
        ending.cancel()
    return status, estimated, ((calls_end or time.monotonic()) - told) / 60


def defaults(small: bool) -> Iterator[Figure]:
    """Yield how well the time of a profile is told after 20 calls; small, with short replies."""
    suites = ["judge"] if small else ["judge", "intervene"]
    options = [word for suite in suites for word in ("--suite", suite)]
    options += ["--max-tokens", "16"] if small else []
    status, estimated, taken = default_profile(options, 1800 if small else 7200)
    most = 3.0 if small else 1.5
    yield Figure(
        f"the real model finishes {' and '.join(suites)} of the small profile with our defaults",
        f"status {status}",
        status == 0,
    )
    yield Figure(
        f"it takes at most {most} x the time that is estimated after 20 calls",
        f"{estimated:.1f} minutes estimated, {taken:.1f} taken",
        0 < taken <= most * estimated,
        timed=True,
    )


PARTS: Parts = {"real model": defaults}


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _profile(words: list[str], environment: dict[str, str], folder: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        words, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=sys.stderr, check=False
    )
    return [json.loads(line) for line in done.stdout.decode().splitlines()]


def _outcomes(file: Path) -> dict[str, int]:
    from pyarrow import parquet

    return dict(Counter(parquet.read_table(file)["outcome"].to_pylist()))


def _replies(logs: Path) -> int:
    """Count the model's replies in the logs, those of each sample once."""
    from inspect_ai.log import read_eval_log

    counts = {}
    for file in sorted(logs.rglob("*.eval")):
        log = read_eval_log(str(file))
        for sample in log.samples or []:
            replies = sum(message.role == "assistant" for message in sample.messages)
            counts[log.eval.task, sample.id, sample.epoch] = replies
    return sum(counts.values())
