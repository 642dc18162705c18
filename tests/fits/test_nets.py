"""Predictions against the exact engines of `whybench.scm`."""

from __future__ import annotations

import numpy as np
import pytest
from evidence.fits import QUESTIONS, TASKS
from hypothesis import given, settings
from hypothesis import strategies as st

from whybench.fits import (
    CHAIN_3,
    COLLIDER_3,
    COLLIDER_4,
    FORK_3,
    Predictor,
    Scheme,
    TaskQuestion,
    TaskTable,
)
from whybench.fits.solver import hessian, normal_equations
from whybench.scm import Bernoulli, Graph, Model, NoisyOr, enumeration, observe
from whybench.seeds import generator

CHAIN = Graph(("X", "Y", "Z"), (("X", "Y"), ("Y", "Z")))
FORK = Graph(("C", "E1", "E2"), (("C", "E1"), ("C", "E2")))


def model(graph: Graph, scheme: Scheme, values: dict[str, np.ndarray]) -> Model:
    mechanisms = {}
    for node, names in scheme.nodes.items():
        first, *rest = (values[name] for name in names)
        mechanisms[node] = NoisyOr(first, tuple(rest)) if rest else Bernoulli(first)
    return Model(graph, mechanisms)


def all_questions(graph: Graph) -> TaskTable:
    """Every node, given every state of the first, second, … of the others."""
    questions = []
    for asked in graph.nodes:
        others = [node for node in graph.nodes if node != asked]
        for known in range(len(others) + 1):
            for states in range(2**known):
                bits = [(states >> k) & 1 for k in range(known)]
                given = tuple(zip(others, bits, strict=False))
                questions.append(TaskQuestion(f"{asked}|{given}", asked, given))
    return TaskTable(graph, tuple(questions))


def assert_exact(table: TaskTable, scheme: Scheme, theta: np.ndarray) -> None:
    values = dict(zip(scheme.parameters, theta, strict=True))
    world = model(table.graph, scheme, values)
    found = Predictor(table, scheme).predict(theta)
    for question, answer in zip(table.questions, found, strict=True):
        query = observe({question.target: 1}, given=dict(question.given))
        np.testing.assert_allclose(answer, enumeration.probability(world, query), rtol=1e-11)


@pytest.mark.parametrize(
    ("table", "scheme"),
    [
        (TASKS, COLLIDER_3),
        (QUESTIONS, COLLIDER_4),
        (all_questions(CHAIN), CHAIN_3),
        (all_questions(FORK), FORK_3),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_predictions_are_exact(table, scheme):
    rng = generator("tests", "answers", scheme.name)
    assert_exact(table, scheme, rng.uniform(0.02, 0.98, (len(scheme.parameters), 20)))


@settings(max_examples=settings.default.max_examples * 2 // 5)
@given(seed=st.integers(0, 10**6))
def test_predictions_are_exact_on_any_small_graph(seed):
    rng = generator("tests", "graphs", seed)
    nodes = tuple(f"V{k}" for k in range(int(rng.integers(2, 6))))
    edges = tuple(
        (nodes[i], nodes[j]) for j in range(len(nodes)) for i in range(j) if rng.random() < 0.5
    )
    graph = Graph(nodes, edges)
    # Some numbers are tied.
    scheme = Scheme(
        "any",
        {
            node: (f"own {rng.integers(3)}", *(f"{cause}{node}" for cause in graph.parents(node)))
            for node in nodes
        },
    )
    theta = rng.uniform(0.05, 0.95, (len(scheme.parameters), 3))
    questions = all_questions(graph).questions
    chosen = [questions[k] for k in rng.permutation(len(questions))[:12]]
    assert_exact(TaskTable(graph, tuple(chosen)), scheme, theta)


def test_hand_worked_collider():
    """With b = 0, m = p = 1/2: P(C1 | E, C2) = 3/5, as worked out in the docs of the engines."""
    answers = Predictor(TASKS, COLLIDER_3).predict(np.array([[0.5], [1e-12], [0.5]]))[:, 0]
    found = dict(zip(TASKS.names, answers, strict=True))
    assert found["VI"] == pytest.approx(3 / 5)
    assert found["VIII"] == pytest.approx(1)
    assert found["VII"] == pytest.approx((1 / 4 + 3 / 8) / (1 / 4 + 3 / 8 + 1 / 4))
    assert found["X"] == pytest.approx(1 / 3)


def test_ix_has_its_limit_where_a_cause_is_certain_to_act():
    p, m1 = 0.3, 0.7
    for m2 in (1 - 1e-6, 1 - 1e-12):
        answers = Predictor(TASKS, COLLIDER_4).predict(np.array([[p], [0.1], [m1], [m2]]))[:, 0]
        assert answers[TASKS.names.index("IX")] == pytest.approx(p * (1 - m1) / (1 - m1 * p))


def test_nothing_is_clamped():
    answers = Predictor(TASKS, COLLIDER_3).predict(np.array([[0.5], [0.2], [1 - 1e-6]]))[:, 0]
    assert answers[TASKS.names.index("XI")] == pytest.approx(1e-6, rel=1e-5)


@pytest.mark.parametrize(
    ("table", "scheme"),
    [(TASKS, COLLIDER_3), (QUESTIONS, COLLIDER_4), (all_questions(CHAIN), CHAIN_3)],
    ids=lambda value: getattr(value, "name", ""),
)
def test_derivatives_agree_with_differences(table, scheme):
    rng = generator("tests", "derivatives", scheme.name)
    size, sets, step = len(scheme.parameters), 30, 1e-6
    predictor = Predictor(table, scheme)
    theta = rng.uniform(0.1, 0.9, (size, sets))
    weight, mean = rng.uniform(0, 1, (2, predictor.points, sets))
    answers, jacobian = predictor.differentiate(theta)
    loss, gradient, normal = normal_equations(predictor, weight, mean, theta)
    np.testing.assert_allclose(loss, (weight * (answers - mean) ** 2).sum(axis=0))
    np.testing.assert_allclose(normal, np.einsum("tn,tin,tjn->ijn", weight, jacobian, jacobian))
    curvature = hessian(predictor, weight, mean, theta)
    for k in range(size):
        up, down = theta.copy(), theta.copy()
        up[k] += step
        down[k] -= step
        (above, _), (below, _) = (predictor.differentiate(point) for point in (up, down))
        np.testing.assert_allclose(jacobian[:, k], (above - below) / 2 / step, atol=1e-8)
        high, low = (normal_equations(predictor, weight, mean, point) for point in (up, down))
        np.testing.assert_allclose(gradient[k], (high[0] - low[0]) / 4 / step, atol=1e-8)
        np.testing.assert_allclose(curvature[k], (high[1] - low[1]) / 2 / step, atol=1e-6)
