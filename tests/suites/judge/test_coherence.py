"""Coherence: what a table implies, who has 1 and who has -1, silence, noise and intervals."""

from __future__ import annotations

from itertools import groupby, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from whybench.records.table import record_table
from whybench.results.pairing import compare_tables
from whybench.seeds import generator
from whybench.suites.calibration import simulate_rows
from whybench.suites.judge import SUITE
from whybench.suites.judge.coherence import ASKED, GIVEN, imply, measure_coherence
from whybench.suites.judge.groups import group_every_answer

DESIGN = SUITE.make_design({"design": "core"})
ITEMS = list(SUITE.items(DESIGN))
inner = st.floats(0.02, 0.98)


def answers(agent: str = "noisy-or", **settings) -> list[dict]:
    return list(simulate_rows(SUITE, DESIGN, ITEMS, SUITE.agent(agent), settings, agent, {}))


def saying(judge) -> list[dict]:
    """Return the answers of an agent that goes by task and cause, on the scale from 0 to 1."""
    return [
        row | {"value": float(round(100 * judge(row["task"], row["cause"])))} for row in answers()
    ]


def of(rows):
    (group,) = group_every_answer(record_table(rows, SUITE.record_columns))
    return measure_coherence(group)


def by_enumeration(joint, effect) -> dict[tuple[str, str], float]:
    """Answer every question from a joint of causes and the effect's chances, by summing cells."""
    cells = {
        (a, b, e): joint[a, b] * (effect[a, b] if e else 1 - effect[a, b])
        for a in (0, 1)
        for b in (0, 1)
        for e in (0, 1)
    }

    def chance(node: int, **known: int) -> float:
        places = {"c1": 0, "c2": 1, "e": 2}
        fits = [
            (cell, p)
            for cell, p in cells.items()
            if all(cell[places[name]] == state for name, state in known.items())
        ]
        return sum(p for cell, p in fits if cell[node]) / sum(p for _, p in fits)

    found = {("I", "both"): chance(2, c1=0, c2=0), ("III", "both"): chance(2, c1=1, c2=1)}
    for node, cause, other in ((0, "C1", "c2"), (1, "C2", "c1")):
        mine = "c1" if cause == "C1" else "c2"
        found["II", cause] = chance(2, **{mine: 0, other: 1})
        for task, state in (("IV", 1), ("V", 0)):
            found[task, cause] = chance(node, **{other: state})
        for tasks, e in ((("VI", "VII", "VIII"), 1), (("IX", "X", "XI"), 0)):
            found[tasks[0], cause] = chance(node, **{other: 1}, e=e)
            found[tasks[1], cause] = chance(node, e=e)
            found[tasks[2], cause] = chance(node, **{other: 0}, e=e)
    return found


@given(st.tuples(*[inner] * 4), st.tuples(*[inner] * 4))
def test_what_a_table_implies_is_what_summing_its_cells_gives(weights, chances) -> None:
    patterns = [(0, 0), (0, 1), (1, 0), (1, 1)]
    joint = {at: weight / sum(weights) for at, weight in zip(patterns, weights, strict=True)}
    found = by_enumeration(joint, dict(zip(patterns, chances, strict=True)))
    implied = imply(np.array([[found[question] for question in GIVEN]]))
    assert implied[0] == pytest.approx([found[question] for question in ASKED], abs=1e-9)


NORMATIVE = {
    **{
        f"noisy-or {b} {m1} {m2} {p}": (
            {(0, 0): b, (0, 1): 1 - (1 - b) * (1 - m2), (1, 0): 1 - (1 - b) * (1 - m1)}
            | {(1, 1): 1 - (1 - b) * (1 - m1) * (1 - m2)},
            p,
        )
        for b, m1, m2, p in (
            *((0.1, 0.8, 0.8, 0.5), (0.05, 0.9, 0.9, 0.3), (0.02, 0.7, 0.7, 0.2)),
            *((0.1, 0.9, 0.5, 0.5), (0.1, 0.6, 0.95, 0.4), (0.2, 0.8, 0.8, 0.3)),
        )
    },
    **{
        f"and {low} {high} {p}": ({(0, 0): low, (0, 1): low, (1, 0): low, (1, 1): high}, p)
        for low, high, p in ((0.05, 0.9, 0.5), (0.1, 0.8, 0.6), (0.02, 0.95, 0.4))
    },
    **{
        f"free {table} {p}": (dict(zip([(0, 0), (0, 1), (1, 0), (1, 1)], table, strict=True)), p)
        for table, p in (
            *(((0.1, 0.9, 0.6, 0.7), 0.5), ((0.3, 0.4, 0.9, 0.35), 0.5)),
            ((0.05, 0.5, 0.8, 0.6), 0.4),
        )
    },
}


@pytest.mark.parametrize("name", NORMATIVE)
def test_judgments_that_follow_from_their_own_table_are_coherent(name: str) -> None:
    effect, p = NORMATIVE[name]
    joint = {(a, b): (p if a else 1 - p) * (p if b else 1 - p) for a in (0, 1) for b in (0, 1)}
    said = by_enumeration(joint, effect)
    found = of(saying(lambda task, cause: said[task, cause]))
    assert abs(found.implied.estimate) >= 0.1
    assert found.coherence.estimate >= 0.9


TASKS = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI"]
TABLES = {
    "by hand": dict(zip(TASKS, [0.1, 0.7, 0.9, 0.5, 0.5] + [0.75] * 3 + [0.2] * 3, strict=True)),
    "extreme": dict(zip(TASKS, [0, 1, 1, 0.5, 0.5] + [1] * 3 + [0] * 3, strict=True)),
}


@pytest.mark.parametrize("name", TABLES)
def test_six_numbers_that_ignore_the_other_cause_are_not(name: str) -> None:
    found = of(saying(lambda task, _: TABLES[name][task])).coherence
    assert found.estimate <= -0.8


def test_an_agent_that_heeds_nothing_but_the_effect_has_the_lowest_value() -> None:
    found = of(answers("heedless")).coherence
    assert found.estimate == pytest.approx(-1.0)
    assert of(answers("noisy-or")).coherence.estimate > 0.99


def test_half_of_the_way_is_zero() -> None:
    normative = {(row["task"], row["cause"]): row["value"] / 100 for row in answers()}
    blind = {
        (task, cause): np.mean([normative[other, cause] for other in block])
        for block in (("VI", "VII", "VIII"), ("IX", "X", "XI"))
        for task in block
        for cause in ("C1", "C2")
    }
    half = saying(lambda *asked: (normative[asked] + blind.get(asked, normative[asked])) / 2)
    assert of(half).coherence.estimate == pytest.approx(0.0, abs=0.1)


def test_silence_counts_as_blind_and_what_is_lost_does_not_count() -> None:
    exact = answers()
    asked = [number for number, row in enumerate(exact) if (row["task"], row["cause"]) in ASKED]
    for outcome, low, high in (("no_answer", -0.2, 0.8), ("error", 0.99, 1.0)):
        rows = [dict(row) for row in exact]
        for number in asked[::3]:
            rows[number] |= {"outcome": outcome, "value": None}
        assert low <= of(rows).coherence.estimate <= high
    silent = [row | {"outcome": "no_answer", "value": None} for row in exact]
    for number in asked:
        exact[number] |= {"outcome": "no_answer", "value": None}
    assert of(exact).coherence.estimate == -1.0
    assert of(silent).coherence.flags == ("not_tested",)


def test_where_nothing_is_implied_nothing_is_tested() -> None:
    found = of(saying(lambda *_: 0.5))
    assert found.coherence.estimate is None
    assert found.coherence.flags == ("not_tested",)
    assert found.implied.estimate == pytest.approx(0.0)


def test_noise_leaves_the_value_where_it_is_and_intervals_hold_it() -> None:
    found = [of(answers(noise=0.1, seed=seed)).coherence for seed in range(40)]
    assert np.mean([one.estimate for one in found]) > 0.97
    assert sum(one.high > 0.999 for one in found) >= 36
    heedless = [of(answers("heedless", noise=0.1, seed=seed)).coherence for seed in range(40)]
    assert np.mean([one.estimate for one in heedless]) < -0.97
    assert sum(one.low < -0.999 for one in heedless) >= 36


def test_a_belief_of_its_own_for_every_story_is_no_incoherence() -> None:
    draw = generator("test", "coherence")
    rows = answers()
    tables = {}
    for row in rows:
        key = row["story"], row["polarity"]
        if key not in tables:
            b, m, p = draw.uniform((0.02, 0.5, 0.2), (0.2, 0.95, 0.7))
            effect = {(0, 0): b, (0, 1): 1 - (1 - b) * (1 - m), (1, 0): 1 - (1 - b) * (1 - m)}
            effect[1, 1] = 1 - (1 - b) * (1 - m) ** 2
            joint = {(x, y): (p if x else 1 - p) * (p if y else 1 - p) for x, y in effect}
            tables[key] = by_enumeration(joint, effect)
        row["value"] = float(round(100 * tables[key][row["task"], row["cause"]]))
    assert of(rows).coherence.estimate > 0.98


def test_a_comparison_tells_who_heeds_the_other_cause() -> None:
    sides = (record_table(answers(who), SUITE.record_columns) for who in ("heedless", "noisy-or"))
    (change,) = [one for one in compare_tables(SUITE, *sides) if one.measure == "coherence"]
    assert change.verdict == "higher"
    assert change.difference == pytest.approx(2, abs=0.01)


def by_leaving_out(rows, key, strata=None) -> tuple[float, float]:
    """Fieller's interval by measuring again without each unit, on sums that are taken anew."""

    def less_and_more(kept) -> np.ndarray:
        said: dict[str, dict] = {}
        for row in kept:
            unit = said.setdefault(f"{row['story']}/{row['polarity']}", {})
            unit[row["task"], row["cause"]] = row["value"] / 100
        given = np.array([[unit[asked] for asked in GIVEN] for unit in said.values()])
        judged = np.array([[unit[asked] for asked in ASKED] for unit in said.values()])
        blind = np.repeat(judged.reshape(len(judged), 4, 3).mean(2), 3, axis=1)
        pairs = list(permutations(range(len(judged)), 2))
        b, s = (
            sum(float(x[one] @ x[two]) for one, two in pairs) / len(pairs)
            for x in (judged - blind, judged - imply(given))
        )
        return np.array([b - s, b + s])

    units = sorted({key(row) for row in rows})
    left = {unit: less_and_more([row for row in rows if key(row) != unit]) for unit in units}
    n, spread, uncertainty = len(units), np.zeros((2, 2)), 0.0
    groups = groupby(units, key=strata or (lambda _: ""))
    for members in [list(group) for _, group in groups]:
        off = np.array([left[unit] for unit in members])
        off = off - off.mean(axis=0)
        spread += len(members) / (len(members) - 1) * off.T @ off * ((n - 1) / n) ** 2
        uncertainty += len(members) ** 2 / (len(members) - 1)
    q = stats.t.ppf(0.975, n**2 / uncertainty) ** 2
    less, more = less_and_more(rows)
    roots = np.roots(
        [
            more**2 - q * spread[1, 1],
            -2 * (less * more - q * spread[0, 1]),
            less**2 - q * spread[0, 0],
        ]
    )
    return float(max(-1.0, roots.min())), float(min(1.0, roots.max()))


def test_intervals_are_those_of_leaving_out_vignettes_within_stories_and_stories() -> None:
    rows = answers(noise=0.05, seed=3)
    found = of(rows)
    estimate = found.coherence
    low, high = by_leaving_out(
        rows, lambda row: (row["story"], row["polarity"]), strata=lambda unit: unit[0]
    )
    assert (estimate.low, estimate.high) == (pytest.approx(low), pytest.approx(high))
    low, high = by_leaving_out(rows, lambda row: row["story"])
    assert estimate.general_low == pytest.approx(min(low, estimate.low))
    assert estimate.general_high == pytest.approx(max(high, estimate.high))
    assert (estimate.units, estimate.general_units) == (12, 3)
    assert found.stories["economy/ppp"] == "economy"
    assert found.implied.general_units == 3


def test_one_story_has_no_second_interval_nor_have_persons_who_judged_several() -> None:
    rows = answers(noise=0.05)
    one = of([row for row in rows if row["story"] == "economy"])
    assert one.coherence.low is not None
    assert one.coherence.general_low is None
    several = of([row | {"person": row["polarity"]} for row in rows])
    assert (several.coherence.units, several.coherence.general_low) == (4, None)
    assert several.stories == {}
    # Two vignettes are a pair, and one of them is none.
    two = of([r for r in rows if r["story"] == "economy" and r["polarity"] in ("ppp", "pmm")])
    assert (two.coherence.estimate is None, two.coherence.low) == (False, None)
