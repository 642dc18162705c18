"""What everything costs: CPU beside bare Inspect, fits, generation, verdicts, reading, logs, cores.

Machines differ and are busy, so that almost every figure is a ratio of two things done in turns in
one run. `python -m evidence.speed docs/speed.md` measures all of it and puts the table between the
two marks of that page.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from evidence import entailment, episodes, fits, house, prompts, statistics, worlds
from evidence.engine import analyze_overhead, compose_overhead
from evidence.figures import Figure, Parts, figures_of
from evidence.reading import reading
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OPEN, CLOSE = "<!-- figures -->", "<!-- end of figures -->"


def compose_cost(small: bool) -> Iterator[Figure]:
    """Yield the CPU of a call of compose, one by one and by the unit."""
    calls, rounds = (240, 3) if small else (960, 9)
    spent = compose_overhead(calls, rounds, "one by one", "by unit")
    ratio, grouped = spent["one by one"] / spent["bare"], spent["by unit"] / spent["bare"]
    bound = 1.5 if small else 1.25  # few calls carry the cost of starting a run
    yield Figure(
        f"CPU per call of compose is at most {bound:.2f} x bare Inspect's, and 0.80 x by the unit",
        f"{ratio:.2f} x ({spent['one by one']:.2f} and {spent['bare']:.2f} ms), by the unit "
        f"{grouped:.2f} x ({spent['by unit']:.2f} ms)",
        ratio <= bound and grouped <= 0.8,
        timed=True,
    )


def analyze_cost(small: bool) -> Iterator[Figure]:
    """Yield the CPU of a call of analyze, answers graded."""
    spent = analyze_overhead(1, 2) if small else analyze_overhead(32, 5)
    ratio, bound = spent["analyze"] / spent["bare"], 2.0 if small else 1.1
    yield Figure(
        f"CPU per call of analyze is at most {bound:.2f} x bare Inspect's on the same messages",
        f"{ratio:.2f} x ({spent['analyze']:.2f} and {spent['bare']:.2f} ms)",
        ratio <= bound,
        timed=True,
    )


def items(small: bool) -> Iterator[Figure]:
    """Yield how fast items are made from nothing, each with certificate, id and prompt."""
    for name, (design, bound) in ITEMS_A_SECOND.items():
        rate = items_a_second(name, design, 30 if small else 900)
        least = bound / (10 if small else 1)
        yield Figure(
            f"{name}: at least {least:,g} items of {design} a second and core, with certificate "
            "and prompt",
            f"{rate:,.0f}",
            rate >= least,
            timed=True,
        )


ITEMS_A_SECOND = {
    "judge": ("full", 5000),
    "intervene": ("advanced", 1500),
    "compose": ("full", 5000),
    "calculate": ("standard", 60),
    "analyze": ("core", 30),
}
"""A large design of each suite, and the rate that it must reach. An item of analyze
is a whole data set; one of calculate is drawn until mistakes mislead, and certified in every model
that is tried."""

WARM_UP = 60
"""The number of items that a new process makes before it is timed: modules and tables are loaded
with the first ones."""


def items_a_second(name: str, design: str, count: int) -> float:
    """Return how many items of a design a new process makes and words in a second of CPU."""
    code = (
        "import sys, time; from itertools import islice; "
        "from whybench.suites.registry import get_suite; one = get_suite(sys.argv[1]); "
        "items = one.items(one.designs[sys.argv[2]]); "
        "warm = [one.render(item) for item in islice(items, int(sys.argv[3]))]; "
        "start = time.process_time(); "
        "made = [one.render(item) for item in islice(items, int(sys.argv[4]))]; "
        "print(len(made) / (time.process_time() - start))"
    )
    words = [sys.executable, "-c", code, name, design, str(WARM_UP), str(count)]
    return float(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def logs(small: bool) -> Iterator[Figure]:
    """Yield what it takes to make records of logs, beside Inspect's reading of their summaries."""
    from inspect_ai.log import list_eval_logs, read_eval_log_sample_summaries

    from whybench.records import read_logs
    from whybench.records.table import record_table

    judge = get_suite("judge")
    with tempfile.TemporaryDirectory() as folder:
        answers = _logged(Path(folder), 60 if small else 240, 1 if small else 40)
        paths = [info.name for info in list_eval_logs(folder)]

        def ours() -> None:
            found = read_logs([folder]).rows["judge"]
            record_table(found, judge.record_columns)

        def bare() -> None:
            for path in paths:
                read_eval_log_sample_summaries(path)

        spent = in_turns({"ours": ours, "bare": bare}, 3 if small else 5)
    ratio, bound = spent["ours"] / spent["bare"], 3.0 if small else 2.0
    yield Figure(
        f"records of {answers:,} logged answers take at most {bound:g} x Inspect's reading of the "
        "summaries",
        f"{ratio:.2f} x ({1e6 * spent['ours'] / answers:,.0f} and "
        f"{1e6 * spent['bare'] / answers:,.0f} ms a thousand)",
        ratio <= bound,
        timed=True,
    )


def _logged(folder: Path, samples: int, epochs: int) -> int:
    """Write a log of judge as a run would, and return how many answers it holds."""
    from evidence.made_logs import Speaker, write_log
    from whybench._registry import judge

    return write_log(
        get_suite("judge"), judge(), Speaker("made/up", "random"), folder, samples, epochs
    )


def page(small: bool) -> Iterator[Figure]:
    """Yield how long the page about a run takes, by the thousand records."""
    from whybench.drawing.vega import bundle
    from whybench.page import report

    bundle()  # made once on a machine
    with tempfile.TemporaryDirectory() as folder:
        answers = _logged(Path(folder), 60 if small else 240, 1 if small else 20)
        target = str(Path(folder, "page.html"))
        start = time.process_time()
        report(folder, target)
        spent = time.process_time() - start
        size = Path(target).stat().st_size
    bound = 60 if small else 120
    yield Figure(
        f"the page about {answers:,} answers takes at most {bound} s of CPU",
        f"{spent:.1f} s, {1000 * spent / answers:.1f} s a thousand; {size / 1e6:.1f} MB",
        spent <= bound,
        timed=True,
    )


def cores(small: bool) -> Iterator[Figure]:
    """Yield how much more two processes do than one, where two cores are free."""
    bound = 1.2 if small else 1.7
    claim = f"two processes make at least {bound} x the items of one, where two cores are free"
    idle = idle_cores()
    if idle < 1.8:
        yield Figure(
            claim,
            f"not measurable: {idle:.1f} cores are free, load {os.getloadavg()[0]:.1f}",
            True,
            timed=True,
        )
        return
    count = 5_000 if small else 100_000
    rounds = [(_makers(1, count), _makers(2, count)) for _ in range(5)]
    ratios = sorted(2 * alone / together for alone, together in rounds)
    alone, together = (median(times) for times in zip(*rounds, strict=True))
    yield Figure(
        claim,
        f"{median(ratios):.2f} x (from {ratios[0]:.2f} to {ratios[-1]:.2f}; one in {alone:.1f} s, "
        f"two in {together:.1f} s; {idle:.1f} cores free before)",
        median(ratios) >= bound,
        timed=True,
    )


def _makers(processes: int, count: int) -> float:
    """Return the seconds that so many processes take, each to make so many items of compose."""
    code = (
        "import sys; from evidence.prompts import certified_a_second; "
        "certified_a_second(1000); print('ready', flush=True); "
        "sys.stdin.readline(); certified_a_second(int(sys.argv[1]))"
    )
    root = Path(__file__).parents[1]
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(count)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=root,
        )
        for _ in range(processes)
    ]
    for process in started:  # imports are over before the clock starts
        assert process.stdout is not None
        process.stdout.readline()
    start = time.perf_counter()
    for process in started:  # all at once: `communicate` would wait for each
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    for process in started:
        process.communicate(timeout=600)
    return time.perf_counter() - start


def idle_cores(seconds: float = 1.0, told: Path = Path("/proc/stat")) -> float:
    """Return how many of the cores that this process may use did nothing for a while.

    Linux tells it in a file; elsewhere it is not known and 0.
    """
    if not told.is_file():
        return 0.0

    def idle() -> float:
        first = told.read_text(encoding="utf-8").split("\n", maxsplit=1)[0]
        return sum(map(int, first.split()[4:6])) / os.sysconf("SC_CLK_TCK")

    before, start = idle(), time.perf_counter()
    time.sleep(seconds)
    free = (idle() - before) / (time.perf_counter() - start)
    return min(free, float(len(os.sched_getaffinity(0))))


def in_turns(kinds: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Return the CPU seconds of each, the median of rounds in which they take turns."""
    times: dict[str, list[float]] = {name: [] for name in kinds}
    for place in range(rounds + 1):
        for name, call in kinds.items():
            start = time.process_time()
            call()
            if place:  # the first round is for imports and caches
                times[name].append(time.process_time() - start)
    return {name: median(values) for name, values in times.items()}


PARTS: Parts = {
    "engine: judge": house.cost,
    "engine: intervene": episodes.cost,
    "engine: compose": compose_cost,
    "engine: analyze": analyze_cost,
    "items": items,
    "prompts": prompts.speed,
    "worlds": worlds.speed,
    "episodes": episodes.speed,
    "verdicts": partial(entailment.figures, only="speed"),
    "fits": partial(fits.figures, only="speed"),
    "bootstrap": partial(statistics.figures, only="speed"),
    "reading": reading,
    "logs": logs,
    "page": page,
    "cores": cores,
}

figures = partial(figures_of, PARTS)


def write_page(path: Path, measured: Iterator[Figure]) -> bool:
    """Put a table of figures between the marks of a page; say whether all claims hold."""
    before, rest = path.read_text(encoding="utf-8").split(OPEN)
    after = rest.split(CLOSE)[1]
    rows, all_hold = [], True
    for figure in measured:
        print(f"{figure.claim}: {figure.measured}", flush=True)
        rows.append(
            f"| {figure.claim} | {figure.measured}{'' if figure.holds else ' — **not held**'} |"
        )
        all_hold &= figure.holds
    where = f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}"
    table = ["| claim | measured |", "|---|---|", *rows]
    text = f"{OPEN}\n\nMeasured with {where}.\n\n" + "\n".join(table) + f"\n\n{CLOSE}"
    path.write_text(before + text + after, encoding="utf-8")
    return all_hold


def main() -> None:
    """Measure everything and write it into a page; end with status 1 if a claim does not hold."""
    parser = argparse.ArgumentParser(prog="python -m evidence.speed", description=main.__doc__)
    parser.add_argument("page", type=Path, help="a page that has the two marks")
    parser.add_argument("--small", action="store_true", help="a tenth of the size, wider bounds")
    chosen = parser.parse_args()
    sys.exit(0 if write_page(chosen.page, figures(chosen.small)) else 1)


if __name__ == "__main__":
    main()
