"""Does coherence measure? Agents that are coherent or blind by construction, and those published.

`python -m evidence validity` prints these figures beside those of the other headlines.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations, product
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evidence.figures import Figure, Parts
from whybench.outcomes import CRASHED
from whybench.records.table import record_table
from whybench.stats import difference_between
from whybench.suites.calibration import simulate_rows
from whybench.suites.judge import SUITE
from whybench.suites.judge.coherence import ASKED, GIVEN, imply, measure_coherence
from whybench.suites.judge.groups import group_every_answer
from whybench.suites.judge.paired import judge_pairs
from whybench.suites.judge.published import people_records
from whybench.suites.laws import RATES, judge_lapses
from whybench.suites.pairs import stack_sides
from whybench_papers.dettki2025.replies import published_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from whybench.suites.judge.coherence import Coherence

TASKS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI")

CAUSES = ("C1", "C2", "both")

SIX_NUMBERS = {
    "set by hand": (0.1, 0.7, 0.9, 0.5, 0.5, *[0.75] * 3, *[0.2] * 3),
    "0, 50 or 100": (0.0, 1.0, 1.0, 0.5, 0.5, *[1.0] * 3, *[0.0] * 3),
}
"""Two tables of six numbers that cannot explain away, which align with people well."""


def _noisy_or(b: float, m1: float, m2: float) -> tuple[float, ...]:
    none, second, first = b, 1 - (1 - b) * (1 - m2), 1 - (1 - b) * (1 - m1)
    return none, second, first, 1 - (1 - b) * (1 - m1) * (1 - m2)


NORMATIVE = (
    *(("noisy-OR", _noisy_or(b, m, m), p) for b, m, p in ((0.1, 0.8, 0.5), (0.05, 0.9, 0.3))),
    *(("noisy-OR", _noisy_or(b, m, m), p) for b, m, p in ((0.02, 0.7, 0.2), (0.2, 0.8, 0.3))),
    *(("unequal", _noisy_or(0.1, *m), p) for m, p in (((0.9, 0.5), 0.5), ((0.6, 0.95), 0.4))),
    *(("AND", (low, low, low, top), p) for low, top, p in ((0.05, 0.9, 0.5), (0.1, 0.8, 0.6))),
    *(("AND", (low, low, low, top), p) for low, top, p in ((0.02, 0.95, 0.4),)),
    *(("free", table, 0.5) for table in ((0.1, 0.9, 0.6, 0.7), (0.3, 0.4, 0.9, 0.35))),
    ("free", (0.05, 0.5, 0.8, 0.6), 0.4),
)
"""Kind, the effect's chance given neither, the second, the first and both causes, and the prior."""


FEW_STEPS: tuple[tuple[float, float], ...] = ((0.02, 0.5),)
STEPS = ((0.0, 0.05), (0.05, 0.1), (0.1, 0.2), (0.2, 0.35))
"""Rates of lapses between which coherence must fall."""


def _core() -> tuple[Any, list[Any]]:
    design = SUITE.make_design({"design": "core"})
    return design, list(SUITE.items(design))


def _answers(agent: str, settings: Mapping[str, Any], core: tuple[Any, list[Any]]) -> list[Any]:
    design, items = core
    return list(simulate_rows(SUITE, design, items, SUITE.agent(agent), settings, agent, {}))


def _measure(rows: Sequence[Mapping[str, Any]]) -> Coherence:
    (group,) = group_every_answer(record_table(rows, SUITE.record_columns))
    return measure_coherence(group)


def _saying(rows: Sequence[Mapping[str, Any]], said: Mapping[tuple[str, str], float]) -> Coherence:
    """Return the coherence of an agent that goes by task and cause, in whole numbers."""
    values = (round(100 * said[row["task"], row["cause"]]) for row in rows)
    return _measure([{**row, "value": value} for row, value in zip(rows, values, strict=True)])


def by_construction(small: bool) -> Iterator[Figure]:
    """Yield what agents have that are coherent, blind, or silent by construction."""
    rows = _answers("noisy-or", {}, _core())
    found = {
        name: _saying(rows, {(t, c): x for t, x in zip(TASKS, table, strict=True) for c in CAUSES})
        for name, table in SIX_NUMBERS.items()
    }
    yield Figure(
        "judge: six numbers that ignore the other cause have a coherence of -.8 at most",
        ", ".join(f"{name} {one.coherence.estimate:.3f}" for name, one in found.items()),
        all((one.coherence.estimate or 0) <= -0.8 for one in found.values()),
    )
    values, told = [], []
    for kind, table, p in NORMATIVE:
        given = np.array([[table[0], table[1], table[2], table[3], p, p, p, p]])
        said = dict(zip((*GIVEN, *ASKED), (*given[0], *imply(given)[0]), strict=True))
        one = _saying(rows, said)
        values.append((one.coherence.estimate or 0.0, abs(one.implied.estimate or 0.0)))
        told.append(f"{kind} {values[-1][0]:.3f}")
    yield Figure(
        f"judge: {len(NORMATIVE)} reasoners with beliefs of their own, by noisy-OR, AND and free "
        "tables, with .10 of explaining away implied or more, have .9 or more",
        ", ".join(told),
        all(value >= 0.9 and implied >= 0.1 for value, implied in values),
    )
    silent = [
        {**row, "outcome": "no_answer", "reason": CRASHED, "value": None}
        if (row["task"], row["cause"]) in ASKED
        else row
        for row in rows
    ]
    nothing = _measure([{**row, "outcome": "no_answer", "value": None} for row in rows])
    yield Figure(
        "judge: silence on VI to XI counts as blind, and saying nothing at all is not tested",
        f"{_measure(silent).coherence.estimate}, {nothing.coherence.flags[0]}",
        _measure(silent).coherence.estimate == -1.0 and nothing.coherence.estimate is None,
    )
    seeds = 6 if small else 200
    core = _core()
    lapses = {
        rate: [
            value
            for seed in range(seeds if rate else 1)
            if (value := _lapsed(rate, seed, core)) is not None
        ]
        for rate in RATES
    }
    fall = judge_lapses(lapses)
    yield Figure(
        f"judge: coherence falls with lapses per answer, over {seeds} seeds",
        ", ".join(f"{rate}: {mean:.3f}" for rate, mean in fall.figures.items())
        + "".join(f"; {miss}" for miss in fall.misses),
        # Steps of the law are smaller than what twelve vignettes show, at both ends.
        all(fmean(lapses[a]) > fmean(lapses[b]) for a, b in (FEW_STEPS if small else STEPS)),
    )


def _lapsed(rate: float, seed: int, core: tuple[Any, list[Any]]) -> float | None:
    settings = {"lapse": rate, "seed": seed * len(RATES) + RATES.index(rate)}
    return _measure(_answers("noisy-or", settings, core)).coherence.estimate


def _beta(
    draw: np.random.Generator, means: NDArray[np.float64], noise: float
) -> NDArray[np.float64]:
    inside = np.clip(means, 1e-3, 1 - 1e-3)
    concentration = 1 / noise**2 - 1
    return np.round(draw.beta(inside * concentration, (1 - inside) * concentration), 2)


def coverage(small: bool) -> Iterator[Figure]:
    """Yield how often intervals hold the value, over agents between blind and coherent."""
    runs = 60 if small else 1000
    core = _core()
    rows = _answers("noisy-or", {}, core)
    order = [(row["task"], row["cause"]) for row in rows]
    units = sorted({(row["story"], row["polarity"]) for row in rows})
    place = [units.index((row["story"], row["polarity"])) for row in rows]
    questions = (*GIVEN, *ASKED)
    columns = [questions.index(asked) for asked in order]
    shares, told = [], []
    for spread, noise, way in product((0.0, 0.1), (0.1, 0.3), (0.0, 0.5, 1.0)):
        draw = np.random.default_rng([int(100 * spread), int(100 * noise), int(10 * way)])

        agent = partial(_judge, draw, spread, noise, way)
        true = _value_of(agent(20_000))
        covered = 0
        for _ in range(runs):
            said = agent(len(units))
            found = _measure(
                [
                    {**row, "value": 100 * said[at, column]}
                    for row, at, column in zip(rows, place, columns, strict=True)
                ]
            ).coherence
            low, high = (-1.0 if found.low is None else found.low), (found.high or 1.0)
            covered += low - 1e-9 <= true <= high + 1e-9
        shares.append(covered / runs)
        told.append(f"{way:g} of the way, noise {noise:g}, stories {spread:g}: {shares[-1]:.1%}")
    slack = 3 * (0.935 * 0.065 / runs) ** 0.5
    yield Figure(
        f"judge: intervals of coherence hold the value in 93.5% of {runs} runs or more",
        "; ".join(told),
        min(shares) >= 0.935 - slack,
    )


def _judge(
    draw: np.random.Generator, spread: float, noise: float, way: float, vignettes: int
) -> NDArray[np.float64]:
    """Return the judgments of an agent, vignettes x questions.

    Args:
        draw: Draws them.
        spread: Standard deviation of its beliefs over vignettes.
        noise: Standard deviation of an answer relative to that of a coin.
        way: How far it goes from blind to what its beliefs imply.
        vignettes: How many.
    """
    b, m, p = (
        np.clip(mean + spread * draw.normal(size=vignettes), *ends)
        for mean, ends in ((0.1, (0.01, 0.6)), (0.8, (0.05, 0.99)), (0.5, (0.05, 0.95)))
    )
    one = 1 - (1 - b) * (1 - m)
    given = np.stack([b, one, one, 1 - (1 - b) * (1 - m) ** 2, p, p, p, p], axis=1)
    whole = imply(given)
    blind = np.repeat(whole.reshape(vignettes, 4, 3).mean(2), 3, axis=1)
    return _beta(draw, np.hstack([given, blind + way * (whole - blind)]), noise)


def _value_of(said: NDArray[np.float64]) -> float:
    """Return coherence by products of means, which many vignettes make exact."""
    given, judged = said[:, : len(GIVEN)], said[:, len(GIVEN) :]
    away = judged - imply(given)
    apart = judged - np.repeat(judged.reshape(len(said), 4, 3).mean(2), 3, axis=1)
    s, b = (
        ((x.sum(0) ** 2 - (x**2).sum(0)) / (len(said) * (len(said) - 1))).sum()
        for x in (np.nan_to_num(away), apart)
    )
    b, s = max(b, 0.0), max(s, 0.0)
    return float((b - s) / (b + s))


def published(small: bool) -> Iterator[Figure]:
    """Yield the coherence of the published runs and of people, and how many pairs it separates."""
    records = published_records()
    groups = group_every_answer(records)
    found = {
        f"{group.labels['agent'].removeprefix('published/')} {group.labels['style']}": (
            measure_coherence(group)
        )
        for group in groups
    }
    (people,) = group_every_answer(people_records("collider"))
    person = measure_coherence(people).coherence
    known = {name: one for name, one in found.items() if one.coherence.estimate is not None}
    told = sorted(known.items(), key=lambda entry: entry[1].coherence.estimate or 0.0)
    yield Figure(
        "judge: coherence of the published runs, and of people",
        f"people {person.estimate:.2f} [{person.low:.2f}, {person.high:.2f}]; "
        + "; ".join("{} {:.2f} [{:.2f}, {:.2f}]".format(name, *_ends(one)) for name, one in told)
        + f"; {len(found) - len(known)} not tested",
        len(known) > 50 and person.estimate is not None,
    )
    pairs = list(combinations(known.values(), 2))
    apart = sum(_differs(difference_between(a.jackknifed, b.jackknifed).p) for a, b in pairs)
    step = 40 if small else 8
    sides = _tables(records)
    before = [
        {pair.measure: _differs(pair.p) for pair in judge_pairs(stack_sides(*two))}
        for two in list(combinations(sides, 2))[::step]
    ]
    shares = {
        name: fmean(line[name] for line in before if name in line)
        for name in ("heldout_r2", "human_correlation")
    }
    yield Figure(
        "judge: pairs of published runs that are told apart at p < .05, uncorrected, by coherence "
        "and by the headlines before it",
        f"coherence {apart / len(pairs):.1%} of {len(pairs)}; "
        + ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
        + f" of {len(before)} in the same style",
        apart > 0,
    )


def _ends(found: Coherence) -> tuple[float, ...]:
    one = found.coherence
    return tuple(float("nan") if x is None else x for x in (one.estimate, one.low, one.high))


def _differs(p: float | None) -> bool:
    return p is not None and p < 0.05


def _tables(records: pa.Table) -> list[pa.Table]:
    """Return the answers of each run with a bare number for a reply."""
    direct = records.filter(pc.equal(records["style"], "direct"))
    direct = direct.append_column("person", pa.nulls(direct.num_rows, pa.string()))
    agents = dict.fromkeys(direct["agent"].to_pylist())
    return [direct.filter(pc.equal(direct["agent"], name)) for name in agents]


COHERENCE_PARTS: Parts = {
    "coherence by construction": by_construction,
    "coherence intervals": coverage,
    "published coherence": published,
}
