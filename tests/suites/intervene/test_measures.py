"""Measures of intervene: by hand, for agents whose values are known, and over many seeds."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations
from statistics import NormalDist

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.suites.intervene.design import DESIGNS
from whybench.suites.intervene.experimenters import (
    Inquiry,
    expected_steps,
    expected_steps_at_first,
)
from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.measures import (
    ENDING_MEASURES,
    MEASURES,
    intervene_measures,
)
from whybench.suites.intervene.pair_measures import optimal_steps
from whybench.suites.intervene.reports import PAIR_VERDICTS
from whybench.suites.intervene.verdicts import PATTERNS
from whybench.suites.intervene.verdicts import VERDICTS as ALL_VERDICTS

MODES = [
    one.name.removeprefix("mode_") for one in ENDING_MEASURES if one.family.startswith("mode_")
]

COLUMNS = {
    **dict.fromkeys(("worlds", "structure", "initial", "relation", "graph", "moving"), str),
    **dict.fromkeys(("asked", "theme", "style", "interface", "wording", "split"), str),
    **dict.fromkeys(("verdict", "pattern", "evidence", "path", "report"), str),
    **dict.fromkeys(("entities", "depth", "steps", "reasks"), int),
}
CHAIN = "0>1 1>2"
FORK = "0>1 0>2"

ROW = {
    "agent": "a",
    "design": "mine",
    "design_hash": "0",
    "outcome": "scored",
    "reason": "",
    "worlds": "advanced",
    "depth": 0,
    "structure": "random",
    "entities": 3,
    "initial": "all-moving",
    "relation": "cause",
    "theme": "shapes",
    "style": "direct",
    "interface": "text",
    "wording": "plain",
    "split": "test",
    "graph": CHAIN,
    "moving": "0 1 2",
    "asked": "0>2",
    "pattern": "",
    "path": "hold 0",
    "report": "",
    "reasks": 0,
}
VERDICTS = {(True, True): "justified", (True, False): "lucky", (False, False): "premature"}


def answer(yes: bool, truth: bool, entailed: bool = True, steps: int = 1, **more):
    return {
        **ROW,
        "value": float(yes),
        "truth": float(truth),
        "evidence": ("yes" if truth else "no") if entailed else "open",
        "verdict": VERDICTS.get((yes == truth, entailed), "contradicts"),
        "pattern": "" if yes == truth else "other",
        "steps": steps,
        **more,
    }


def silence(reason: str, **more):
    ended = {"outcome": "no_answer", "reason": reason, "evidence": "open", "steps": 2}
    return {**ROW, "value": None, "truth": 1.0, "verdict": "no_answer", **ended, **more}


def measured(*rows):
    found = intervene_measures(record_table(rows, COLUMNS))
    names = [(*measure.labels.values(), measure.key) for measure in found]
    assert len({*names}) == len(names), "names must be unique within a group"
    return {measure.title: measure for measure in found}


def estimates(found, *names):
    return tuple(found[name].estimate for name in names)


def test_shares_of_a_hand_made_table() -> None:
    found = measured(
        answer(yes=True, truth=True),
        answer(yes=True, truth=True, entailed=False, steps=3),
        answer(yes=False, truth=True, pattern="illusive_confounder"),
        answer(yes=True, truth=False, entailed=False, pattern="correlation", steps=0),
        answer(yes=False, truth=False, steps=5),
        silence("out_of_steps", reasks=2),
        silence("invalid_action", reasks=1),
        silence("out_of_steps"),
        {**silence("", truth=None), "outcome": "error", "reason": "timeout", "reasks": None},
    )
    assert next(iter(found)) == "justified_accuracy"
    # Of eight episodes five have an answer; that of the ninth was lost.
    assert estimates(found, "justified_accuracy", "accuracy", "yes_share") == (2 / 8, 3 / 8, 0.6)
    assert found["justified_accuracy_answered"].estimate == 2 / 5
    # The three that said nothing are not right where the truth is yes.
    assert estimates(found, "accuracy_yes", "accuracy_no") == (2 / 6, 1 / 2)
    assert found["balanced_accuracy"].estimate == pytest.approx((2 / 6 + 1 / 2) / 2)
    # Corrected: 2.5/4 and 1.5/3.
    hits = NormalDist().inv_cdf(2.5 / 4)
    assert found["d_prime"].estimate == pytest.approx(hits)
    assert found["criterion"].estimate == pytest.approx(-hits / 2)
    assert (
        estimates(found, "verdict_lucky", "verdict_premature", "verdict_contradicts") == (0.2,) * 3
    )
    assert found["entailed_share"].estimate == 0.6
    assert found["steps"].estimate == 2.0
    # All moving at n = 3: 1.72 steps to expect in each of five cases.
    assert found["steps_ratio"].estimate == pytest.approx(10 / (5 * 1.72))
    patterns = {name: found[f"pattern_{name}"].estimate for name in PATTERNS}
    assert patterns == dict.fromkeys(PATTERNS, 0.0) | {
        "correlation": 0.5,
        "illusive_confounder": 0.5,
    }
    modes = {name: found[f"mode_{name}"].estimate for name in MODES}
    assert modes == dict.fromkeys(MODES, 0.0) | {"out_of_steps": 0.25, "invalid_action": 0.125}
    assert (found["answered"].estimate, found["answered"].n) == (0.625, 8)
    assert found["reasks"].estimate == 3 / 8
    counts = found["accuracy"]
    assert (counts.n, counts.scored, counts.no_answer, counts.error) == (8, 5, 3, 1)
    assert counts.flags == ("small_n", "many_lost", "few_units")
    assert found["justified_accuracy_answered"].n == 5
    assert not [name for name in found if found[name].at or "per_entity" in name]


def test_families_have_a_measure_for_each_verdict_and_pattern() -> None:
    verdicts = {f"verdict_{one}" for one in ALL_VERDICTS if one not in {"justified", "no_answer"}}
    of_pairs = {f"verdict_{one}" for one in PAIR_VERDICTS if one != "justified"}
    patterns = {f"pattern_{one}" for one in PATTERNS}
    assert {one.name for one in MEASURES if one.family == "verdict_…"} == verdicts | of_pairs
    assert {one.name for one in MEASURES if one.family == "pattern_…"} == patterns


def test_nothing_to_estimate_is_none_and_never_zero() -> None:
    found = measured(silence("invalid_format"), silence("invalid_format", graph=FORK))
    defined = {"answered", "reasks", *(f"mode_{mode}" for mode in MODES)}
    defined |= {"justified_accuracy", "accuracy", "accuracy_yes"}
    assert {name for name, measure in found.items() if measure.estimate is not None} == defined
    assert estimates(found, "answered", "mode_invalid_format", "accuracy") == (0.0, 1.0, 0.0)
    assert "undefined" in found["justified_accuracy_answered"].flags
    assert found["justified_accuracy_answered"].n == 0
    only_errors = measured({**silence(""), "outcome": "error", "reasks": None})
    assert {measure.estimate for measure in only_errors.values()} == {None}
    assert only_errors["answered"].error == 1


def test_a_class_that_is_absent_leaves_balance_and_detection_undefined() -> None:
    found = measured(*(answer(yes=True, truth=True, graph=graph) for graph in (CHAIN, FORK)))
    assert estimates(found, "balanced_accuracy", "d_prime", "criterion") == (None,) * 3
    assert estimates(found, "accuracy", "yes_share") == (1.0, 1.0)
    assert {found[f"pattern_{name}"].estimate for name in PATTERNS} == {None}


def test_an_agent_that_always_says_yes() -> None:
    rows = [
        answer(yes=True, truth=place < 2, entailed=False, graph=f"0>{world}", entities=7, steps=0)
        for world in range(1, 21)
        for place in range(4)
    ]
    found = measured(*rows)
    assert estimates(found, "accuracy", "balanced_accuracy", "yes_share") == (0.5, 0.5, 1.0)
    assert found["justified_accuracy"].estimate == 0.0
    assert found["d_prime"].estimate == pytest.approx(0, abs=1e-12)
    assert found["criterion"].estimate == pytest.approx(-NormalDist().inv_cdf(40.5 / 41))
    assert found["criterion"].high < 0
    # Not one answer is justified; twenty worlds do not prove that none ever would be.
    t2 = stats.t.ppf(0.975, 19) ** 2
    assert found["justified_accuracy"].low == 0
    assert found["justified_accuracy"].high == pytest.approx(t2 / (20 + t2))
    assert found["accuracy"].flags == ()
    # No world of seven entities is within the reach of the exact planner.
    assert found["steps_ratio"].estimate is None
    assert "beyond_planner" in found["steps_ratio"].flags


def test_the_unit_is_the_hidden_graph_and_in_the_core_set_the_case() -> None:
    rows = [
        answer(True, True, graph=graph, asked=asked, moving=moving)
        for graph in (CHAIN, FORK)
        for asked in ("0>1", "0>2")
        for moving in ("", "0 1 2", "0 1 2")
    ]
    advanced = measured(*rows)["accuracy"]
    assert (advanced.n, advanced.units) == (12, 2)
    assert advanced.method == "share; Wilson, clustered by hidden graph"
    core = measured(*({**row, "worlds": "core"} for row in rows))["accuracy"]
    assert (core.n, core.units) == (12, 8)
    assert core.method == "share; Wilson, clustered by case"
    # The same edges among more entities are another world.
    larger = measured(*rows, *({**row, "entities": 4} for row in rows))["accuracy"]
    assert larger.units == 4


def test_steps_ratio_is_one_of_sums_over_cases_that_the_planner_can_do() -> None:
    found = measured(
        answer(True, True, entities=2, moving="", asked="0>1", steps=2),  # 1 to expect
        answer(True, True, entities=2, moving="1", asked="0>1", graph="", steps=3),  # 2
        answer(False, False, entities=2, moving="0", asked="0>1", graph="", steps=1),  # 0: settled
        answer(True, True, entities=9, steps=17),
    )["steps_ratio"]
    assert found.estimate == pytest.approx((2 + 3 + 1) / (1 + 2 + 0))
    assert found.n == 3
    settled = measured(answer(False, False, moving="0", asked="0>1", steps=1))["steps_ratio"]
    assert (settled.estimate, settled.n) == (None, 1)
    assert "beyond_planner" not in settled.flags


def test_steps_to_expect_are_the_planners() -> None:
    golden = {2: 1.0, 3: 1.72, 4: 2.4199, 5: 3.0936}
    for n, steps in golden.items():
        everything = " ".join(map(str, range(n)))
        assert optimal_steps(n, everything, f"{n - 1}>0") == pytest.approx(steps, abs=5e-5)
    for size in range(4):
        for moving in combinations(range(3), size):
            for x, y in permutations(range(3), 2):
                words = " ".join(map(str, moving))
                direct = expected_steps(Inquiry(3, x, y, frozenset(moving)))
                assert optimal_steps(3, words, f"{x}>{y}") == pytest.approx(direct, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 4, 5])
def test_steps_at_first_are_the_planners_however_many_rest(n: int) -> None:
    for others in range(n - 1):
        for question in ((), (0,), (1,), (0, 1)):
            start = Inquiry(n, 0, 1, frozenset([*question, *range(2, 2 + others)]))
            assert expected_steps_at_first(start) == pytest.approx(expected_steps(start), abs=1e-12)


def test_levels_where_there_are_several() -> None:
    rows = [
        answer(right, True, entailed=entailed, entities=n, initial=initial, graph=f"0>{world}")
        for n, initial, right, entailed in (
            (4, "rest", True, True),
            (4, "all-moving", True, False),
            (6, "rest", True, True),
            (6, "all-moving", False, True),
        )
        for world in (1, 2, 3)
    ]
    found = measured(*rows, silence("cut_off", entities=8))
    levels = [name for name in found if found[name].name == "accuracy" and found[name].at]
    assert levels == [
        "accuracy (entities 4)",
        "accuracy (entities 6)",
        "accuracy (entities 8)",
        "accuracy (initial all-moving)",
        "accuracy (initial rest)",
    ]
    assert estimates(found, *levels) == pytest.approx((1.0, 0.5, 0.0, 3 / 7, 1.0))
    assert estimates(
        found, "justified_accuracy (entities 4)", "justified_accuracy (entities 6)"
    ) == (0.5, 0.5)
    assert found["justified_accuracy (initial rest)"].estimate == 1.0
    assert found["accuracy (entities 4)"].n == 6
    assert found["accuracy (entities 4)"].scored == 12
    # Accuracy falls by a half over two entities; justified accuracy stays.
    answered = measured(*rows)
    assert answered["accuracy_per_entity"].estimate == pytest.approx(-0.25)
    assert answered["justified_per_entity"].estimate == pytest.approx(0)


def test_to_answer_only_what_is_clear_at_once_does_not_pay() -> None:
    """The audit's lazy agent: it answers where the first look proves no, and is silent else."""
    items = list(intervene_items(DESIGNS["core"]))
    rows = []
    for item in items:
        cause, effect = item.pair
        clear = cause in item.initial and effect not in item.initial
        made = answer(yes=False, truth=False) if clear else silence("invalid_format")
        rows.append({**made, **item.factors, "truth": float(item.truth)})
    found = measured(*rows)
    assert found["justified_accuracy_answered"].estimate == 1.0
    assert found["justified_accuracy"].estimate == pytest.approx(15 / 84)
    assert found["answered"].estimate == pytest.approx(15 / 84)


def test_agents_and_conditions_are_kept_apart_in_order_of_appearance() -> None:
    rows = [
        answer(yes, True, agent=agent, style=style)
        for agent, style, yes in (
            ("b", "recipe", True),
            ("a", "direct", False),
            ("b", "direct", True),
            ("a", "direct", True),
            ("b", "direct", False),
            ("b", "direct", False),
        )
    ]
    found = [m for m in intervene_measures(record_table(rows, COLUMNS)) if m.name == "accuracy"]
    assert [(m.labels["agent"], m.labels["style"], m.n, m.estimate) for m in found] == [
        ("b", "recipe", 1, 1.0),
        ("a", "direct", 2, 0.5),
        ("b", "direct", 3, pytest.approx(1 / 3)),
    ]
    assert list(found[0].labels) == [
        *("agent", "design", "design_hash", "worlds", "theme", "style", "interface"),
        *("wording", "split"),
    ]
    assert found[0].row()["interface"] == "text"


def test_a_table_without_records_has_no_measures() -> None:
    assert intervene_measures(record_table([], COLUMNS)) == []


def test_the_order_of_rows_and_the_chunks_of_a_table_do_not_matter() -> None:
    draw = generator("test", "intervene", "order")
    rows = [
        answer(
            *draw.random(3) < 0.5,
            graph=f"0>{draw.integers(1, 9)}",
            entities=int(draw.integers(3, 6)),
        )
        for _ in range(60)
    ]
    whole = measured(*rows)
    parts = [record_table(rows[:7], COLUMNS), record_table(rows[7:], COLUMNS)]
    again = intervene_measures(pa.concat_tables(parts))
    assert {measure.title: measure for measure in again} == whole
    for name, measure in measured(*rows[::-1]).items():
        assert estimates({"it": measure}, "it") == (pytest.approx(whole[name].estimate, abs=1e-12),)
        assert measure.low == pytest.approx(whole[name].low, abs=1e-9)


def coins(seeds: int, worlds: int) -> pa.Table:
    """Agents that toss a coin, and learn the truth before every other answer; 4 cases a world."""
    size = seeds * worlds * 4
    draw = generator("test", "intervene", "coins")
    truth = np.tile([1.0, 0.0, 1.0, 0.0], seeds * worlds)
    right, entailed = draw.random(size) < 0.5, draw.random(size) < 0.5
    world = np.tile(np.repeat(np.arange(worlds), 4), seeds)
    verdict = np.select(
        [right & entailed, right, entailed], ["justified", "lucky", "contradicts"], "premature"
    )
    drawn = {
        "agent": np.repeat(np.arange(seeds), worlds * 4).astype(str),
        "value": np.where(right, truth, 1 - truth),
        "truth": truth,
        "graph": np.char.add("0>", world.astype(str)),
        "evidence": np.where(entailed, np.where(truth == 1, "yes", "no"), "open"),
        "verdict": verdict,
        "steps": draw.integers(0, 3, size),
        "entities": 6 + world % 2,
    }
    return pa.table({**{name: [value] * size for name, value in ROW.items()}, **drawn})


def test_intervals_cover_what_is_known_of_a_coin() -> None:
    seeds = 300
    known = {
        "accuracy": 0.5,
        "balanced_accuracy": 0.5,
        "justified_accuracy": 0.25,
        "verdict_lucky": 0.25,
        "entailed_share": 0.5,
        "d_prime": 0.0,
        "criterion": 0.0,
        "yes_share": 0.5,
        "steps": 1.0,
        "accuracy (entities 6)": 0.5,
        "accuracy_per_entity": 0.0,
    }
    covered: Counter[str] = Counter()
    for measure in intervene_measures(coins(seeds, 40)):
        if measure.title in known:
            covered[measure.title] += measure.low <= known[measure.title] <= measure.high
    # Four standard deviations of a perfect interval over 300 seeds.
    shares = {name: covered[name] / seeds for name in known}
    assert {name: share for name, share in shares.items() if not 0.9 <= share <= 1} == {}
    assert 0.92 <= np.mean([*shares.values()]) <= 0.98
