"""Figures of calculate: what they are drawn from, and what a reader sees of them."""

from __future__ import annotations

import doctest
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

pytest.importorskip("matplotlib")

from hypothesis import given
from hypothesis import strategies as st
from tests.drawing.seen_charts import ChartLaws, texts, told
from tests.suites.calculate.test_measures import row

from whybench.records.table import record_table
from whybench.stats import Measure
from whybench.suites.calculate import SUITE, diagnoses
from whybench.suites.calculate.diagnoses import DIAGNOSES, WAYS, diagnose
from whybench.suites.calculate.figures import (
    answers_on_truths,
    calculate_figures,
    diagnose_groups,
    level_measures,
    mistake_bars,
    shares_by_level,
)
from whybench.suites.calculate.mistakes import MISTAKES
from whybench.suites.calculate.quantities import NOT_COMPUTABLE
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    import pyarrow as pa

    from whybench.drawing.figure import Figure

# Truth, answer, and the values of mistakes; then the diagnosis, by hand.
CASES: tuple[tuple[float, float | None, dict[str, float], str], ...] = (
    (40.0, 40.4, {"conditioning": 60.0}, "right"),
    (40.0, 60.5, {"conditioning": 60.0, "base_rate": 10.0}, "conditioning"),
    (40.0, 60.6, {"conditioning": 60.0, "base_rate": 10.0}, "unexplained"),
    (40.0, 30.0, {"intervening": 30.0}, "intervening"),
    (40.0, 30.0, {"no_abduction": 30.2, "conditioning": 20.0}, "no_abduction"),
    (40.0, 12.0, {"base_rate": 12.0}, "base_rate"),
    (-4.0, 9.0, {"total_effect": 9.0}, "total_effect"),
    (40.0, 30.0, {"intervening": 30.0, "base_rate": 30.1}, "several"),
    (40.0, NOT_COMPUTABLE, {"conditioning": 60.0}, "declined"),
    (NOT_COMPUTABLE, 60.0, {"conditioning": 60.0}, "baseless"),
    (NOT_COMPUTABLE, NOT_COMPUTABLE, {}, "right"),
    (40.0, None, {"conditioning": 60.0}, "no_answer"),
)


def records(**further: Any) -> pa.Table:
    """Every case once, three times over, of one agent; and an agent that is always right."""
    rows = []
    for number, (truth, value, made, _) in enumerate(CASES * 3):
        about = {"operations": 5 * (number % 4), "relevant": 2 + number % 3, "rung": 1 + number % 3}
        asked = {**made, **about, **further}
        rows.append(row(number, truth, value, agent="maker/one", **asked))
        rows.append(row(number, truth, truth, agent="maker/two", **asked))
    rows.append(row(99, 40.0, None, agent="maker/one") | {"outcome": "error"})
    return record_table(rows, SUITE.record_columns)


def one(table: pa.Table) -> Any:
    return next(found for found in diagnose_groups(table) if found.labels["agent"] == "maker/one")


@pytest.mark.parametrize(("truth", "value", "made", "expected"), CASES)
def test_an_answer_has_the_diagnosis_found_by_hand(
    truth: float, value: float | None, made: dict[str, float], expected: str
) -> None:
    assert diagnose(value, truth, "number", made) == expected


def test_the_greater_of_two_is_diagnosed_by_its_code() -> None:
    assert diagnose(2.0, 1.0, "greater", {"conditioning": 2.0, "base_rate": 1.0}) == "conditioning"
    assert diagnose(2.0, 1.0, "greater", {"conditioning": 1.0}) == "unexplained"
    assert diagnose(1.0, NOT_COMPUTABLE, "greater", {}) == "baseless"


ANSWER = st.one_of(st.none(), st.just(NOT_COMPUTABLE), st.floats(-100, 100))


@given(ANSWER, ANSWER.filter(lambda x: x is not None), st.lists(ANSWER, min_size=5, max_size=5))
def test_a_mistake_is_diagnosed_exactly_where_it_alone_is_near(
    value: float | None, truth: float, made: list[float | None]
) -> None:
    mistakes = {
        name: NOT_COMPUTABLE if x is None else x for name, x in zip(MISTAKES, made, strict=True)
    }
    found = diagnose(value, truth, "number", mistakes)
    assert found in DIAGNOSES
    if value is None or NOT_COMPUTABLE in (value, truth):
        return
    near = {name for name, x in mistakes.items() if abs(x - value) <= 0.5}
    if abs(value - truth) <= 0.5:
        assert found == "right"
    else:
        assert found == ("unexplained" if not near else "several" if len(near) > 1 else near.pop())


def test_the_docstring_is_true() -> None:
    assert doctest.testmod(diagnoses).failed == 0


def test_counts_and_shares_are_those_of_the_cases() -> None:
    found = one(records())
    expected = Counter(case[-1] for case in CASES * 3)
    assert found.counts == expected
    assert found.wrong == 30  # what was lost to an error is no wrong answer
    assert {way: share.estimate for way, share in found.shares.items()} == pytest.approx(
        {way: expected[way] / 30 for way in WAYS}
    )
    assert sum(share.estimate or 0 for share in found.shares.values()) == pytest.approx(1)


def test_shares_of_mistakes_are_the_measures_where_all_wrong_answers_have_room() -> None:
    rows = [row(n, 40, 60 if n < 7 else 75, conditioning=60.0) for n in range(10)]
    table = record_table(rows, SUITE.record_columns)
    [found] = diagnose_groups(table)
    [measure] = [m for m in SUITE.measures(table) if m.name == "error_conditioning"]
    share = found.shares["conditioning"]
    assert (share.estimate, share.low, share.high) == (measure.estimate, measure.low, measure.high)


def test_a_sentence_says_which_mistake_is_made() -> None:
    rows = [row(n, 40, 60 if n < 8 else 40 if n < 40 else 75, conditioning=60.0) for n in range(42)]
    [found] = diagnose_groups(record_table(rows, SUITE.record_columns))
    low, high = found.shares["conditioning"].low, found.shares["conditioning"].high
    assert found.tell("a") == (
        "a: 10 of 42 answers are wrong. It conditions instead of intervening "
        f"(80%, {low:.0%} to {high:.0%}); "
        f"errs in no typical way (20%, {1 - high:.0%} to {1 - low:.0%})."
    )
    right = record_table(rows[8:40], SUITE.record_columns)
    assert diagnose_groups(right)[0].tell("a") == "a: none of 32 answers is wrong."


def test_what_is_placed_are_numbers_where_a_number_is_true() -> None:
    found = one(records())
    assert len(found.placed) == 3 * 8
    assert {found.diagnosis for found in found.placed} == {
        *MISTAKES, "right", "several", "unexplained",
    }  # fmt: skip
    assert not one(records(form="greater")).placed


def test_accuracy_by_difficulty_is_the_share_of_right_answers() -> None:
    table = records()
    for factor, of_row in (
        ("relevant", lambda n: 2 + n % 3),
        ("operations", lambda n: 5 * (n % 4)),
    ):
        classes = {0: "0", 5: "1–9", 10: "10–29", 15: "10–29"}
        wanted: dict[Any, list[bool]] = {}
        for number, (truth, _, _, diagnosis) in enumerate(CASES * 3):
            if truth != NOT_COMPUTABLE:
                level = of_row(number)
                key = classes[level] if factor == "operations" else level
                wanted.setdefault(key, []).append(diagnosis == "right")
        mine = [m for m in level_measures(table, factor) if m.labels["agent"] == "maker/one"]
        assert {m.at[factor]: m.estimate for m in mine} == pytest.approx(
            {key: sum(hits) / len(hits) for key, hits in wanted.items()}
        )
        assert {m.at[factor]: m.n for m in mine} == {key: len(hits) for key, hits in wanted.items()}
        every = [m for m in level_measures(table, factor) if m.labels["agent"] == "maker/two"]
        assert {m.estimate for m in every} == {1.0}


def test_one_level_is_no_course() -> None:
    rows = [row(n, 40, 40) for n in range(4)]
    table = record_table(rows, SUITE.record_columns)
    for factor in ("rung", "relevant", "operations"):
        assert not level_measures(table, factor)
    assert [figure.name for figure in calculate_figures(table)] == ["which-mistake-d", "answers-d"]


def many() -> pa.Table:
    """Thirteen agents with long names, each with other answers."""
    rows = []
    for place in range(13):
        name = f"third/a-model-with-a-rather-long-name-preview-v{place}"
        for number, (truth, value, made, _) in enumerate(CASES * 3):
            levels = {"rung": 1 + number % 3, "operations": (0, 5, 20, 50, 200)[number % 5]}
            given_ = truth if (number * 7 + place) % 13 > place else value
            rows.append(row(number, truth, given_, agent=name, **made, **levels))
    return record_table(rows, SUITE.record_columns)


def some(table: pa.Table, kind: str) -> Figure:
    """Return the first figure of a kind."""
    return next(figure for figure in calculate_figures(table) if figure.name.startswith(kind))


DRAW = {
    "bars": lambda: some(records(), "which-mistake"),
    "bars-of-many": lambda: some(many(), "which-mistake"),
    "answers": lambda: some(records(), "answers"),
    "answers-of-many": lambda: some(many(), "answers"),
    "by-rung": lambda: some(records(), "by-rung"),
    "by-operations": lambda: some(records(), "by-operations"),
    "by-operations-of-many": lambda: some(many(), "by-operations"),
    "by-rung-of-many": lambda: some(many(), "by-rung"),
}


@cache
def figure_of(name: str) -> Figure:
    return DRAW[name]()


class TestLaws(ChartLaws):
    draw = DRAW
    figure_of = staticmethod(figure_of)
    tells: ClassVar = {
        "answers": ("answer (%)", "answer"),
        "answers-of-many": ("truth (%)", "truth"),
    }


def test_bars_show_every_way_to_be_wrong_and_say_it_in_words() -> None:
    figure = figure_of("bars")
    assert [mark["kind"] for mark in told(figure)] == [*WAYS.values()]
    assert {mark["answers"] for mark in told(figure)} == {"3"}
    assert {*WAYS.values(), "30 of 36 wrong", "0 of 36 wrong", "no wrong answers"} <= {
        *texts(figure)
    }
    shown = {entry["way"]: entry["answers"] for entry in figure.rows if "way" in entry}
    assert shown == dict.fromkeys(WAYS, 3)


def test_points_are_the_numbers_with_a_mark_for_each_mistake() -> None:
    figure = figure_of("answers")
    met = Counter(mark["diagnosis"] for mark in told(figure))
    assert met[WAYS["conditioning"]] == 3
    assert met["right"] == 3 + 30
    assert "slope 1.00 [1.00, 1.00]" in texts(figure)
    assert len(figure.rows) == 24 + 30
    assert not met[WAYS["baseless"]]


def test_levels_are_drawn_with_their_names() -> None:
    assert {"1 seen", "2 made", "3 imagined"} <= {*texts(figure_of("by-rung"))}
    assert {"0", "1–9", "10–29"} <= {*texts(figure_of("by-operations"))}
    marks = told(figure_of("by-operations"))
    assert [mark["measure"].split()[0] for mark in marks] == ["accuracy"] * 2 * 3


def test_a_skill_far_below_0_does_not_press_the_rest_together() -> None:
    labels = {"agent": "maker/wild", "design": "d"}
    measures = [
        Measure(
            "number_skill",
            value,
            value - 1,
            value + 1,
            40,
            40,
            40,
            0,
            0,
            "",
            (),
            labels,
            {"rung": n},
        )
        for n, value in ((1, -9.0), (2, 0.5))
    ]
    scale = shares_by_level(measures, "rung")["spec"]["layer"][-1]["encoding"]["y"]["scale"]
    assert (scale["domain"], scale["clamp"]) == ([-1, 1], True)


def test_a_run_has_its_figures_with_captions_that_name_mistakes() -> None:
    figures = list(calculate_figures(records()))
    assert [figure.name for figure in figures] == [
        "which-mistake-d", "answers-d", "by-rung-d", "by-relevant-d", "by-operations-d",
    ]  # fmt: skip
    assert all(figure.caption for figure in figures)
    assert "one: 30 of 36 answers are wrong" in figures[0].caption
    assert "two: none of 36 answers is wrong." in figures[0].caption
    assert {figure.name for figure in calculate_figures(records(form="greater"))} == {
        "which-mistake-d", "by-rung-d", "by-relevant-d", "by-operations-d",
    }  # fmt: skip


def test_what_cannot_be_drawn_says_so() -> None:
    with pytest.raises(UserError, match="must have answers to draw"):
        mistake_bars([])
    with pytest.raises(UserError, match="must have numbers to draw"):
        answers_on_truths(diagnose_groups(records(form="greater")))
    with pytest.raises(UserError, match="an accuracy at levels of rung"):
        shares_by_level([], "rung")
