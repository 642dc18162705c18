"""What we claim of the fits: their optimum, their speed, the printed tables, and coverage.

Each function takes its size and returns a small record; `figures` gathers them for the command
line, and the tests call the same functions on less. Checks are independent of what they
check: the collider's answers are written out by hand here, optima are sought by SciPy from a dense
grid, and the published answers have a reader of their own.

The published data are not part of the project. Functions that need them take the folder of the
mirror (WHYBENCH_DATA_MIRROR) and the file of the printed tables, cbn_fits_b19_b25.csv (in the
folder WHYBENCH_PUBLISHED_TABLES).
"""

from __future__ import annotations

import csv
import hashlib
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import least_squares

from evidence.figures import Figure, Parts, figures_of
from whybench.fits import (
    COLLIDER_3,
    COLLIDER_4,
    Judgments,
    Predictor,
    Scheme,
    TaskQuestion,
    TaskTable,
    bootstrap_intervals,
    choose_scheme,
    cross_validate,
    fit,
)
from whybench.fits.search import STARTS, Grid, search
from whybench.scm import Graph
from whybench.seeds import generator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SCHEMES = (COLLIDER_3, COLLIDER_4)
COLLIDER = Graph(("C1", "C2", "E"), (("C1", "E"), ("C2", "E")))

LETTERS = {
    "I": ("i", "E", {"C1": 0, "C2": 0}),
    "II": ("j", "E", {"C1": 0, "C2": 1}),
    "III": ("k", "E", {"C1": 1, "C2": 1}),
    "IV": ("d", "C1", {"C2": 1}),
    "V": ("e", "C1", {"C2": 0}),
    "VI": ("a", "C1", {"E": 1, "C2": 1}),
    "VII": ("b", "C1", {"E": 1}),
    "VIII": ("c", "C1", {"E": 1, "C2": 0}),
    "IX": ("f", "C1", {"E": 0, "C2": 1}),
    "X": ("g", "C1", {"E": 0}),
    "XI": ("h", "C1", {"E": 0, "C2": 0}),
}
"""Task to its letter in the data, the node asked, and what is given, for the first cause."""

ONE_VERSION = ("I", "III")
VIGNETTES = 12

TASKS = TaskTable(
    COLLIDER,
    tuple(
        TaskQuestion(task, asked, tuple(given.items()))
        for task, (_, asked, given) in LETTERS.items()
    ),
)
"""The published convention: 11 tasks, each pooling its two versions, predicted as the first."""


def _versions() -> Iterator[TaskQuestion]:
    other = {"C1": "C2", "C2": "C1"}
    for task, (_, asked, given) in LETTERS.items():
        yield TaskQuestion(f"{task}/1", asked, tuple(given.items()), task)
        if task not in ONE_VERSION:
            mirrored = tuple((other.get(node, node), value) for node, value in given.items())
            yield TaskQuestion(f"{task}/2", other.get(asked, asked), mirrored, task)


QUESTIONS = TaskTable(COLLIDER, tuple(_versions()))
"""All 20 questions, the two versions of a task apart."""


# What a fit costs, and whether it is the best one.


@dataclass(frozen=True)
class Speed:
    """CPU seconds of our fits, and of SciPy's least_squares if it took part in the same run."""

    claim: str
    count: int
    seconds: float
    scipy_count: int = 0
    scipy_seconds: float = 0.0
    largest_excess: float = 0.0

    @property
    def per_second(self) -> float:
        """Fits per CPU-second."""
        return self.count / self.seconds

    @property
    def ratio(self) -> float:
        """How many times SciPy's number that is."""
        return self.per_second * self.scipy_seconds / self.scipy_count


@dataclass(frozen=True)
class Optimum:
    """How far our losses were above those of a dense grid with polish, over random problems."""

    scheme: str
    problems: int
    largest_excess: float
    misses: int


def speed(
    scheme: Scheme, problems: int = 100_000, one_by_one: int = 100, starts: int = STARTS
) -> Speed:
    """Fit a batch, and some of its problems one by one by SciPy, from the same starts.

    Both get the same question means and the same starts; SciPy gets the collider's answers and
    their Jacobian in closed form, and its default tolerances, and follows every start to its end,
    while we find starts and drop those that meet. Its turns lie before and after ours, so that a
    busy machine hits both.
    """
    predictor = Predictor(TASKS, scheme)
    counts, means = _simulated_means(scheme, problems, "speed")
    weight, mean = predictor.pool(counts[:one_by_one], means[:one_by_one])
    begin = Grid(predictor).choose_starts(weight, mean, starts)
    half = one_by_one // 2
    search(predictor, counts[:one_by_one], means[:one_by_one])
    first = process_time()
    losses = [_scipy_loss(scheme, counts[k], means[k], begin[:, :, k]) for k in range(half)]
    second = process_time()
    found = search(predictor, counts, means, starts)
    third = process_time()
    losses += [
        _scipy_loss(scheme, counts[k], means[k], begin[:, :, k]) for k in range(half, one_by_one)
    ]
    fourth = process_time()
    ours = _losses(scheme, counts, means, found.theta)[:one_by_one]
    return Speed(
        f"fits of {scheme.name} in a batch",
        problems,
        third - second,
        one_by_one,
        (second - first) + (fourth - third),
        float(np.max(ours - np.array(losses))),
    )


def global_optimum(
    scheme: Scheme, problems: int = 200, levels: int = 0, polished: int = 12
) -> Optimum:
    """Compare with the best of a dense grid, its best points polished, on uniform random means.

    Args:
        scheme: The model.
        problems: How many random problems.
        levels: Grid levels of each parameter; 64 for three parameters and 28 for four if not said.
        polished: How many grid points, apart from each other, SciPy descends from.
    """
    rng = generator("evidence", "fits", "optimum", scheme.name)
    counts = rng.integers(5, 40, (problems, len(TASKS))).astype(np.float64)
    means = rng.uniform(0, 1, counts.shape)
    ours = _losses(scheme, counts, means, search(Predictor(TASKS, scheme), counts, means).theta)
    size = len(scheme.parameters)
    per_axis = levels or (64 if size == 3 else 28)
    ends = np.geomspace(2e-6, 0.05, per_axis // 4)
    axis = np.concatenate([ends, np.linspace(0.07, 0.97, per_axis - len(ends) - 2), [0.99, 0.999]])
    grid = np.stack(np.meshgrid(*[axis] * size, indexing="ij")).reshape(size, -1)
    answers = _collider_answers(*_four(scheme, grid))
    squares = answers**2
    excess = []
    for k in range(problems):
        share = counts[k] / counts[k].sum()
        surface = share @ squares - 2 * (share * means[k]) @ answers
        seeds = _apart(grid, surface, polished)
        excess.append(ours[k] - _scipy_loss(scheme, counts[k], means[k], seeds, tight=True))
    return Optimum(scheme.name, problems, float(max(excess)), int(np.sum(np.array(excess) > 1e-7)))


def _apart(grid: Floats, surface: Floats, wanted: int) -> Floats:
    """Return grid points of low loss, none within 0.1 of another unless both are in a corner."""
    order = np.argpartition(surface, min(4000, surface.size - 1))[:4000]
    order = order[np.argsort(surface[order])]
    stretched = np.log(grid[:, order] + 1e-3) - np.log(1.001 - grid[:, order])
    chosen: list[int] = []
    for place in range(len(order)):
        gaps = [np.abs(stretched[:, place] - stretched[:, other]).max() for other in chosen]
        if min(gaps, default=9.0) > 0.7:
            chosen.append(place)
        if len(chosen) == wanted:
            break
    return grid[:, order[chosen]]


def _four(scheme: Scheme, theta: Floats) -> tuple[Floats, ...]:
    """Return p, b, m1, m2 of either scheme."""
    p, b, m1 = theta[:3]
    return p, b, m1, m1 if len(scheme.parameters) == 3 else theta[3]


def _collider_answers(p: Floats, b: Floats, m1: Floats, m2: Floats) -> Floats:
    """Return the answers to the 11 tasks, in closed form."""
    q, u, v, w = 1 - p, 1 - b, 1 - m1, 1 - m2
    one, two, both = 1 - u * v, 1 - u * w, 1 - u * v * w
    vii = p * (q * one + p * both), q * (q * b + p * two)
    absent = p * v / (p * v + q)
    return np.stack(
        [
            b + 0 * p,
            two + 0 * p,
            both + 0 * p,
            p,
            p,
            p * both / (p * both + q * two),
            vii[0] / (vii[0] + vii[1]),
            p * one / (p * one + q * b),
            absent,
            absent,
            absent,
        ]
    )


def _collider_slopes(p: float, b: float, m1: float, m2: float) -> Floats:
    """Return the derivatives of the 11 answers by p, b, m1 and m2, in closed form."""
    q, u, v, w = 1 - p, 1 - b, 1 - m1, 1 - m2
    one, two, both = 1 - u * v, 1 - u * w, 1 - u * v * w
    d_one, d_two, d_both, d_p, d_b = np.array(
        [(0, v, u, 0), (0, w, 0, u), (0, v * w, u * w, u * v), (1, 0, 0, 0), (0, 1, 0, 0)]
    )
    slopes = np.zeros((11, 4))
    slopes[0], slopes[1], slopes[2], slopes[3], slopes[4] = d_b, d_two, d_both, d_p, d_p
    inner, outer = q * one + p * both, q * b + p * two
    # Of A / (A + B): A, B and their derivatives; the products with p and q = 1 - p are spelt out.
    quotients = (
        (5, p * both, q * two, p * d_both + both * d_p, q * d_two - two * d_p),
        (7, p * one, q * b, p * d_one + one * d_p, q * d_b - b * d_p),
        (
            6,
            p * inner,
            q * outer,
            p * (q * d_one + p * d_both) + (inner + p * (both - one)) * d_p,
            q * (q * d_b + p * d_two) + (q * (two - b) - outer) * d_p,
        ),
    )
    for task, a, c, d_a, d_c in quotients:
        slopes[task] = (d_a * c - a * d_c) / (a + c) ** 2
    below = (p * v + q) ** 2
    slopes[8:] = (v / below, 0, -p * q / below, 0)
    return slopes


def _scipy_loss(
    scheme: Scheme, counts: Floats, means: Floats, starts: Floats, tight: bool = False
) -> float:
    """Return the lowest mean square that SciPy reaches from these starts."""
    root = np.sqrt(counts / counts.sum())
    three = len(scheme.parameters) == 3

    def residuals(theta: Floats) -> Floats:
        p, b, m1 = theta[:3]
        return np.asarray(root * (_collider_answers(p, b, m1, m1 if three else theta[3]) - means))

    def jacobian(theta: Floats) -> Floats:
        p, b, m1 = theta[:3]
        slopes = _collider_slopes(p, b, m1, m1 if three else theta[3])
        if three:
            slopes[:, 2] += slopes[:, 3]
        return np.asarray(root[:, None] * slopes[:, : len(theta)])

    tolerance = 1e-15 if tight else 1e-8
    ends = [
        least_squares(
            residuals,
            start,
            jac=jacobian,
            bounds=(1e-6, 1 - 1e-6),
            ftol=tolerance,
            xtol=tolerance,
            gtol=tolerance,
            x_scale="jac" if tight else 1.0,
        ).cost
        for start in np.clip(starts, 1.1e-6, 1 - 1.1e-6).T
    ]
    return 2 * float(min(ends))


def _losses(scheme: Scheme, counts: Floats, means: Floats, theta: Floats) -> Floats:
    answers = _collider_answers(*_four(scheme, theta)).T
    return np.asarray((counts * (answers - means) ** 2).sum(axis=1) / counts.sum(axis=1))


# The same bits in every process.


def fingerprint(problems: int = 200) -> str:
    """Return a digest of fits, validations and intervals of simulated agents."""
    data = _simulated_rows(QUESTIONS, COLLIDER_4, problems, "bits", clustered=True)[1]
    digest = hashlib.sha256()
    for scheme in SCHEMES:
        fits = fit(QUESTIONS, scheme, data)
        left_out = cross_validate(QUESTIONS, scheme, data, "class")
        spans = bootstrap_intervals(QUESTIONS, scheme, data.select(range(4)), resamples=200)
        for array in (fits.parameters, fits.loss, left_out.predictions):
            digest.update(np.ascontiguousarray(array).tobytes())
        digest.update(repr([list(found.values()) for found in spans]).encode())
    return digest.hexdigest()


def same_bits(problems: int = 200) -> bool:
    """Whether two new processes find the same to the last bit."""
    code = f"from evidence.fits import fingerprint; print(fingerprint({problems}))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=Path(__file__).parents[1],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    return len(found) == 1


# Agents whose parameters are known.


@dataclass(frozen=True)
class Coverage:
    """How often intervals held the true value, by parameter."""

    scheme: str
    resampled: str
    agents: int
    level: float
    covered: dict[str, float]
    seconds: float


def recovery(
    scheme: Scheme = COLLIDER_3,
    agents: int = 1000,
    resamples: int = 1000,
    clustered: bool = False,
    level: float = 0.95,
) -> Coverage:
    """Measure the coverage of intervals for noisy-OR agents with 240 answers each.

    Agents have b in [.05, .4], strengths in [.4, .95] and p in [.2, .8], uniformly, and answer
    each of the 20 questions about 12 vignettes once, with mean-preserving Beta noise of variance
    noise²·f·(1 - f) about the prediction f, noise in [.2, .4]. The scheme with four parameters
    sees the two versions of a task apart, that with three sees them pooled.
    """
    table = TASKS if len(scheme.parameters) == 3 else QUESTIONS
    truth, data = _simulated_rows(table, scheme, agents, "recovery", clustered)
    start = process_time()
    spans = bootstrap_intervals(table, scheme, data, resamples=resamples, level=level)
    seconds = process_time() - start
    true = dict(zip(scheme.parameters, truth, strict=True))
    for name, combination in scheme.derived.items():
        true[name] = np.sum([c * true[p] for p, c in combination.items()], axis=0)
    covered = {
        name: float(
            np.mean(
                [
                    found[name].low <= value <= found[name].high
                    for found, value in zip(spans, values, strict=True)
                ]
            )
        )
        for name, values in true.items()
    }
    units = "vignettes" if clustered else "rows within questions"
    return Coverage(scheme.name, units, agents, level, covered, seconds)


def _agents(
    table: TaskTable, scheme: Scheme, agents: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Draw parameters and noise; return them with the predictions (agents, questions)."""
    ranges = {"p": (0.2, 0.8), "b": (0.05, 0.4)}
    truth = np.stack(
        [rng.uniform(*ranges.get(name, (0.4, 0.95)), agents) for name in scheme.parameters]
    )
    return truth, rng.uniform(0.2, 0.4, agents), Predictor(table, scheme).predict(truth).T


def _noisy(rng: np.random.Generator, mean: Floats, noise: Floats) -> Floats:
    spread = 1 / noise**2 - 1
    return rng.beta(mean * spread, (1 - mean) * spread)


def _repeats(table: TaskTable) -> NDArray[np.intp]:
    """Return for each of the 20 questions of a vignette its place in the table."""
    twice = len(table) == len(TASKS)
    return np.array(
        [
            place
            for place, question in enumerate(table.questions)
            for _ in range(2 if twice and question.task not in ONE_VERSION else 1)
        ]
    )


def _simulated_rows(
    table: TaskTable, scheme: Scheme, agents: int, key: str, clustered: bool
) -> tuple[Floats, Judgments]:
    rng = generator("evidence", "fits", key, scheme.name)
    truth, noise, answers = _agents(table, scheme, agents, rng)
    asked = np.tile(_repeats(table), VIGNETTES)
    values = _noisy(rng, answers[:, asked], noise[:, None])
    vignette = np.repeat(np.arange(VIGNETTES), asked.size // VIGNETTES)
    names = np.array(table.names)
    data = Judgments.from_rows(
        table,
        values.ravel(),
        np.tile(names[asked], agents).tolist(),
        np.repeat([f"agent {k}" for k in range(agents)], asked.size).tolist(),
        np.tile(vignette, agents).tolist() if clustered else None,
    )
    return truth, data


def _simulated_means(scheme: Scheme, problems: int, key: str) -> tuple[Floats, Floats]:
    """Return counts and means of such agents without keeping their rows."""
    rng = generator("evidence", "fits", key, scheme.name)
    _, noise, answers = _agents(TASKS, scheme, problems, rng)
    times = np.bincount(_repeats(TASKS)) * VIGNETTES
    sums = np.zeros(answers.shape)
    for repeat in range(int(times.max())):
        sums += _noisy(rng, answers, noise[:, None]) * (repeat < times)
    return np.tile(times.astype(np.float64), (problems, 1)), sums / times


# The published answers and the printed tables.


@dataclass(frozen=True)
class Reproduction:
    """Agreement with the printed tables, and the measures of people.

    Attributes:
        printed: Printed rows.
        r2_within: Rows whose leave-one-task-out R² is within 0.005, after rounding, of the print.
        same_size: Rows whose number of parameters is that of the print.
        others: Table and agent of all other rows.
        human: EA, MV, leave-one-task-out R², b, m and LAD.
    """

    printed: int
    r2_within: int
    same_size: int
    others: tuple[str, ...]
    human: dict[str, float]


EXPERIMENTS = {
    "rw17_indep_causes": "2_",
    "random_abstract": "1_",
    "rw17_overloaded_e": "1_",
    "abstract_overloaded_lorem_de": "1_",
}
"""Experiment to how the names of its files begin that count."""


def published_judgments(mirror: Path) -> Judgments:
    """Read people (first, as `human`) and models: rows by experiment, category and agent."""
    data = mirror / "causAIign" / "data"
    task = {letter: name for name, (letter, _, _) in LETTERS.items()}
    rows = list(_human_rows(data)) + list(_model_rows(data))
    return Judgments.from_rows(
        TASKS,
        [value / 100 for _, _, value in rows],
        [task[letter] for _, letter, _ in rows],
        [agent for agent, _, _ in rows],
    )


def published_speed(data: Judgments) -> Speed:
    """Fit and validate all agents: two schemes, 11 folds by task and 8 by class."""
    start = process_time()
    folds = 0
    for scheme in SCHEMES:
        fit(TASKS, scheme, data)
        cross_validate(TASKS, scheme, data, "task")
        cross_validate(TASKS, scheme, data, "class")
        folds += 1 + len(TASKS) + Predictor(TASKS, scheme).points
    return Speed("published fits with all folds", folds * len(data), process_time() - start)


def interval_speed(data: Judgments, resamples: int = 2000) -> Speed:
    """Resample the parameters of all agents, both schemes."""
    start = process_time()
    for scheme in SCHEMES:
        bootstrap_intervals(TASKS, scheme, data, resamples=resamples)
    count = len(SCHEMES) * len(data) * resamples
    return Speed("refits for intervals of all published agents", count, process_time() - start)


def reproduction(data: Judgments, tables: Path) -> Reproduction:
    """Compare with the printed tables B.19 to B.25."""
    chosen = choose_scheme([cross_validate(TASKS, scheme, data) for scheme in SCHEMES])
    by_label = {choice.label: choice for choice in chosen}
    size = {scheme.name: len(scheme.parameters) for scheme in SCHEMES}
    within, same, others, printed = 0, 0, [], 0
    with tables.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            printed += 1
            choice = by_label.get(f"{row['exp']}/{row['cat']}/{row['agent']}")
            winner = (choice and choice.winner) or ""
            found = round(choice.r2[winner], 3) if choice else np.nan
            near = bool(abs(found - float(row["loo_r2"])) <= 0.005 + 1e-9)
            equal = size.get(winner) == round(float(row["np"]))
            within, same = within + near, same + equal
            if not (near and equal):
                others.append(f"{row['tab']} {row['agent']}")
    people = fit(TASKS, COLLIDER_3, data)
    mean = dict(zip(TASKS.names, data.means[0], strict=True))
    human = {
        "explaining_away": float(mean["VIII"] - mean["VI"]),
        "markov_violation": float(mean["IV"] - mean["V"]),
        "loocv_r2": by_label["human"].r2[COLLIDER_3.name],
        **{
            name: float(people.estimate(name)[0])
            for name in ("leak", "strength", "leak_adjusted_determinacy")
        },
    }
    return Reproduction(printed, within, same, tuple(others), human)


def _human_rows(data: Path) -> Iterator[tuple[str, str, float]]:
    """Yield the 132 cell means of people, twice each but for the tasks with one version."""
    cells: dict[tuple[str, str, str], list[float]] = {}
    path = data / "raw" / "human" / "rw17" / "rw17_collider_ce.csv"
    with path.open(encoding="utf-8-sig", newline="") as lines:
        for row in csv.DictReader(lines, delimiter=";"):
            key = (row["domain"], row["attr.polarity"], row["letter.type"].lower())
            cells.setdefault(key, []).append(float(row["y"].replace(",", ".")))
    for (_, _, letter), values in cells.items():
        for _ in range(1 if letter in "ik" else 2):
            yield "human", letter, sum(values) / len(values)


def _model_rows(data: Path) -> Iterator[tuple[str, str, float]]:
    """Yield the models' answers that the printed fits rest on."""
    csv.field_size_limit(10**7)
    for experiment, begins in EXPERIMENTS.items():
        for path in sorted((data / "output_llm" / experiment).glob(f"*/{begins}*.csv")):
            category = "CoT" if "_CoT_" in path.name else "numeric"
            if "numeric-conf" in path.name or f"_{category}_" not in path.name:
                continue
            with path.open(encoding="utf-8", newline="") as lines:
                for row in csv.DictReader(lines, delimiter=";"):
                    value = _likelihood(row["response"] or "")
                    if value is not None and float(row.get("temperature") or 0) != 0.7:
                        agent = _agent(path.parent.name, row)
                        yield f"{experiment}/{category}/{agent}", row["task"], value


def _agent(folder: str, row: dict[str, str]) -> str:
    if folder.startswith("gpt-5"):
        return f"{folder}-v_{row['verbosity']}-r_{row['reasoning_effort']}"
    return "claude-3-opus" if folder == "claude-3-opus-20240229" else folder


def _likelihood(text: str) -> float | None:
    """Read an answer: a tagged likelihood, or a whole number in a short text."""
    if "error" in text.lower():
        return None
    tagged = re.search(r"<response>(.*?)</response>", text, re.DOTALL)
    if tagged:
        found = re.search(r"<likelihood>\s*([\d.]+)", tagged[1])
    else:
        found = re.search(r"(?<![\d.])(100|\d{1,2})(?![\d.])", text) if len(text) <= 50 else None
    value = float(found[1]) if found else -1.0
    return value if 0 <= value <= 100 else None


# All of it, as figures.


def _speed_figures(small: bool) -> Iterator[Figure]:
    size, bound = (10_000, 50) if small else (100_000, 100)
    for scheme in SCHEMES:
        best = speed(scheme, size, 10 if small else 100)
        single = speed(scheme, size, 10 if small else 100, starts=1)
        yield Figure(
            f"{scheme.name}: a batch of {size:,} at least {bound} x SciPy's least_squares one by "
            "one",
            f"{best.ratio:,.0f} x from {STARTS} starts each ({best.per_second:,.0f} fits per "
            f"CPU-second), {single.ratio:,.0f} x from 1",
            best.ratio >= bound,
            timed=True,
        )
        yield Figure(
            f"{scheme.name}: no loss above that of SciPy's least_squares by more than 1e-9",
            f"largest excess {best.largest_excess:.1e}",
            best.largest_excess <= 1e-9,
        )


def _optimum_figures(small: bool) -> Iterator[Figure]:
    for scheme in SCHEMES:
        found = global_optimum(scheme, 12, 20, 4) if small else global_optimum(scheme)
        yield Figure(
            f"{scheme.name}: no loss above a dense grid with polish by more than 1e-7",
            f"{found.misses} of {found.problems} random problems, largest excess "
            f"{found.largest_excess:.1e}",
            found.misses == 0 and found.largest_excess < 1e-7,
        )


def _bits_figures(small: bool) -> Iterator[Figure]:
    problems = 40 if small else 200
    equal = same_bits(problems)
    yield Figure("two processes find the same bits", f"{equal}, {problems} agents", equal)


def _coverage_figures(small: bool) -> Iterator[Figure]:
    # With two standard errors of 200 agents; nearly all must not cover.
    agents, low, high = (200, 0.89, 0.995) if small else (1000, 0.92, 0.97)
    for scheme, clustered in product(SCHEMES[:1] if small else SCHEMES, (False, True)):
        found = recovery(scheme, agents, 400 if small else 1000, clustered)
        shares = found.covered.values()
        yield Figure(
            f"{scheme.name}: 95% intervals, {found.resampled} resampled, cover {low:.1%} to "
            f"{high:.1%}",
            ", ".join(f"{name} {share:.1%}" for name, share in found.covered.items())
            + f" of {agents} agents",
            min(shares) >= low and max(shares) <= high,
        )


def _published_speed_figures(small: bool) -> Iterator[Figure]:
    mirror = os.environ.get("WHYBENCH_DATA_MIRROR")
    if not mirror:
        return
    data = published_judgments(Path(mirror))
    folds = published_speed(data)
    yield Figure(
        "all published agents, conditions, schemes and folds in at most 5 s CPU",
        f"{folds.count:,} fits in {folds.seconds:.1f} s",
        folds.seconds <= 5,
        timed=True,
    )
    resamples, most = (100, 12) if small else (2000, 120)
    refits = interval_speed(data, resamples)
    yield Figure(
        f"{resamples:,}-resample intervals of all of them in at most {most} s CPU",
        f"{refits.count:,} refits in {refits.seconds:.1f} s",
        refits.seconds <= most,
        timed=True,
    )


def _published_figures(_small: bool) -> Iterator[Figure]:
    mirror = os.environ.get("WHYBENCH_DATA_MIRROR")
    tables = os.environ.get("WHYBENCH_PUBLISHED_TABLES")
    if not (mirror and tables):
        return
    found = reproduction(published_judgments(Path(mirror)), Path(tables) / "cbn_fits_b19_b25.csv")
    yield Figure(
        "printed fits B.19–B.25: R² of 163 and parameters of 162 of 167 rows",
        f"{found.r2_within} and {found.same_size} of {found.printed}; not both: "
        f"{', '.join(found.others)}",
        found.printed == 167 and found.r2_within >= 163 and found.same_size >= 162,
    )
    human = {name: round(value, 4) for name, value in found.human.items()}
    yield Figure(
        "people: EA 0.0995, MV 0.1004, R² 0.9367; b 0.239, m 0.630, LAD 0.391",
        ", ".join(f"{name} {value:.4f}" for name, value in human.items()),
        (human["explaining_away"], human["markov_violation"], human["loocv_r2"])
        == (0.0995, 0.1004, 0.9367)
        and [
            round(found.human[name], 3)
            for name in ("leak", "strength", "leak_adjusted_determinacy")
        ]
        == [0.239, 0.630, 0.391],
    )


PARTS: Parts = {
    "speed": _speed_figures,
    "optimum": _optimum_figures,
    "bits": _bits_figures,
    "coverage": _coverage_figures,
    "published": _published_figures,
    "published time": _published_speed_figures,
}

figures = partial(figures_of, PARTS)
