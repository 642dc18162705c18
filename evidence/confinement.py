"""The figures of the sandbox: what this machine enforces, attacks and what stopped them, speed."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evidence.attacks import (
    ORDINARY,
    SMALL,
    Bystanders,
    Peak,
    Repelled,
    attacks,
    repel,
    repel_as_user,
)
from evidence.figures import Figure, Parts, figures_of
from inspect_bubblewrap.canaries import LOOK
from inspect_bubblewrap.check import check_canaries, check_confinement
from inspect_bubblewrap.confinement import Sandbox
from inspect_bubblewrap.limits import PRELOAD, Limits
from inspect_bubblewrap.pool import Pool, run_script
from whybench.seeds import generator

if TYPE_CHECKING:
    from collections.abc import Iterator

OLS = """
import pandas as pd
import statsmodels.formula.api as smf
print(smf.ols("y ~ x + z", pd.read_csv("rows.csv")).fit().params["x"])
"""


def rows(count: int = 1500) -> bytes:
    """Return a table in which y = 2x - z, with noise."""
    drawn = generator("evidence", "confinement").normal(size=(count, 3))
    lines = [f"{x},{z},{2 * x - z + noise}" for x, z, noise in drawn]
    return "\n".join(["x,z,y", *lines]).encode()


def starts(count: int) -> tuple[float, float, float]:
    """Return median seconds of a bare interpreter, one in a sandbox, and the sandbox's end."""
    bare, confined, ended = [], [], []
    for _ in range(count + 1):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        bare.append(time.perf_counter() - began)
        began = time.perf_counter()
        with Sandbox.open() as sandbox:
            if not sandbox.run(["python", "-c", "pass"]).ok:
                raise RuntimeError("an empty script must end with status 0")
            confined.append(time.perf_counter() - began)
            began = time.perf_counter()
        ended.append(time.perf_counter() - began)
    # The first of each is left out: it makes what later ones find made.
    return (
        statistics.median(bare[1:]),
        statistics.median(confined[1:]),
        statistics.median(ended[1:]),
    )


def cold_and_warm(count: int) -> tuple[float, float, float]:
    """Return the median seconds to an OLS result, cold and handed over, and the slope found."""
    table = {"rows.csv": rows()}
    cold: list[float] = []
    warm: list[float] = []
    slopes = set()
    with Pool(1) as pool:
        for _ in range(count):
            pool.wait()  # or its imports would slow the cold run
            for taken, source in ((cold, None), (warm, pool)):
                began = time.perf_counter()
                outcome = run_script(OLS, table, pool=source).outcome
                taken.append(time.perf_counter() - began)
                slopes.add(float(outcome.stdout))
    if len(slopes) != 1:
        raise RuntimeError(f"cold and warm must find the same slope, got {slopes}")
    return statistics.median(cold), statistics.median(warm), slopes.pop()


def machine(_: bool) -> Iterator[Figure]:
    """Try what this machine enforces."""
    for finding in check_confinement():
        yield Figure(f"this machine: {finding.name}", finding.seen, finding.holds)


def told(repelled: Repelled, who: str, small: bool) -> Figure:
    """Return what is claimed of an attack: no harm, and not much more memory than the limit."""
    attack = attacks()[repelled.name]
    harm = f"; HARM: {'; '.join(repelled.harm)}" if repelled.harm else ""
    most = _most_memory(small)
    if repelled.memory > most:
        harm += f"; {repelled.memory / 2**20:.0f} MiB in use, more than {most / 2**20:.0f}"
    return Figure(
        f"{who}: {attack.name}: {attack.tries}",
        f"stopped by {attack.stopped}; ended by {repelled.ended}: {repelled.seen}{harm}",
        not harm,
    )


def _most_memory(small: bool) -> float:
    """Return the bytes that may be in use at any moment, in all.

    Memory is looked at now and then: what gets by meanwhile is more where other tests run too.
    """
    return (2.0 if small else 1.5) * SMALL.memory


def repelled_attacks(small: bool) -> Iterator[Figure]:
    """Run the list of attacks as the user we are, and if that is root as an ordinary one too."""
    who = name_of_user()
    found = []
    with Bystanders() as bystanders:
        for attack in attacks().values():
            found.append(repel(attack, bystanders))
            yield told(found[-1], who, small)
    if who == "root":
        as_user = repel_as_user()
        found += as_user
        for repelled in as_user:
            yield told(repelled, "user", small)
    peak = max(repelled.memory for repelled in found)
    yield Figure(
        f"all attacks: at most {_most_memory(small) / 2**20:.0f} MiB are in use at any moment, "
        f"under a limit of {SMALL.memory / 2**20:.0f}",
        f"{peak / 2**20:.0f} MiB",
        peak <= _most_memory(small),
    )


CROWD = """
import os, time
for _ in range(45):
    if os.fork() == 0:
        while True:
            pass
for _ in range(12):
    if os.fork() == 0:
        held = []
        while True:
            held.append(bytearray(b"x" * 2**20))
time.sleep(60)
"""


def crowded(small: bool) -> Iterator[Figure]:
    """Let many processes fill memory while others keep every core busy, and see how far it goes."""
    peaks = []
    for _ in range(1 if small else 10):
        with Sandbox.open(Limits(memory=SMALL.memory)) as sandbox:
            peak = Peak(sandbox.process)
            peak.start()
            ended = sandbox.run(["python", "-c", CROWD]).ended
            peak.done.set()
            peak.join()
            peaks.append(peak.memory / 2**20)
    yield Figure(
        f"12 processes fill memory beside 45 busy ones: at most {_most_memory(small) / 2**20:.0f} "
        f"MiB under a limit of {SMALL.memory / 2**20:.0f}, pages that forks share counted once",
        f"at most {max(peaks):.0f} MiB in {len(peaks)} tries; ended by {ended}",
        max(peaks) <= _most_memory(small) / 2**20 and ended == "memory",
    )


KEYS = {
    ".env": "OPENAI_API_KEY=",
    "logs/first.eval": "truth ",
    "conda-meta/state": "OPENAI_API_KEY ",
    "pip.conf": "index-url = https://me:",
    "bin/postactivate": "export ANTHROPIC_API_KEY=",
    "bin/python-keys": "",
    "lib/libkeys.so.txt": "",
    "notes/analysis.py": "",
}
"""What people keep in an environment's folder, above all where it is their project's too."""

LOOK_ABOUT = """
import sys
from inspect_bubblewrap.confinement import Sandbox
with Sandbox.open() as sandbox:
    done = sandbox.run(["python", "-c", sys.argv[1]], stdin=sys.argv[2].encode())
    needed = sandbox.run(["python", "-c", "import numpy; print(numpy.__name__)"])
print(done.stdout.decode() or done.stderr.decode(), end="")
print(needed.stdout.decode() or needed.stderr.decode(), end="")
"""
DROP = """
import os, sys
from evidence.attacks import become_ordinary
become_ordinary()
os.environ["HOME"] = "/"
os.chdir(sys.argv[1])
os.execv(sys.argv[2], sys.argv[2:])
"""


def project(as_user: bool) -> Figure:
    """Put keys and logs into a project that is its own environment, and try to read them."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary, "project")
        Path(temporary).chmod(0o755)
        venv.EnvBuilder(symlinks=True).create(root)
        [site] = root.glob("lib/python*/site-packages")
        (site / "all.pth").write_text("\n".join(filter(None, sys.path)), encoding="utf-8")
        word = os.urandom(12).hex()
        paths = [root / name for name in KEYS] + [site / "canary_own.py"]
        for path, before in zip(paths, (*KEYS.values(), ""), strict=True):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(before + word, encoding="utf-8")
        if as_user:
            for path in (root, *root.rglob("*")):
                os.chown(path, ORDINARY, ORDINARY, follow_symlinks=False)
            for path in paths:
                path.chmod(0o600)
        look = json.dumps([[*map(str, paths)], "canary_own.py", [str(root)]])
        command = [str(root / "bin" / "python"), "-c", LOOK_ABOUT, LOOK, look]
        drop = [sys.executable, "-c", DROP, str(root)] if as_user else []
        done = subprocess.run(
            drop + command,
            cwd=None if as_user else root,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
    said = done.stdout.splitlines() or [done.stderr[-300:]]
    return Figure(
        f"{'user' if as_user else name_of_user()}: keys, logs and conda's state in a project that "
        f"is its own environment: none of {len(paths)} can be read, and numpy can be imported",
        f"read: {said[0]}; imported: {said[-1]}",
        said == ["[]", "numpy"],
    )


def name_of_user() -> str:
    """Return who we are, as far as sandboxes care."""
    return "root" if os.geteuid() == 0 else "user"


def canaries(_: bool) -> Iterator[Figure]:
    """Put files of keys and logs where people keep them, and look for them from inside."""
    for finding in check_canaries():
        yield Figure(
            f"{name_of_user()}: files put where keys and logs are: 0 can be read",
            (finding.seen),
            finding.holds,
        )
    yield project(as_user=False)
    if os.geteuid() == 0:
        yield project(as_user=True)


def start(small: bool) -> Iterator[Figure]:
    """Compare an interpreter in a sandbox with a bare one, from nothing to a script's end."""
    bound = 4.0 if small else 3.0
    bare, confined, ended = starts(5 if small else 30)
    yield Figure(
        f"a sandbox started and an empty script run in it: at most {bound:g} x a bare interpreter",
        f"{1000 * confined:.0f} ms, {1000 * bare:.0f} ms bare: {confined / bare:.2f} x; "
        f"its end takes {1000 * ended:.0f} ms more",
        confined <= bound * bare,
        timed=True,
    )


def handover(small: bool) -> Iterator[Figure]:
    """Compare an analysis in a waiting interpreter with one in a fresh one."""
    cold, warm, slope = cold_and_warm(1 if small else 5)
    yield Figure(
        f"an OLS handed to an interpreter that has {', '.join(PRELOAD)}: at most 0.4 x cold",
        f"{warm:.2f} s, {cold:.2f} s cold: {warm / cold:.2f} x",
        warm <= 0.4 * cold,
        timed=True,
    )
    yield Figure(
        "it finds the slope of 2 within 0.15", f"{slope:.3f}, as cold", abs(slope - 2) < 0.15
    )


PARTS: Parts = {
    "machine": machine,
    "attacks": repelled_attacks,
    "canaries": canaries,
    "crowded": crowded,
    "start": start,
    "handover": handover,
}

figures = partial(figures_of, PARTS)
