"""Do headlines measure? Shallow agents, and every law as a line.

Agents of known strategy, many of them shallow, silent or lapsing, are held against the headline as
it was and as it is. Then the laws of `whybench.suites.laws` are tried, at full size over 200 seeds,
and what they do not hold: that epochs and sample size leave a value as it is, that budgets suffice
to tell agents apart, and that intervals hold what they should without being wider than need be.

Answers of compose are simulated as arrays where thousands of runs are needed, and measured by the
code that measures records; those of intervene go through words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from evidence.compose_classes import make_queries
from evidence.figures import LEAST_COVERED, Figure, Parts, covers_enough, figures_of
from evidence.shift_ratio import SHIFT_PARTS
from evidence.story_intervals import STORY_PARTS
from whybench.records.table import record_table
from whybench.results.pairing import compare_tables
from whybench.seeds import generator
from whybench.stats import difference_between
from whybench.suites.calibration import simulate_rows
from whybench.suites.compose.agents import Rule, answer_coin, make_flip, make_local_only
from whybench.suites.compose.agreements import sum_agreements
from whybench.suites.compose.answer_arrays import AnswerArrays
from whybench.suites.compose.chain import Chain
from whybench.suites.compose.estimators import Sample
from whybench.suites.compose.groups import WorldAnswers
from whybench.suites.compose.truth import make_answer_key
from whybench.suites.compose.units import draw_units, make_world, parse_shape
from whybench.suites.laws import (
    LAWS,
    RATES,
    LawCase,
    drop_answers,
    headline_values,
    judge_lapses,
)
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from whybench.stats import Estimate, Measure
    from whybench.suites.compose.agreements import AgreementSums
    from whybench.suites.compose.world import Gates
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

SEEDS, FEW_SEEDS = 200, 10
GATES = ("or", "and", "mixed")
TWO, THREE = "cycle3+cycle3", "cycle3+cycle3+cycle3"

WIDEST, WIDEST_NEAR_0 = 1.25, 1.6
"""How many times as wide as an interval from the true spread the mean interval may be. Values near
0, below .1, have wider ones: Wilson's interval keeps off the end."""


# compose, as arrays


@dataclass(frozen=True, eq=False)
class AskedWorld:
    """A world of compose, its units, and what is true of them."""

    kinds: str
    gates: str
    draw: int
    true1: NDArray[np.bool_]
    true0: NDArray[np.bool_]
    factual: NDArray[np.bool_]
    sample: Sample

    def answer(self, rule: Rule, rng: np.random.Generator, epochs: int = 1) -> WorldAnswers:
        """Return what an agent says that follows a rule."""
        chain = Chain(parse_shape(self.kinds))
        queries = make_queries(self.true1, self.true0, self.factual, epochs)
        y1, y0, said = (rule(asked, rng).astype(float) for asked in queries)
        answered = AnswerArrays(chain.pairs, y1, y0, self.true1, self.true0, self.sample)
        facts = np.full((*said.shape[:2], chain.size), np.nan)
        facts[:, :, chain.anchors[1:]] = said == self.factual
        return WorldAnswers(self.kinds, self.gates, self.draw, chain, answered, facts)


@lru_cache(maxsize=4096)
def ask_world(kinds: str, gates: str, draw: int, units: int) -> AskedWorld:
    """Return a world of the test split with its first units."""
    world = make_world(kinds, cast("Gates", gates), draw, "test")
    drawn = draw_units(world, units, draw)
    key = make_answer_key(world, drawn.bits)
    sample = Sample.of(drawn.weights, drawn.strata)
    return AskedWorld(kinds, gates, draw, key.if_true, key.if_false, key.factual, sample)


@dataclass(frozen=True)
class ComposeRun:
    """What a run of compose asks: a shape, worlds of each kind of gates, and units of each."""

    kinds: str
    worlds: int
    units: int
    first: int = 0

    @property
    def calls(self) -> int:
        """How many questions that is."""
        blocks = len(parse_shape(self.kinds))
        return len(GATES) * self.worlds * self.units * blocks * (blocks + 2)

    def sums(self, rule: Rule, *key: object, epochs: int = 1) -> AgreementSums:
        """Return the agreements of an agent that follows a rule."""
        rng = generator("evidence", "validity", *key)
        numbers = range(self.first, self.first + self.worlds)
        return sum_agreements(
            [
                ask_world(self.kinds, gates, number, self.units).answer(rule, rng, epochs)
                for number in numbers
                for gates in GATES
            ]
        )


BUDGETS = {
    "small": ComposeRun(TWO, 4, 8),
    "standard": ComposeRun(THREE, 8, 16),
    "full, one condition": ComposeRun(TWO, 10, 16),
}


def _lesser(found: AgreementSums) -> Estimate:
    return found.estimate().lesser


def _value(found: AgreementSums) -> float:
    return _lesser(found).estimate or 0.0


# Agents before and after


def _rows(
    suite: AnySuite, design: Design, agent: str, settings: Mapping[str, Any]
) -> list[dict[str, Any]]:
    items = _items(suite.name, design)
    return list(simulate_rows(suite, design, items, suite.agent(agent), settings, agent, {}))


_MADE: dict[tuple[str, str], Sequence[Any]] = {}


def _items(name: str, design: Design) -> Sequence[Any]:
    """Return the items of a design, which are made once."""
    if (name, design.hash) not in _MADE:
        _MADE[name, design.hash] = list(get_suite(name).items(design))
    return _MADE[name, design.hash]


def _all(suite: AnySuite, rows: Sequence[dict[str, Any]]) -> dict[str, Measure]:
    found = suite.measures(record_table(list(rows), suite.record_columns))
    return {measure.name: measure for measure in found if not measure.at}


def _show(measure: Measure | None) -> str:
    if measure is None or measure.estimate is None:
        return "none"
    ends = "" if measure.low is None else f" [{measure.low:.2f}, {measure.high:.2f}]"
    return f"{measure.estimate:.3f}{ends}"


COMPOSE_AGENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "exact": ("exact", {}),
    "wrong in 1%": ("flip", {"error": 0.01}),
    "wrong in 5%": ("flip", {"error": 0.05}),
    "wrong in 10%": ("flip", {"error": 0.10}),
    "wrong in 20%": ("flip", {"error": 0.20}),
    "coin": ("coin", {}),
    "copies the setting": ("copy", {}),
    "always yes": ("always-yes", {}),
    "always no": ("always-no", {}),
    "knows parts, not the whole": ("local-only", {}),
    "has one gate wrong": ("wrong-world", {}),
}


def compose_agents(small: bool) -> Iterator[Figure]:
    """Yield the headline of compose before and after, of shallow, silent and lapsing agents."""
    suite = get_suite("compose")
    settings = BUDGETS["small"] if small else BUDGETS["standard"]
    design = suite.make_design(
        {"kinds": settings.kinds, "worlds": settings.worlds, "units": settings.units}
    )
    exact = _rows(suite, design, "exact", {})
    asked = {name: _rows(suite, design, *who) for name, who in COMPOSE_AGENTS.items()}
    asked["exact, silent on every tenth unit"] = drop_answers(
        suite, exact, "no_answer", lambda _, row: (row["unit"] + row["draw"]) % 10 == 0
    )
    asked["silent"] = drop_answers(suite, exact, "no_answer", lambda *_: True)
    found = {name: _all(suite, rows) for name, rows in asked.items()}
    # As it was: one world of each kind of gates, with units for verdicts.
    old = suite.make_design({"design": "verdicts", **({"gates": "or"} if small else {})})
    were = {
        name: _all(suite, _rows(suite, old, *who))["valid_and_consistent"]
        for name, who in COMPOSE_AGENTS.items()
    }
    lines = [
        f"{name}: was {_show(were.get(name))}, is {_show(now['compositional_agreement'])}, "
        f"skill {_show(now['skill_score'])}"
        for name, now in found.items()
    ]
    value = {name: now["compositional_agreement"].estimate or 0.0 for name, now in found.items()}
    best = value["copies the setting"]
    shallow = ("coin", "always yes", "always no", "silent", "knows parts, not the whole")
    yield Figure(
        f"compose, {len(lines)} agents: no shallow or silent one has more than copying has",
        "\n       ".join(lines),
        all(value[name] <= best for name in shallow) and value["exact"] == 1.0,
    )
    runs = FEW_SEEDS if small else SEEDS
    standard = BUDGETS["standard"]
    nine, coin = (
        [_lesser(standard.sums(rule, name, seed)) for seed in range(runs)]
        for name, rule in (("nine", make_flip(0.1)), ("coin", answer_coin))
    )
    apart = fmean(one.estimate or 0.0 for one in nine) - fmean(one.estimate or 0.0 for one in coin)
    disjoint = sum(
        (one.low or 0) > (other.high or 0) for one, other in zip(nine, coin, strict=True)
    )
    yield Figure(
        "standard: an agent right in 90% and a coin are 0.25 apart on average, with disjoint "
        "intervals in 99% of runs",
        f"{apart:.3f} apart; disjoint in {disjoint} of {runs} runs",
        apart >= 0.25 and disjoint >= 0.99 * runs,
    )


INTERVENE_AGENTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "controlled": ("controlled", {}),
    "wrong in 1%": ("controlled", {"error": 0.01}),
    "wrong in 5%": ("controlled", {"error": 0.05}),
    "wrong in 10%": ("controlled", {"error": 0.10}),
    "wrong in 20%": ("controlled", {"error": 0.20}),
    "bayes": ("bayes", {}),
    "the mindless loop": ("recipe", {}),
    "acts on the cause once": ("single-cause", {}),
    "acts on the effect once": ("correlational", {}),
    "acts four times at random, tosses a coin": ("random-then-guess", {"steps": 4}),
    "always yes": ("always-yes", {}),
    "always no": ("always-no", {}),
    "yes if listed first": ("listed-first", {}),
}


def intervene_agents(small: bool) -> Iterator[Figure]:
    """Yield the headline of intervene before and after, of shallow, silent and lapsing agents."""
    suite = get_suite("intervene")
    core = suite.make_design({"design": "core"})
    limited = suite.make_design({"design": "limited", "graphs": 4 if small else 20})
    asked = {}
    for name, who in INTERVENE_AGENTS.items():
        asked[name] = [_rows(suite, design, *who) for design in (core, limited)]
    for name, unsaid in {
        "silent": lambda _place, _row: True,
        "lazy: answers what is clear at once": lambda _place, row: row["steps"] != 0,
    }.items():
        asked[name] = [
            drop_answers(suite, _rows(suite, design, "controlled", {}), "no_answer", unsaid)
            for design in (core, limited)
        ]
    lines, value = [], {}
    for name, (before, after) in asked.items():
        was, now = _all(suite, before), _all(suite, after)
        value[name] = now["justified_accuracy"].estimate or 0.0
        lines.append(
            f"{name}: was {_show(was['justified_accuracy_answered'])} on core, "
            f"is {_show(now['justified_accuracy'])}, skill {_show(now['skill_score'])}"
        )
        if name.startswith("lazy"):
            value["lazy on core"] = was["justified_accuracy"].estimate or 0.0
    yield Figure(
        f"intervene, {len(lines)} agents: the lazy and the silent have .2 at most, and nothing but "
        "experiments has more than one action has",
        "\n       ".join(lines),
        value["lazy: answers what is clear at once"] <= 0.2
        and value["lazy on core"] <= 0.2
        and max(
            value[name] for name in ("silent", "always yes", "always no", "yes if listed first")
        )
        <= value["acts on the cause once"],
    )
    loop = value["the mindless loop"]
    yield Figure(
        "the experimenter that is best in the worst case has 1.000, and the mindless loop less "
        "than .75: where cause and effect both move it holds the cause too early",
        f"{value['controlled']:.3f} and {loop:.3f}",
        value["controlled"] == 1.0 and loop < 0.75,
    )


# The laws


def checked_laws(small: bool) -> Iterator[Figure]:
    """Yield the laws that need no seeds, on the designs of both suites."""
    asked: dict[str, tuple[Mapping[str, object], ...]] = {
        "compose": ({"design": "core"}, {"design": "shapes"}, {"design": "full", "worlds": 1}),
        "intervene": ({"design": "limited"}, {"design": "core"}, {"design": "advanced"}),
    }
    for name, designs in asked.items():
        suite = get_suite(name)
        for law, broken in LAWS.items():
            wrong = []
            for settings in designs[:1] if small else designs:
                design = suite.make_design(settings)
                wrong += list(broken(LawCase(suite, design, _items(name, design))))
            count = 1 if small else len(designs)
            yield Figure(
                f"{name}: {law}, on {count} designs",
                "; ".join(wrong) or "kept",
                not wrong,
            )


def _compose_lapses(run: ComposeRun, seeds: int) -> dict[float, list[float]]:
    return {
        rate: [
            _value(run.sums(make_flip(rate), rate, seed)) for seed in range(seeds if rate else 1)
        ]
        for rate in RATES
    }


def _intervene_design(graphs: int) -> Design:
    design: Design = get_suite("intervene").make_design({"design": "limited", "graphs": graphs})
    return design


def _intervene_value(design: Design, rate: float, seed: int) -> Measure:
    suite = get_suite("intervene")
    rows = _rows(suite, design, "controlled", {"error": rate, "seed": seed})
    (found,) = headline_values(suite, rows)
    measure: Measure = found
    return measure


def monotone(small: bool) -> Iterator[Figure]:
    """Yield whether headlines fall as lapses become more frequent, at small and at standard."""
    seeds = FEW_SEEDS if small else SEEDS
    for budget in ("small", "standard"):
        values = {"compose": _compose_lapses(BUDGETS[budget], seeds)}
        design = _intervene_design(4 if budget == "small" else 20)
        values["intervene"] = {
            rate: [
                _intervene_value(design, rate, seed).estimate or 0.0
                for seed in range(seeds if rate else 1)
            ]
            for rate in RATES
        }
        for name, by_rate in values.items():
            found = judge_lapses(by_rate)
            means = ", ".join(f"{rate} {mean:.3f}" for rate, mean in found.figures.items())
            yield Figure(
                f"{name}, {budget}: over {seeds} seeds it falls with every rate of lapses",
                f"{means}{'; ' if found.misses else ''}{'; '.join(found.misses)}",
                found.passed,
            )


def same_value(small: bool) -> Iterator[Figure]:
    """Yield whether an agent has the same value at more epochs and with more units."""
    seeds = FEW_SEEDS if small else SEEDS
    run = BUDGETS["standard"]
    larger = ComposeRun(run.kinds, run.worlds, 4 * run.units)
    for rate in (0.05, 0.2):
        rule = make_flip(rate)
        kinds = {
            "one epoch": [_value(run.sums(rule, "one", rate, s)) for s in range(seeds)],
            "three epochs": [
                _value(run.sums(rule, "three", rate, s, epochs=3)) for s in range(seeds)
            ],
            "four times the units": [
                _value(larger.sums(rule, "more", rate, s)) for s in range(seeds)
            ],
        }
        means = {name: fmean(values) for name, values in kinds.items()}
        errors = {name: stdev(values) / seeds**0.5 for name, values in kinds.items()}
        base = "one epoch"
        off = {
            name: abs(means[name] - means[base]) / (errors[name] ** 2 + errors[base] ** 2) ** 0.5
            for name in kinds
            if name != base
        }
        # A ratio of sums has a bias of the order of one in the units; .005 is nothing.
        near = all(off[name] < 3 or abs(means[name] - means[base]) < 0.005 for name in off)
        yield Figure(
            f"compose: an agent wrong in {rate:.0%} has the same value at 1 and 3 epochs, and with "
            "four times the units",
            ", ".join(f"{name} {mean:.4f} ± {errors[name]:.4f}" for name, mean in means.items()),
            near,
        )


def _told_apart(first: AgreementSums, second: AgreementSums) -> bool:
    """Whether a comparison says that the second is worse."""
    found = difference_between(first.jackknife(), second.jackknife())
    return found.p is not None and found.p < 0.05 and (found.estimate.estimate or 0) < 0


def separating(small: bool) -> Iterator[Figure]:
    """Yield how often a comparison tells two agents apart, in the right direction."""
    seeds = FEW_SEEDS if small else SEEDS
    local = make_local_only()
    cases = (
        ("small", "exact against parts known and the whole not", make_flip(0.0), local, 196),
        ("standard", "10% errors against 20%", make_flip(0.10), make_flip(0.20), 170),
        ("full, one condition", "5% errors against 10%", make_flip(0.05), make_flip(0.10), 170),
    )
    for budget, told, better, worse, wanted in cases:
        run = BUDGETS[budget]
        right = sum(
            _told_apart(run.sums(better, budget, 1, s), run.sums(worse, budget, 2, s))
            for s in range(seeds)
        )
        least = round(wanted * seeds / SEEDS - (2 if small else 0))
        yield Figure(
            f"compose, {budget} ({run.calls} calls): {told} in {least} of {seeds} runs or more",
            f"{right} of {seeds}",
            right >= least,
        )
    suite = get_suite("intervene")
    for budget, graphs, told, first, second, wanted in (
        ("small", 4, "exact against one action", ("controlled", 0.0), ("single-cause", None), 196),
        ("standard", 20, "10% errors against 20%", ("controlled", 0.1), ("controlled", 0.2), 170),
        ("full", 40, "5% errors against 10%", ("controlled", 0.05), ("controlled", 0.1), 170),
    ):
        design = _intervene_design(graphs)
        right = sum(
            _intervene_told_apart(suite, design, first, second, seed) for seed in range(seeds)
        )
        least = round(wanted * seeds / SEEDS - (2 if small else 0))
        episodes = len(_items("intervene", design))
        yield Figure(
            f"intervene, {budget} ({episodes} episodes): {told} in {least} of {seeds} runs or more",
            f"{right} of {seeds}",
            right >= least,
        )


def _intervene_told_apart(
    suite: AnySuite,
    design: Design,
    first: tuple[str, float | None],
    second: tuple[str, float | None],
    seed: int,
) -> bool:
    tables = []
    for number, (agent, error) in enumerate((first, second)):
        settings = {} if error is None else {"error": error}
        if error:
            settings["seed"] = 2 * seed + number
        rows = _rows(suite, design, agent, settings)
        tables.append(record_table(rows, suite.record_columns))
    for change in compare_tables(suite, *tables):
        if change.measure == "justified_accuracy":
            return change.p is not None and change.p < 0.05 and (change.difference or 0) < 0
    raise LookupError("justified_accuracy must be compared, and was not")


def intervals(small: bool) -> Iterator[Figure]:
    """Yield how often intervals hold the value over fresh worlds, and how wide they are."""
    runs = 40 if small else 2000
    rates = (0.05, 0.2) if small else (0.02, 0.05, 0.10, 0.20, 0.35)
    for budget in ("small", "standard"):
        base = BUDGETS[budget]
        many = ComposeRun(base.kinds, 40 if small else 400, 32, first=100_000)
        for rate in rates:
            rule = make_flip(rate)
            true = _value(many.sums(rule, "true", rate, epochs=4))
            found = [
                _lesser(
                    ComposeRun(base.kinds, base.worlds, base.units, 1000 + base.worlds * run).sums(
                        rule, "cover", rate, run
                    )
                )
                for run in range(runs)
            ]
            yield _interval_figure(f"compose, {budget}, {rate:.0%} errors", found, true, small)
    for graphs, budget in ((4, "small"), (20, "standard")):
        design = _intervene_design(graphs)
        for rate in (0.05, 0.2):
            values = [_intervene_value(design, rate, seed) for seed in range(20 if small else 200)]
            told = f"intervene, {budget}, {rate:.0%} errors"
            yield _interval_figure(told, values, 1 - rate, small)


def _interval_figure(
    told: str, found: Sequence[Estimate | Measure], true: float, small: bool
) -> Figure:
    covered = sum((one.low or 0) <= true <= (one.high or 0) for one in found)
    spread = stdev(one.estimate or 0.0 for one in found)
    width = fmean((one.high or 0) - (one.low or 0) for one in found) / (2 * 1.96 * spread)
    bias = fmean(one.estimate or 0.0 for one in found) - true
    widest = WIDEST_NEAR_0 if small or true < 0.1 else WIDEST
    return Figure(
        f"{told}: intervals cover {LEAST_COVERED:.1%} or more, and are {widest} x as wide at most",
        f"{covered / len(found):.1%} of {len(found)} hold {true:.3f}; {width:.2f} x; "
        f"bias {bias:+.4f}",
        covers_enough(covered, len(found)) and width <= widest,
    )


PARTS: Parts = {
    "compose agents": compose_agents,
    "intervene agents": intervene_agents,
    "checked laws": checked_laws,
    "monotone": monotone,
    "same value": same_value,
    "separating": separating,
    "intervals": intervals,
    **SHIFT_PARTS,
    **STORY_PARTS,
}

figures = partial(figures_of, PARTS)
