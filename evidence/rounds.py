"""Questions in rounds: recovery with stopping, and runs that are killed and continue.

`python -m evidence rounds` prints these figures.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import numpy as np

from evidence.figures import Figure, Parts, figures_of
from whybench.seeds import generator
from whybench.stats.horizon import HorizonFit
from whybench.stats.placement import Placement
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

RUNS, FEW_RUNS = 300, 10
LEAST_COVERED, SLACK = 0.9, 0.2
MOST_ABOVE = 0.05
MOST_RISES = 0.02
READERS = (1, 2, 3, 5, 8, 12, 20, 35)
SLIPS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3)
HORIZONS, STEEPNESSES = (1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 11.0), (1.0, 2.0, 4.0, 6.0)
KILLS, FEW_KILLS = 10, 1


def list_placement(design: str = "adaptive") -> Placement:
    """Return how trace places its questions."""
    suite = get_suite("trace")
    chosen = suite.designs[design]
    assert suite.adaptive is not None
    return Placement(chosen.depth, suite.adaptive.guess, chosen.most, chosen.worlds)


def ask(placement: Placement, success: Array, rng: np.random.Generator) -> HorizonFit:
    """Ask a simulated agent to the end of the rounds."""
    chances = placement.guess + (1 - placement.guess) * success
    asked, right = (np.zeros(chances.size, dtype=int) for _ in range(2))
    while any(number := placement.next_round(asked.tolist(), right.tolist())):
        right += rng.binomial(number, chances)
        asked += number
    return HorizonFit.of_counts(placement.depths, asked.tolist(), right.tolist(), placement.guess)


def agents(depths: Array) -> Mapping[str, tuple[Array, tuple[float, float] | None]]:
    """Return the success of agents by depth, and the limits between which their horizon lies."""
    found: dict[str, tuple[Array, tuple[float, float] | None]] = {}
    for steps in READERS:
        beyond = float(depths[depths > steps][0])
        found[f"reader of {steps}"] = np.where(depths <= steps, 1.0, 0.0), (steps, beyond)
    for rate in SLIPS:
        true = float(np.log(0.5) / np.log(1 - rate))
        found[f"slips {rate:g}"] = (1 - rate) ** depths, (true, true)
    for lapse in (0.1, 0.2):
        true = float(np.log(0.5 / (1 - lapse)) / np.log(0.9))
        found[f"slips 0.1, lapses {lapse:g}"] = (1 - lapse) * 0.9**depths, (true, true)
    for steepness in STEEPNESSES:
        for horizon in HORIZONS:
            success = 2.0 ** -((depths / horizon) ** steepness)
            found[f"horizon {horizon:g}, steepness {steepness:g}"] = success, (horizon, horizon)
    found["exact"] = np.ones(depths.size), None
    found["guesser"] = np.zeros(depths.size), None
    found["lapses 0.2"] = np.full(depths.size, 0.8), None
    return found


def recovery(small: bool) -> Iterator[Figure]:
    """Yield how often intervals contain a known horizon if rounds end once it is known."""
    runs, placement = FEW_RUNS if small else RUNS, list_placement()
    depths = np.array(placement.depths, dtype=float)
    least = LEAST_COVERED - (SLACK if small else 0.0)
    flagged = {}
    for name, (success, true) in agents(depths).items():
        rng = generator("evidence", "rounds", name)
        fits = [ask(placement, success, rng) for _ in range(runs)]
        found = [fit.estimate() for fit in fits]
        flagged[name] = sum(fit.rises for fit in fits) / runs
        lows, highs = ([getattr(one, end) or 0.0 for one in found] for end in ("low", "high"))
        items = sorted(fit.depths.size for fit in fits)
        told = (
            f"{median(items):.0f} questions (nine in ten runs: at most {items[-runs // 10 - 1]}); "
            f"median {median(one.estimate or 0.0 for one in found):.1f}, "
            f"interval {median(lows):.1f} to {median(highs):.1f}"
        )
        if true is None:
            yield Figure(f"{name}: how it is asked", told, holds=True)
            continue
        low, high = (min(max(end, depths[0]), depths[-1]) for end in true)
        held = sum(one <= high and low <= other for one, other in zip(lows, highs, strict=True))
        yield Figure(
            f"{name}: intervals contain its horizon in at least {least:.0%} of {runs} runs",
            f"{held / runs:.1%}; {told}",
            held >= least * runs,
        )
    worst = max(flagged, key=lambda name: flagged[name])
    yield Figure(
        f"success that falls with depth is flagged as rising in at most {MOST_RISES:.0%} of "
        f"{runs} runs, or 2% more by chance",
        f"at most {flagged[worst]:.1%} ({worst}), over {len(flagged)} agents",
        flagged[worst] <= MOST_RISES + (0.08 if small else 0.02),
    )


def beyond(small: bool) -> Iterator[Figure]:
    """Yield how often a horizon just inside the deepest questions is reported to lie beyond."""
    runs, placement = 3 * FEW_RUNS if small else RUNS, list_placement()
    depths = np.array(placement.depths, dtype=float)
    true = 0.9 * depths[-1]
    for steepness in STEEPNESSES:
        rng = generator("evidence", "rounds", "beyond", steepness)
        success = 2.0 ** -((depths / true) ** steepness)
        lows = [ask(placement, success, rng).interval()[0] for _ in range(runs)]
        share = sum(low >= depths[-1] for low in lows) / runs
        yield Figure(
            f"horizon {true:g}, steepness {steepness:g}: reported as above {depths[-1]:g} in at "
            f"most {MOST_ABOVE:.0%} of {runs} runs",
            f"{share:.1%}",
            share <= MOST_ABOVE,
        )


CHILD = """
import os, signal, sys
import whybench as wb
from whybench.suites.sources import RoundSource

left, complete = int(sys.argv[2]), RoundSource.sample_complete

async def count(source, sample):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    await complete(source, sample)

RoundSource.sample_complete = count
found = wb.run("trace", "reference/trace.slips", "adaptive", most=60, log_dir=sys.argv[1],
               log_buffer=1, max_connections=4, display="none")
rows = found.tables["trace"]
named = {one.name: one for one in found.measures() if not one.at}
print(sorted(zip(rows["item"].to_pylist(), rows["value"].to_pylist())),
      [named[name].estimate for name in ("horizon", "control_horizon")])
"""


def _run(folder: Path, kill_after: int) -> tuple[int, str]:
    """Run in a process that kills itself after this many samples (0: never)."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(folder), str(kill_after)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout.strip().rpartition("\n")[2]


def killed(small: bool) -> Iterator[Figure]:
    """Yield whether a run that is killed asks and finds the same as one that is not."""
    kills, draw = FEW_KILLS if small else KILLS, random.Random(5)
    with tempfile.TemporaryDirectory() as place:
        _, whole = _run(Path(place, "whole"), 0)
        # A resumed run completes the samples of its log, too, so later kills need more of them.
        moments = [draw.randrange(1, 12) + 10 * number for number in range(kills)]
        statuses = [_run(Path(place, "killed"), moment)[0] for moment in moments]
        status, found = _run(Path(place, "killed"), 0)
    died = statuses.count(-signal.SIGKILL)
    yield Figure(
        f"killed after {', '.join(map(str, moments))} samples, a run then has the same questions, "
        "answers and horizons as one that was not killed",
        f"killed {died} times, last status {status}; {whole.count('trace-')} questions",
        died == kills and status == 0 and found == whole != "",
    )


PARTS: Parts = {"recovery": recovery, "beyond": beyond, "killed": killed}

figures = partial(figures_of, PARTS)
