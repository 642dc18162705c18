"""Measures of calculate: by hand on few answers, and on agents whose value is known."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from whybench.records.table import record_table
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.measures import ZEROS, calculate_measures
from whybench.suites.calculate.mistakes import MISTAKES
from whybench.suites.calculate.quantities import NOT_COMPUTABLE
from whybench.suites.calibration import simulate

NO_MISTAKES = dict.fromkeys(MISTAKES, NOT_COMPUTABLE)


def row(number: int, truth: float, value: float | None, **further: Any) -> dict[str, Any]:
    told = {
        "agent": "a", "suite": "calculate", "version": 1, "design": "d", "design_hash": "h",
        "epoch": 1, "item": f"i{number}", "case": f"k{number}", "reason": "",
        "outcome": "no_answer" if value is None else "scored", "value": value, "truth": truth,
        "query": "do", "rung": 2, "mechanism": "tables", "variant": "trap", "form": "number",
        "gap": "none", "variables": 3, "relevant": 3, "operations": 9, "theme": "glims",
        "format": "text", "wording": "plain", "style": "cot", "number": number, **NO_MISTAKES,
    }  # fmt: skip
    return told | further


def measure(rows: list[dict[str, Any]]) -> dict[str, float | None]:
    table = record_table(rows, SUITE.record_columns)
    return {each.name: each.estimate for each in calculate_measures(table) if not each.at}


def test_skill_is_error_over_that_of_a_constant() -> None:
    # A constant of 50 errs by 30, 20, 10; the answers by 0, 4, and, not given, as the constant.
    rows = [row(1, 80, 80), row(2, 30, 34), row(3, 60, None)]
    found = measure(rows)
    assert found["number_skill"] == pytest.approx(1 - 14 / 60)
    assert found["accuracy"] == pytest.approx(1 / 3)
    assert found["answered"] == pytest.approx(2 / 3)


def test_effects_are_held_against_none() -> None:
    rows = [row(1, -20, -20, query="ate"), row(2, 10, 0, query="ate")]
    assert measure(rows)["number_skill"] == pytest.approx(1 - 10 / 30)


def test_to_say_that_there_is_no_answer_is_worth_a_constant() -> None:
    rows = [row(1, 80, NOT_COMPUTABLE), row(2, 30, 30)]
    found = measure(rows)
    assert found["number_skill"] == pytest.approx(1 - 30 / 50)
    assert "answerability_skill" not in found


def test_gaps_that_matter_are_held_against_idle_ones_query_by_query() -> None:
    open_, idle = {"truth": NOT_COMPUTABLE, "gap": "number"}, {"truth": 80.0, "gap": "idle"}
    rows = [
        row(number, value=value, **kind)
        for number, (value, kind) in enumerate(
            [
                (NOT_COMPUTABLE, open_ | {"query": "do"}),
                (12.0, open_ | {"query": "do"}),
                (NOT_COMPUTABLE, open_ | {"query": "pn", "rung": 3}),
                (80.0, idle | {"query": "do"}),
                (80.0, idle | {"query": "do"}),
                (NOT_COMPUTABLE, idle | {"query": "do"}),
                (NOT_COMPUTABLE, {"truth": 30.0, "query": "do"}),
            ]
        )
    ]
    found = measure(rows)
    # Half of do and all of pn, against a third of do; what is told in full does not count here.
    assert found["answerability_skill"] == pytest.approx((1 / 2 + 1) / 2 - 1 / 3)
    # A constant of 50 errs by 30 three times and by 20; two of the 30s are answered.
    assert found["number_skill"] == pytest.approx(60 / 110)


def test_without_idle_numbers_all_that_has_an_answer_stands_in() -> None:
    rows = [row(1, 80, NOT_COMPUTABLE), row(2, 30, 30), row(3, NOT_COMPUTABLE, 12)]
    found = measure(rows)
    assert found["answerability_skill"] == pytest.approx(0 - 1 / 2)
    assert found["answerability"] == pytest.approx((1 / 2 + 0) / 2)


def test_what_has_no_answer_alone_is_no_skill() -> None:
    found = measure([row(1, NOT_COMPUTABLE, NOT_COMPUTABLE), row(2, NOT_COMPUTABLE, 12)])
    assert found["skill_score"] is found["number_skill"] is found["answerability_skill"] is None


def test_silence_tells_nothing_apart() -> None:
    found = measure([row(1, 80, None), row(2, NOT_COMPUTABLE, None)])
    assert found["answerability"] == 0
    assert found["number_skill"] == found["answerability_skill"] == 0


def test_the_greater_of_two_is_held_against_a_coin() -> None:
    rows = [row(n, 1, 1 if n else 2, form="greater") for n in range(4)]
    found = measure(rows)
    assert found["accuracy"] == pytest.approx(3 / 4)
    assert found["number_skill"] == pytest.approx(1 - (1 / 4) / 0.5)


def test_a_mistake_is_known_by_its_value() -> None:
    rows = [
        row(1, 40, 60.4, conditioning=60.0),
        row(2, 40, 70.0, conditioning=60.0),
        row(3, 40, 40.0, conditioning=60.0),
        row(4, 40, 90.0),
    ]
    found = measure(rows)
    assert found["error_conditioning"] == pytest.approx(1 / 2)
    assert found["error_intervening"] is None


@cache
def core_measures(agent: str) -> dict[tuple[str, tuple[Any, ...]], float | None]:
    design = SUITE.designs["core"]
    measures = simulate(SUITE, design, list(SUITE.items(design)), SUITE.agent(agent), {})
    return {(each.name, tuple(each.at.items())): each.estimate for each in measures}


@pytest.mark.parametrize(
    ("agent", "skill"),
    [("exact", 1), ("assumes-half", 1), ("constant", 0), ("says-cannot", 0)],
)
def test_where_agents_stand(agent: str, skill: float) -> None:
    assert core_measures(agent)["number_skill", ()] == pytest.approx(skill)


def test_the_skill_score_is_a_line_from_the_zero_to_exact() -> None:
    zero = ZEROS.of({"design": "core"})
    own = core_measures("sees-only")
    assert own["skill_score", ()] == pytest.approx(
        (own["number_skill", ()] - zero.value) / (1 - zero.value)
    )
    assert core_measures("exact")["skill_score", ()] == pytest.approx(1)
    # A constant has 0 in numbers: by hand from the line through both.
    assert core_measures("constant")["skill_score", ()] == pytest.approx(
        -zero.value / (1 - zero.value)
    )


def test_doubt_wherever_a_number_is_not_told_is_not_paid_for() -> None:
    found = core_measures("doubts")
    assert found["number_skill", ()] == 0
    assert found["answerability", ()] > 0.7  # type: ignore[operator]


def test_skill_of_numbers_is_given_at_all_levels() -> None:
    levels = {at[0][0] for name, at in core_measures("exact") if name == "number_skill" and at}
    assert levels == {"rung", "query", "mechanism", "variant", "variables"}


@pytest.mark.parametrize(
    ("agent", "mistake"), [("sees-only", "conditioning"), ("base-rate", "base_rate")]
)
def test_agents_that_make_a_mistake_are_found_out(agent: str, mistake: str) -> None:
    assert core_measures(agent)[f"error_{mistake}", ()] == 1


def test_seeing_is_no_mistake_where_it_is_asked() -> None:
    found = core_measures("sees-only")
    assert found["number_skill", (("rung", 1),)] == pytest.approx(1)
    assert found["number_skill", (("rung", 2),)] < 0.9  # type: ignore[operator]
