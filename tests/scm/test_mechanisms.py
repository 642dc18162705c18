from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from whybench.scm import (
    Bernoulli,
    Gate,
    InvalidParameter,
    Linear,
    Logistic,
    NoisyAnd,
    NoisyOr,
    Table,
)

HALF, THIRD, FIFTH = Fraction(1, 2), Fraction(1, 3), Fraction(1, 5)


def cells_to_table(cells):
    return (cells.probability[:, None] * cells.response).sum(axis=0)


@pytest.mark.parametrize(
    ("mechanism", "parents"),
    [
        (Bernoulli(THIRD), 0),
        *((Gate(kind, THIRD), parents) for kind in ("or", "and", "xor") for parents in range(4)),
        *((NoisyOr(FIFTH, (HALF, THIRD, FIFTH)[:parents]), parents) for parents in range(4)),
        *((NoisyAnd(FIFTH, (HALF, THIRD, FIFTH)[:parents]), parents) for parents in range(4)),
        (Table((HALF, THIRD, FIFTH, HALF)), 2),
    ],
)
def test_cells_add_up_to_the_table_exactly(mechanism, parents):
    table, cells = mechanism.table(parents), mechanism.cells(parents)
    assert table.shape == (2**parents, 1)
    assert cells.probability.sum() == 1
    assert (cells_to_table(cells) == table).all()


def test_cells_are_distinct_responses():
    for cells in (NoisyOr(0.1, (0.5, 0.5, 0.5)).cells(3), NoisyAnd(0.1, (0.5, 0.5)).cells(2)):
        rows = {tuple(row) for row in cells.response[:, :, 0]}
        assert len(rows) == len(cells.response)


def test_noisy_or_by_hand():
    table = NoisyOr(FIFTH, (HALF, THIRD)).table(2)[:, 0]
    silent = Fraction(4, 5)
    assert list(table) == [
        FIFTH,
        1 - silent * Fraction(2, 3),
        1 - silent * HALF,
        1 - silent * HALF * Fraction(2, 3),
    ]


def test_noisy_and_is_noisy_or_with_absence_and_presence_exchanged():
    dual = NoisyOr(FIFTH, (HALF, THIRD)).table(2)[::-1, 0]
    assert list(NoisyAnd(FIFTH, (HALF, THIRD)).table(2)[:, 0]) == [1 - p for p in dual]


def test_gates_are_noisy_or_and_noisy_and_of_full_strength():
    assert (Gate("or", THIRD).table(2) == NoisyOr(THIRD, (1, 1)).table(2)).all()
    assert (Gate("and", THIRD).table(2) == NoisyAnd(1 - THIRD, (1, 1)).table(2)).all()


@pytest.mark.parametrize("kind", ["or", "and", "xor"])
def test_gate_cell_is_the_noise_bit(kind):
    operators = {"or": max, "and": min, "xor": lambda bits: sum(bits) % 2}
    response = Gate(kind, 0.4).cells(2).response[:, :, 0]
    for u, first, second in product((0, 1), repeat=3):
        assert response[u, 2 * first + second] == operators[kind]((u, first, second))


def test_increasing():
    assert Gate("or", 0.5).increasing(2)
    assert Gate("and", 0.5).increasing(2)
    assert NoisyOr(0.1, (0.5, 0.5)).increasing(2)
    assert Logistic(0.0, (1.0, 0.0)).increasing(2)
    assert not Gate("xor", 0.5).increasing(1)
    assert not Logistic(0.0, (1.0, -1.0)).increasing(2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Bernoulli(2), "p must be between 0 and 1, got 2"),
        (lambda: Gate("nand", 0.5), "kind must be one of .* got 'nand'"),
        (lambda: NoisyOr(0.1, (0.5, -1)), "strength must be between 0 and 1, got -1"),
        (lambda: NoisyAnd(1.5, ()), "inhibition must be between 0 and 1, got 1.5"),
        (lambda: Logistic(np.inf, ()), "intercept must be finite"),
        (lambda: Table((0.1, 0.2, 0.3)), "one per configuration .* got 3"),
        (lambda: Table(()), "one per configuration .* got 0"),
        (lambda: Linear(0, (), sd=-1), "sd must be at least 0, got -1"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InvalidParameter, match=message):
        make()
