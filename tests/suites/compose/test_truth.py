from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from evidence.compositions import (
    CYCLE_PNS,
    FOUR_PERSON_PNS,
    PARTY_PNS,
    THIRTY,
    closed_form_pns,
    cycles,
    four_person_party,
    party,
    population_ate,
    random_blocks,
    unit_violations,
)

from whybench.scm import (
    Bernoulli,
    Disagreement,
    Gate,
    InvalidParameter,
    Model,
    TooManyStates,
    certify,
    do,
    enumeration,
    pns,
)
from whybench.suites.compose import truth
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.chain import node_name
from whybench.suites.compose.truth import (
    UnitQuery,
    answer_by_block,
    answer_by_node,
    list_queries,
    make_answer_key,
    population_pns,
)
from whybench.suites.compose.world import ComposeWorld, draw_world, make_block_table

SMALL = ComposeWorld(
    (Block("cycle", 3), Block("bridge", 2)), ("or", "or", "and", "or"), (6, 7, 4, 8)
)


def all_bits(world: ComposeWorld) -> np.ndarray:
    return np.array(list(product((False, True), repeat=world.size)))


@pytest.mark.parametrize("parents_of_b", ["X", "A", "XA"])
@pytest.mark.parametrize("kind", PARTY_PNS)
def test_the_party_of_eight(kind, parents_of_b: str) -> None:
    words = PARTY_PNS[kind].split()
    model = party(kind, parents_of_b)
    found = [certify(model, pns(*pair)).value for pair in words[::2]]
    assert found == list(map(Fraction, words[1::2]))


def test_the_party_of_four() -> None:
    # A is true with 9/12, B with 7/12, the bits of C and D with 5/12 and 3/12. D answers to A if B
    # is true and D's bit is not: 7/12 · 9/12; and likewise the others.
    a, b, c, d = (Fraction(n, 12) for n in (9, 7, 5, 3))
    assert (b * (1 - d), b * (1 - c), a * (1 - d)) == (
        Fraction(7, 16),
        Fraction(49, 144),
        Fraction(9, 16),
    )
    words = FOUR_PERSON_PNS.split()
    found = [certify(four_person_party(), pns(*pair)).value for pair in words[::2]]
    assert found == list(map(Fraction, words[1::2]))


@pytest.mark.parametrize("kind", CYCLE_PNS)
def test_three_cycles(kind) -> None:
    world = cycles(kind)
    expected = list(map(Fraction, CYCLE_PNS[kind].split()))
    for derived in (population_pns, population_ate):
        assert [derived(world, *pair).value for pair in world.pairs] == expected
    assert [closed_form_pns(world, *pair) for pair in world.pairs] == expected


@pytest.mark.parametrize("gates", ["or", "and", "mixed"])
def test_effects_are_enumerated_equal_to_averages_and_to_closed_forms(gates) -> None:
    closed = 0
    for number in range(15):
        world = draw_world(random_blocks("small", number)[:3], gates, number)
        model = world.model()
        for pair in world.pairs:
            value = population_pns(world, *pair).value
            assert value == population_ate(world, *pair).value
            assert value == enumeration.probability(model, pns(*map(node_name, pair)))
            form = closed_form_pns(world, *pair)
            assert form in (None, value)
            closed += form is not None
    assert closed > 0


def test_questions() -> None:
    assert list(map(str, list_queries(SMALL))) == [
        "2", "3", "2[0=1]", "2[0=0]", "3[0=1]", "3[0=0]", "3[2=1]", "3[2=0]"
    ]  # fmt: skip
    assert len(list_queries(draw_world(THIRTY, "or", 0))) == 12 * 14


def test_a_unit_by_hand() -> None:
    # Bits 1, 0, 1, 0: node 1 = 0 or X, node 2 = 1 and X and node 1, node 3 = 0 or node 2.
    key = make_answer_key(SMALL, np.array([[True, False, True, False], [False, True, True, True]]))
    assert key.factual.tolist() == [[True, True], [False, True]]
    # Pairs (0, 2), (0, 3), (2, 3).
    assert key.if_true.tolist() == [[True, True, True], [True, True, True]]
    assert key.if_false.tolist() == [[False, False, False], [False, True, True]]
    assert key.indicators.tolist() == [[True, True, True], [True, False, False]]
    assert key.transmits.tolist() == [[True, True], [True, False]]


@pytest.mark.parametrize("gates", ["or", "and", "mixed"])
def test_both_derivations_agree_with_queries_of_fixed_noise(gates) -> None:
    world = draw_world((Block("wheel", 4), Block("cycle", 3)), gates, "fixed")
    bits = all_bits(world)
    key = make_answer_key(world, bits)
    model = world.model()
    for unit in range(0, len(bits), 5):
        certain = {
            node_name(v): Gate(world.gates[v], Fraction(int(bits[unit, v]))) for v in world.nodes
        }
        fixed = Model(model.graph, certain)
        for asking, yes in zip(list_queries(world), key.yes[unit], strict=True):
            made = asking.intervention
            setting = {node_name(made[0]): int(made[1])} if made else {}
            query = do({node_name(asking.effect): 1}, setting)
            assert enumeration.probability(fixed, query) == int(yes)


def test_indicators_over_all_units_weigh_to_the_population() -> None:
    world = draw_world((Block("cycle", 4), Block("bridge", 2), Block("cycle", 3)), "mixed", 3)
    bits = all_bits(world)
    chances = np.array([world.chance(node) for node in world.nodes], dtype=object)
    weight = np.where(bits, chances, 1 - chances).prod(axis=1)
    indicators = make_answer_key(world, bits).indicators
    for place, pair in enumerate(world.pairs):
        assert weight[indicators[:, place]].sum() == population_pns(world, *pair).value


def test_the_unit_identity() -> None:
    assert unit_violations(1_000_000, 50) == 0


def test_certificates_name_question_noise_and_both_values() -> None:
    key = make_answer_key(SMALL, np.array([[True, False, True, False]]))
    certificates = key.certificates(0)
    assert [certificate.value for certificate in certificates] == [1, 1, 1, 0, 1, 0, 1, 0]
    assert certificates[3].query == "2[0=0] | noise 1010"
    assert certificates[3].derivations == (("causal order", 0.0), ("block composition", 0.0))
    assert all(certificate.agree for certificate in certificates)


def test_a_disagreement_is_no_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    bits = all_bits(SMALL)
    wrong = answer_by_block(SMALL, bits).copy()
    wrong[3, 4] ^= True
    monkeypatch.setattr(truth, "answer_by_block", lambda *_: wrong)
    with pytest.raises(Disagreement, match=r"derivations of 3\[0=1\] must agree, got True and Fa"):
        make_answer_key(SMALL, bits)


def test_thirty_nodes_are_certified() -> None:
    world = draw_world(THIRTY, "mixed", 5)
    assert (len(world.blocks), world.size) == (12, 30)
    whole = population_pns(world, world.root, world.leaf)
    assert whole.value == population_ate(world, world.root, world.leaf).value
    assert 0 < whole.value < 1
    assert [name for name, _ in whole.derivations] == ["block product", "elimination"]


def test_block_tables() -> None:
    # A cycle whose second node is an and gate and whose last is an or gate: the last follows the
    # first unless its own bit is true; the pattern's lowest digit is the second node's bit.
    world = ComposeWorld(
        (Block("cycle", 3), Block("bridge", 2)), ("or", "and", "or", "or"), (6, 7, 4, 8)
    )
    table = make_block_table(world, 0)
    assert table.if_true.tolist() == [True] * 4
    assert table.if_false.tolist() == [False, False, True, True]
    # Bits are true with 4/10 and 7/10.
    assert table.weight.tolist() == [6 * 3, 4 * 3, 6 * 7, 4 * 7]
    assert table.probability(table.transmits) == Fraction(3, 10)
    assert make_block_table(world, 1).transmits.tolist() == [True, False]


def test_refusals() -> None:
    for bits in (np.zeros((2, 3), dtype=bool), np.zeros((2, 4)), np.zeros(4, dtype=bool)):
        for derivation in (answer_by_node, answer_by_block):
            with pytest.raises(InvalidParameter, match=r"of shape \(units, 4\), got"):
                derivation(SMALL, bits)
    size = 19
    world = ComposeWorld((Block("cycle", 18), Block("bridge", 2)), ("or",) * size, (5,) * size)
    with pytest.raises(TooManyStates, match="at most 17 nodes, got cycle 18"):
        make_block_table(world, 0)
    assert UnitQuery(3, (2, True)) in list_queries(SMALL)
    assert isinstance(four_person_party().mechanism("A"), Bernoulli)
