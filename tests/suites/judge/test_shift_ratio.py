"""Shift ratio: implied judgments, agents with known values, no value, and intervals."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize, stats

from whybench.records.table import record_table
from whybench.results.pairing import compare_tables
from whybench.seeds import generator
from whybench.suites.calibration import simulate_rows
from whybench.suites.judge import SUITE
from whybench.suites.judge.groups import group_every_answer
from whybench.suites.judge.implied import ASKED, GIVEN, imply
from whybench.suites.judge.shift_ratio import measure_shift_ratio, shift_ratio_of

DESIGN = SUITE.make_design({"design": "core"})
ITEMS = list(SUITE.items(DESIGN))
inner = st.floats(0.02, 0.98)

BY_HAND = {
    **{("I", "both"): 0.1, ("II", "C1"): 0.8, ("II", "C2"): 0.8, ("III", "both"): 0.9},
    **{(task, cause): 0.5 for task in ("IV", "V") for cause in ("C1", "C2")},
}
"""An effect of two causes with even odds that are unrelated. By hand, given the effect: with the
other cause P = 0.9 / (0.9 + 0.8) = 9/17, without it 0.8 / (0.8 + 0.1) = 8/9. So 55/153 follow."""
IMPLIED = 8 / 9 - 9 / 17


def answers(agent: str = "noisy-or", **settings) -> list[dict]:
    return list(simulate_rows(SUITE, DESIGN, ITEMS, SUITE.agent(agent), settings, agent, {}))


ROWS = answers()


def saying(judge) -> list[dict]:
    """Return the answers of an agent that goes by task and cause, on the scale from 0 to 1."""
    return [row | {"value": 100 * judge(row["task"], row["cause"])} for row in ROWS]


def shifting(shift: float, effect: float = 0.7) -> list[dict]:
    """Return the answers of an agent with the beliefs `BY_HAND` that explains away by `shift`."""
    judged = {"VI": effect - shift / 2, "VII": effect, "VIII": effect + shift / 2}
    return saying(lambda task, cause: BY_HAND.get((task, cause), judged.get(task, 0.3)))


def of(rows):
    (group,) = group_every_answer(record_table(rows, SUITE.record_columns))
    return measure_shift_ratio(group)


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
def test_judgments_that_follow_from_their_own_table_have_one(name: str) -> None:
    effect, p = NORMATIVE[name]
    joint = {(a, b): (p if a else 1 - p) * (p if b else 1 - p) for a in (0, 1) for b in (0, 1)}
    said = by_enumeration(joint, effect)
    found = of(saying(lambda task, cause: said[task, cause]))
    assert abs(found.implied.estimate) >= 0.1
    assert found.ratio.estimate == pytest.approx(1.0, abs=1e-9)


@given(st.tuples(*[inner] * 4), st.tuples(*[inner] * 4))
def test_judgments_that_follow_from_any_table_have_one(weights, chances) -> None:
    patterns = [(0, 0), (0, 1), (1, 0), (1, 1)]
    joint = {at: weight / sum(weights) for at, weight in zip(patterns, weights, strict=True)}
    said = by_enumeration(joint, dict(zip(patterns, chances, strict=True)))
    ratio = shift_ratio_of(said)
    found = of(saying(lambda task, cause: said[task, cause])).ratio
    if ratio is None:
        assert found.flags == ("no_implied_shift",)
    else:
        assert (ratio, found.estimate) == pytest.approx((1.0, 1.0), abs=1e-6)


def test_ratio_is_observed_over_implied_as_by_hand() -> None:
    for shift in (-0.3, 0.0, 0.1, IMPLIED, 0.5):
        found = of(shifting(shift))
        assert found.implied.estimate == pytest.approx(IMPLIED)
        assert found.ratio.estimate == pytest.approx(shift / IMPLIED, abs=1e-9)


@given(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6))
def test_ratio_increases_strictly_with_explaining_away_and_its_sign_flips(one, two) -> None:
    assume(abs(one - two) > 1e-6)
    first, second = (of(shifting(shift)).ratio.estimate for shift in (one, two))
    assert (first < second) == (one < two)
    assert of(shifting(-one)).ratio.estimate == pytest.approx(-first, abs=1e-9)


def test_agents_of_known_style_have_their_values() -> None:
    assert of(answers("noisy-or")).ratio.estimate == pytest.approx(1.0, abs=0.01)
    assert of(answers("heedless")).ratio.estimate == 0.0
    flipped = {"VI": "VIII", "VIII": "VI"}
    values = {(row["task"], row["cause"]): row["value"] / 100 for row in ROWS}
    backwards = of(saying(lambda task, cause: values[flipped.get(task, task), cause])).ratio
    assert backwards.estimate == pytest.approx(-1.0, abs=0.01)
    six = dict(zip(TASKS, [0.1, 0.7, 0.9, 0.5, 0.5] + [0.75] * 3 + [0.2] * 3, strict=True))
    assert of(saying(lambda task, _: six[task])).ratio.estimate == pytest.approx(0.0, abs=1e-9)


TASKS = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI"]


def test_judgments_with_the_effect_absent_or_the_other_cause_unknown_do_not_count() -> None:
    other = [r | {"value": 3.0} if r["task"] in ("VII", "IX", "X", "XI") else r for r in ROWS]
    assert of(other).ratio == of(ROWS).ratio


@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_ratio_cannot_be_determined_where_own_answers_imply_no_shift(noise: float) -> None:
    draw = generator("test", "shift ratio", noise)
    rows = saying(lambda *_: 0.5 + noise * draw.normal())
    assert of(rows).ratio.estimate is None
    assert of(rows).ratio.flags == ("no_implied_shift",)
    assert of(rows).implied.estimate == pytest.approx(0.0, abs=0.05)


def test_gate_is_the_t_test_of_the_implied_shift() -> None:
    """Values and gate over seeds, by scipy's t test of residuals within stories."""
    for seed in range(30):
        found = of(answers("associative", rho=0.5, noise=0.1, seed=seed))
        rows = answers("associative", rho=0.5, noise=0.1, seed=seed)
        shifts = defaultdict(list)
        for unit, said in by_unit(rows).items():
            table = dict(
                zip(ASKED, imply(np.array([[said[asked] for asked in GIVEN]]))[0], strict=True)
            )
            pairs = (table["VIII", cause] - table["VI", cause] for cause in ("C1", "C2"))
            shifts[unit[0]].append(np.mean(list(pairs)))
        every = np.array(list(shifts.values()))
        error = (np.sum((every - every.mean(1, keepdims=True)) ** 2) / 9 / 12) ** 0.5
        p = 2 * stats.t.sf(abs(every.mean()) / error, 9)
        assert (found.ratio.estimate is None) == (p >= 0.01 or abs(every.mean()) <= 0.02)


def by_unit(rows) -> dict[tuple[str, str], dict]:
    said: dict[tuple[str, str], dict] = defaultdict(dict)
    for row in rows:
        said[row["story"], row["polarity"]][row["task"], row["cause"]] = row["value"] / 100
    return said


def silence(rows, chosen, outcome="no_answer") -> list[dict]:
    return [
        row | {"outcome": outcome, "value": None} if chosen(place, row) else row
        for place, row in enumerate(rows)
    ]


def test_silence_buys_no_value_and_lost_answers_do_not_count() -> None:
    rows = answers(noise=0.1, seed=2)
    whole = of(rows).ratio
    heard = ("VI", "VIII")
    few = of(silence(rows, lambda n, row: row["task"] in heard and n % 5 == 0)).ratio
    assert few.estimate == pytest.approx(whole.estimate, abs=0.1)
    lost = of(silence(rows, lambda n, _: n % 7 == 3, "error")).ratio
    assert lost.estimate == pytest.approx(whole.estimate, abs=0.2)
    for chosen in (
        lambda n, row: row["task"] in heard and n % 2,
        lambda n, row: row["task"] in GIVEN_TASKS and n % 4 == 0,
        lambda *_: True,
    ):
        found = of(silence(rows, chosen)).ratio
        assert (found.estimate, found.flags) == (None, ("many_unanswered",))
    # Answers to questions that it does not need may be missing.
    assert of(silence(rows, lambda _, row: row["task"] in ("VII", "IX", "X", "XI"))).ratio == (
        whole.__class__(**{**whole.__dict__, "n": whole.n - 96})
    )
    nothing = of(silence(rows, lambda *_: True, "error")).ratio
    assert (nothing.estimate, nothing.flags) == (None, ("undefined",))


GIVEN_TASKS = {task for task, _ in GIVEN}


def test_a_left_out_vignette_does_not_replace_missing_answers_of_the_others() -> None:
    rows = silence(
        answers(noise=0.1, seed=3),
        lambda n, row: row["task"] in GIVEN_TASKS and n % 6 == 1,
        "error",
    )
    found = of(rows)
    assert len(found.without) == 12
    for unit, left in found.without.items():
        others = [row for row in rows if f"{row['story']}/{row['polarity']}" != unit]
        assert len(others) < len(rows)
        assert of(others).ratio.estimate == pytest.approx(left, abs=1e-9)


def test_own_beliefs_in_every_vignette_leave_the_ratio_at_one() -> None:
    draw = generator("test", "beliefs")
    rows, tables = [], {}
    for row in ROWS:
        key = row["story"], row["polarity"]
        if key not in tables:
            b, m, p = draw.uniform((0.02, 0.5, 0.2), (0.2, 0.95, 0.7))
            effect = {(0, 0): b, (0, 1): 1 - (1 - b) * (1 - m), (1, 0): 1 - (1 - b) * (1 - m)}
            effect[1, 1] = 1 - (1 - b) * (1 - m) ** 2
            joint = {(x, y): (p if x else 1 - p) * (p if y else 1 - p) for x, y in effect}
            tables[key] = by_enumeration(joint, effect)
        rows.append(row | {"value": 100 * tables[key][row["task"], row["cause"]]})
    assert of(rows).ratio.estimate == pytest.approx(1.0, abs=1e-9)


def test_comparison_separates_agents_that_ignore_and_that_heed_the_other_cause() -> None:
    sides = (
        record_table(answers(who, noise=0.1, seed=1), SUITE.record_columns)
        for who in ("heedless", "noisy-or")
    )
    (change,) = [one for one in compare_tables(SUITE, *sides) if one.measure == "shift_ratio"]
    assert change.verdict == "higher"
    assert change.difference == pytest.approx(1, abs=0.3)


def by_searching(rows, key, within) -> tuple[float, float]:
    """Return the ratios that a t test of observed - ratio * implied does not reject at 5%.

    The shifts are summed from the answers, and the ends are found by a root finder.
    """
    shifts = {}
    for unit, said in by_unit(rows).items():
        table = dict(
            zip(ASKED, imply(np.array([[said[asked] for asked in GIVEN]]))[0], strict=True)
        )
        shifts[unit] = [
            np.mean([side["VIII", cause] - side["VI", cause] for cause in ("C1", "C2")])
            for side in (said, table)
        ]
    parts = defaultdict(list)
    for unit, pair in shifts.items():
        parts[key(unit)].append(pair)
    means = np.array([np.mean(pairs, axis=0) for pairs in parts.values()])
    strata = np.array([within(name) for name in parts])
    degrees = len(means) - len(set(strata))

    def excess(ratio: float) -> float:
        off = means[:, 0] - ratio * means[:, 1]
        squares = sum(
            np.sum((off[strata == s] - off[strata == s].mean()) ** 2) for s in set(strata)
        )
        error = (squares / degrees / len(off)) ** 0.5
        return float(abs(off.mean()) - stats.t.ppf(0.975, degrees) * error)

    middle = means[:, 0].mean() / means[:, 1].mean()
    return tuple(optimize.brentq(excess, middle, middle + way * 50) for way in (-1, 1))


def test_intervals_are_the_ratios_that_a_t_test_does_not_reject() -> None:
    rows = answers(noise=0.05, seed=3)
    found = of(rows)
    one = found.ratio
    ends = by_searching(rows, lambda unit: unit, lambda unit: unit[0])
    assert (one.low, one.high) == pytest.approx(ends)
    low, high = by_searching(rows, lambda unit: unit[0], lambda _: "")
    assert one.general_low == pytest.approx(min(low, one.low))
    assert one.general_high == pytest.approx(max(high, one.high))
    assert (one.units, one.general_units) == (12, 3)
    assert found.stories["economy/ppp"] == "economy"
    assert found.implied.general_units == 3


def test_second_interval_without_ends_is_left_out_and_flagged() -> None:
    """One story implies a shift and two imply none, so others may imply the reverse."""
    rows = shifting(0.2)
    flat = [
        row | {"value": 50.0} if row["story"] != "economy" and row["task"] in GIVEN_TASKS else row
        for row in rows
    ]
    found = of(flat).ratio
    assert (found.estimate, found.low) == (
        pytest.approx(0.6 / IMPLIED),
        pytest.approx(0.6 / IMPLIED),
    )
    assert (found.general_low, found.general_high, found.flags) == (
        None,
        None,
        ("no_spread", "unbounded"),
    )


def test_one_story_has_no_second_interval_nor_have_persons_who_judged_several() -> None:
    rows = answers(noise=0.05)
    one = of([row for row in rows if row["story"] == "economy"]).ratio
    assert (one.low is None, one.general_low, one.flags) == (False, None, ("few_units",))
    several = of([row | {"person": row["polarity"]} for row in rows])
    assert (several.ratio.units, several.ratio.general_low) == (4, None)
    assert several.stories == {}
    alone = of([r for r in rows if (r["story"], r["polarity"]) == ("economy", "ppp")]).ratio
    assert (alone.estimate, alone.flags) == (None, ("undefined",))


def test_audit_table_increases_strictly() -> None:
    """Fixed beliefs with 0.31 implied, of which a measure of distances had made a zigzag."""
    values = [of(shifting(shift, 0.5)).ratio for shift in (-0.7, -0.4, 0.0, 0.1, 0.2, 0.4, 0.7)]
    assert all(a.estimate < b.estimate for a, b in pairwise(values))
