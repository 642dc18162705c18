"""A noisy-OR net's predictions for a table of questions, and their derivatives.

A net of three binary nodes has eight *states*, assignments of present or absent to every node. The
probability of a state is a product with one factor for each node: with the leak b of a node (for a
node without causes its prior) and the strengths m of its causes, the node is absent with
probability (1 - b) · Π over present causes of (1 - m), and present with the rest. The answer to a
question is a quotient of sums over the states in which what is given holds:

    P(asked = 1 | given) = A / Z,  Z over all of them, A over those with asked = 1

What cancels is left out beforehand: nodes that are not ancestors of what is asked or given, and
those that hang together with the asked node only through what is given. So an answer depends
exactly on the parameters that it should.

Gradients follow by the product rule, and that of A/Z is (∇A - (A/Z)·∇Z) / Z. Nothing is clamped: a
prediction at the bounds is what the net says there.

Some nets force questions to have equal answers whatever their parameters: with independent causes
IV = V, and a noisy-OR effect that is absent says nothing about the other cause, so IX = X = XI.
Such *forced classes* matter twice. A fit may pool them, 11 tasks being but 8 distinct points; and
leaving out one task of a class leaks, since its fellows stay in. Classes are found by evaluating
all answers at a few random parameter sets: quotients of polynomials that agree there agree
everywhere, but for a coincidence of probability zero.
"""

from __future__ import annotations

from functools import reduce
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from whybench.seeds import generator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.fits.judgments import Floats
    from whybench.fits.schemes import Scheme
    from whybench.fits.tasks import Question, TaskTable

__all__ = ["BOUNDS", "Predictor"]

BOUNDS = (1e-6, 1 - 1e-6)
"""Of every parameter. Not 0 and 1: there evidence may be impossible, and a prediction 0/0."""

PROBES = 8

Factor: TypeAlias = tuple[tuple[int, ...], int]
"""The parameters that act on a node, by their places, and whether it is present."""

State: TypeAlias = list[Factor]


class Predictor:
    """Predictions of a scheme for the questions of a table.

    Attributes:
        table: The questions.
        scheme: The model.
        classes: For each question the number of its forced class.
        points: How many classes there are.
    """

    def __init__(self, table: TaskTable, scheme: Scheme) -> None:
        scheme.check(table.graph)
        self.table, self.scheme = table, scheme
        self._cases = [self._list_states(question) for question in table.questions]
        self._acting = {
            acting: None
            for case in self._cases
            for states in case
            for state in states
            for acting, _ in state
        }
        self.classes, first = self._find_classes()
        self._cases = [self._cases[place] for place in first]
        self.points = len(first)

    def predict(self, theta: Floats) -> Floats:
        """Return the answers to all questions: (parameters, sets) to (questions, sets)."""
        return self.differentiate(theta)[0][list(self.classes)]

    def differentiate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return the answer of each class and its derivatives at (parameters, sets).

        Returns:
            Answers, (classes, sets), and the Jacobian, (classes, parameters, sets).
        """
        factors = {acting: _noisy_or(theta, acting) for acting in self._acting}

        def total(states: list[State]) -> Floats:
            weights = [
                reduce(_multiply, [factors[acting][value] for acting, value in state])
                for state in states
            ]
            return reduce(np.add, weights)

        answers = np.empty((len(self._cases), theta.shape[1]))
        jacobian = np.empty((len(self._cases), *theta.shape))
        for place, (absent, present) in enumerate(self._cases):
            above = total(present)
            below = above + total(absent)
            answers[place] = above[0] / below[0]
            jacobian[place] = (above[1:] - answers[place] * below[1:]) / below[0]
        return answers, jacobian

    def pool(self, counts: Floats, means: Floats) -> tuple[Floats, Floats]:
        """Pool answers (problems, questions) by class: weights and means (classes, problems).

        Weights are shares of the answers, so that losses of all problems are mean squares.
        """
        weight, total = np.zeros((2, self.points, len(counts)))
        for place, number in enumerate(self.classes):
            weight[number] += counts[:, place]
            total[number] += counts[:, place] * means[:, place]
        return weight / np.maximum(weight.sum(axis=0), 1.0), total / np.where(weight > 0, weight, 1)

    def _list_states(self, question: Question) -> tuple[list[State], list[State]]:
        """Return the states that count, each as its factors: asked node absent, and present."""
        graph, given = self.table.graph, dict(question.given)
        scopes = {
            node: {node, *graph.parents(node)} for node in graph.ancestors(question.asked, *given)
        }
        linked = {question.asked}
        for _ in scopes:
            linked = linked.union(*(scope for scope in scopes.values() if scope & linked))
            linked -= set(given)
        found: tuple[list[State], list[State]] = ([], [])
        for values in product((0, 1), repeat=len(linked)):
            world = {**given, **dict(zip(sorted(linked), values, strict=True))}
            found[world[question.asked]].append(
                [
                    self._find_factor(node, world)
                    for node in graph.order
                    if node in scopes and scopes[node] & linked
                ]
            )
        return found

    def _find_factor(self, node: str, world: Mapping[str, int]) -> Factor:
        """Return which parameters act on a node in a world, and its value there."""
        leak, *strengths = self.scheme.nodes[node]
        causes = zip(strengths, self.table.graph.parents(node), strict=True)
        acting = [leak, *(strength for strength, parent in causes if world[parent])]
        return tuple(self.scheme.parameters.index(name) for name in acting), world[node]

    def _find_classes(self) -> tuple[tuple[int, ...], list[int]]:
        """Return the class of each question, and the first question of each class."""
        size = len(self.scheme.parameters)
        theta = generator("fits", "forced classes").uniform(0.05, 0.95, (size, PROBES))
        answers, _ = self.differentiate(theta)
        first: list[int] = []
        classes = []
        for place, answer in enumerate(answers):
            same = [k for k in first if np.allclose(answer, answers[k], rtol=1e-9, atol=0)]
            first += [] if same else [place]
            classes.append(first.index(same[0]) if same else len(first) - 1)
        return tuple(classes), first


def _noisy_or(theta: Floats, acting: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return the chances that a node is absent and present, each above its gradient.

    The chance of presence grows cause by cause, x + (1 - x)·m: unlike 1 less the chance of absence
    it keeps its digits where it is small.
    """
    absent, present = np.zeros((2, 1 + len(theta), theta.shape[1]))
    absent[0] = 1.0
    for k in acting:
        passed = np.zeros_like(absent)
        passed[0], passed[1 + k] = 1 - theta[k], -1.0
        absent = _multiply(absent, passed)
        present[0] += (1 - present[0]) * theta[k]
    present[1:] = -absent[1:]
    return absent, present


def _multiply(one: Floats, other: Floats) -> Floats:
    """Multiply chances that stand above their gradients, by the product rule."""
    result: Floats = one * other[0]
    result[1:] += one[0] * other[1:]
    return result
