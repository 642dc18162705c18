"""Task tables, schemes, judgments: what they refuse, and what they sum up to."""

from __future__ import annotations

import numpy as np
import pytest
from evidence.fits import COLLIDER, QUESTIONS, TASKS
from hypothesis import example, given
from hypothesis import strategies as st

from whybench.fits import (
    CHAIN_3,
    COLLIDER_3,
    COLLIDER_4,
    Judgments,
    Predictor,
    Scheme,
    TaskQuestion,
    TaskTable,
    fit,
    folds,
)
from whybench.fits.intervals import sum_by_unit
from whybench.fits.nets import make_scheme
from whybench.scm import Graph, UnknownNode


def test_a_question_is_its_own_task_unless_stated():
    assert TaskQuestion("I", "E").task == "I"
    assert len(QUESTIONS) == 20
    assert QUESTIONS.tasks == TASKS.names


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((("E", 1),), "target must not be among the given"),
        ((("C1", 1), ("C1", 1)), "given must name each node once"),
        ((("C1", 2),), "given values must be 0 or 1"),
    ],
)
def test_impossible_questions_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        TaskQuestion("I", "E", given)


def test_tables_are_checked():
    with pytest.raises(ValueError, match="questions must be at least one"):
        TaskTable(COLLIDER, ())
    with pytest.raises(ValueError, match="names of questions must be unique"):
        TaskTable(COLLIDER, (TaskQuestion("I", "E"), TaskQuestion("I", "C1")))
    with pytest.raises(UnknownNode):
        TaskTable(COLLIDER, (TaskQuestion("I", "F"),))


def test_schemes_are_data():
    assert COLLIDER_3.parameters == ("prior", "leak", "strength")
    assert COLLIDER_3.derived["leak_adjusted_determinacy"] == {"leak": -1.0, "strength": 1.0}
    assert COLLIDER_4.derived["leak_adjusted_determinacy"] == {
        "leak": -1.0,
        "strength_1": 0.5,
        "strength_2": 0.5,
    }
    graph = Graph(("A", "B", "C", "D"), (("A", "B"), ("A", "C"), ("B", "D"), ("C", "D")))
    scheme = make_scheme("diamond", graph)
    assert scheme.nodes["D"] == ("leak", "strength", "strength")


def test_a_scheme_must_fit_the_graph_and_its_derived_quantities():
    with pytest.raises(ValueError, match="nodes must be those of the graph"):
        Predictor(TASKS, CHAIN_3)
    with pytest.raises(
        ValueError, match="numbers of E must be one and one for each of its parents"
    ):
        Predictor(TASKS, Scheme("x", {**COLLIDER_3.nodes, "E": ("leak", "strength")}))
    with pytest.raises(
        ValueError, match="derived leak_adjusted_determinacy must combine parameters"
    ):
        Scheme("x", COLLIDER_3.nodes, {"leak_adjusted_determinacy": {"strength_1": 1.0}})


def test_forced_classes_of_the_collider():
    for scheme in (COLLIDER_3, COLLIDER_4):
        predictor = Predictor(TASKS, scheme)
        assert predictor.points == 8
        held_out = [[TASKS.names[k] for k in part] for part in folds(predictor, "class")]
        assert ["IV", "V"] in held_out
        assert ["IX", "X", "XI"] in held_out
        assert len(held_out) == 8
        assert [len(part) for part in folds(predictor, "task")] == [1] * 11


def test_versions_of_a_task_are_held_out_together():
    predictor = Predictor(QUESTIONS, COLLIDER_4)
    assert [len(part) for part in folds(predictor, "task")].count(2) == 9
    assert len(folds(predictor, "class")) == 8
    with pytest.raises(ValueError, match="hold_out must be 'task' or 'class', got 'row'"):
        folds(predictor, "row")


def test_rows_are_summed_up():
    data = Judgments.from_rows(
        TASKS, [0.2, 0.4, 1.0, 0.5], ["I", "I", "V", "II"], ["a", "a", "a", "b"], [7, 8, 7, 7]
    )
    assert data.labels == ("a", "b")
    assert data.n.tolist() == [3, 1]
    assert data.counts[0, 0] == 2
    np.testing.assert_allclose(data.means[0, [0, 4]], [0.3, 1.0])
    np.testing.assert_allclose(data.squares[0, 0], (0.04 + 0.16) / 2)
    assert data.rows.cluster.tolist() == [0, 1, 0, 0]
    part = data.select([1])
    assert part.labels == ("b",)
    assert part.rows.problem.tolist() == [0]
    assert part.rows.value.tolist() == [0.5]


def test_means_of_several_answers_are_as_good_as_the_answers():
    values, names, units = [0.2, 0.4, 1.0, 0.5, 0.3], ["I", "I", "V", "II", "I"], [8, 8, 7, 7, 7]
    single = Judgments.from_rows(TASKS, values, names, clusters=units)
    summed = Judgments.from_rows(
        TASKS,
        [0.3, 0.3, 1.0, 0.5],
        ["I", "I", "V", "II"],
        clusters=[7, 8, 7, 7],
        answers=[1, 2, 1, 1],
        squares=[0.09, 0.1, 1.0, 0.25],
    )
    for name in ("counts", "means", "squares"):
        np.testing.assert_allclose(getattr(summed, name), getattr(single, name), atol=1e-15)
    (one,), (other,) = sum_by_unit(single), sum_by_unit(summed)
    np.testing.assert_allclose(other.counts, one.counts)
    np.testing.assert_allclose(other.sums, one.sums, atol=1e-15)
    fits = [fit(TASKS, COLLIDER_3, data) for data in (single, summed)]
    assert fits[0].rmse == pytest.approx(fits[1].rmse, abs=1e-12)
    assert fits[0].mae is not None
    assert fits[1].mae is None  # absolute errors do not follow from means
    assert summed.select([0]).rows.answers.tolist() == [1, 2, 1, 1]
    with pytest.raises(ValueError, match="must have clusters and squares"):
        Judgments.from_rows(TASKS, [0.3], ["I"], answers=[2])


@pytest.mark.parametrize(
    ("values", "questions", "message"),
    [
        ([50.0], ["I"], "values must be between 0 and 1, got 50.0"),
        ([float("nan")], ["I"], "values must be between 0 and 1"),
        ([0.5], ["XII"], "questions must be among"),
        ([0.5, 0.5], ["I"], "columns must have one length"),
        ([], [], "columns must have one length"),
    ],
)
def test_impossible_rows_are_refused(values, questions, message):
    with pytest.raises(ValueError, match=message):
        Judgments.from_rows(TASKS, values, questions)


def test_impossible_sums_are_refused():
    ones = np.ones((1, 11))
    with pytest.raises(ValueError, match="means must be between 0 and 1.0, got 50.0"):
        Judgments(("a",), ones, 50 * ones, ones)
    with pytest.raises(ValueError, match="squares must have shape"):
        Judgments(("a",), ones, ones, ones[:, :3])


@given(
    st.lists(st.sampled_from([0, 100, 100]), min_size=2, max_size=16),
    st.integers(0, 100),
    st.integers(0, 15),
)
@example([100] * 12, 87, 0)
@example([0] * 12, 87, 3)
def test_means_of_legal_answers_stay_legal_whoever_is_left_out(answers, other, place):
    answers[place % len(answers)] = other
    values, units = [value / 100 for value in answers], range(len(answers))
    data = Judgments.from_rows(TASKS, values, ["III"] * len(values), clusters=units)
    (sample,) = sum_by_unit(data)
    for counts, means in (sample.jackknife(), sample.bootstrap(np.random.default_rng(1), 20)):
        Judgments(tuple(map(str, range(len(counts)))), counts, means, means)
