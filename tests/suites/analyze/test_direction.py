"""What is particular to direction, by a second way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from whybench.scm import Graph
from whybench.seeds import generator
from whybench.suites.analyze.analysts import analyst_reply
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.column_fields import PValues
from whybench.suites.analyze.grading import WRONG_CAP, GradedAnswer, grade
from whybench.suites.analyze.prompts import column_names, render_description
from whybench.suites.analyze.replies import parse_reply

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance

CHALLENGE = CHALLENGES["direction"]
EDGES = {"trap": "second_to_first", "name_order": "first_to_second", "no_edge": "none"}
PUSHES = {"first_to_second": ("push_first", "second"), "second_to_first": ("push_second", "first")}


def instances(variant: str, count: int = 8) -> list[Instance]:
    return [CHALLENGE.generate(variant, "tests", seed) for seed in range(count)]


def graded(analyst: str, drawn: Instance) -> GradedAnswer:
    names = column_names(drawn, "neutral")
    reply = analyst_reply(analyst, drawn, names, CHALLENGE.fields)
    said = parse_reply(reply, CHALLENGE.fields, names)
    return grade(CHALLENGE.fields, drawn, said.fields)


@pytest.mark.parametrize("variant", EDGES)
def test_the_edge_is_where_the_arrow_is(variant: str) -> None:
    for drawn in instances(variant):
        at = drawn.parameters
        arrows = {"first_to_second": at["forth"], "second_to_first": at["back"]}
        there = [edge for edge, weight in arrows.items() if weight] or ["none"]
        assert there == [EDGES[variant]] == [drawn.truths["edge"].value]


@pytest.mark.parametrize("variant", EDGES)
def test_a_push_shows_exactly_where_it_is_not_separated(variant: str) -> None:
    """The verdicts of the p values are those of d-separation in the graph with what is unseen."""
    arrow = {"trap": [("second", "first")], "name_order": [("first", "second")], "no_edge": []}
    graph = Graph(
        ("push_first", "push_second", "unseen", "first", "second"),
        (
            ("push_first", "first"),
            ("push_second", "second"),
            ("unseen", "first"),
            ("unseen", "second"),
            *arrow[variant],
        ),
    )
    expected = PValues(
        {edge: float(graph.d_separated(push, other)) for edge, (push, other) in PUSHES.items()}
    )
    assert all(drawn.truths["p_values"].value == expected for drawn in instances(variant))


@pytest.mark.parametrize("variant", EDGES)
def test_the_columns_go_together_and_the_pushes_are_strong(variant: str) -> None:
    for drawn in instances(variant):
        rows = drawn.rows
        assert stats.pearsonr(rows["first"], rows["second"]).pvalue < 0.001
        for role in ("first", "second"):
            pushed = rows[f"push_{role}"] == 1
            found = stats.f_oneway(rows[role][pushed], rows[role][~pushed])
            # Welch's form is used for keeping; with equal groups the two differ by a hair.
            assert found.statistic >= 49.5


@pytest.mark.parametrize("variant", EDGES)
def test_p_values_are_those_of_welch(variant: str) -> None:
    for drawn in instances(variant, 4):
        for edge, p in drawn.truths["p_values"].value.rows.items():
            push, other = PUSHES[edge]
            pushed = drawn.rows[push] == 1
            values = drawn.rows[other]
            welch = stats.ttest_ind(values[pushed], values[~pushed], equal_var=False).pvalue
            assert p < 0.001 if edge == EDGES[variant] else p > 0.2
            if p > 0.2:
                assert p == pytest.approx(welch, abs=0.002)


@pytest.mark.parametrize("variant", EDGES)
def test_setting_a_column_moves_the_other_only_along_the_edge(variant: str) -> None:
    drawn = instances(variant, 1)[0]
    simulated = CHALLENGE.simulate(drawn, 200_000, generator("test", "direction", variant))
    expected = {
        "first_to_second": drawn.parameters["forth"],
        "second_to_first": drawn.parameters["back"],
    }
    for edge, (mean, se) in simulated.items():
        # The same units are set both ways, and each moves alike.
        assert se < 1e-12
        assert mean == pytest.approx(expected[edge], abs=1e-12)
    assert set(simulated) == set(expected)


def test_twins_share_everything_but_the_arrow() -> None:
    for trap, forth in zip(instances("trap"), instances("name_order"), strict=True):
        arrow = trap.parameters["back"]
        assert forth.parameters == {**trap.parameters, "back": 0.0, "forth": arrow}
        assert trap.telling == forth.telling
        for push in ("push_first", "push_second"):
            assert np.array_equal(trap.rows[push], forth.rows[push])


def test_the_order_of_names_is_wrong_in_two_of_three_variants() -> None:
    for drawn in instances("trap"):
        marks = graded("naive", drawn)
        assert marks.fell_for
        assert [verdict.field for verdict in marks.verdicts if verdict.passed] == ["confidence"]
        assert marks.score == WRONG_CAP
    assert not any(graded("naive", drawn).passed("edge") for drawn in instances("no_edge"))
    assert all(graded("naive", drawn).passed("edge") for drawn in instances("name_order"))


@pytest.mark.parametrize("variant", ["name_order", "no_edge"])
def test_an_arrow_against_the_order_is_a_false_alarm_in_controls(variant: str) -> None:
    for drawn in instances(variant):
        marks = graded("always-trap", drawn)
        assert marks.false_alarm
        assert [verdict.field for verdict in marks.verdicts if verdict.passed] == ["confidence"]
        assert marks.score == WRONG_CAP


def test_the_words_do_not_tell_the_variants_apart() -> None:
    twins = CHALLENGE.generate_twins("tests", 0)
    assert len({render_description(drawn, "neutral", 1) for drawn in twins.values()}) == 1


def test_neither_direction_nor_units_of_columns_change_the_answer() -> None:
    told = [drawn for drawn in instances("trap", 12) if drawn.telling.opposite]
    assert told
    for drawn in told:
        assert CHALLENGE.has_trap(drawn)
        assert graded("competent", drawn).score == 1
