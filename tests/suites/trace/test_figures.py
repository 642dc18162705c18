"""Figures of a suite with horizons: the curves, the points and the marks of horizons."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pytest

pytest.importorskip("vl_convert")

from tests.drawing.seen_charts import ChartLaws, texts, told
from tests.suites.trace.test_suite import SUITE, answered

from whybench.drawing.charts.curves import thin
from whybench.records.table import record_table

if TYPE_CHECKING:
    from whybench.drawing.figure import Figure

CAST = (
    ("exact", {}),
    ("slips", {"error": 0.05}),
    ("reader", {"rules": 5}),
    ("sees-only", {}),
    ("guesser", {}),
    ("lapses", {"error": 0.4}),
)


@cache
def cast(number: int) -> pa.Table:
    """Return the answers of this number of agents; further ones are agents of the cast again."""
    small = SUITE.make_design({"worlds": 4})
    asked = None if number <= len(CAST) else small
    return pa.concat_tables(
        answered(
            name,
            asked,
            f"maker/{'a-model-with-a-long-name-' * (number > 6)}{name}-{place}",
            **settings,
        )
        for place in range(number)
        for name, settings in [CAST[place % len(CAST)]]
    )


def first(table: pa.Table) -> Figure:
    return next(iter(SUITE.figures(table)))


def rising() -> pa.Table:
    rows = answered("exact").to_pylist()
    rows = [{**row, "value": row["truth"] if row["depth"] > 8 else None} for row in rows]
    return record_table(rows, SUITE.record_columns)


def of_query(query: str) -> pa.Table:
    return cast(2).filter(pc.equal(cast(2)["query"], query))


DRAW = {
    "one": lambda: first(cast(1)),
    "two": lambda: first(cast(2)),
    "four": lambda: first(cast(4)),
    "six": lambda: first(cast(6)),
    "twelve-of-more": lambda: first(cast(13)),
    "interventions-only": lambda: first(of_query("do")),
    "controls-only": lambda: first(of_query("observe")),
    "two-depths": lambda: first(answered("lapses", SUITE.make_design({"depth": "4,8"}))),
    "rising": lambda: first(rising()),
}


@cache
def figure_of(name: str) -> Figure:
    return DRAW[name]()


class TestEveryChart(ChartLaws):
    draw = DRAW
    figure_of = staticmethod(figure_of)


def horizons(name: str) -> list[tuple[str, str, str]]:
    return [
        (mark["agent"], mark["cause"].split(":")[0], mark["horizon"])
        for mark in told(figure_of(name))
        if "horizon" in mark
    ]


def test_the_marks_are_the_horizons_and_bounds_are_called_so() -> None:
    found = {(agent, line): text for agent, line, text in horizons("four")}
    assert found["exact-0", "solid"] == found["exact-0", "dashed"] == "> 48"
    assert (found["sees-only-3", "solid"], found["sees-only-3", "dashed"]) == ("< 1", "> 48")
    assert found["reader-2", "solid"] == "5.1"
    assert {"> 48", "< 1", "5.1", "guessing 0.125", "half-way 0.56"} <= {*texts(figure_of("four"))}


def test_agents_are_in_the_order_of_their_horizon() -> None:
    chart = figure_of("four").spec
    assert chart is not None
    assert chart["facet"]["sort"] == ["exact-0", "slips-1", "reader-2", "sees-only-3"]


def test_the_points_are_the_shares_in_the_table_of_measures() -> None:
    shares = {
        (one.labels["agent"].removeprefix("maker/"), one.name, str(one.at["depth"])): one.estimate
        for one in SUITE.measures(cast(2))
        if one.at
    }
    marks = [mark for mark in told(figure_of("two")) if "number of rules" in mark]
    measure = {"solid": "accuracy", "dashed": "control_accuracy"}
    assert len(marks) == len(shares) == 2 * 2 * 11
    for mark in marks:
        key = mark["agent"], measure[mark["cause"].split(":")[0]], mark["number of rules"]
        assert float(mark["estimate"]) == pytest.approx(shares[key], abs=5e-4)
        assert mark["answers"] == "8"


def test_a_median_at_the_deepest_question_is_a_bound_without_a_line_to_the_curve() -> None:
    found = {(agent, line): text for agent, line, text in horizons("six")}
    assert found["lapses-5", "solid"] == "≥ 48"


def test_a_query_that_was_not_asked_has_no_row_and_no_curve() -> None:
    asked, observed = (
        {*texts(figure_of("interventions-only"))},
        {*texts(figure_of("controls-only"))},
    )
    assert ("horizon" in asked, "of control" in asked) == (True, False)
    assert ("horizon" in observed, "of control" in observed) == (False, True)
    assert not any("band" in text for text in observed)
    assert {mark["cause"] for mark in told(figure_of("controls-only"))} == {
        "dashed: observed (control)"
    }


def test_success_that_rises_with_depth_is_marked_and_explained() -> None:
    assert all(text.endswith("*") for *_, text in horizons("rising"))
    assert "* More answers are correct at greater depths" in figure_of("rising").caption
    assert "* More" not in figure_of("two").caption


def test_many_agents_are_in_figures_of_twelve() -> None:
    names = [figure.name for figure in SUITE.figures(cast(13))]
    assert names == [f"curves-core-changed-{page}" for page in (1, 2)]


def test_answers_at_one_depth_or_lost_to_errors_have_no_figure() -> None:
    rows = [{**row, "outcome": "error", "value": None} for row in cast(1).to_pylist()]
    assert not [*SUITE.figures(record_table(rows, SUITE.record_columns))]
    assert not [*SUITE.figures(answered("exact", SUITE.make_design({"depth": "4"})))]


@pytest.mark.parametrize(
    ("places", "ratio", "kept"),
    [
        ((1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48), 1.9, [1, 3, 6, 12, 24, 48]),
        ((1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 1.9, [1, 2, 5, 10]),
        ((4,), 1.9, [4]),
        ((2, 3), 1.9, [2, 3]),
    ],
)
def test_numbers_on_the_axis_are_far_enough_apart(places, ratio, kept) -> None:
    assert thin(places, ratio) == kept
