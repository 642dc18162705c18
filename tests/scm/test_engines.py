"""Both exact engines, on what was worked out by hand and on each other."""

from fractions import Fraction

import numpy as np
import pytest

from whybench.scm import (
    Bernoulli,
    Event,
    Gate,
    Graph,
    ImpossibleEvidence,
    Logistic,
    Model,
    NoisyOr,
    Query,
    Table,
    UnknownNode,
    counterfactual,
    do,
    elimination,
    enumeration,
    observe,
    pns,
)

ENGINES = [enumeration.probability, elimination.probability]
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
COLLIDER = Graph(("C1", "C2", "E"), (("C1", "E"), ("C2", "E")))
NOISY = Model(
    COLLIDER, {"C1": Bernoulli(HALF), "C2": Bernoulli(HALF), "E": NoisyOr(TENTH, (HALF, HALF))}
)
CONFOUNDED = Model(
    Graph(("U", "X", "Y"), (("U", "X"), ("U", "Y"), ("X", "Y"))),
    {
        "U": Bernoulli(HALF),
        "X": Table((Fraction(1, 4), Fraction(3, 4))),
        "Y": Table((Fraction(1, 10), Fraction(3, 10), Fraction(5, 10), Fraction(9, 10))),
    },
)


@pytest.fixture(params=ENGINES, ids=["enumeration", "elimination"])
def engine(request):
    return request.param


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # P(E=1 | c) is 1/10, 11/20, 11/20, 31/40: 1 - 9/10 · (1/2)^present.
        (observe({"E": 1}), Fraction(79, 160)),
        (observe({"C1": 1}, given={"E": 1}), Fraction(53, 79)),
        (observe({"C1": 1}, given={"E": 1, "C2": 1}), Fraction(31, 53)),
        (do({"E": 1}, {"C1": 1}), Fraction(53, 80)),
        (do({"C1": 1}, {"E": 1}), HALF),
        # C1's bit is on (1/2), no leak (9/10), and C2 does not act (3/4).
        (pns("C1", "E"), Fraction(27, 80)),
        # Where E failed there was no leak and C2 did not act, so that only C1's bit matters.
        (counterfactual({"E": 1}, {"C1": 1}, given={"C1": 0, "E": 0}), HALF),
        (counterfactual({"E": 1}, {"C1": 1}, given={"C1": 1, "E": 1}), Fraction(1)),
    ],
)
def test_noisy_or_by_hand(engine, query, expected):
    answer = engine(NOISY, query)
    assert isinstance(answer, Fraction)
    assert answer == expected


def test_seeing_is_not_doing(engine):
    # Seeing X = 1 makes U likely (3/4); doing X = 1 says nothing about U (1/2).
    assert engine(CONFOUNDED, observe({"Y": 1}, {"X": 1})) == Fraction(3, 40) + Fraction(27, 40)
    assert engine(CONFOUNDED, do({"Y": 1}, {"X": 1})) == Fraction(6, 10)


def test_one_uniform_decides_all_answers_of_a_node(engine):
    # Given U, Y is 1 below .1 or .3 (U = 0), below .5 or .9 (U = 1): X turns Y between these.
    assert engine(CONFOUNDED, pns("X", "Y")) == HALF * Fraction(2, 10) + HALF * Fraction(4, 10)


def test_same_table_different_counterfactuals(engine):
    pair = Graph(("X", "Y"), (("X", "Y"),))
    coin = Model(pair, {"X": Bernoulli(HALF), "Y": Table((HALF, HALF))})
    turned = Model(pair, {"X": Bernoulli(HALF), "Y": Gate("xor", HALF)})
    seen, imagined = observe({"Y": 1}, {"X": 1}), pns("X", "Y")
    assert engine(coin, seen) == engine(turned, seen)
    assert engine(coin, imagined) == 0
    assert engine(turned, imagined) == HALF


def test_the_party_of_four(engine):
    # Of 12 candies Anna wants 4, Bill 6; Cory 8 and Dave 10, or that Anna and Bill are both happy.
    graph = Graph(tuple("ABCD"), (("A", "C"), ("B", "C"), ("A", "D"), ("B", "D")))
    anna, bill, cory, dave = (Fraction(13 - least, 12) for least in (4, 6, 8, 10))
    model = Model(
        graph,
        {
            "A": Bernoulli(anna),
            "B": Bernoulli(bill),
            "C": Table((cory, cory, cory, 1)),
            "D": Table((dave, dave, dave, 1)),
        },
    )
    expected = {"AD": Fraction(7, 16), "AC": Fraction(49, 144), "BD": Fraction(9, 16)}
    assert {pair: engine(model, pns(*pair)) for pair in expected} == expected


def test_three_worlds_at_once(engine):
    set_both = (("C1", 1), ("C2", 1))
    events = (Event("E", 1, set_both), Event("E", 0, (("C1", 1),)), Event("E", 0))
    # No leak; C1's bit off, C2's on; and C2 absent in fact: then the other two worlds have no E.
    assert engine(NOISY, Query(events)) == Fraction(9, 10) * HALF * HALF * HALF


def test_events_on_what_is_set(engine):
    assert engine(NOISY, Query((Event("C1", 1, (("C1", 1),)),))) == 1
    assert engine(NOISY, Query((Event("C1", 0, (("C1", 1),)),))) == 0
    assert engine(NOISY, Query((Event("E", 1), Event("E", 0)))) == 0


@pytest.mark.parametrize(
    "query",
    [
        observe({"C1": 1}, given={"E": 1, "C2": 0}),
        counterfactual({"E": 1}, {"C2": 1}, given={"E": 1, "C2": 0}),
        Query((Event("E", 1),), (Event("C1", 0, (("C1", 1),)),)),
    ],
)
def test_impossible_evidence_is_named(engine, query):
    impossible = Model(
        COLLIDER,
        {"C1": Bernoulli(0.5), "C2": Bernoulli(0.5), "E": Gate("and", np.array([0.0, 0.0]))},
    )
    with pytest.raises(ImpossibleEvidence, match="= 0 in 2 of 2 models of the batch"):
        engine(impossible, query)


def test_unknown_nodes_are_named(engine):
    with pytest.raises(UnknownNode, match="got 'Q'"):
        engine(NOISY, do({"E": 1}, {"Q": 1}))


def test_integers_are_exact_in_exact_company(engine):
    model = Model(COLLIDER, {"C1": Bernoulli(HALF), "C2": Bernoulli(1), "E": Gate("and", 1)})
    assert engine(model, observe({"E": 1}, {"C2": 1})) == HALF
    assert isinstance(engine(model, counterfactual({"E": 1}, {"C1": 1}, {"E": 0})), Fraction)


def test_batch_equals_loop_when_the_order_of_thresholds_varies(engine):
    rng = np.random.default_rng(0)
    draws = rng.normal(0, 2, (6, 40))

    def model(p):
        chance = 1 / (1 + np.exp(-p[0]))
        mechanisms = {
            "C1": Bernoulli(chance),
            "C2": Logistic(p[1], ()),
            "E": Logistic(p[2], (p[3], p[4])),
        }
        return Model(COLLIDER, mechanisms)

    query = counterfactual({"E": 1}, {"C1": 1}, given={"C1": 0, "E": 0})
    looped = [engine(model(column), query) for column in draws.T]
    assert engine(model(draws), query) == pytest.approx(looped, abs=1e-14)
