"""What the printed source of `judge` says, and what its own published data say.

One part for each entry of docs/errata/judge.md, under the same name. A part prints the figure as
we claim it and what is recomputed here; it holds if the recomputation is what docs/errata says.
What the source prints in prose and captions stands here as numbers; its tables are read from the
folder WHYBENCH_PUBLISHED_TABLES and its data from WHYBENCH_DATA_MIRROR.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from evidence.figures import Figure, Parts, figures_of
from evidence.fits import SCHEMES, TASKS, published_judgments
from evidence.statistics import TABLES, printed_alignment, printed_story_differences
from whybench.fits import Predictor, choose_scheme, cross_validate, fit
from whybench.stats import adjust, mann_whitney, spearman

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from whybench.fits import Judgments

MIRROR = "WHYBENCH_DATA_MIRROR"
DATA = "causAIign/data"
HUMAN_EA, HUMAN_MV = 0.0995, 0.1004
RW17, ABSTRACT, RW17_OVER, ABSTRACT_OVER = (
    "rw17_indep_causes",
    "random_abstract",
    "rw17_overloaded_e",
    "abstract_overloaded_lorem_de",
)
EXPERIMENTS = (RW17, ABSTRACT, RW17_OVER, ABSTRACT_OVER)
FEW = 60


# The data, as the source used them.


class Answer(NamedTuple):
    """One answer that the source's recipe reads."""

    style: str
    agent: str
    story: str
    cell: tuple[str, str, str]
    task: str
    value: float
    hot: bool
    log: str


@cache
def _records(experiment: str) -> pa.Table:
    """Return the replies to an experiment under the printed names of agents."""
    import pyarrow as pa

    from whybench_papers.dettki2025.replies import CONDITIONS, printed_name, published_records

    design = next(name for name, folder in CONDITIONS.items() if folder == experiment)
    records = published_records(design).drop_columns(["confidence"])
    hot = pa.array(["[" in agent for agent in records["agent"].to_pylist()])
    names = pa.array([printed_name(agent) for agent in records["agent"].to_pylist()])
    place = records.column_names.index("agent")
    return records.set_column(place, "agent", names).append_column("hot", hot)


@cache
def _answers(experiment: str) -> tuple[Answer, ...]:
    return tuple(
        Answer(
            row["style"],
            row["agent"],
            row["story"],
            (row["story"], row["polarity"], row["letter"]),
            row["task"],
            row["value"] / 100,
            row["hot"],
            row["log"],
        )
        for row in _records(experiment).to_pylist()
        if row["outcome"] == "scored"
    )


@cache
def _by_agent(experiment: str, style: str) -> dict[str, list[Answer]]:
    found: dict[str, list[Answer]] = defaultdict(list)
    for answer in _answers(experiment):
        if answer.style == style:
            found[answer.agent].append(answer)
    return dict(found)


def _contrast(answers: Sequence[Answer], above: str, below: str) -> float:
    """Return the difference of two task means; NaN without answers to both."""
    sides = [[a.value for a in answers if a.task == task] for task in (above, below)]
    return float(np.mean(sides[0]) - np.mean(sides[1])) if all(sides) else float("nan")


@cache
def _contrasts(above: str, below: str) -> dict[tuple[str, str, str], float]:
    """Return a difference of task means by experiment, style and agent, where there is one."""
    found = {
        (experiment, style, agent): _contrast(answers, above, below)
        for experiment in EXPERIMENTS
        for style in ("direct", "cot")
        for agent, answers in _by_agent(experiment, style).items()
    }
    return {key: value for key, value in found.items() if np.isfinite(value)}


def _ea() -> dict[tuple[str, str, str], float]:
    return _contrasts("VIII", "VI")


def _mv() -> dict[tuple[str, str, str], float]:
    return _contrasts("IV", "V")


class Winner(NamedTuple):
    """The fit that wins for an agent: its parameters, its errors, and two kinds of R²."""

    size: int
    n: int
    p: float
    b: float
    m1: float
    m2: float
    mae: float
    rmse: float
    r2: float
    consistency: float
    by_class: float

    @property
    def lad(self) -> float:
        """Mean strength less leak."""
        return (self.m1 + self.m2) / 2 - self.b


@cache
def _judgments() -> Judgments:
    return published_judgments(Path(os.environ[MIRROR]))


@cache
def _winners() -> dict[str, Winner]:
    """Return the winning fit by `experiment/category/agent`, and of people by `human`."""
    data = _judgments()
    chosen = choose_scheme([cross_validate(TASKS, scheme, data) for scheme in SCHEMES])
    classes = {s.name: cross_validate(TASKS, s, data, "class").r2 for s in SCHEMES}
    fits = {scheme.name: fit(TASKS, scheme, data) for scheme in SCHEMES}
    found = {}
    for row, choice in enumerate(chosen):
        if choice.winner is None:
            continue
        won = fits[choice.winner]
        value = dict(zip(won.scheme.parameters, won.parameters[row].tolist(), strict=True))
        assert won.mae is not None
        found[choice.label] = Winner(
            len(value),
            int(won.n[row]),
            value["prior"],
            value["leak"],
            value.get("strength_1", value.get("strength", np.nan)),
            value.get("strength_2", value.get("strength", np.nan)),
            float(won.mae[row]),
            float(won.rmse[row]),
            float(won.r2[row]),
            choice.r2[choice.winner],
            float(classes[choice.winner][row]),
        )
    return found


def _condition(experiment: str, category: str) -> dict[str, Winner]:
    prefix = f"{experiment}/{category}/"
    return {
        label.removeprefix(prefix): winner
        for label, winner in _winners().items()
        if label.startswith(prefix)
    }


def _printed(name: str) -> list[dict[str, str]]:
    with (Path(os.environ[TABLES]) / name).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _people() -> tuple[dict[str, float], dict[str, float]]:
    """Return people's task means: of the 240 cell rows, and of the 960 judgments."""
    from whybench.suites.judge.published import mean_records, people_records

    means = []
    for records in (mean_records(), people_records()):
        tasks: dict[str, list[float]] = defaultdict(list)
        for row in records.select(["task", "value"]).to_pylist():
            tasks[row["task"]].append(row["value"] / 100)
        means.append({task: float(np.mean(values)) for task, values in tasks.items()})
    return means[0], means[1]


def _rows(path: str, separator: str = ";") -> list[dict[str, str]]:
    csv.field_size_limit(10**7)
    file = Path(os.environ[MIRROR]) / DATA / path
    with file.open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=separator))


# Formulas and definitions.


def _equation(_small: bool) -> Iterator[Figure]:
    mean, _ = _people()
    computed, printed = mean["VIII"] - mean["VI"], mean["VII"] - mean["VI"]
    yield Figure(
        "eq. 4.3 (VII - VI) gives people -0.009; VIII - VI gives the printed 0.099",
        f"VII - VI = {printed:.4f}, VIII - VI = {computed:.4f}",
        (round(printed, 4), round(computed, 4)) == (-0.0092, 0.0995),
    )


def _derivations(_small: bool) -> Iterator[Figure]:
    """Evaluate the derivations as printed at p = 1/2, b = 0.1, m1 = m2 = 0.8."""
    p, b, m = 0.5, 0.1, 0.8
    e = {(i, j): 1 - (1 - b) * (1 - m) ** i * (1 - m) ** j for i in (0, 1) for j in (0, 1)}
    model = 1 - (1 - b) * (1 - m**0) * (1 - m**0)
    yield Figure(
        "A.3.1: the exponent inside the bracket makes an effect without causes certain",
        f"printed form {model:.3f}, noisy-OR {e[0, 0]:.3f}",
        model == 1 and abs(e[0, 0] - b) < 1e-12,
    )
    effect = sum(e.values()) * p * p
    eight = e[1, 0] * p / ((e[1, 0] + e[0, 0]) * p * p)
    nine = (1 - e[1, 1]) * p / ((2 - e[1, 1] - e[0, 1]) * p * p)
    ten = p * p * (2 - e[1, 1] - e[1, 0])
    yield Figure(
        "A.25, A.28, A.33: with the printed denominators VIII, IX, X are 1.78, 0.33, 0.08",
        f"{eight:.2f}, {nine:.2f}, {ten / effect:.2f}; right 0.89, {nine * p:.2f}, "
        f"{ten / (1 - effect):.2f}",
        [round(x, 2) for x in (eight, nine, ten / effect)] == [1.78, 0.33, 0.08]
        and [round(x, 2) for x in (eight * p, nine * p, ten / (1 - effect))] == [0.89, 0.17, 0.17],
    )


def _example(_small: bool) -> Iterator[Figure]:
    from whybench.suites.judge.questions import load_structure

    tasks = {
        (question.target, question.given): (question.task, question.letter)
        for question in load_structure("collider").questions
    }
    found = next(
        task
        for (asked, given), task in tasks.items()
        if asked == "C2" and dict(given) == {"E": 0, "C1": 0}
    )
    yield Figure(
        "3.2.1: the example asks C2 given E=0, C1=0, which is task XI, not X, about C2, not C1",
        f"task {found[0]}, letter {found[1]}",
        found == ("XI", "h"),
    )


def _ties(_small: bool) -> Iterator[Figure]:
    from whybench.stats import kruskal_wallis

    answers = _by_agent(RW17, "direct")["claude-3-5-haiku-20241022"]
    values = [answer.value for answer in answers]
    corrected = kruskal_wallis(values, [answer.story for answer in answers]).statistic
    n, ties = len(values), Counter(values)
    factor = 1 - sum(t**3 - t for t in ties.values()) / (n**3 - n)
    assert corrected is not None
    yield Figure(
        "eq. B.1 lacks the correction for ties that the printed 5.2021 has; without it 3.24",
        f"claude-3-5-haiku, {n} answers of {len(ties)} values: {corrected:.4f} corrected, "
        f"{corrected * factor:.2f} by eq. B.1",
        round(corrected, 4) == 5.2021 and round(corrected * factor, 2) == 3.24,
    )


# Fits.


def _human_lad(_small: bool) -> Iterator[Figure]:
    people = _winners()["human"]
    above = {
        line: [
            sum(winner.lad > line for winner in _condition(experiment, "numeric").values())
            for experiment in EXPERIMENTS
        ]
        for line in (0.45, people.lad)
    }
    total = [len(_condition(experiment, "numeric")) for experiment in EXPERIMENTS]
    yield Figure(
        "4.5.2: people's LAD is 0.391, not 0.45",
        f"m {people.m1:.3f} - b {people.b:.3f} = {people.lad:.3f}; agents above, numeric: "
        f"{above[people.lad]} and {above[0.45]} (at 0.45) of {total}",
        round(people.lad, 3) == 0.391
        and list(above.values()) == [[22, 23, 9, 8], [22, 24, 11, 8]]
        and total == [29, 30, 20, 14],
    )


START = {"prior": 0.51, "leak": 0.45, "strength": 0.52, "strength_1": 0.52, "strength_2": 0.52}
"""Parameters at which the printed losses are reached, found by a search."""


def _loss(_small: bool) -> Iterator[Figure]:
    rows = _printed("cbn_fits_b19_b25.csv")
    equal = sum(
        # Both are rounded to three digits.
        abs(float(r["loss"]) - float(r["rmse"]) ** 2 / 2) <= 0.0005 * (1 + float(r["rmse"])) + 1e-9
        for r in rows
    )
    yield Figure(
        "B.19–B.25: with δ = 1 the loss must be half the squared RMSE; it is so in 1 row of 167",
        f"{equal} of {len(rows)} rows, to rounding",
        (equal, len(rows)) == (1, 167),
    )
    data = _judgments()
    place = {label: row for row, label in enumerate(data.labels)}
    near = compared = 0
    for row in rows:
        at = place.get(f"{row['exp']}/{row['cat']}/{row['agent']}")
        scheme = SCHEMES[round(float(row["np"])) - 3]
        if at is not None:
            start = np.array([[START[name]] for name in scheme.parameters])
            guess = Predictor(TASKS, scheme).predict(start)[:, 0]
            error = data.squares[at] - 2 * data.means[at] * guess + guess**2
            loss = float(data.counts[at] @ error / data.counts[at].sum() / 2)
            compared += 1
            near += abs(loss - float(row["loss"])) <= 0.0015
    yield Figure(
        "one guess before any fitting (p 0.51, b 0.45, m 0.52) gives nine in ten printed losses",
        f"{near} of {compared} within 0.0015",
        near >= 0.9 * compared,
    )


def _fit_summary(_small: bool) -> Iterator[Figure]:
    found = list(_winners().values())
    medians = [
        float(np.median([getattr(w, name) for w in found])) for name in ("mae", "rmse", "r2")
    ]
    rows = _printed("cbn_fits_b19_b25.csv")
    tabled = [float(np.median([float(r[name]) for r in rows])) for name in ("mae", "rmse", "r2")]
    yield Figure(
        "4.3.3: medians of MAE, RMSE, R² are 0.081, 0.105, 0.855, not 0.0710, 0.0950, 0.84",
        f"{len(found)} fits: {medians[0]:.4f}, {medians[1]:.4f}, {medians[2]:.4f}; printed tables: "
        f"{tabled[0]:.3f}, {tabled[1]:.3f}, {tabled[2]:.3f}",
        [round(x, 3) for x in medians] == [0.081, 0.105, 0.855]
        and [round(x, 3) for x in tabled] == [0.081, 0.105, 0.855],
    )
    losses = [float(row["loss"]) for row in rows]
    yield Figure(
        "4.3.3: losses 0.0005 to 0.0579, but the tables print 0.007 to 0.077",
        f"{min(losses)} to {max(losses)}; half the largest squared RMSE is "
        f"{max(w.rmse for w in found) ** 2 / 2:.4f}",
        (min(losses), max(losses)) == (0.007, 0.077),
    )


MATCHED = {
    "B.16": ((RW17, "numeric"), (ABSTRACT, "numeric")),
    "B.17": ((RW17, "CoT"), (ABSTRACT, "CoT")),
    "B.18": ((RW17, "numeric"), (RW17_OVER, "numeric")),
    "B.19": ((RW17, "CoT"), (RW17_OVER, "CoT")),
    "B.20": ((RW17, "numeric"), (RW17, "CoT")),
    "B.21": ((ABSTRACT, "numeric"), (ABSTRACT, "CoT")),
    "B.22": ((RW17_OVER, "numeric"), (RW17_OVER, "CoT")),
    "B.23": ((ABSTRACT_OVER, "numeric"), (ABSTRACT_OVER, "CoT")),
}
"""Figures that state how many agents two conditions share, and these conditions."""


def _stale(_small: bool) -> Iterator[Figure]:
    found = _winners()
    far, absent = [], []
    for row in _printed("cbn_fits_b19_b25.csv"):
        winner = found.get(f"{row['exp']}/{row['cat']}/{row['agent']}")
        name = f"{row['tab']} {row['agent']}"
        if winner is None:
            absent.append(name)
        elif abs(round(winner.consistency, 3) - float(row["loo_r2"])) > 0.005 + 1e-9:
            far.append(f"{name}: {row['loo_r2']} printed, {winner.consistency:.3f} (n {winner.n})")
    yield Figure(
        "B.19–B.25: three printed R² are not those of the published answers, one has no answers",
        f"{'; '.join(far)}; no answers: {', '.join(absent)}",
        [text.split(":")[0] for text in far]
        == [
            "B.20 gpt-5-mini-v_low-r_high",
            "B.21 claude-opus-4-20250514",
            "B.22 gpt-5-nano-v_low-r_medium",
        ]
        and absent == ["B.22 claude-opus-4-20250514"],
    )
    matched = [
        len(_condition(*one).keys() & _condition(*two).keys()) for one, two in MATCHED.values()
    ]
    opus = sum(label.endswith("/claude-opus-4-20250514") for label in found)
    yield Figure(
        "matched agents are as printed but for B.17 (22, not 23) and B.21 (26, not 27); "
        "claude-opus-4 has 5 conditions in B.7, not 6",
        f"{dict(zip(MATCHED, matched, strict=True))}; {opus}",
        matched == [27, 22, 19, 20, 25, 26, 20, 14] and opus == 5,
    )


CHANGES = (
    (RW17, "numeric", ABSTRACT, "numeric", "b", "claude-3-5-haiku-20241022", 0.197),
    (RW17, "numeric", ABSTRACT, "numeric", "b", "gemini-2.5-flash-lite", -0.181),
    (RW17, "numeric", ABSTRACT, "numeric", "m1", "gpt-4", 0.685),
    (RW17, "numeric", ABSTRACT, "numeric", "p", "o3-mini", -0.147),
    (RW17, "numeric", RW17_OVER, "numeric", "b", "gpt-4", 0.275),
    (RW17, "CoT", RW17_OVER, "CoT", "p", "claude-3-haiku-20240307", -0.067),
    (RW17, "numeric", RW17, "CoT", "b", "gemini-2.5-flash-lite", -0.349),
    (RW17_OVER, "numeric", RW17_OVER, "CoT", "b", "gpt-3.5-turbo", -0.374),
    (RW17, "numeric", RW17, "CoT", "p", "claude-3-5-haiku-20241022", 0.190),
)
"""Printed changes of B.17 and B.18: condition A, condition B, parameter, agent, Δ."""


def _changes(_small: bool) -> Iterator[Figure]:
    found = _winners()
    gaps = [
        getattr(found[f"{b}/{b_style}/{agent}"], name)
        - getattr(found[f"{a}/{a_style}/{agent}"], name)
        - printed
        for a, a_style, b, b_style, name, agent, printed in CHANGES
    ]
    yield Figure(
        "B.17, B.18: the printed Δ are B - A, not A - B",
        f"{len(gaps)} printed changes equal B - A within {max(map(abs, gaps)):.4f}",
        max(map(abs, gaps)) <= 0.0025,
    )


def _few(_small: bool) -> Iterator[Figure]:
    few = {label: w.n for label, w in _winners().items() if w.n < FEW}
    yield Figure(
        "six fits rest on fewer than 60 answers; two of them lead B.17 and B.18 with 6 and 2",
        ", ".join(f"{label} {n}" for label, n in few.items()),
        sorted(few.values()) == [2, 6, 8, 52, 55, 59],
    )


def _leak(_small: bool) -> Iterator[Figure]:
    pairs = [
        [
            float(np.median([getattr(w, kind) for w in _condition(experiment, style).values()]))
            for kind in ("consistency", "by_class")
        ]
        for experiment in EXPERIMENTS
        for style in ("numeric", "CoT")
    ]
    people = _winners()["human"]
    yield Figure(
        "4.4: R² falls in all eight conditions when tasks forced to be equal are held out together",
        f"medians {', '.join(f'{a:.3f} to {b:.3f}' for a, b in pairs)}; people "
        f"{people.consistency:.3f} to {people.by_class:.3f}",
        all(b < a for a, b in pairs) and round(people.by_class, 3) == 0.931,
    )


# Alignment.


@cache
def _rho(without: str = "") -> dict[tuple[str, str], float]:
    """Return pooled rho by style and agent, without the files whose name contains `without`."""
    from whybench.suites.judge.published import human_means

    target = human_means("collider")
    found = {}
    for style in ("direct", "cot"):
        for agent, answers in _by_agent(RW17, style).items():
            kept = [a for a in answers if not (without and without in a.log)]
            rho = spearman([a.value for a in kept], [target[a.cell] for a in kept])
            found[style, agent] = float(rho)
    return found


def _ranges(_small: bool) -> Iterator[Figure]:
    rho = _rho()
    ends = {
        style: [round(end([r for (s, _), r in rho.items() if s == style]), 2) for end in (min, max)]
        for style in ("direct", "cot")
    }
    yield Figure(
        "4.2: rho ranges are 0.34–0.85 numeric and 0.69–0.86 CoT, not 0.31–0.85 and 0.54–0.85",
        f"{ends}",
        ends == {"direct": [0.34, 0.85], "cot": [0.69, 0.86]},
    )
    gains = sorted(
        (round(rho["cot", agent] - r, 3) for (style, agent), r in rho.items()
         if style == "direct" and ("cot", agent) in rho),
        reverse=True,
    )  # fmt: skip
    yield Figure(
        "4.2: after flash-lite (+0.503) the gains are +0.33, +0.15, +0.15: none reaches +0.45",
        f"{gains[:6]}; above +0.005: {sum(g > 0.005 for g in gains)} of {len(gains)}",
        [round(g, 2) for g in gains[:4]] == [0.50, 0.33, 0.15, 0.15] and len(gains) == 25,
    )
    named = [rho["cot", agent] for agent in ("gemini-2.5-pro", "claude-sonnet-4-20250514")]
    yield Figure(
        "4.2: with CoT the two models named are at 0.83, not 0.84–0.85",
        f"gemini-2.5-pro {named[0]:.4f}, claude-sonnet-4 {named[1]:.4f}",
        [round(r, 3) for r in named] == [0.831, 0.835],
    )


def _ceiling(small: bool) -> Iterator[Figure]:
    from whybench.suites.judge.human_correlation import human_ceiling
    from whybench.suites.judge.published import people_records

    pooled = human_ceiling(people_records(), 200 if small else 1000)[-1]
    assert pooled.estimate is not None
    yield Figure(
        "1.2.1: the noise of 48 people would let rho reach 0.927; 0.85 is not an upper bound",
        f"{pooled.estimate:.3f}; best agent {max(_rho().values()):.3f}",
        round(pooled.estimate, 2) == 0.93 and max(_rho().values()) < 0.86,
    )


def _repeats(small: bool) -> Iterator[Figure]:
    import pyarrow.compute as pc

    from whybench.suites.judge.human_correlation import human_correlations

    records = _records(RW17).filter(pc.field("agent") == "gemini-2.5-pro")
    widths = {}
    for unit in ("row", "cell"):
        for measure in human_correlations(records, unit=unit, resamples=300 if small else 2000):
            if not measure.at and measure.labels["style"] == "direct":
                assert measure.low is not None
                assert measure.high is not None
                widths[unit] = measure.high - measure.low
    yield Figure(
        "B.15: intervals that take eleven answers to a prompt as independent are 4 times too short",
        f"gemini-2.5-pro: width {widths['row']:.3f} over rows, {widths['cell']:.3f} over the "
        "132 cells",
        widths["cell"] > 3 * widths["row"],
    )


def _temperature(_small: bool) -> Iterator[Figure]:
    hot: Counter[str] = Counter()
    for answer in _answers(RW17):
        if answer.hot:
            hot[f"{answer.agent} {answer.style}"] += 1
    yield Figure(
        "3.2.1: four runs of RW17 have nine tenths of their answers at temperature 0.7, not 0",
        f"{dict(hot)}",
        sorted(hot.values()) == [2382, 2400, 2400, 2400],
    )


def _second_run(_small: bool) -> Iterator[Figure]:
    key = ("cot", "claude-sonnet-4-20250514")
    added = sum("nconf" in answer.log for answer in _by_agent(RW17, "cot")[key[1]])
    pair = _rho()[key], _rho("nconf")[key]
    yield Figure(
        "B.16: claude-sonnet-4 pools a second run of 43 answers: 0.835, without it 0.840",
        f"{added} answers; {pair[0]:.4f} and {pair[1]:.4f}",
        added == 43 and [round(r, 3) for r in pair] == [0.835, 0.840],
    )


# Differences between stories and agents.


def _stories(small: bool) -> Iterator[Figure]:
    from whybench.suites.judge.differences import story_differences

    counts: dict[str, list[int]] = {"kruskal-wallis": [], "permutation": []}
    for experiment in (RW17, ABSTRACT_OVER) if small else EXPERIMENTS:
        for test, number in counts.items():
            found = story_differences(
                _records(experiment),
                "permutation" if test == "permutation" else "kruskal-wallis",
            )
            for style in ("direct", "cot"):
                number.append(
                    sum(
                        d.labels["style"] == style
                        and d.test.adjusted is not None
                        and d.test.adjusted <= 0.05
                        for d in found
                    )
                )
    yield Figure(
        "4.1: stories do matter to some agents: B.12 itself has one, a test within questions more",
        f"agents with adjusted p <= 0.05, numeric and CoT of each experiment: {counts}",
        sum(counts["kruskal-wallis"]) == 1 and sum(counts["permutation"]) > (5 if small else 15),
    )


def _pairs(_small: bool) -> Iterator[Figure]:
    apart: Counter[str] = Counter()
    for story in ("economy", "sociology", "weather"):
        values = {
            agent: [a.value for a in answers if a.story == story]
            for agent, answers in _by_agent(RW17, "direct").items()
        }
        pairs = list(combinations(sorted(values), 2))
        findings = adjust([mann_whitney(values[one], values[two]) for one, two in pairs])
        for pair, finding in zip(pairs, findings, strict=True):
            if finding.adjusted is not None and finding.adjusted <= 0.05:
                apart.update(pair)
    yield Figure(
        "4.1: the agents that differ from most others are gpt-3.5-turbo, claude-3-haiku and "
        "claude-3-sonnet; no gpt-5 is among the first four",
        f"significant pairs, of 84 each: {apart.most_common(7)}",
        [agent for agent, _ in apart.most_common(3)]
        == ["gpt-3.5-turbo", "claude-3-haiku-20240307", "claude-3-sonnet-20240229"]
        and not any(agent.startswith("gpt-5") for agent, _ in apart.most_common(4)),
    )


AGENT_TABLES = {
    "B.1": (165.86, RW17, "direct"),
    "B.2": (107.91, ABSTRACT, "direct"),
    "B.4": (118.45, ABSTRACT, "cot"),
    "B.6": (188.39, RW17_OVER, "direct"),
    "B.8": (90.17, RW17_OVER, "cot"),
    "B.11": (77.60, ABSTRACT_OVER, "direct"),
    "B.13": (57.96, ABSTRACT_OVER, "cot"),
}
"""Table to one H that it prints, and the condition in which that H is found."""


def _captions(_small: bool) -> Iterator[Figure]:
    from whybench.suites.judge.differences import agent_differences

    found: dict[float, tuple[str, str]] = {}
    for experiment in EXPERIMENTS:
        for difference in agent_differences(_records(experiment)):
            if difference.test.statistic is not None:
                place = (experiment, difference.labels["style"])
                found[round(difference.test.statistic, 2)] = place
    seen = {table: found.get(h) for table, (h, _, _) in AGENT_TABLES.items()}
    yield Figure(
        "B.2, B.4 are of Abstract and B.11, B.13 of Abstract-Over, other than their captions say",
        "; ".join(f"{table}: {' '.join(place or ('?',))}" for table, place in seen.items()),
        all(seen[table] == (e, style) for table, (_, e, style) in AGENT_TABLES.items()),
    )


# Explaining away and independence.


def _share(values: Sequence[float], above: float) -> str:
    met = sum(value > above for value in values)
    return f"{met}/{len(values)} = {met / len(values):.1%}"


def _pass_rates(_small: bool) -> Iterator[Figure]:
    shares = {
        (experiment, style, line): _share(
            [ea for (e, s, _), ea in _ea().items() if (e, s) == (experiment, style)], line
        )
        for experiment in EXPERIMENTS
        for style in ("direct", "cot")
        for line in (HUMAN_EA, 0.3)
    }
    wanted = {
        (RW17, HUMAN_EA): "23/29 = 79.3%",
        (RW17, 0.3): "17/29 = 58.6%",
        (RW17_OVER, HUMAN_EA): "13/20 = 65.0%",
        (RW17_OVER, 0.3): "8/20 = 40.0%",
        (ABSTRACT, 0.3): "18/30 = 60.0%",
    }
    yield Figure(
        "B.3: from plain to overloaded, numeric, 79.3% to 65.0% and 58.6% to 40.0%; the caption "
        "has 73.3% to 61.9% and 53.3% to 38.1% beside the right 79.3% and 58.6%",
        "; ".join(f"{e} above {line}: {shares[e, 'direct', line]}" for e, line in wanted),
        all(shares[e, "direct", line] == text for (e, line), text in wanted.items()),
    )


def _ever(_small: bool) -> Iterator[Figure]:
    agents: dict[str, list[float]] = defaultdict(list)
    for (_, _, agent), ea in _ea().items():
        agents[agent].append(ea)
    counts = [
        sum(end(values) > line for values in agents.values())
        for line in (HUMAN_EA, 0.3)
        for end in (max, min)
    ]
    yield Figure(
        "B.3: 90.6% and 81.3% exceed the lines in some condition; in all of theirs 71.9% and 50.0%",
        f"of {len(agents)}: {counts[::2]} in some, {counts[1::2]} in all",
        (len(agents), *counts) == (32, 29, 23, 26, 16),
    )


def _all_explain(_small: bool) -> Iterator[Figure]:
    below = {
        agent: ea for (e, s, agent), ea in _ea().items() if (e, s) == (RW17, "cot") and ea <= 0
    }
    yield Figure(
        "4.8(a): with CoT on RW17 all agents but one explain away",
        ", ".join(f"{agent} {ea:.4f}" for agent, ea in below.items()),
        list(below) == ["claude-3-sonnet-20240229"],
    )


def _flash_lite(_small: bool) -> Iterator[Figure]:
    pairs = [
        [_mv()[experiment, style, "gemini-2.5-flash-lite"] for style in ("direct", "cot")]
        for experiment in EXPERIMENTS
    ]
    yield Figure(
        "4.6.2: flash-lite's MV is not similar across prompts; CoT brings it to 0, as 4.9(b) says",
        "; ".join(f"{numeric:+.3f} to {cot:+.3f}" for numeric, cot in pairs),
        all(abs(cot) < abs(numeric) for numeric, cot in pairs)
        and max(abs(numeric) for numeric, _ in pairs) > 0.3
        and max(abs(cot) for _, cot in pairs) < 0.02,
    )


# The data themselves.


def _weighting(_small: bool) -> Iterator[Figure]:
    cells, rows = _people()
    found = [round(m[a] - m[b], 4) for m in (cells, rows) for a, b in (("VIII", "VI"), ("IV", "V"))]
    yield Figure(
        "people's EA and MV are 0.0995 and 0.1004 by cells, 0.0964 and 0.0844 by judgments",
        f"{found}",
        found == [0.0995, 0.1004, 0.0964, 0.0844],
    )


def _vignettes(_small: bool) -> Iterator[Figure]:
    from whybench.suites.judge.published import people_records

    rows = people_records().select(["story", "polarity", "letter", "value"]).to_pylist()
    people = Counter((row["story"], row["polarity"]) for row in rows if row["letter"] == "i")
    middle = sum(row["value"] == 50 for row in rows)
    yield Figure(
        "between 2 and 6 people judged a story in a polarity; 204 of 960 judgments are exactly 50",
        f"{sorted(people.values())} people; {middle} of {len(rows)}",
        sorted(people.values()) == [2, 2, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6] and middle == 204,
    )


def _fork(_small: bool) -> Iterator[Figure]:
    rows = _rows("raw/human/rw17/rw17_fork_cc.csv")
    found = {(r["type"], r["study.type"]) for r in rows if r["letter.type"] == "J"}
    yield Figure(
        "the fork's file contradicts itself about letter j: EA=0, EB=1 stands beside v10",
        f"{sorted(found)}",
        ("C|EA=0,EB=1", "p(C|1E)[X]/v10") in found and len(found) == 2,
    )


def _prompt_order(_small: bool) -> Iterator[Figure]:
    folder = Path(os.environ[MIRROR]) / DATA / "output_llm"
    same: Counter[tuple[str, bool]] = Counter()
    for experiment in (ABSTRACT, ABSTRACT_OVER):
        prompts = _rows(f"input_llm/rw17/{experiment}/1_v_numeric_LLM_prompting_collider.csv", ",")
        now = {row["id"]: row["domain"] for row in prompts}
        for path in sorted((folder / experiment).glob("*/1_*.csv")):
            rows = _rows(str(path.relative_to(folder.parent)))
            told = [row for row in rows if row["domain"]]
            same[experiment, all(now[row["id"]] == row["domain"] for row in told)] += 1
    yield Figure(
        "prompt ids of the abstract stories changed: 73 of 84 files have another order than now",
        f"{dict(same)}",
        (same[ABSTRACT, False], same[ABSTRACT_OVER, False]) == (45, 28)
        and sum(same.values()) == 84,
    )


def _prompt_length(_small: bool) -> Iterator[Figure]:
    prompts = _rows(f"input_llm/rw17/{ABSTRACT_OVER}/1_v_CoT_LLM_prompting_collider.csv", ",")
    words = max(len(row["prompt"].split()) for row in prompts)
    yield Figure(
        "A.4: the longest prompts have 596 words, so more than about 500 tokens",
        f"{words} words",
        words == 596,
    )


def _abstract_over(_small: bool) -> Iterator[Figure]:
    counts = {}
    for experiment in (ABSTRACT, ABSTRACT_OVER):
        parts = [
            prompt.split("causal relationships:")
            for style in ("CoT", "numeric")
            for prompt in _published_prompts(experiment, style)
        ]
        told = [after.split("You are currently")[0] for _, after in parts]
        counts[experiment] = (
            {len(before.split()) for before, _ in parts},
            {len(re.sub(r"\s+", " ", text).split()) for text in told},
            len(parts),
        )
    plain, over = counts[ABSTRACT], counts[ABSTRACT_OVER]
    yield Figure(
        "A.1.2: Abstract-Over has filler with the descriptions of variables alone: 300 words "
        "before the causal relationships in all 480 prompts, and none after them",
        f"{plain[0]} and {over[0]} words before, {plain[1]} and {over[1]} after, {over[2]} prompts",
        over[2] == 480 and {n + 300 for n in plain[0]} == over[0] and plain[1] == over[1],
    )


def _confidence_asked(_small: bool) -> Iterator[Figure]:
    asked = {
        (experiment, style): [
            "<confidence>" in prompt or "your confidence" in prompt.lower()
            for prompt in _published_prompts(experiment, style)
        ]
        for experiment in EXPERIMENTS
        for style in ("CoT", "numeric")
    }
    cot, numeric = (
        [found for (_, style), every in asked.items() if style == chosen for found in every]
        for chosen in ("CoT", "numeric")
    )
    yield Figure(
        "A.1.3: all 1,200 prompts for CoT ask for a confidence as well, those for a number do not",
        f"{sum(cot):,} of {len(cot):,}, and {sum(numeric)} of {len(numeric):,}",
        all(cot) and len(cot) == 1200 and not any(numeric),
    )


def _independence_sentence(_small: bool) -> Iterator[Figure]:
    prompts = [
        prompt
        for experiment in EXPERIMENTS
        for style in ("CoT", "numeric")
        for prompt in _published_prompts(experiment, style)
    ]
    found = sum("bring about the effect independently" in prompt for prompt in prompts)
    yield Figure(
        "3.2.1, A.1: the sentence that each cause works independently is in no prompt",
        f"{found} of {len(prompts):,}",
        not found,
    )


def _published_prompts(experiment: str, style: str) -> list[str]:
    number = 2 if experiment == RW17 else 1
    file = f"input_llm/rw17/{experiment}/{number}_v_{style}_LLM_prompting_collider.csv"
    return [row["prompt"] for row in _rows(file, ",")]


# What was checked and is right.


def _right(_small: bool) -> Iterator[Figure]:
    tables = Path(os.environ[TABLES])
    for claim, found in (
        ("B.15, B.16: every pooled rho", printed_alignment(tables, "pooled")),
        ("B.15, B.16: every rho of a story", printed_alignment(tables, "story")),
        ("4.1: every H, p, n, adjusted p", printed_story_differences(tables, "4.1")),
        ("B.3–B.14: every H, p, adjusted p", printed_story_differences(tables, "B")),
    ):
        agree = found.compared - len(found.misses)
        yield Figure(claim, f"{agree} of {found.compared}", not found.misses)
    yield from _right_fits()
    yield from _right_signatures()


def _right_fits() -> Iterator[Figure]:
    people = _winners()["human"]
    spreads = [
        np.percentile([w.consistency for w in _condition(e, style).values()], [25, 50, 75])
        for e in EXPERIMENTS
        for style in ("numeric", "CoT")
    ]
    better = [
        (cot[1] > numeric[1], cot[2] - cot[0] < numeric[2] - numeric[0])
        for numeric, cot in zip(spreads[::2], spreads[1::2], strict=True)
    ]
    yield Figure(
        "4.4.2: CoT raises the median R² and narrows its quartiles in all four settings",
        ", ".join(f"{s[1]:.3f} [{s[0]:.3f}, {s[2]:.3f}]" for s in spreads),
        all(all(pair) for pair in better),
    )
    held_out = round(people.consistency, 3)
    yield Figure("4.4.2: people's R² is 0.937", f"{held_out}", held_out == 0.937)
    rows = _printed("cbn_fits_b19_b25.csv")
    near = sum(
        all(abs(getattr(winner, c) - float(row[c])) <= 0.0015 for c in ("mae", "rmse", "r2"))
        for row in rows
        if (winner := _winners().get(f"{row['exp']}/{row['cat']}/{row['agent']}"))
    )
    yield Figure("B.19–B.25: MAE, RMSE, R² of 164 rows", f"{near} of {len(rows)}", near >= 164)
    lad = {label: winner.lad for label, winner in _winners().items()}
    yield Figure(
        "4.5.2: gemini-2.5-pro and flash near 1; CoT lifts gpt-5-nano minimal and flash-lite and "
        "lowers gemini-2.5-pro and o3-mini; gpt-3.5-turbo and claude-3-sonnet below people",
        ", ".join(
            f"{agent} {lad[f'{RW17}/numeric/{agent}']:.2f}"
            for agent in ("gemini-2.5-pro", "gemini-2.5-flash", "gpt-3.5-turbo")
        ),
        min(lad[f"{RW17}/numeric/gemini-2.5-{size}"] for size in ("pro", "flash")) > 0.9
        and all(
            lad[f"{RW17}/CoT/{agent}"] > lad[f"{RW17}/numeric/{agent}"] + 0.3
            for agent in ("gpt-5-nano-v_low-r_minimal", "gemini-2.5-flash-lite")
        )
        and all(
            lad[f"{RW17}/CoT/{agent}"] < lad[f"{RW17}/numeric/{agent}"]
            for agent in ("gemini-2.5-pro", "o3-mini")
        )
        and lad[f"{RW17}/numeric/gpt-3.5-turbo"] < people.lad
        and lad[f"{RW17}/numeric/claude-3-sonnet-20240229"] < people.lad,
    )


def _right_signatures() -> Iterator[Figure]:
    agents: dict[str, list[float]] = defaultdict(list)
    for (_, _, agent), mv in _mv().items():
        agents[agent].append(abs(mv))
    meet = [sum(min(v) <= line for v in agents.values()) for line in (0.05, HUMAN_MV)]
    typical = float(np.median([mv for values in agents.values() for mv in values]))
    yield Figure(
        "B.4: 93.8% of agents have |MV| <= 0.05 at least once, as many at most people's; "
        "typically 0.010",
        f"{meet} of {len(agents)}; median {typical:.4f}",
        meet == [30, 30] and len(agents) == 32 and round(typical, 3) == 0.010,
    )
    turbo = [mv for (_, _, agent), mv in _mv().items() if agent == "gpt-3.5-turbo"]
    yield Figure("4.9(c): gpt-3.5-turbo has MV > 0 throughout", f"{min(turbo):.3f}", min(turbo) > 0)
    raised = [
        sum(ea > line for (e, s, _), ea in _ea().items() if (e, s) == (experiment, style))
        / sum((e, s) == (experiment, style) for e, s, _ in _ea())
        for experiment in EXPERIMENTS
        for line in (HUMAN_EA, 0.3)
        for style in ("direct", "cot")
    ]
    yield Figure(
        "B.3: CoT raises the share of agents above either line in every setting",
        ", ".join(f"{share:.1%}" for share in raised),
        all(cot > numeric for numeric, cot in zip(raised[::2], raised[1::2], strict=True)),
    )
    easiest: Counter[Any] = Counter()
    hardest: Counter[Any] = Counter()
    stories: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in _printed("alignment_b15_b16.csv"):
        if row["domain"] != "pooled":
            stories[row["cat"], row["agent"]][row["domain"]] = float(row["rho"])
    for found in stories.values():
        if len(found) == 3:
            easiest[max(found, key=lambda story: found[story])] += 1
            hardest[min(found, key=lambda story: found[story])] += 1
    yield Figure(
        "4.2: weather is mostly the easiest story and economy the hardest",
        f"easiest {dict(easiest)}, hardest {dict(hardest)}",
        easiest.most_common(1)[0][0] == "weather" and hardest.most_common(1)[0][0] == "economy",
    )


PARTS: Parts = {
    "equation-4.3": _equation,
    "derivations": _derivations,
    "example-prompt": _example,
    "ties": _ties,
    "human-lad": _human_lad,
    "loss": _loss,
    "fit-summary": _fit_summary,
    "stale-rows": _stale,
    "signs-of-change": _changes,
    "few-answers": _few,
    "leave-one-out": _leak,
    "alignment-ranges": _ranges,
    "noise-ceiling": _ceiling,
    "repeated-prompts": _repeats,
    "temperature": _temperature,
    "second-run": _second_run,
    "stories": _stories,
    "pairs-of-agents": _pairs,
    "captions": _captions,
    "pass-rates": _pass_rates,
    "at-least-once": _ever,
    "all-explain": _all_explain,
    "flash-lite": _flash_lite,
    "weighting": _weighting,
    "people": _vignettes,
    "fork": _fork,
    "prompt-order": _prompt_order,
    "prompt-length": _prompt_length,
    "abstract-over": _abstract_over,
    "confidence-asked": _confidence_asked,
    "independence-sentence": _independence_sentence,
    "right": _right,
}
"""The entries of docs/errata/judge.md by name."""


def figures(small: bool = False, only: str = "") -> Iterator[Figure]:
    """Yield the entries whose name contains `only`; nothing can be compared without the data."""
    missing = [name for name in (MIRROR, TABLES) if not os.environ.get(name)]
    if missing:
        yield Figure(f"errata: {' and '.join(missing)} not set", "nothing compared", True)
        return
    yield from figures_of(PARTS, small, only)
