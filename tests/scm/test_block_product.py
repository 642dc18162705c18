from fractions import Fraction
from math import prod

import numpy as np
import pytest
from evidence.scm import chain_of_blocks

from whybench.scm import (
    Gate,
    Graph,
    Logistic,
    Model,
    NoisyOr,
    NotDecomposable,
    block_product,
    certify,
    do,
    elimination,
    enumeration,
    pns,
)

CYCLES = Graph(
    tuple("0123456"),
    tuple((a, b) for a, b in ("01", "12", "02", "23", "34", "24", "45", "56", "46")),
)
CHANCES = [Fraction(n, 10) for n in (6, 4, 5, 7, 6, 8, 5)]
PARTY_EDGES = ["XA", "XC", "AC", "BC", "CD", "DE", "DF", "EF", "EY", "FY"]


def party(kind, parents_of_b):
    edges = [*PARTY_EDGES, *(parent + "B" for parent in parents_of_b)]
    graph = Graph(tuple("XABCDEFY"), tuple((a, b) for a, b in edges))
    return Model(graph, {node: Gate(kind, Fraction(2, 5)) for node in graph.nodes})


def cycles(kinds):
    gates = {
        node: Gate(kind, p) for node, kind, p in zip(CYCLES.nodes, kinds, CHANCES, strict=True)
    }
    return Model(CYCLES, gates)


@pytest.mark.parametrize("parents_of_b", ["X", "A", "XA"])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("or", "XC 27/125 XD 81/625 CD 3/5 CY 81/625 DY 27/125 XY 2187/78125"),
        ("and", "XC 8/125 XD 16/625 CD 2/5 CY 16/625 DY 8/125 XY 128/78125"),
    ],
)
def test_the_party(kind, expected, parents_of_b):
    model = party(kind, parents_of_b)
    words = expected.split()
    for (cause, effect), value in zip(words[::2], map(Fraction, words[1::2]), strict=True):
        assert certify(model, pns(cause, effect)).value == value
    assert block_product.gateways(model.graph, "X", "Y") == ("C", "D")
    assert block_product.probability(model, pns("X", "Y")) == Fraction(words[-1])


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("or", "3/10 9/250 9/2500 3/25 3/250 1/10"),
        ("and", "1/5 21/250 21/625 21/50 21/125 2/5"),
    ],
)
def test_three_cycles(kind, expected):
    model = cycles([kind] * 7)
    for pair, value in zip(
        ("02", "04", "06", "24", "26", "46"), map(Fraction, expected.split()), strict=True
    ):
        assert certify(model, pns(*pair)).value == value
        # The closed form over the nodes after the cause.
        after = CHANCES[int(pair[0]) + 1 : int(pair[1]) + 1]
        assert value == prod(after if kind == "and" else [1 - p for p in after])
    assert block_product.probability(model, pns("0", "6")) == Fraction(expected.split()[2])


def test_mixed_gates():
    rng = np.random.default_rng(0)
    for _ in range(20):
        model = cycles(rng.choice(["or", "and"], 7))
        exact = elimination.probability(model, pns("0", "6"))
        assert block_product.probability(model, pns("0", "6")) == exact


def test_other_monotone_mechanisms():
    line = Graph(tuple("XMNY"), (("X", "M"), ("M", "N"), ("M", "Y"), ("N", "Y")))
    mechanisms = {
        "X": Gate("or", 0.5),
        "M": NoisyOr(0.2, (0.7,)),
        "N": Logistic(-1.0, (2.0,)),
        "Y": NoisyOr(0.1, (0.5, 0.9)),
    }
    model = Model(line, mechanisms)
    product = block_product.probability(model, pns("X", "Y"))
    assert product == pytest.approx(enumeration.probability(model, pns("X", "Y")), abs=1e-15)


def test_the_product_rule_fails_for_xor_and_is_refused():
    line = Graph(tuple("XMY"), (("X", "M"), ("M", "Y")))
    p, q = Fraction(1, 3), Fraction(1, 4)
    model = Model(line, {"X": Gate("xor", p), "M": Gate("xor", p), "Y": Gate("xor", q)})
    parts = [elimination.probability(model, pns(*pair)) for pair in ("XM", "MY")]
    assert parts == [1 - p, 1 - q]
    # Y also answers to X where M does the opposite of X and Y the opposite of M.
    assert enumeration.probability(model, pns("X", "Y")) == (1 - p) * (1 - q) + p * q
    with pytest.raises(NotDecomposable, match="must never fall when a parent rises, got Gate"):
        block_product.probability(model, pns("X", "Y"))


def test_the_product_rule_fails_for_shared_noise_and_is_refused():
    # Z is a cause of both M and Y: removing M still parts X from Y, but chance does not factor.
    graph = Graph(tuple("XZMY"), (("X", "M"), ("Z", "M"), ("M", "Y"), ("Z", "Y")))
    model = Model(graph, {node: Gate("and", Fraction(1, 2)) for node in graph.nodes})
    parts = [enumeration.probability(model, pns(*pair)) for pair in ("XM", "MY")]
    assert prod(parts) != enumeration.probability(model, pns("X", "Y"))
    with pytest.raises(NotDecomposable, match="some node must cut X from Y"):
        block_product.probability(model, pns("X", "Y"))


def test_without_a_cutpoint_there_is_no_product():
    graph = Graph(tuple("XMY"), (("X", "M"), ("M", "Y"), ("X", "Y")))
    model = Model(graph, {node: Gate("or", 0.5) for node in graph.nodes})
    with pytest.raises(NotDecomposable, match="some node must cut X from Y"):
        block_product.probability(model, pns("X", "Y"))


def test_only_pns_is_known_to_factor():
    with pytest.raises(NotDecomposable, match="query must be a PNS, got P"):
        block_product.probability(cycles(["or"] * 7), do({"6": 1}, {"0": 1}))


def test_a_cause_must_come_before_its_effect():
    for cause, effect in (("6", "0"), ("3", "3")):
        with pytest.raises(NotDecomposable, match="must be an ancestor"):
            block_product.probability(cycles(["or"] * 7), pns(cause, effect))


def test_batches():
    model = chain_of_blocks((("cycle", 3), ("wheel", 5), ("cycle", 4)), seed=1, batch=50)
    query = pns(model.graph.order[0], model.graph.order[-1])
    product = block_product.probability(model, query)
    assert product.shape == (50,)
    assert product == pytest.approx(enumeration.probability(model, query), abs=1e-14)
