import numpy as np
import pytest

from whybench.scm import InvalidParameter, Logistic, Table


def cells_to_table(cells):
    return (cells.probability[:, None] * cells.response).sum(axis=0)


def test_logistic_by_hand():
    table = Logistic(-1.0, (2.0,)).table(1)[:, 0]
    assert table == pytest.approx([1 / (1 + np.exp(1)), 1 / (1 + np.exp(-1))], abs=1e-15)
    cells = Logistic(-1.0, (2.0,)).cells(1)
    assert cells.response[:, :, 0].tolist() == [[1, 1], [0, 1], [0, 0]]
    assert cells_to_table(cells)[:, 0] == pytest.approx(table, abs=1e-15)


def test_logistic_keeps_small_probabilities_and_does_not_overflow():
    table = Logistic(-50.0, (5000.0, -9000.0)).table(2)[:, 0]
    assert 0 < table[0] < 1e-20
    assert table[2] == 1


def test_threshold_cells_follow_each_model_of_a_batch():
    weights = np.array([2.0, -2.0])
    cells = Logistic(0.0, (weights,)).cells(1)
    assert cells.response.shape == (3, 2, 2)
    assert cells.response[1].T.tolist() == [[0, 1], [1, 0]]


def test_a_table_parts_the_unit_interval():
    cells = Table((0.3, 0.8)).cells(1)
    assert cells.probability[:, 0] == pytest.approx([0.3, 0.5, 0.2])
    assert cells.response[:, :, 0].tolist() == [[1, 1], [0, 1], [0, 0]]


def test_a_parent_never_both_produces_and_prevents():
    assert Table((0.3, 0.8)).increasing(1)
    assert Table((0.5, 0.5, 0.5, 0.5)).increasing(2)
    assert not Table((0.8, 0.3)).increasing(1)


@pytest.mark.parametrize("count", [0, 3, 6])
def test_a_table_has_a_row_per_configuration(count):
    with pytest.raises(InvalidParameter, match=f"one per configuration .* got {count}"):
        Table((0.5,) * count)
