"""Printed worlds as models whose variables are 0 or 1, which both exact engines answer.

**Values.** A variable with k values becomes k - 1 bits. Bit j says "it is j", and is drawn where no
earlier bit was 1, with the probability of j among the values from j on; where all are 0 it has the
last value. With two values this is one bit, "it is 0".

**Seeing and doing** are those of the engines, on the bits.

**Imagining.** The prompts give each variable an independent selector for every configuration of its
parents. So what a variable would have been, had something been set, hangs together with what it was
in just one way: if its parents would have been as they were, the same selector answers, and the
value is the same; if not, another one answers, and the value is drawn anew from the row of the
other configuration. That is a table: the *copy* of a variable after the intervention has the copies
of its parents, its parents and the variable itself as parents. Variables that the intervention does
not reach are their own copies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whybench.scm import Graph, Model, Query, Table, certify, elimination
from whybench.scm.queries import Event

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.scm.parameters import Array, Parameter
    from whybench_papers.audits.rlcausal.prompts import (
        Distribution,
        DistributionQuestion,
        PrintedWorld,
    )

AFTER = "'"
"""What the name of a copy ends with."""


class RowPlace(NamedTuple):
    """Where a row is: its variable, and the number of the parents' configuration."""

    node: str
    row: int


@dataclass(frozen=True)
class _Variable:
    """A variable or a copy, its parents, and by their configurations a row or the value it has."""

    name: str
    values: int
    parents: tuple[str, ...]
    rules: tuple[RowPlace | int, ...]


@dataclass(frozen=True)
class Asked:
    """A question, as one about bits.

    Attributes:
        variables: Those that may matter, causes first.
        target: The variable whose distribution is asked for.
        seen: What was seen, if anything.
        done: What was set, if anything.
    """

    variables: tuple[_Variable, ...]
    target: str
    seen: tuple[str, int] | None
    done: tuple[str, int] | None

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many values each variable has."""
        return {variable.name: variable.values for variable in self.variables}

    @cached_property
    def rows(self) -> tuple[RowPlace, ...]:
        """The rows that the model is made of."""
        return self._places(self.variables)

    @cached_property
    def places(self) -> tuple[RowPlace, ...]:
        """The rows that may matter: all but those of what is set."""
        done = self.done[0] if self.done else None
        return self._places(each for each in self.variables if each.name != done)

    def _places(self, variables: Iterable[_Variable]) -> tuple[RowPlace, ...]:
        rules = (rule for variable in variables for rule in variable.rules)
        return tuple(dict.fromkeys(rule for rule in rules if isinstance(rule, RowPlace)))

    @cached_property
    def graph(self) -> Graph:
        """The graph of bits."""
        return Graph(
            tuple(bit for each in self.variables for bit in _bits(each.name, each.values)),
            tuple(
                (cause, bit)
                for each in self.variables
                for number, bit in enumerate(_bits(each.name, each.values))
                for cause in self._causes(each, number)
            ),
        )

    def model(self, rows: Mapping[RowPlace, Sequence[Parameter]]) -> Model:
        """Return the model of bits with these rows; each is scaled to a sum of 1."""
        return Model(
            self.graph,
            {
                bit: Table(tuple(self._chances(each, number, rows)))
                for each in self.variables
                for number, bit in enumerate(_bits(each.name, each.values))
            },
        )

    def query(self, value: int) -> Query:
        """Return the question how likely one value of the target is."""
        setting = self._pattern(self.done)
        given = tuple(Event(bit, is_it, setting) for bit, is_it in self._pattern(self.seen))
        target = self._pattern((self.target, value))
        return Query(tuple(Event(bit, is_it, setting) for bit, is_it in target), given)

    def query_seen(self) -> Query:
        """Return the question how likely it was to see what was seen."""
        return Query(self.query(0).given)

    def _pattern(self, pair: tuple[str, int] | None) -> tuple[tuple[str, int], ...]:
        """Return bits and what they are if a variable has a value."""
        if pair is None:
            return ()
        bits = _bits(pair[0], self.counts[pair[0]])
        return tuple((bit, int(number == pair[1])) for number, bit in enumerate(bits))

    def _causes(self, variable: _Variable, number: int) -> tuple[str, ...]:
        """Return the parents of a bit: the bits of the parents, and the earlier ones of its own."""
        inherited = (bit for name in variable.parents for bit in _bits(name, self.counts[name]))
        return (*inherited, *_bits(variable.name, variable.values)[:number])

    def _chances(
        self, variable: _Variable, number: int, rows: Mapping[RowPlace, Sequence[Parameter]]
    ) -> Iterable[Parameter]:
        """Yield the probabilities of a bit by configuration of its parents, counting up."""
        configurations: dict[tuple[int, ...], RowPlace | int] = dict(
            zip(
                product(*(range(self.counts[name]) for name in variable.parents)),
                variable.rules,
                strict=True,
            )
        )
        patterns = [_decoding(self.counts[name]) for name in variable.parents]
        for pattern in product(*patterns):
            rule = configurations.get(tuple(value for value in pattern if value is not None))
            for earlier in product((0, 1), repeat=number):
                if None in pattern or rule is None or any(earlier):
                    yield 0
                elif isinstance(rule, int):
                    yield int(rule == number)
                else:
                    yield _share(rows[rule][number:])


def ask(world: PrintedWorld, question: DistributionQuestion) -> Asked:
    """Return a question about a world as one about bits.

    What is set or seen is left out where, by the graph, it cannot matter, and what is seen may be
    set where that is the same, by the second rule of the do-calculus. Many questions of one world
    then ask for the same few distributions, and the others for no more of the world than they need.
    """
    question = _reduce(world.graph, question)
    graph = world.graph
    if question.seen is None or question.done is None:
        ends = [pair[0] for pair in (question.seen, question.done) if pair]
        needed = graph.ancestors(question.target, *ends)
        variables = [_actual(world, node) for node in graph.order if node in needed]
        return Asked(tuple(variables), question.target, question.seen, question.done)
    done = question.done[0]
    reached = graph.descendants(done)
    copied = graph.ancestors(question.target, made=[done]) & reached
    plain = graph.ancestors(question.target, question.seen[0])
    variables = [_actual(world, node) for node in graph.order if node in plain]
    variables.append(_Variable(done + AFTER, world.values_of(done), (), (RowPlace(done, 0),)))
    variables += [
        _copy(world, node, copied) for node in graph.order if node in copied and node != done
    ]
    target = question.target + AFTER if question.target in copied else question.target
    return Asked(tuple(variables), target, question.seen, (done + AFTER, question.done[1]))


def _reduce(graph: Graph, question: DistributionQuestion) -> DistributionQuestion:
    """Return the question without what is set or seen to no effect, and what is seen as set."""
    target, seen, done = question.target, question.seen, question.done
    if done and target not in graph.descendants(done[0]):
        done = None
    if seen and not done and target != seen[0]:
        name = seen[0]
        behind = Graph(graph.nodes, tuple(edge for edge in graph.edges if edge[0] != name))
        if graph.d_separated(target, name):
            seen = None
        elif behind.d_separated(target, name):
            seen, done = None, seen
    return replace(question, seen=seen, done=done)


def certified(asked: Asked, rows: Mapping[RowPlace, Distribution]) -> Distribution:
    """Return the target's distribution as fractions, in which both engines agree.

    Raises:
        Disagreement: They do not.
        ImpossibleEvidence: What was seen has probability 0.
    """
    model = asked.model(rows)
    values = range(asked.counts[asked.target] - 1)
    found = [Fraction(certify(model, asked.query(value)).value) for value in values]  # type: ignore[arg-type]
    return (*found, 1 - sum(found, Fraction(0)))


def estimated(asked: Asked, rows: Mapping[RowPlace, Array]) -> Array:
    """Return the target's distribution in many worlds at once, as floats.

    Args:
        asked: The question.
        rows: By place an array of shape (values, worlds).

    Returns:
        Shape (values, worlds).
    """
    model = asked.model({place: list(row) for place, row in rows.items()})
    values = range(asked.counts[asked.target] - 1)
    found = [np.asarray(elimination.probability(model, asked.query(value))) for value in values]
    return np.stack([*found, 1 - sum(found)])


def _actual(world: PrintedWorld, node: str) -> _Variable:
    rules = tuple(RowPlace(node, number) for number in range(len(world.table_of(node))))
    return _Variable(node, world.values_of(node), world.graph.parents(node), rules)


def _copy(world: PrintedWorld, node: str, copied: frozenset[str]) -> _Variable:
    """Return what a variable is after the intervention, given what it was and its parents were."""
    before = world.graph.parents(node)
    after = tuple(parent + AFTER if parent in copied else parent for parent in before)
    parents = tuple(dict.fromkeys((*after, *before, node)))
    counts = {name: world.values_of(name.removesuffix(AFTER)) for name in parents}
    rules: list[RowPlace | int] = []
    for configuration in product(*(range(counts[name]) for name in parents)):
        value = dict(zip(parents, configuration, strict=True))
        if all(value[one] == value[other] for one, other in zip(after, before, strict=True)):
            rules.append(value[node])
            continue
        number = 0
        for name in after:
            number = number * counts[name] + value[name]
        rules.append(RowPlace(node, number))
    return _Variable(node + AFTER, world.values_of(node), parents, tuple(rules))


def _bits(name: str, values: int) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for value in range(values - 1))


def _decoding(values: int) -> list[int | None]:
    """Return the value that each pattern of bits stands for, counting up; None for no value."""
    found: list[int | None] = []
    for pattern in product((0, 1), repeat=values - 1):
        ones = [place for place, bit in enumerate(pattern) if bit]
        found.append(ones[0] if len(ones) == 1 else None if ones else values - 1)
    return found


def _share(probabilities: Sequence[Parameter]) -> Parameter:
    """Return the share of the first among all; 0 where all are 0."""
    first, whole = probabilities[0], sum(probabilities[1:], probabilities[0])
    if not isinstance(first, np.ndarray) or not isinstance(whole, np.ndarray):
        return first / whole if whole else 0
    share: Array = np.divide(first, whole, out=np.zeros_like(first), where=whole > 0)
    return share.clip(0, 1)
