"""What is particular to structure, by a second way."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from whybench.scm import Graph
from whybench.seeds import generator
from whybench.suites.analyze.analysts import analyst_reply
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.grading import FALSE_ALARM_CAP, WRONG_CAP, GradedAnswer, grade
from whybench.suites.analyze.prompts import column_names, render_description
from whybench.suites.analyze.replies import parse_reply

if TYPE_CHECKING:
    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.fields import Field

CHALLENGE = CHALLENGES["structure"]
NODES = ("one", "two", "three")
PAIRS = (("one", "two"), ("one", "three"), ("two", "three"))


@cache
def twins(seed: int) -> dict[str, Instance]:
    return CHALLENGE.generate_twins("tests", seed)


def instances(variant: str, count: int = 12) -> list[Instance]:
    return [twins(seed)[variant] for seed in range(count)]


def graded(said: str, drawn: Instance, form: tuple[Field, ...]) -> GradedAnswer:
    names = column_names(drawn, "neutral")
    return grade(form, drawn, parse_reply(said, form, names).fields)


def analyst(name: str, drawn: Instance, form: tuple[Field, ...]) -> GradedAnswer:
    return graded(analyst_reply(name, drawn, column_names(drawn, "neutral"), form), drawn, form)


def arrows(drawn: Instance) -> frozenset[tuple[str, str]]:
    pairs = [(one, other) for one in NODES for other in NODES if one != other]
    return frozenset(pair for pair in pairs if drawn.parameters["_".join(pair)])


def test_a_trap_has_several_graphs_and_a_collider_one() -> None:
    sizes = {2: 1, 3: 2, 6: 3}
    for drawn in instances("trap"):
        graphs = drawn.truths["graphs"].value
        assert arrows(drawn) in graphs
        assert sizes[len(graphs)] == len(arrows(drawn))
    for drawn in instances("collider"):
        assert drawn.truths["graphs"].value == {arrows(drawn)}
        (_, effect), (_, same) = arrows(drawn)
        assert effect == same


def test_all_three_kinds_of_class_occur_and_any_column_meets() -> None:
    assert {len(drawn.truths["graphs"].value) for drawn in instances("trap", 20)} == {2, 3, 6}
    meets = {next(iter(arrows(drawn)))[1] for drawn in instances("collider", 20)}
    assert meets == set(NODES)


@pytest.mark.parametrize("variant", CHALLENGE.variants)
def test_the_rows_show_just_the_separations_of_the_graph(variant: str) -> None:
    """By correlations and by ordinary regressions, of which no p value is in doubt."""
    for drawn in instances(variant, 6):
        graph, rows = Graph(NODES, tuple(arrows(drawn))), drawn.rows
        for one, other in PAIRS:
            (third,) = set(NODES) - {one, other}
            matrix = sm.add_constant(np.column_stack([rows[other], rows[third]]))
            found = {
                (): stats.pearsonr(rows[one], rows[other]).pvalue,
                (third,): sm.OLS(rows[one], matrix).fit().pvalues[1],
            }
            for given, p in found.items():
                assert p > 0.19 if graph.d_separated(one, other, given) else p < 0.001


@pytest.mark.parametrize("variant", CHALLENGE.variants)
def test_a_long_simulation_shows_the_same(variant: str) -> None:
    for drawn in instances(variant, 3):
        graph = Graph(NODES, tuple(arrows(drawn)))
        rng = generator("test", "structure", variant, *drawn.keys)
        simulated = CHALLENGE.simulate(drawn, 200_000, rng)
        assert len(simulated) == 6
        for name, (r, se) in simulated.items():
            one, other, *given = name.replace(" given", "").split()
            assert (abs(r) < 4 * se) == graph.d_separated(one, other, given)


def test_spreads_do_not_tell_the_order() -> None:
    """Sorting columns by variance finds no more true orders of a pair than a coin would."""
    right = [
        drawn.rows[one].var() < drawn.rows[other].var()
        for drawn in instances("trap", 60)
        for one, other in arrows(drawn)
    ]
    # Some 110 pairs, so three standard errors are 0.14.
    assert 0.36 < np.mean(right) < 0.64


def test_twins_spread_alike_and_are_told_alike() -> None:
    for seed in range(12):
        trap, control = twins(seed).values()
        assert trap.telling == control.telling
        assert trap.size == control.size
        for node in NODES:
            factor, zero = trap.telling.units[node]
            for twin in (trap, control):
                # Of some 2000 rows, a mean has a standard error of 0.022, a spread of 0.016.
                world = (twin.rows[node] - zero) / factor
                assert abs(world.mean()) < 0.11
                assert world.std() == pytest.approx(1, abs=0.08)


def test_one_graph_is_a_fall_and_the_whole_class_is_right() -> None:
    for drawn in instances("trap"):
        names = column_names(drawn, "neutral")
        graphs = [
            [[names[one], names[other]] for one, other in graph]
            for graph in drawn.truths["graphs"].value
        ]
        diagnosis = CHALLENGE.diagnosis
        assert graded(json.dumps({"graphs": graphs[::-1]}), drawn, diagnosis).score == 1
        for graph in graphs:
            alone = graded(json.dumps({"graphs": [graph]}), drawn, diagnosis)
            assert alone.fell_for
            assert alone.score == 0
        assert graded(json.dumps({"graphs": [*graphs, []]}), drawn, diagnosis).score == 0
        assert analyst("naive", drawn, diagnosis).fell_for


def test_any_graph_of_the_class_is_right_by_the_chance_that_it_is_the_one() -> None:
    for drawn in instances("trap"):
        names = column_names(drawn, "neutral")
        fitting = drawn.truths["graphs"].value
        for graph in fitting:
            edges = [[names[one], names[other]] for one, other in graph]
            reports = {
                sure: graded(
                    json.dumps({"graph": edges, "confidence": sure}), drawn, CHALLENGE.report
                )
                for sure in (1 / len(fitting), 1.0)
            }
            assert reports[1 / len(fitting)].score == 1
            assert not reports[1 / len(fitting)].fell_for
            assert reports[1.0].fell_for
            assert reports[1.0].score == WRONG_CAP
        assert graded(json.dumps({"graph": []}), drawn, CHALLENGE.report).score == 0
        assert analyst("naive", drawn, CHALLENGE.report).fell_for


def test_to_be_unsure_of_a_collider_is_a_false_alarm() -> None:
    for drawn in instances("collider"):
        names = column_names(drawn, "neutral")
        edges = [[names[one], names[other]] for one, other in arrows(drawn)]
        sure, unsure = (
            graded(json.dumps({"graph": edges, "confidence": p}), drawn, CHALLENGE.report)
            for p in (1.0, 0.5)
        )
        assert (sure.score, sure.false_alarm) == (1, False)
        assert (unsure.score, unsure.false_alarm) == (FALSE_ALARM_CAP, True)


def test_several_graphs_for_a_collider_are_a_false_alarm() -> None:
    for drawn in instances("collider"):
        for form in (CHALLENGE.report, CHALLENGE.diagnosis):
            marks = analyst("always-trap", drawn, form)
            assert marks.false_alarm
            assert marks.score == 0


def test_the_words_do_not_tell_the_variants_apart() -> None:
    for seed in range(4):
        assert len({render_description(twin, "neutral", 1) for twin in twins(seed).values()}) == 1
