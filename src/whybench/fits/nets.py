"""Noisy-OR nets: which parameters they have, their predictions, and the derivatives of these.

A `Scheme` gives every node of a graph names for its numbers: the leak b, which for a node without
causes is its prior, then a strength m for each cause, in the order of `Graph.parents`. The node is
present with probability 1 - (1 - b) · Π over present causes of (1 - m). Equal names are one
parameter; so the two schemes of the published fits differ in one letter:

>>> COLLIDER_3.nodes["E"]
('leak', 'strength', 'strength')
>>> COLLIDER_4.nodes["E"]
('leak', 'strength_1', 'strength_2')
>>> COLLIDER_4.parameters
('prior', 'leak', 'strength_1', 'strength_2')

`derived` names linear combinations that are reported with the parameters: LAD, the mean strength
less the leak, is one of them.

A net of three binary nodes has eight *states*, assignments of present or absent to every node. The
probability of a state is a product with one factor for each node. The answer to a question is a
quotient of sums over the states in which what is given holds:

    P(target = 1 | given) = A / Z,  Z over all of them, A over those with target = 1

What cancels is left out beforehand: nodes that are not ancestors of the target or of what is given,
and those that hang together with the target only through what is given. So an answer depends
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

from dataclasses import dataclass, field
from functools import lru_cache, reduce
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from whybench.scm import Graph
from whybench.seeds import generator

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.fits.judgments import Floats, TaskQuestion, TaskTable

BOUNDS = (1e-6, 1 - 1e-6)
"""Of every parameter. Not 0 and 1: there evidence may be impossible, and a prediction 0/0."""

PROBES = 8

Factor: TypeAlias = tuple[tuple[int, ...], int]
"""The parameters that act on a node, by their positions, and whether it is present."""

State: TypeAlias = list[Factor]


@dataclass(frozen=True)
class Scheme:
    """A cognitive model: noisy-OR nodes with named, possibly tied parameters.

    Attributes:
        name: What results are labelled with.
        nodes: Node to the names of its leak (or prior) and of the strength of each cause.
        derived: Name to a linear combination, as parameter to coefficient.
    """

    name: str
    nodes: Mapping[str, tuple[str, ...]]
    derived: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, combination in self.derived.items():
            unknown = set(combination) - set(self.parameters)
            if unknown:
                raise ValueError(f"derived {name} must combine parameters, got {sorted(unknown)}")

    def __hash__(self) -> int:
        """Return a hash that equal schemes share."""
        return hash((self.name, frozenset(self.nodes.items())))

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters, each once, in order of appearance."""
        return tuple(dict.fromkeys(name for names in self.nodes.values() for name in names))

    def quantity(self, name: str, parameters: Floats) -> Floats:
        """Return a parameter or derived quantity, by name, of parameters (…, parameters)."""
        if name not in {*self.parameters, *self.derived}:
            known = (*self.parameters, *self.derived)
            raise ValueError(f"name must be one of {known}, got {name!r}")
        combination = self.derived.get(name, {name: 1.0})
        terms = [
            coefficient * parameters[..., self.parameters.index(parameter)]
            for parameter, coefficient in combination.items()
        ]
        return np.asarray(sum(terms))

    def check(self, graph: Graph) -> None:
        """Raise unless every node has a leak or prior, and a strength for each cause."""
        if set(self.nodes) != set(graph.nodes):
            raise ValueError(f"nodes must be those of the graph, got {sorted(self.nodes)}")
        for node, names in self.nodes.items():
            if len(names) != 1 + len(graph.parents(node)):
                raise ValueError(
                    f"numbers of {node} must be one and one for each of its parents "
                    f"{graph.parents(node)}, got {names}"
                )


def make_scheme(
    name: str, graph: Graph, strengths: Mapping[tuple[str, str], str] | None = None
) -> Scheme:
    """Make the scheme of a graph with a common prior p, a common leak b, and strengths by edge.

    Args:
        name: What results are labelled with.
        graph: Any small directed acyclic graph.
        strengths: The parameter of each edge; one, m, for all of them if not stated.

    Returns:
        The scheme, with `leak_adjusted_determinacy` = mean strength of the edges - leak as a
        derived quantity.
    """
    by_edge = dict.fromkeys(graph.edges, "strength") if strengths is None else strengths
    nodes = {}
    for node in graph.nodes:
        links = tuple(by_edge[parent, node] for parent in graph.parents(node))
        nodes[node] = ("leak", *links) if links else ("prior",)
    lad = {"leak": -1.0}
    for strength in by_edge.values():
        lad[strength] = lad.get(strength, 0.0) + 1 / len(by_edge)
    return Scheme(name, nodes, {"leak_adjusted_determinacy": lad})


_COLLIDER = Graph(("C1", "C2", "E"), (("C1", "E"), ("C2", "E")))

COLLIDER_3 = make_scheme("noisy-or-3", _COLLIDER)
COLLIDER_4 = make_scheme(
    "noisy-or-4", _COLLIDER, {("C1", "E"): "strength_1", ("C2", "E"): "strength_2"}
)
CHAIN_3 = make_scheme("chain-3", Graph(("X", "Y", "Z"), (("X", "Y"), ("Y", "Z"))))
FORK_3 = make_scheme("fork-3", Graph(("C", "E1", "E2"), (("C", "E1"), ("C", "E2"))))


class Predictor:
    """Predictions of a scheme for the questions of a table.

    Attributes:
        table: The questions.
        scheme: The model.
        classes: For each question the number of its forced class.
        points: How many classes there are.
        remembered: What is predicted of held-out questions, and whether all fits converged, by
            what was held out, the number of starts and the numbers fitted (see `validation`).
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
        self._cases = [self._cases[question] for question in first]
        self.points = len(first)
        self.remembered: dict[tuple[str, int, bytes], tuple[Floats, bool]] = {}

    def predict(self, theta: Floats) -> Floats:
        """Return the answers to all questions: (parameters, sets) to (questions, sets)."""
        return self.differentiate(theta)[0][list(self.classes)]

    def differentiate(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return the answer of each class and its derivatives at (parameters, sets).

        Returns:
            Answers, (classes, sets), and the Jacobian, (classes, parameters, sets).
        """
        factors: dict[tuple[int, ...], tuple[Floats, Floats]] = {}
        for acting in self._acting:
            _add_noisy_or(factors, theta, acting)

        def total(states: list[State]) -> Floats:
            weights = [
                reduce(_multiply, [factors[acting][value] for acting, value in state])
                for state in states
            ]
            return reduce(np.add, weights)

        answers = np.empty((len(self._cases), theta.shape[1]))
        jacobian = np.empty((len(self._cases), *theta.shape))
        for number, (absent, present) in enumerate(self._cases):
            above = total(present)
            below = above + total(absent)
            answers[number] = above[0] / below[0]
            jacobian[number] = (above[1:] - answers[number] * below[1:]) / below[0]
        return answers, jacobian

    def pool(self, counts: Floats, means: Floats) -> tuple[Floats, Floats]:
        """Pool answers (problems, questions) by class: weights and means (classes, problems).

        Weights are shares of the answers, so that losses of all problems are mean squares.
        """
        weight, total = np.zeros((2, self.points, len(counts)))
        for question, number in enumerate(self.classes):
            weight[number] += counts[:, question]
            total[number] += counts[:, question] * means[:, question]
        return weight / np.maximum(weight.sum(axis=0), 1.0), total / np.where(weight > 0, weight, 1)

    def _list_states(self, question: TaskQuestion) -> tuple[list[State], list[State]]:
        """Return the states that count, each as its factors: the target absent, and present."""
        graph, given = self.table.graph, dict(question.given)
        scopes = {
            node: {node, *graph.parents(node)} for node in graph.ancestors(question.target, *given)
        }
        linked = {question.target}
        for _ in scopes:
            linked = linked.union(*(scope for scope in scopes.values() if scope & linked))
            linked -= set(given)
        states: tuple[list[State], list[State]] = ([], [])
        for values in product((0, 1), repeat=len(linked)):
            world = {**given, **dict(zip(sorted(linked), values, strict=True))}
            states[world[question.target]].append(
                [
                    self._find_factor(node, world)
                    for node in graph.order
                    if node in scopes and scopes[node] & linked
                ]
            )
        return states

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
        for question, answer in enumerate(answers):
            same = [k for k in first if np.allclose(answer, answers[k], rtol=1e-9, atol=0)]
            first += [] if same else [question]
            classes.append(first.index(same[0]) if same else len(first) - 1)
        return tuple(classes), first


@lru_cache(maxsize=64)
def make_predictor(table: TaskTable, scheme: Scheme) -> Predictor:
    """Return the predictor of a scheme and a table, made once."""
    return Predictor(table, scheme)


def _add_noisy_or(
    factors: dict[tuple[int, ...], tuple[Floats, Floats]], theta: Floats, acting: tuple[int, ...]
) -> None:
    """Add the chances that a node is absent and present, each above its gradient.

    The chance of presence grows cause by cause, x + (1 - x)·m: unlike 1 less the chance of absence
    it keeps its digits where it is small. What the first causes come to is kept for others.
    """
    if acting in factors:
        return
    if not acting:
        absent, present = np.zeros((2, 1 + len(theta), theta.shape[1]))
        absent[0] = 1.0
    else:
        *before, k = acting
        _add_noisy_or(factors, theta, tuple(before))
        absent_before, present_before = factors[tuple(before)]
        absent = absent_before * (1 - theta[k])
        absent[1 + k] -= absent_before[0]
        present = -absent
        present[0] = present_before[0] + (1 - present_before[0]) * theta[k]
    factors[acting] = absent, present


def _multiply(first: Floats, second: Floats) -> Floats:
    """Multiply chances that stand above their gradients, by the product rule."""
    result: Floats = first * second[0]
    result[1:] += first[0] * second[1:]
    return result
