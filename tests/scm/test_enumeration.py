from itertools import pairwise

import numpy as np
import pytest

from whybench.scm import (
    Gate,
    Graph,
    Model,
    NoisyOr,
    TooManyStates,
    counterfactual,
    do,
    enumeration,
    observe,
    pns,
)

NAMES = tuple(f"V{place:02}" for place in range(22))
CHAIN = Model(Graph(NAMES, tuple(pairwise(NAMES))), {name: Gate("or", 0.5) for name in NAMES})


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (observe({"V04": 1}), 2**5),
        (do({"V04": 1}, {"V02": 1}), 2**2),
        (pns("V02", "V04"), 2**2),
        (counterfactual({"V04": 1}, {"V02": 1}, given={"V04": 0}), 2**5),
    ],
)
def test_only_what_matters_is_visited(query, expected):
    assert enumeration.states(CHAIN, query) == expected


def test_noise_is_counted_in_cells():
    graph = Graph(("A", "B", "E"), (("A", "E"), ("B", "E")))
    gates = {"A": Gate("or", 0.5), "B": Gate("or", 0.5)}
    model = Model(graph, {**gates, "E": NoisyOr(0.1, (0.5, 0.5))})
    assert enumeration.states(model, pns("A", "E")) == 2 * 5
    assert enumeration.states(model, observe({"E": 1})) == 2**3


def test_the_limit_is_stated():
    with pytest.raises(TooManyStates, match="at most 1048576, got 4194304 for"):
        enumeration.probability(CHAIN, observe({NAMES[-1]: 1}))


def test_long_batches_are_cut(monkeypatch):
    chances = np.linspace(0.1, 0.9, 57)
    pair = Graph(("X", "Y"), (("X", "Y"),))
    model = Model(pair, {"X": Gate("or", 0.5), "Y": Gate("or", chances)})
    monkeypatch.setattr(enumeration, "LIMIT", 8)
    assert enumeration.probability(model, pns("X", "Y")) == pytest.approx(1 - chances)
    assert enumeration.probability(model, observe({"X": 1})) == pytest.approx(np.full(57, 0.5))
