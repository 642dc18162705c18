"""From a model and a question to the exact answer, written as a circuit.

The answer is P(asked = 1, given) / P(given): with A = P(asked = 1, given) and
B = P(asked = 0, given) it is A / (A + B), a quotient of polynomials in the entries of the nodes'
tables. What A and B have in common is dropped before anything is multiplied: nodes
that are neither asked, given, nor ancestors of such; the factors of given nodes alone; and
whatever hangs together with the asked node only through what is known. So P(C1 | C2) of a
collider is written as p, and where causes are given, the effect's answer is an entry of its table.
Hidden nodes are summed over in causal order, each factor being used as soon as it is determined.
Nothing is clamped: a prediction at the bounds is what the model says there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.fits.circuit import Circuit
    from whybench.fits.schemes import Scheme
    from whybench.fits.tasks import Question
    from whybench.scm import Graph

__all__ = ["write_answer"]


def write_answer(circuit: Circuit, graph: Graph, scheme: Scheme, question: Question) -> int:
    """Write P(asked = 1 | given) into the circuit and return its line."""
    return _Writer(circuit, graph, scheme, question).answer()


class _Writer:
    """Writes the answer to one question."""

    def __init__(self, circuit: Circuit, graph: Graph, scheme: Scheme, question: Question) -> None:
        self.circuit, self.graph, self.scheme = circuit, graph, scheme
        self.asked, self.given = question.asked, dict(question.given)
        relevant = graph.ancestors(question.asked, *self.given)
        self.scopes = {node: {node, *graph.parents(node)} for node in relevant}
        linked, grown = {question.asked}, True
        while grown:
            touched = [scope for scope in self.scopes.values() if scope & linked]
            near = set().union(*touched) - set(self.given)
            grown, linked = not near <= linked, linked | near
        self.factors = [n for n in graph.order if n in relevant and self.scopes[n] & linked]
        self.hidden = [n for n in graph.order if n in linked and n != question.asked]

    def answer(self) -> int:
        present, absent = (self._weight({**self.given, self.asked: x}, 0, set()) for x in (1, 0))
        if absent == self.circuit.complement(present):
            return present
        return self.circuit.quotient(present, self.circuit.plus(present, absent))

    def _weight(self, world: Mapping[str, int], depth: int, used: set[str]) -> int:
        """Write the sum, over the nodes still hidden, of the factors not yet used."""
        ready = [n for n in self.factors if n not in used and self.scopes[n] <= set(world)]
        product = self.circuit.constant(1.0)
        for node in ready:
            product = self.circuit.times(product, self._entry(node, world))
        if depth < len(self.hidden):
            node = self.hidden[depth]
            rest = [self._weight({**world, node: x}, depth + 1, used | set(ready)) for x in (0, 1)]
            product = self.circuit.times(product, self.circuit.plus(*rest))
        return product

    def _entry(self, node: str, world: Mapping[str, int]) -> int:
        """Write P(node = its value | its parents' values)."""
        kind, *numbers = self.scheme.nodes[node]
        first, *links = (self._number(number) for number in numbers)
        parents = [world[parent] for parent in self.graph.parents(node)]
        circuit = self.circuit
        if kind == "logistic":
            present = [link for link, x in zip(links, parents, strict=True) if x]
            chance = circuit.sigmoid(circuit.total([first, *present]))
        elif kind == "bernoulli":
            chance = first
        else:
            acting = 1 if kind == "noisy-or" else 0
            chance = circuit.complement(first)
            for link, x in zip(links, parents, strict=True):
                if x == acting:
                    chance = circuit.times(chance, circuit.complement(link))
            chance = circuit.complement(chance) if kind == "noisy-or" else chance
        return chance if world[node] else circuit.complement(chance)

    def _number(self, number: str | float) -> int:
        if isinstance(number, str):
            return self.circuit.leaf(number)
        return self.circuit.constant(number)
