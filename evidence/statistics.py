"""What we claim of the statistics: speed, coverage, levels, and the source's printed tables.

Each function takes its size and returns a small record; `PARTS` holds what is claimed of them, for
the command line and, on less, for tests. The printed tables are not part of the
project: their folder is named by the environment variable WHYBENCH_PUBLISHED_TABLES.
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from evidence.figures import Figure, Parts, figures_of
from whybench.seeds import generator
from whybench.stats import (
    Jackknifed,
    PairedDifference,
    bootstrap,
    clustered_mean,
    clustered_share,
    difference_between,
    draw_counts,
    kruskal_statistics,
    paired_power,
    permutation_pvalues,
    resampled_difference,
    resampled_spearman,
    spearman,
    split_half,
)
from whybench.stats.paired import IDENTICAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import HypothesisTest

TABLES = "WHYBENCH_PUBLISHED_TABLES"
STYLES = {"numeric": "direct", "CoT": "cot"}
TASK_MEANS = (28, 71, 93, 51, 43, 67, 66, 76, 28, 34, 29)
"""About what people answer to the eleven tasks."""
VERSIONS = (1, 2, 1, 2, 2, 2, 2, 2, 2, 2, 2)


@dataclass(frozen=True)
class Speed:
    """Our time against another's for the same work, and how far the results are apart."""

    seconds: float
    other_seconds: float
    largest_difference: float

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.other_seconds / self.seconds


@dataclass(frozen=True)
class Rate:
    """How often something happened in simulations."""

    hits: int
    simulations: int

    @property
    def share(self) -> float:
        """The share of simulations."""
        return self.hits / self.simulations


@dataclass(frozen=True)
class Agreement:
    """Printed numbers that we reproduce, and those that we do not, by name."""

    compared: int
    misses: tuple[str, ...]


def spearman_speed(
    agents: int = 30, scopes: int = 4, items: int = 80, resamples: int = 2000, looped: int = 600
) -> Speed:
    """Time the bootstrap of rho against a loop over SciPy's spearmanr, in CPU seconds.

    The loop runs on `looped` of the resamples, evenly spread, and its time is scaled up.
    """
    from scipy.stats import spearmanr

    draw = generator("evidence", "spearman speed")
    people = draw.integers(0, 40, (scopes, items))
    noise = draw.normal(0, 20, (scopes, agents, items))
    answers = np.clip(people[:, None] * 2.5 + noise, 0, 100) // 5 * 5

    def ours() -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
        counts = [draw_counts(items, resamples, ("speed", scope)) for scope in range(scopes)]
        return counts, [
            resampled_spearman(answers[scope], people[scope], counts[scope])
            for scope in range(scopes)
        ]

    ours()
    start = process_time()
    counts, found = ours()
    seconds = process_time() - start
    total = agents * scopes * resamples
    places = np.linspace(0, total - 1, min(looped, total)).astype(int)
    largest, start = 0.0, process_time()
    for scope, agent, resample in zip(
        *np.unravel_index(places, (scopes, agents, resamples)), strict=True
    ):
        rows = np.repeat(np.arange(items), counts[scope][resample].astype(int))
        rho = spearmanr(answers[scope, agent][rows], people[scope][rows]).statistic
        largest = max(largest, abs(rho - found[scope][agent, resample]))
    other = (process_time() - start) * total / len(places)
    return Speed(seconds, other, largest)


def _correlate(said: Any, target: Any, counts: Any) -> Any:
    return resampled_spearman(said, target, counts)[0]


def spearman_coverage(
    simulations: int = 2000,
    items: int = 80,
    noise: float = 15.0,
    method: Literal["percentile", "bca"] = "percentile",
    pairs: bool = False,
    resamples: int = 1000,
) -> Rate:
    """Count how often the interval holds the true rho, with answers in steps of 5.

    Items are drawn from a population of 200,000, whose rho is known. With `pairs` there are two
    answers to an item, which share half of the noise's variance, and items are resampled.
    """
    draw = generator("evidence", "coverage", items, noise, pairs)
    people = draw.beta(1.2, 1.0, 200_000) * 100
    shared = draw.normal(0, noise * (0.5**0.5 if pairs else 1), people.size)
    own = draw.normal(0, noise * 0.5**0.5, (2, people.size)) if pairs else np.zeros((1, 1))
    answers = np.clip(np.round((people + shared + own) / 5) * 5, 0, 100)
    true = float(spearman(answers.ravel(), np.tile(people, len(answers))))
    clusters = [str(item) for item in range(items)] * len(answers)
    hits = 0
    for simulation in range(simulations):
        rows = draw.integers(0, people.size, items)
        said, target = answers[:, rows].ravel(), np.tile(people[rows], len(answers))
        found = bootstrap(
            partial(_correlate, said, target),
            said.size,
            ("coverage", simulation),
            clusters=clusters if pairs else None,
            method=method,
            resamples=resamples,
        )
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= true <= found.high
    return Rate(hits, simulations)


def kruskal_level(simulations: int = 10_000, design: bool = False) -> Rate:
    """Count false alarms of Kruskal–Wallis at 5% among three stories that do not differ.

    Without `design`, 3 x 80 independent answers; with it, the 240 answers of the design, in which
    stories share tasks of different means.
    """
    values, stories, _ = _null(simulations, design, "kruskal")
    return Rate(int(np.sum(kruskal_statistics(values, stories)[1] <= 0.05)), simulations)


def permutation_level(
    simulations: int = 4000, shift: float = 0.0, permutations: int = 999
) -> tuple[Rate, Rate]:
    """Count rejections at 5% on the design: of the permutation test, and of Kruskal–Wallis.

    Args:
        simulations: Simulated agents.
        shift: How much higher the answers to the first story are; 0 for the null.
        permutations: Shuffles.
    """
    values, stories, questions = _null(simulations, True, "permutation")
    values = values + shift * (np.array(stories) == stories[0])
    _, permuted = permutation_pvalues(values, stories, questions, ("level",), permutations)
    _, ranked = kruskal_statistics(values, stories)
    return (
        Rate(int(np.sum(permuted <= 0.05)), simulations),
        Rate(int(np.sum(ranked <= 0.05)), simulations),
    )


def _null(
    simulations: int, design: bool, key: str
) -> tuple[NDArray[np.float64], list[str], list[str]]:
    """Draw answers in steps of 5 to three stories alike; with the story and question of each."""
    questions = [
        f"{task}/{version}" for task, times in enumerate(VERSIONS) for version in range(times)
    ]
    means = np.repeat(TASK_MEANS, VERSIONS)
    stories = [story for story in "abc" for _ in range(4 * len(questions))]
    asked = questions * 12
    centre = np.tile(means, 12) if design else np.full(len(asked), 50)
    noise = generator("evidence", "null", key, design).normal(0, 12, (simulations, len(asked)))
    return np.clip(np.round((centre + noise) / 5) * 5, 0, 100), stories, asked


def ceiling_bias(simulations: int = 200, splits: int = 100) -> tuple[float, float]:
    """Return the mean noise ceiling, and the mean rho that the true means really reach.

    In each simulation 48 people, 4 to a vignette, judge 11 tasks of their vignette twice, with
    noise of their own in every answer and a shift of their own in all.
    """
    draw = generator("evidence", "ceiling")
    person, task = np.repeat(np.arange(48), 22), np.tile(np.repeat(np.arange(11), 2), 48)
    vignette = person // 4
    cell = vignette * 11 + task
    ceilings, reached = [], []
    for simulation in range(simulations):
        truth = np.tile(TASK_MEANS, 12) + draw.normal(0, 8, 132)
        noise = draw.normal(0, 20, person.size) + draw.normal(0, 6, 48)[person]
        values = truth[cell] + noise
        found = split_half(
            values, cell.tolist(), person.tolist(), vignette.tolist(), (simulation,), splits
        )
        assert found.ceiling is not None
        ceilings.append(found.ceiling)
        reached.append(float(spearman(np.bincount(cell, values) / np.bincount(cell), truth)))
    return float(np.mean(ceilings)), float(np.mean(reached))


def power_error(simulations: int = 20_000) -> float:
    """Return how far simulated power lies from computed power, at worst of six designs."""
    from scipy.special import stdtrit

    worst = 0.0
    for items, epochs in ((20, 1), (20, 4), (80, 1), (80, 4), (240, 1), (240, 4)):
        draw = generator("evidence", "power", items, epochs)
        difference, within, between = 12 / items**0.5, 15.0, 5.0
        spread = (between**2 + 2 * within**2 / epochs) ** 0.5
        seen = difference + draw.normal(0, spread, (simulations, items))
        t = seen.mean(axis=1) / (seen.std(axis=1, ddof=1) / items**0.5)
        simulated = np.mean(np.abs(t) > stdtrit(items - 1, 0.975))
        computed = paired_power(difference, within, items, epochs, between)
        worst = max(worst, abs(float(simulated) - computed))
    return worst


def contradictions(examples: int = 20_000) -> dict[str, int]:
    """Count the differences whose p-value is below 5% though their interval holds 0, or not.

    Hypothesis draws two sides of 2 to 12 units: values in steps or any, the second side drawn by
    itself, or a constant away from the first; and joint resamples about some mean.
    """
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st

    def contradict(shift: PairedDifference) -> bool:
        low, high, p = shift.estimate.low, shift.estimate.high, shift.p
        if low is None or high is None or p is None:
            return p != 1.0 or IDENTICAL not in shift.estimate.flags
        return (p < 0.05) != (low > 0 or high < 0)

    found = {"between": 0, "resampled": 0}
    value = st.one_of(st.integers(-2, 2).map(float), st.floats(-5, 5), st.sampled_from([0.1, 0.7]))

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data(), st.integers(2, 12), st.integers(0, 2**32 - 1))
    def law(data: st.DataObject, units: int, seed: int) -> None:
        values = st.lists(value, min_size=units, max_size=units)
        first = np.array(data.draw(values))
        constant = data.draw(st.booleans())
        second = first + data.draw(value) if constant else np.array(data.draw(values))
        shares = data.draw(st.booleans()) and not constant
        between = difference_between(_side(first, shares), _side(second, shares))
        draw = np.random.default_rng(seed)
        resamples = int(draw.integers(2, 2500))
        moved = np.round(draw.normal(draw.uniform(-3, 3), 1, resamples), int(draw.integers(0, 4)))
        resampled = resampled_difference(0.0, 0.0, (np.zeros(resamples), moved), units, units)
        for name, shift in zip(found, (between, resampled), strict=True):
            found[name] += contradict(shift)

    law()
    return found


def _side(values: NDArray[np.float64], shares: bool) -> Jackknifed:
    """Return the mean of units' values with what it would be without each, or a share likewise."""
    units = np.arange(values.size)
    used = (values > 0).astype(float) if shares else values
    estimate = (clustered_share if shares else clustered_mean)(used, units)
    return Jackknifed(estimate, {int(u): float(used[units != u].mean()) for u in units})


def printed_alignment(folder: Path, scope: Literal["pooled", "story"]) -> Agreement:
    """Compare rho with the tables B.15 and B.16, within 0.0005."""
    from whybench.suites.judge.human_correlation import human_correlations

    measures = human_correlations(_published("core"), unit="row", resamples=2)
    found = {
        (m.labels["style"], m.labels["agent"], m.at.get("story", "pooled")): m for m in measures
    }
    compared, misses = 0, []
    for row in _printed(folder / "alignment_b15_b16.csv"):
        if (row["domain"] == "pooled") == (scope == "pooled"):
            compared += 1
            measure = found.get((STYLES[row["cat"]], row["agent"], row["domain"]))
            rho = None if measure is None else measure.estimate
            if rho is None or abs(rho - float(row["rho"])) > 0.0005 + 1e-9:
                misses.append(f"{row['tab']} {row['agent']} {row['domain']}: {rho}")
    return Agreement(compared, tuple(misses))


def printed_story_differences(folder: Path, table: Literal["4.1", "B"]) -> Agreement:
    """Compare Kruskal–Wallis across stories with table 4.1 or B.3–B.14: H, p, n or k, BH."""
    from whybench.suites.judge.differences import story_differences
    from whybench_papers.dettki2025.replies import CONDITIONS

    found: dict[tuple[str, str, str], HypothesisTest] = {}
    for design, experiment in CONDITIONS.items():
        if (design == "core") == (table == "4.1"):
            for difference in story_differences(_published(design)):
                labels = difference.labels
                found[experiment, labels["style"], labels["agent"]] = difference.test
    name, digits = ("4_1", (4, 4, 4)) if table == "4.1" else ("b", (2, 3, 3))
    compared, misses = 0, []
    for row in _printed(folder / f"kruskal_wallis_{name}.csv"):
        compared += 1
        experiment = row.get("exp", CONDITIONS["core"])
        finding = found.get((experiment, STYLES[row.get("cat", "numeric")], row["agent"]))
        if finding is None or not _equal(finding, row, digits):
            misses.append(f"{row.get('tab', table)} {row['agent']}: {finding}")
    return Agreement(compared, tuple(misses))


def _equal(finding: HypothesisTest, row: dict[str, str], digits: tuple[int, int, int]) -> bool:
    """Say whether a finding is what a row prints, each number to the digits printed."""
    numbers = (finding.statistic, finding.p, finding.adjusted)
    return (
        all(
            number is not None and abs(number - float(row[column])) <= 0.5 * 10**-digit + 1e-9
            for number, column, digit in zip(numbers, ("H", "p", "pfdr"), digits, strict=True)
        )
        and finding.groups == float(row["k"])
        and finding.n == float(row.get("n", finding.n))
    )


@cache
def _published(design: str) -> pa.Table:
    """Return the models' replies, read by the recipe, and the mean person, under printed names."""
    import pyarrow as pa

    from whybench.suites.judge.published import mean_records
    from whybench_papers.dettki2025.replies import printed_name, published_records

    records = published_records(design).drop_columns(["confidence"])
    if design == "core":
        people = mean_records().select(records.column_names)
        records = pa.concat_tables([records, people])
    names = pa.array([printed_name(agent) for agent in records["agent"].to_pylist()])
    return records.set_column(records.column_names.index("agent"), "agent", names)


def _printed(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


def _speed_figures(small: bool) -> Iterator[Figure]:
    speed = spearman_speed(10, 2, looped=120) if small else spearman_speed(looped=2000)
    bound = 60 if small else 200
    yield Figure(
        "Spearman bootstrap is equal to a SciPy loop to 1e-12",
        f"largest difference {speed.largest_difference:.1e}",
        speed.largest_difference <= 1e-12,
    )
    yield Figure(
        f"Spearman bootstrap is at least {bound} x as fast as a SciPy loop",
        f"{speed.ratio:.0f} x ({speed.seconds:.2f} s and {speed.other_seconds:.0f} s CPU)",
        speed.ratio >= bound,
        timed=True,
    )


def _coverage_figures(small: bool) -> Iterator[Figure]:
    simulations, resamples = (200, 300) if small else (2000, 1000)
    # With three standard errors of 200 simulations; nearly all must not cover.
    low, high = (0.862, 0.995) if small else (0.92, 0.97)
    for pairs in (False, True):
        for noise in (15.0,) if small else (15.0, 40.0):
            for method in ("percentile", "bca"):
                rate = spearman_coverage(
                    simulations, noise=noise, method=method, pairs=pairs, resamples=resamples
                )
                yield Figure(
                    f"95% {method} intervals of rho cover {low:.1%} to {high:.1%}, noise "
                    f"{noise:g}, {'pairs of answers' if pairs else '80 items'}",
                    f"{rate.share:.1%} of {simulations}",
                    low <= rate.share <= high,
                )


def _level_figures(small: bool) -> Iterator[Figure]:
    # At either size, three standard errors of the simulations about 5%.
    size, low, high = (3000, 0.038, 0.062) if small else (10_000, 0.044, 0.056)
    level = kruskal_level(size).share
    yield Figure(
        f"Kruskal–Wallis holds {low:.1%} to {high:.1%} on independent answers",
        f"{level:.2%} of {size}",
        low <= level <= high,
    )
    size, low, high = (2000, 0.035, 0.065) if small else (10_000, 0.04, 0.06)
    permutations = 499 if small else 999
    permuted, ranked = permutation_level(size, permutations=permutations)
    yield Figure(
        f"the permutation test holds {low:.1%} to {high:.1%} on the design",
        f"{permuted.share:.2%} of {size}",
        low <= permuted.share <= high,
    )
    yield Figure(
        "Kruskal–Wallis holds at most 5% on the design",
        f"{ranked.share:.2%} of {size}",
        ranked.share <= 0.05,
    )
    permuted, ranked = permutation_level(300 if small else 1000, 6.0, permutations)
    yield Figure(
        "a story 6 points higher is found in nine of ten by the permutation test, and in less than "
        "half by Kruskal–Wallis",
        f"{permuted.share:.0%} against {ranked.share:.0%}",
        permuted.share > 0.9 and ranked.share < 0.5,
    )


def _model_figures(small: bool) -> Iterator[Figure]:
    ceiling, reached = ceiling_bias(40, 40) if small else ceiling_bias(400)
    yield Figure(
        "the noise ceiling is what the true means reach, within 0.02",
        f"{ceiling:.3f} and {reached:.3f}",
        abs(ceiling - reached) <= 0.02,
    )
    error = power_error(2000 if small else 20_000)
    bound = 0.04 if small else 0.015
    yield Figure(
        f"computed power is simulated power within {bound}", f"{error:.4f}", error <= bound
    )


def _agreement_figures(small: bool) -> Iterator[Figure]:
    examples = 2000 if small else 20_000
    found = contradictions(examples)
    yield Figure(
        "p-values of differences are below 5% just where intervals leave out 0",
        f"{sum(found.values())} contradictions in {examples:,} cases: "
        + ", ".join(f"{name} {count}" for name, count in found.items()),
        not any(found.values()),
    )


def _printed_figures(_small: bool) -> Iterator[Figure]:
    folder = os.environ.get(TABLES)
    if not folder:
        yield Figure(f"printed tables: {TABLES} is not set", "nothing compared", True)
        return
    path = Path(folder)
    differences = partial(printed_story_differences, path)
    for claim, printed, agreement in (
        ("B.15, B.16: 55 pooled rho within 0.0005", 55, printed_alignment(path, "pooled")),
        ("B.15, B.16: 163 rho per story within 0.0005", 163, printed_alignment(path, "story")),
        ("4.1: 30 Kruskal–Wallis tests: H, p, n, BH", 30, differences("4.1")),
        ("B.3–B.14: 118 Kruskal–Wallis tests: H, p, k, BH", 118, differences("B")),
    ):
        hits = agreement.compared - len(agreement.misses)
        missed = "".join(f"\n       {miss}" for miss in agreement.misses)
        yield Figure(claim, f"{hits}/{agreement.compared}{missed}", hits == printed and not missed)


PARTS: Parts = {
    "speed": _speed_figures,
    "coverage": _coverage_figures,
    "levels": _level_figures,
    "ceiling and power": _model_figures,
    "p-values and intervals": _agreement_figures,
    "printed tables": _printed_figures,
}

figures = partial(figures_of, PARTS)
