from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from evidence.scm import chain_of_blocks

from whybench.scm import (
    Bernoulli,
    Disagreement,
    Gate,
    Graph,
    Model,
    NotDecomposable,
    TooManyStates,
    agreed,
    certify,
    elimination,
    observe,
    pns,
)

PAIR = Model(Graph(("X", "Y"), (("X", "Y"),)), {"X": Bernoulli(0.5), "Y": Gate("and", 0.25)})


def names(certificate):
    return [name for name, _ in certificate.derivations]


def test_small_worlds():
    certificate = certify(PAIR, pns("X", "Y"))
    assert certificate.query == "P(Y[X=1]=1, Y[X=0]=0)"
    assert certificate.derivations == (("enumeration", 0.25), ("elimination", 0.25))
    assert certificate.agree
    assert certificate.value == 0.25


def test_large_chains_of_blocks():
    model = chain_of_blocks((("wheel", 6), ("cycle", 5)) * 3, seed=4)
    nodes = model.graph.order
    assert len(nodes) == 28
    certificate = certify(model, pns(nodes[0], nodes[-1]))
    assert names(certificate) == ["block product", "elimination"]


def test_a_disagreement_names_both_values(monkeypatch):
    monkeypatch.setattr(elimination, "probability", lambda model, query: 0.5)
    with pytest.raises(Disagreement, match=r"enumeration = 0\.25 and elimination = 0\.5"):
        certify(PAIR, pns("X", "Y"))


@pytest.mark.parametrize(
    ("first", "second", "fine"),
    [
        (0.25, 0.25 + 1e-13, True),
        (0.25, 0.25 + 1e-11, False),
        (1e6, 1e6 + 1e-8, True),
        (Fraction(1, 3), Fraction(1, 3), True),
        (Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30), False),
        (Fraction(1, 4), 0.25, True),
        (0.25, float("nan"), False),
        (np.array([0.1, 0.2]), np.array([0.1, 0.2 + 1e-9]), False),
        (np.array([0.1, 0.2]), np.array([0.1, 0.2]), True),
        (np.array([0.1, 0.2]), np.array([0.1]), False),
    ],
)
def test_what_counts_as_agreement(first, second, fine):
    if fine:
        assert agreed("q", ("one", first), ("other", second)).agree
    else:
        with pytest.raises(Disagreement, match="derivations of q must agree"):
            agreed("q", ("one", first), ("other", second))


def test_what_is_too_large_is_refused():
    nodes = tuple(f"V{place:02}" for place in range(25))
    graph = Graph(nodes, tuple(pairwise(nodes)))
    with pytest.raises(TooManyStates):
        certify(Model(graph, {n: Gate("or", 0.5) for n in nodes}), observe({nodes[-1]: 1}))
    with pytest.raises(NotDecomposable):
        certify(Model(graph, {n: Gate("xor", 0.5) for n in nodes}), pns(nodes[0], nodes[-1]))
