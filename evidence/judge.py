"""The figures of judge: published results reproduced, fits, tests, and what is known recovered.

The replication is run as a user runs it, `whybench papers replicate dettki2025 --json`, and
held against the printed tables in the folder that WHYBENCH_PUBLISHED_TABLES names.
"""

from __future__ import annotations

import csv
import json
import os
import resource
import subprocess
import sys
from collections import Counter
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence import fits, statistics
from evidence.figures import Figure, Parts, figures_of
from evidence.judge_power import POWER_PARTS

if TYPE_CHECKING:
    from collections.abc import Iterator

EXPERIMENTS = {
    "core": "rw17_indep_causes",
    "abstract": "random_abstract",
    "overload-e": "rw17_overloaded_e",
    "abstract-overload-d": "abstract_overloaded_lorem_de",
}
STYLES = {"numeric": "direct", "CoT": "cot", "cot": "cot"}

PEOPLE = {"explaining_away": 0.0995, "markov_violation": 0.1004, "heldout_r2": 0.9367}

NAMED = {
    ("B.22", "claude-opus-4-20250514"): "its file holds only errors",
    ("B.20", "gpt-5-mini-v_low-r_high"): "stale in print",
    ("B.21", "claude-opus-4-20250514"): "stale in print",
    ("B.22", "gpt-5-nano-v_low-r_medium"): "8 rows",
    ("B.22", "gemini-2.5-pro"): "the schemes are nearly tied",
}
"""Rows that differ from print, and why."""


@cache
def _replicated(resamples: int) -> tuple[dict[str, list[dict[str, Any]]], float]:
    """Return the replication's rows by table and its CPU seconds, from the command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ("papers", "replicate", "dettki2025", "--json", "--resamples", str(resamples))
    done = subprocess.run(
        [sys.executable, "-c", "from whybench.cli import main; main()", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    tables: dict[str, list[dict[str, Any]]] = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        tables.setdefault(row.pop("table"), []).append(row)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return tables, spent


def _printed(name: str) -> list[dict[str, str]]:
    folder = Path(os.environ["WHYBENCH_PUBLISHED_TABLES"])
    with (folder / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _near(value: Any, printed: str, within: float) -> bool:
    return value is not None and abs(float(value) - float(printed)) <= within + 1e-9


def replication(small: bool) -> Iterator[Figure]:
    """Yield the agreement of `whybench papers replicate dettki2025` with every printed table."""
    tables, spent = _replicated(200 if small else 2000)
    rho = {
        (r["style"], r["agent"], r.get("story", "pooled")): r["estimate"]
        for r in tables["human_correlation"]
    }
    for scope in ("pooled", "per story"):
        rows = [
            row
            for row in _printed("alignment_b15_b16.csv")
            if (row["domain"] == "pooled") == (scope == "pooled")
        ]
        good = sum(
            _near(rho.get((STYLES[r["cat"]], r["agent"], r["domain"])), r["rho"], 0.0005)
            for r in rows
        )
        yield Figure(
            f"B.15 and B.16: {scope} rho within 0.0005", f"{good}/{len(rows)}", good == len(rows)
        )
    yield from _story_differences(tables["story_differences"])
    people = {
        row["measure"]: row["estimate"] for row in tables["people"] if row["agent"] == "humans"
    }
    fitted = next(row for row in tables["fits"] if row["agent"] == "humans")
    people["heldout_r2"] = fitted["heldout_r2"]
    yield Figure(
        "people's EA, MV and LOOCV R² to 4 digits",
        ", ".join(f"{name} {people[name]:.4f}" for name in PEOPLE),
        all(round(people[name], 4) == value for name, value in PEOPLE.items()),
    )
    yield from _fits(tables["fits"])
    yield Figure(
        "the whole replication takes at most 60 s CPU", f"{spent:.1f} s", spent <= 60, timed=True
    )


def _story_differences(found: list[dict[str, Any]]) -> Iterator[Figure]:
    tests = {
        (EXPERIMENTS[r["design"]], r["style"], r["agent"]): r
        for r in found
        if r["design"] in EXPERIMENTS
    }
    for row in found:
        if row["agent"] == "humans":
            tests["rw17_indep_causes", "direct", "humans"] = row
    for name, file, digits in (
        ("4.1", "kruskal_wallis_4_1.csv", (4, 4, 4)),
        ("B.3 to B.14", "kruskal_wallis_b.csv", (2, 3, 3)),
    ):
        rows = _printed(file)
        good = 0
        for row in rows:
            key = (
                row.get("exp", "rw17_indep_causes"),
                STYLES[row.get("cat", "numeric")],
                row["agent"],
            )
            test = tests.get(key)
            good += test is not None and all(
                _near(test[column], row[printed], 0.5 * 10**-digit)
                for column, printed, digit in zip(
                    ("statistic", "p", "adjusted"), ("H", "p", "pfdr"), digits, strict=True
                )
            )
        yield Figure(
            f"Kruskal–Wallis {name}: H, p and BH to rounding",
            f"{good}/{len(rows)}",
            good == len(rows),
        )


def _fits(found: list[dict[str, Any]]) -> Iterator[Figure]:
    models = {
        (EXPERIMENTS.get(row["design"], "rw17_indep_causes"), row["style"], row["agent"]): row
        for row in found
        if row["agent"] != "human/rw17"
    }
    rows = _printed("cbn_fits_b19_b25.csv")
    near, same, misses = 0, 0, []
    for row in rows:
        agent = "humans" if row["agent"].lower().startswith("human") else row["agent"]
        model = models.get((row["exp"], STYLES[row["cat"]], agent))
        good = model is not None and _near(round(model["heldout_r2"], 3), row["loo_r2"], 0.005)
        equal = model is not None and model["parameters"] == round(float(row["np"]))
        near, same = near + good, same + equal
        if not (good and equal):
            why = NAMED.get((row["tab"], row["agent"]), "unexplained")
            misses.append(f"{row['tab']} {row['agent']} ({why})")
    yield Figure(
        "B.19 to B.25: LOOCV R² within 0.005 in at least 163, parameters equal in at least 162",
        f"{near}/{len(rows)} and {same}/{len(rows)}; others: {'; '.join(misses)}",
        near >= 163 and same >= 162 and "unexplained" not in " ".join(misses),
    )


def beyond(small: bool) -> Iterator[Figure]:
    """Yield what goes beyond the source: ceilings, the fork's people, a reference agent beside."""
    tables, _ = _replicated(200 if small else 2000)
    ceilings = {
        (row["graph"], row.get("story", "pooled")): row["estimate"]
        for row in tables["people"]
        if row["measure"] == "human_correlation_ceiling"
    }
    yield Figure(
        "the noise ceiling of people is printed beside alignment",
        ", ".join(f"{graph} {story} {value:.3f}" for (graph, story), value in ceilings.items()),
        {("collider", "pooled"), ("fork", "pooled")} <= set(ceilings),
    )
    from whybench.suites.calibration import simulate
    from whybench.suites.judge import SUITE
    from whybench.suites.judge.measures import judge_measures
    from whybench.suites.judge.published import people_records

    people = {m.name: m for m in judge_measures(people_records("fork"))}
    design = SUITE.designs["fork"]
    agent = simulate(SUITE, design, list(SUITE.items(design)), SUITE.agent("noisy-or"), {})
    reference = {m.name: m for m in agent}
    wanted = ("markov_violation", "prior", "leak", "strength", "heldout_r2", "heldout_class_r2")
    yield Figure(
        "fork: people are fitted and compared with a reference agent",
        "people "
        + ", ".join(f"{name} {_stated(people[name])}" for name in wanted)
        + "; noisy-or "
        + ", ".join(f"{name} {_stated(reference[name])}" for name in wanted),
        (people["markov_violation"].low or 0) > 0
        and abs(reference["markov_violation"].estimate or 0) < 1e-12,
    )


def _stated(measure: Any) -> str:
    ends = "" if measure.low is None else f" [{measure.low:.3f}, {measure.high:.3f}]"
    return f"{measure.estimate:.3f}{ends}"


def calibration(small: bool) -> Iterator[Figure]:
    """Yield the calibration of every measure with an agent of known value."""
    from evidence.calibration import calibrated
    from whybench.suites.judge import SUITE

    if small:
        yield from calibrated(SUITE, SUITE.designs["core"], 20, small)
        return
    yield from calibrated(SUITE, SUITE.designs["core"], 200, small)
    for design in ("fork", "chain"):
        yield from calibrated(SUITE, SUITE.designs[design], 1000, small)


def consistency(small: bool) -> Iterator[Figure]:
    """Yield how often intervals of consistency cover what so many answers show on average."""
    from statistics import fmean

    from whybench.records.table import record_table
    from whybench.suites.calibration import simulate_rows
    from whybench.suites.judge import SUITE
    from whybench.suites.judge.fitted_models import fit_agents

    design = SUITE.designs["core"]
    items = list(SUITE.items(design))
    seeds = 40 if small else 400
    shares = {}
    for name, settings in (("noisy-or", {"noise": 0.3}), ("associative", {"noise": 0.3})):
        rows = [
            row
            for seed in range(seeds)
            for row in simulate_rows(
                SUITE, design, items, SUITE.agent(name), {**settings, "seed": seed}, str(seed), {}
            )
        ]
        models = fit_agents(record_table(rows, SUITE.columns), resamples=0)
        for kind in ("heldout_r2", "heldout_class_r2"):
            found = [getattr(model, kind) for model in models]
            shown = fmean(estimate.estimate for estimate in found)
            covered = fmean(estimate.low <= shown <= estimate.high for estimate in found)
            shares[f"{name} {kind} (mean {shown:.3f})"] = covered
    low, high = (0.8, 1.0) if small else (0.9, 0.99)
    yield Figure(
        f"over {seeds} seeds intervals of consistency cover the mean shown in {low:.0%} to "
        f"{high:.0%}",
        "; ".join(f"{name} {share:.1%}" for name, share in shares.items()),
        all(low <= share <= high for share in shares.values()),
    )


def real(small: bool) -> Iterator[Figure]:
    """Yield the style of a real model: every question about three stories under one polarity."""
    from evidence.model_server import real_answers
    from whybench.records.table import record_table
    from whybench.suites.judge import SUITE

    count = 6 if small else 60
    rows, calls = real_answers("judge", ["-T", "polarity=ppp"], count, 48)
    outcomes = Counter(f"{row['outcome']} {row['reason']}".strip() for row in rows)
    answers = Counter(row["value"] for row in rows if row["value"] is not None).most_common(3)
    measures = SUITE.measures(record_table(rows, SUITE.columns))
    told = [f"{one.name} {_stated(one)}" for one in measures if one.estimate is not None]
    yield Figure(
        f"{count} items are asked of a real model, and recorded without an error",
        f"{dict(outcomes)} in {calls} calls; said most: "
        f"{', '.join(f'{value:g} ({times} x)' for value, times in answers)}; {'; '.join(told)}",
        len(rows) == count and all(row["outcome"] != "error" for row in rows),
    )


PARTS: Parts = {
    "replication": replication,
    "beyond": beyond,
    "calibration": calibration,
    "heldout_r2": consistency,
    "statistics": statistics.figures,
    "fits": fits.figures,
    **POWER_PARTS,
    "real-answers": real,
}

figures = partial(figures_of, PARTS)
