"""The figures of the house: determinism, truth, soundness, reading, runs, calibration, cost.

Each part yields figures; `small` runs the same code at a tenth of the size or less, with bounds
that are wider where chance or a busy machine decides.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evidence import scm
from evidence.figures import Figure, Parts, figures_of
from evidence.terminals import terminals

if TYPE_CHECKING:
    from collections.abc import Iterator


def _items(design: str, *options: str, hash_seed: str = "0") -> str:
    """Return what `whybench show judge --all` prints, in a process of its own."""
    words = ("show", "judge", "--all", "--design", design, *options)
    return subprocess.run(
        [sys.executable, "-c", "from whybench.cli import main; main()", *words],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def determinism(small: bool) -> Iterator[Figure]:
    """Yield figures on the same items everywhere, shards and blocks."""
    from whybench.suites.judge import SUITE

    design = "styles" if small else "full"
    printed = [
        _items(design, "--format", "jsonl", hash_seed=seed) for seed in ("0", "1", "42", "42")
    ]
    hashes = {hashlib.sha256(text.encode()).hexdigest() for text in printed}
    yield Figure(
        f"show judge --design {design}: one hash under three hash seeds and in two processes",
        f"{len(printed)} runs, {printed[0].count(chr(10))} items, hashes {', '.join(hashes)}",
        len(hashes) == 1,
    )
    whole = _items(design, "--format", "ids").split()
    shards = [_items(design, "--format", "ids", "--shard", f"{i}/7").split() for i in range(1, 8)]
    together = [name for shard in shards for name in shard]
    yield Figure(
        "the shards 1/7 to 7/7 are the same set",
        f"{len(whole)} items, shards of {', '.join(str(len(shard)) for shard in shards)}",
        sorted(together) == sorted(whole) and len(set(whole)) == len(whole),
    )
    made = SUITE.designs[design]
    items = list(SUITE.items(made))
    blocks = [
        Counter(
            level for item in items[start : start + made.block] for level in item.factors.items()
        )
        for start in range(0, len(items), made.block)
    ]
    yield Figure(
        "every prefix of whole blocks is balanced",
        f"{len(blocks)} blocks of {made.block} items, all with the same count of every level",
        all(block == blocks[0] for block in blocks) and len(blocks) > 1,
    )


FEW_DESIGNS = ("core", "overload-e", "abstract-overload-d", "styles", "fork", "chain-abstract")
"""Designs that have every graph, style, overload and kind of story between them."""


def soundness(small: bool) -> Iterator[Figure]:
    """Yield the checks of every design."""
    from evidence.calibration import checked
    from whybench.suites.judge import SUITE

    names = FEW_DESIGNS if small else SUITE.designs
    yield from checked(SUITE, [SUITE.designs[name] for name in names])


def reading(small: bool) -> Iterator[Figure]:
    """Yield the agreement of the reader with the published recipe on every raw reply."""
    from evidence.replies import published_replies

    mirror = os.environ.get("WHYBENCH_DATA_MIRROR")
    if not mirror:
        yield Figure("reading agrees with the published recipe", "no mirror of the data", False)
        return
    rows = published_replies(Path(mirror), every=10 if small else 1)
    numbers = {row.what: row.number for row in rows}
    yield Figure(
        "reading agrees with the published recipe wherever that reads a number",
        "; ".join(f"{row.what}: {row.number}" for row in rows),
        numbers["recipe reads"] == numbers["agree"] > 5000,
    )


def runs(small: bool) -> Iterator[Figure]:
    """Yield figures on runs of the real model."""
    from evidence.runs import real_runs

    seen = real_runs(9 if small else 40)
    yield Figure(
        f"{seen.items} judge items on the real model: as many records, each with its outcome",
        f"{seen.records} records, {seen.outcomes}, {seen.calls} calls",
        # A reply without an answer is asked for once more.
        seen.records == seen.items == sum(seen.outcomes.values())
        and seen.items <= seen.calls <= 2 * seen.items,
    )
    yield Figure(
        "a second run makes no call",
        f"{seen.calls_again} calls",
        seen.calls_again == 0,
    )
    repeated = seen.calls_killed - seen.calls
    yield Figure(
        "after kill -9 a rerun repeats at most (samples in flight + log_buffer) x calls a sample",
        f"killed at call {seen.killed_at}; allowed {seen.allowed}, made {repeated}; "
        f"{seen.records_killed} of {seen.items} items recorded",
        repeated <= seen.allowed and seen.records_killed == seen.items,
    )
    yield Figure(
        "answers are read anew from old logs without a call",
        f"{seen.reread_calls} calls, same records: {seen.reread_equal}",
        seen.reread_calls == 0 and seen.reread_equal,
    )


def calibration(small: bool) -> Iterator[Figure]:
    """Yield the calibration of every agent of known value."""
    from evidence.calibration import calibrated
    from whybench.suites.judge import SUITE

    yield from calibrated(SUITE, SUITE.designs["core"], 10 if small else 200, small)


def cost(small: bool) -> Iterator[Figure]:
    """Yield the CPU of a call beside bare Inspect's."""
    from evidence.engine import cpu_per_call

    spent = (
        cpu_per_call({"design": "core"}, 2, "judge")
        if small
        else cpu_per_call({"design": "stories", "style": "direct,cot"}, 5, "judge", "grouped")
    )
    ratio = spent["judge"] / spent["bare"]
    bound = 2.0 if small else 1.25  # few calls carry the cost of starting a run
    yield Figure(
        f"CPU per call of judge is at most {bound:.2f} x bare Inspect's on the same messages",
        f"{ratio:.2f} x ({spent['judge']:.2f} and {spent['bare']:.2f} ms)"
        + (
            f"; with 20 conversations a sample {spent['grouped'] / spent['bare']:.2f} x "
            f"({spent['grouped']:.2f} ms)"
            if "grouped" in spent
            else ""
        ),
        ratio <= bound,
        timed=True,
    )


def wheel(_small: bool) -> Iterator[Figure]:
    """Yield what a new user meets: the wheel in a fresh environment."""
    from evidence.installed import first_example, install_wheel

    printed = first_example(install_wheel()).split()
    shown = {
        name: float(printed[printed.index(name) + 1])
        for name in (
            "explaining_away",
            "explaining_away_low",
            "explaining_away_high",
            "markov_violation",
            "markov_violation_low",
            "markov_violation_high",
        )
    }
    yield Figure(
        "in a fresh environment with only the wheel, the README's first example prints EA and "
        "MV with intervals",
        ", ".join(f"{name} {value:.3f}" for name, value in shown.items()),
        shown["explaining_away"] == 0.35 and shown["markov_violation"] == 0,
    )


def startup(small: bool) -> Iterator[Figure]:
    """Yield the CPU time of an import and of light commands, with the wheel installed."""
    from evidence.installed import install_wheel, start_up

    bound = 1.5 if small else 0.5
    seconds = start_up(install_wheel(), 3 if small else 7)
    imported, door = seconds.pop("import whybench"), 0.5 if small else 0.15
    yield Figure(
        f"import whybench takes {door} s of CPU more than a bare interpreter",
        f"{imported:.3f} s",
        imported <= door,
        timed=True,
    )
    yield Figure(
        f"--help, list, show, items start in {bound} s of CPU more than a bare interpreter",
        ", ".join(f"{command} {value:.2f} s" for command, value in seconds.items()),
        max(seconds.values()) <= bound,
        timed=True,
    )


PARTS: Parts = {
    part.__name__: part
    for part in (
        determinism,
        scm.truth,
        scm.certification,
        soundness,
        reading,
        calibration,
        cost,
        wheel,
        startup,
        runs,
        terminals,
    )
}

figures = partial(figures_of, PARTS)
