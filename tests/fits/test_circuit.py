from __future__ import annotations

import numpy as np
import pytest
from evidence.fits import QUESTIONS, TASKS

from whybench.fits import COLLIDER_3, COLLIDER_4, COLLIDER_LOGISTIC, Predictor
from whybench.fits.circuit import Circuit
from whybench.fits.tape import Tape
from whybench.seeds import generator


def test_equal_parts_are_written_once():
    circuit = Circuit()
    x, y = circuit.leaf("x"), circuit.leaf("y")
    assert circuit.times(x, y) == circuit.times(y, x)
    assert circuit.plus(x, y) == circuit.plus(y, x)
    assert circuit.complement(circuit.complement(x)) == x
    assert circuit.negative(circuit.negative(x)) == x


def test_rules_of_arithmetic():
    circuit = Circuit()
    x, y = circuit.leaf("x"), circuit.leaf("y")
    zero, one = circuit.constant(0), circuit.constant(1)
    assert circuit.times(x, one) == circuit.plus(zero, x) == circuit.minus(x, zero) == x
    assert circuit.times(x, zero) == circuit.minus(x, x) == zero
    assert circuit.plus(x, circuit.negative(y)) == circuit.minus(x, y)
    assert circuit.minus(x, circuit.negative(y)) == circuit.plus(x, y)
    assert circuit.times(x, circuit.constant(-1)) == circuit.negative(x)
    assert circuit.negative(circuit.minus(x, y)) == circuit.minus(y, x)


def test_slopes_by_hand():
    """Of f = x·y/(x + σ(y)), at x = 2 and y = 0, where σ = 1/2 and σ' = 1/4."""
    circuit = Circuit()
    x, y = circuit.leaf("x"), circuit.leaf("y")
    f = circuit.quotient(circuit.times(x, y), circuit.plus(x, circuit.sigmoid(y)))
    wanted = [f, circuit.slope(f, x), circuit.slope(f, y)]
    wanted.append(circuit.slope(wanted[2], y))
    values = Tape(circuit, ("x", "y"), wanted).run(np.array([[2.0], [0.0]]))[:, 0]
    # f_y = x/(x+σ) - x·y·σ'/(x+σ)²; f_yy at y = 0 is -2·x·σ'/(x+σ)².
    np.testing.assert_allclose(values, [0, 0, 2 / 2.5, -2 * 2 * 0.25 / 2.5**2], atol=1e-15)


def test_an_output_may_be_an_input_a_constant_or_asked_for_twice():
    circuit = Circuit()
    x = circuit.leaf("x")
    y = circuit.complement(x)
    tape = Tape(circuit, ("x",), [x, y, circuit.constant(3), y, circuit.times(y, y)])
    np.testing.assert_allclose(tape.run(np.array([[0.25]]))[:, 0], [0.25, 0.75, 3, 0.75, 0.5625])


def test_inputs_are_counted():
    circuit = Circuit()
    tape = Tape(circuit, ("x", "y"), [circuit.plus(circuit.leaf("x"), circuit.leaf("y"))])
    with pytest.raises(ValueError, match="inputs must have 2 rows, got 1"):
        tape.run(np.ones((1, 3)))


@pytest.mark.parametrize(
    ("table", "scheme"),
    [(TASKS, COLLIDER_3), (QUESTIONS, COLLIDER_4), (QUESTIONS, COLLIDER_LOGISTIC)],
    ids=lambda value: getattr(value, "name", ""),
)
def test_derivatives_agree_with_differences(table, scheme):
    rng = generator("tests", "derivatives", scheme.name)
    size, sets, step = len(scheme.parameters), 30, 1e-6
    predictor = Predictor(table, scheme)
    theta = rng.uniform(0.1, 0.9, (size, sets))
    weight, mean = rng.uniform(0, 1, (2, predictor.points, sets))
    here = predictor.normal.run(theta, weight, mean)
    hessian = predictor.newton.run(theta, weight, mean)
    residual = predictor.answers.run(theta) - mean
    np.testing.assert_allclose(here[0], (weight * residual**2).sum(axis=0))
    slopes = np.empty((size, predictor.points, sets))
    for k in range(size):
        up, down = theta.copy(), theta.copy()
        up[k] += step
        down[k] -= step
        above, below = (predictor.normal.run(point, weight, mean) for point in (up, down))
        np.testing.assert_allclose(here[1 + k], (above[0] - below[0]) / 4 / step, atol=1e-8)
        slopes[k] = predictor.answers.run(up) - predictor.answers.run(down)
        slopes[k] /= 2 * step
        for i in range(k + 1):
            place = i * size - i * (i - 1) // 2 + k - i
            change = (above[1 + i] - below[1 + i]) / 2 / step
            np.testing.assert_allclose(hessian[place], change, atol=1e-6)
            square = (weight * slopes[i] * slopes[k]).sum(axis=0)
            np.testing.assert_allclose(here[1 + size + place], square, atol=1e-7)
