from itertools import pairwise

import numpy as np
import pytest

from whybench.scm import Gate, Graph, Model, TooManyStates, elimination, observe, pns

NAMES = tuple(f"V{place:03}" for place in range(100))
CHAIN = Model(Graph(NAMES, tuple(pairwise(NAMES))), {name: Gate("or", 0.01) for name in NAMES})


def test_a_long_chain():
    assert elimination.probability(CHAIN, observe({NAMES[-1]: 0})) == pytest.approx(0.99**100)
    assert elimination.probability(CHAIN, pns(NAMES[0], NAMES[-1])) == pytest.approx(0.99**99)


def test_the_limit_is_stated(monkeypatch):
    monkeypatch.setattr(elimination, "LIMIT", 3)
    with pytest.raises(TooManyStates, match=r"at most 3 entries, got 4 for V002=1"):
        elimination.probability(CHAIN, observe({NAMES[1]: 1}, {NAMES[2]: 1}))


def test_long_batches_are_cut(monkeypatch):
    monkeypatch.setattr(elimination, "AT_ONCE", 8)
    chances = np.linspace(0.1, 0.9, 57)
    pair = Graph(("X", "Y"), (("X", "Y"),))
    model = Model(pair, {"X": Gate("or", 0.5), "Y": Gate("or", chances)})
    assert elimination.probability(model, pns("X", "Y")) == pytest.approx(1 - chances)
    assert elimination.probability(model, observe({"X": 1})) == pytest.approx(np.full(57, 0.5))


def test_operations_are_counted():
    model = Model(Graph(("X", "Y"), (("X", "Y"),)), {name: Gate("or", 0.5) for name in "XY"})
    # One product of four entries, of two factors, and two sums over X; nothing else.
    assert elimination.operations(model, observe({"X": 1})) == 0
    assert elimination.operations(model, observe({"Y": 1})) == 3
    assert elimination.operations(model, observe({"Y": 1}, {"X": 1})) == 2
