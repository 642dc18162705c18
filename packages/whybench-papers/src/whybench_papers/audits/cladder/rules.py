"""Worlds told as rules: "A and B causes C", and what would be if a state were another.

"Causes" is taken as the source takes it, and as a world "without any unmentioned factors" suggests:
the effect is there just when what causes it is. `solve_loosely` takes it as saying only that the
effect is there when its cause is, and leaves open what happens otherwise.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

from whybench.scm import (
    Bernoulli,
    ImpossibleEvidence,
    Model,
    Table,
    certify,
    counterfactual,
)
from whybench_papers.audits.cladder.phrases import State, split_states

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whybench.scm import Graph
    from whybench_papers.audits.cladder.prompt_parser import CladderQuestion

_OBSERVED = re.compile(r"\s*We observed (.+)\.$")


@dataclass(frozen=True)
class CausalRule:
    """`target` comes about by all of `causes` (joint "and") or by any of them ("or")."""

    target: State
    causes: tuple[State, ...]
    joint: str

    def applies(self, values: dict[str, int]) -> bool:
        """Whether what causes the target is there."""
        held = [values[name] == value for name, value in self.causes]
        return any(held) if self.joint == "or" else all(held)


def parse_rules(
    text: str, names: Sequence[str]
) -> tuple[tuple[CausalRule, ...], tuple[State, ...]]:
    """Return the rules that a text tells, and the states that were observed.

    Raises:
        ValueError: It tells something else.
    """
    observed = _OBSERVED.search(text)
    evidence = split_states(observed[1], names)[0] if observed else ()
    body = _OBSERVED.sub("", text).removeprefix("We know that ")
    rules = []
    for sentence in re.split(r"\. |, and we know that ", body.removesuffix(".")):
        causes, found, effects = sentence.partition(" causes ")
        if not found:
            raise ValueError(f"a rule must say what causes what, got {sentence!r}")
        states, joint = split_states(causes, names)
        rules += [
            CausalRule(target, states, joint or "and") for target in split_states(effects, names)[0]
        ]
    return tuple(rules), evidence


def _make_model(graph: Graph, rules: Sequence[CausalRule]) -> Model:
    by_name = {rule.target[0]: rule for rule in rules}
    mechanisms: dict[str, Bernoulli | Table] = {}
    for node in graph.nodes:
        parents = graph.parents(node)
        if node not in by_name:
            mechanisms[node] = Bernoulli(Fraction(1, 2))
            continue
        rule = by_name[node]
        if {name for name, _ in rule.causes} != set(parents):
            raise ValueError(f"a rule of {node} must be about {parents}, got {rule.causes}")
        values = product((0, 1), repeat=len(parents))
        effects = [
            rule.applies(dict(zip(parents, each, strict=True))) == bool(rule.target[1])
            for each in values
        ]
        mechanisms[node] = Table(tuple(Fraction(int(effect)) for effect in effects))
    return Model(graph, mechanisms)


def solve(
    graph: Graph,
    rules: Sequence[CausalRule],
    evidence: Sequence[State],
    question: CladderQuestion,
) -> Fraction:
    """Return how likely the effect would be, by both exact engines."""
    new = question.new or ("", 0)
    query = counterfactual(dict([question.effect]), dict([new]), given=dict(evidence))
    return Fraction(str(certify(_make_model(graph, rules), query).value))


def is_possible(
    graph: Graph,
    rules: Sequence[CausalRule],
    evidence: Sequence[State],
    question: CladderQuestion,
) -> bool:
    """Whether the state that is to be replaced can have been there, by rules and evidence."""
    given = dict([*evidence, question.cause or ("", 0)])
    query = counterfactual(dict([question.effect]), {}, given=given)
    try:
        certify(_make_model(graph, rules), query)
    except ImpossibleEvidence:
        return False
    return True


def solve_loosely(
    graph: Graph,
    rules: Sequence[CausalRule],
    evidence: Sequence[State],
    question: CladderQuestion,
) -> frozenset[int]:
    """Return whether the effect could be there, 0 or 1 or both, if rules say only what they say."""
    by_name = {rule.target[0]: rule for rule in rules}
    fixed = dict([*evidence, question.new or ("", 0)])

    def complete(values: dict[str, int], left: Sequence[str]) -> Iterator[dict[str, int]]:
        if not left:
            yield values
            return
        node, *rest = left
        rule = by_name.get(node)
        choices = [fixed[node]] if node in fixed else [0, 1]
        if rule and node not in fixed and rule.applies(values):
            choices = [rule.target[1]]
        for choice in choices:
            yield from complete({**values, node: choice}, rest)

    name, value = question.effect
    return frozenset(int(values[name] == value) for values in complete({}, list(graph.order)))
