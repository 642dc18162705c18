"""A model's predictions for a table of tasks, and the tasks it cannot tell apart.

Some models force questions to have equal answers whatever their parameters: with independent
causes IV = V, and a noisy-OR effect that is absent says nothing about the other cause, so
IX = X = XI. Such *forced classes* matter twice. A fit may pool them, 11 tasks being but 8 distinct
points; and leaving out one task of a class leaks, since its fellows stay in.

Classes are found by evaluating all answers at a few random parameter sets: quotients of
polynomials that agree there agree everywhere, but for a coincidence of probability zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from whybench.fits.answers import write_answer
from whybench.fits.circuit import Circuit
from whybench.fits.tape import Floats, Tape
from whybench.seeds import generator

if TYPE_CHECKING:
    from whybench.fits.schemes import Scheme
    from whybench.fits.tasks import TaskTable

__all__ = ["Predictor"]

PROBES = 8


class Predictor:
    """Predictions of a scheme for the questions of a table, with what a fit needs of them.

    Attributes:
        table: The questions.
        scheme: The model.
        classes: For each question the number of its forced class.
        points: How many classes there are.
        answers: Parameters to the answer of each class.
        normal: Parameters, weights and means to the loss Σ w·r², half its gradient JᵀWr, and JᵀWJ.
        newton: The same to half the Hessian of the loss.

    Symmetric matrices are upper triangles, row by row.
    """

    def __init__(self, table: TaskTable, scheme: Scheme) -> None:
        scheme.check(table.graph)
        self.table, self.scheme = table, scheme
        circuit = Circuit()
        for name in scheme.parameters:
            circuit.leaf(name)
        lines = [write_answer(circuit, table.graph, scheme, one) for one in table.questions]
        self.classes, chosen = _forced_classes(scheme, circuit, lines)
        self.points = len(chosen)
        self.answers = Tape(circuit, scheme.parameters, chosen)
        self.normal, self.newton = _normal_equations(circuit, scheme.parameters, chosen)

    def predict(self, theta: Floats) -> Floats:
        """Return the answers to all questions: (parameters, sets) to (questions, sets)."""
        return self.answers.run(theta)[list(self.classes)]

    def pooled(self, counts: Floats, means: Floats) -> tuple[Floats, Floats]:
        """Pool answers (problems, questions) by class: weights and means (classes, problems).

        Weights are shares of the answers, so that losses of all problems are mean squares.
        """
        weight, total = np.zeros((2, self.points, len(counts)))
        for place, number in enumerate(self.classes):
            weight[number] += counts[:, place]
            total[number] += counts[:, place] * means[:, place]
        return weight / np.maximum(weight.sum(axis=0), 1.0), total / np.where(weight > 0, weight, 1)


def _forced_classes(
    scheme: Scheme, circuit: Circuit, lines: list[int]
) -> tuple[tuple[int, ...], list[int]]:
    """Return the class of each answer, and for each class the line that is cheapest to compute."""
    rng = generator("fits", "forced classes")
    low, high = np.array(scheme.bounds).T[:, :, None]
    share = rng.uniform(0.05, 0.95, (len(scheme.parameters), PROBES))
    middle, width = (low + high) / 2, np.minimum(high - low, 4.0)
    values = Tape(circuit, scheme.parameters, lines).run(middle + (share - 0.5) * width)
    found: list[int] = []
    classes = []
    for place, value in enumerate(values):
        same = [k for k in found if np.allclose(value, values[k], rtol=1e-9, atol=0)]
        found += [] if same else [place]
        classes.append(found.index(same[0]) if same else len(found) - 1)
    chosen = []
    for number in range(len(found)):
        members = [line for line, of in zip(lines, classes, strict=True) if of == number]
        chosen.append(min(members, key=lambda line: len(Tape(circuit, scheme.parameters, [line]))))
    return tuple(classes), chosen


def _normal_equations(
    circuit: Circuit, parameters: tuple[str, ...], answers: list[int]
) -> tuple[Tape, Tape]:
    inputs = [circuit.leaf(name) for name in parameters]
    weights = [circuit.leaf(f"weight {place}") for place in range(len(answers))]
    means = [circuit.leaf(f"mean {place}") for place in range(len(answers))]
    names = [circuit.lines[line].name for line in (*inputs, *weights, *means)]
    residuals = [circuit.minus(f, y) for f, y in zip(answers, means, strict=True)]
    weighted = [circuit.times(w, r) for w, r in zip(weights, residuals, strict=True)]
    slopes = [[circuit.slope(f, by) for by in inputs] for f in answers]
    shares = [[circuit.times(w, s) for s in row] for w, row in zip(weights, slopes, strict=True)]
    size, points = range(len(inputs)), range(len(answers))

    def dot(left: list[int], right: list[int]) -> int:
        return circuit.total([circuit.times(x, y) for x, y in zip(left, right, strict=True)])

    loss = dot(weighted, residuals)
    gradient = [dot(weighted, [slopes[t][k] for t in points]) for k in size]
    squares = [
        dot([shares[t][i] for t in points], [slopes[t][j] for t in points])
        for i in size
        for j in size
        if i <= j
    ]
    hessian = [circuit.slope(gradient[i], inputs[j]) for i in size for j in size if i <= j]
    return Tape(circuit, names, [loss, *gradient, *squares]), Tape(circuit, names, hessian)
