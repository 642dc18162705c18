"""Laws of probability and of causal models, on random models."""

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from evidence.scm import random_model, random_queries
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from whybench.scm import (
    Bernoulli,
    Event,
    Gate,
    ImpossibleEvidence,
    Model,
    NoisyAnd,
    NoisyOr,
    Query,
    Table,
    agreed,
    do,
    elimination,
    enumeration,
    observe,
)

ENGINES = (enumeration.probability, elimination.probability)
engines = st.sampled_from(ENGINES)
seeds = st.integers(0, 2**32 - 1)
laws = settings(max_examples=settings.default.max_examples * 3 // 5)


def draw(seed, largest=5):
    rng = np.random.default_rng(seed)
    return random_model(rng, largest=largest, cells=2**12), rng


@laws
@given(engines, seeds)
def test_probabilities_sum_to_one(engine, seed):
    model, _ = draw(seed)
    nodes = model.graph.nodes
    total = 0.0
    for values in product((0, 1), repeat=len(nodes)):
        chance = engine(model, observe(dict(zip(nodes, values, strict=True))))
        assert 0 <= chance <= 1
        total += chance
    assert total == pytest.approx(1, abs=1e-12)


@laws
@given(engines, seeds, st.sampled_from([0, 1]))
def test_doing_to_a_root_is_seeing_it(engine, seed, value):
    model, _ = draw(seed)
    for root in model.graph.roots:
        for node in set(model.graph.nodes) - {root}:
            done = engine(model, do({node: 1}, {root: value}))
            assert done == pytest.approx(
                engine(model, observe({node: 1}, {root: value})), abs=1e-12
            )


@laws
@given(seeds)
def test_d_separation_implies_independence(seed):
    model, rng = draw(seed, largest=4)
    nodes = model.graph.nodes
    for x, y in combinations(nodes, 2):
        others = [node for node in nodes if node not in (x, y)]
        given_nodes = [node for node in others if rng.random() < 0.5]
        if not model.graph.d_separated(x, y, given_nodes):
            continue
        for values in product((0, 1), repeat=len(given_nodes)):
            seen = dict(zip(given_nodes, values, strict=True))
            try:
                alone = elimination.probability(model, observe({y: 1}, seen))
                beside = elimination.probability(model, observe({y: 1}, {**seen, x: 1}))
            except ImpossibleEvidence:
                continue
            assert alone == pytest.approx(beside, abs=1e-10)


@laws
@given(engines, seeds)
def test_consistency(engine, seed):
    """Had X been what it was, Y would have been what it was."""
    model, rng = draw(seed)
    x, y = (str(node) for node in rng.permutation(model.graph.nodes)[:2])
    for value, outcome in product((0, 1), repeat=2):
        given_events = (Event(x, value), Event(y, outcome))
        query = Query((Event(y, outcome, ((x, value),)),), given_events)
        try:
            assert engine(model, query) == pytest.approx(1, abs=1e-12)
        except ImpossibleEvidence:
            assert engine(model, Query(given_events)) == 0


@laws
@given(engines, seeds)
def test_causes_are_not_moved_by_their_effects(engine, seed):
    model, _ = draw(seed)
    for effect in model.graph.nodes:
        for node in set(model.graph.nodes) - model.graph.descendants(effect):
            moved = Query((Event(node, 1, ((effect, 1),)), Event(node, 0)))
            assert engine(model, moved) == 0


def with_parameters(model, change):
    """The same model with every parameter passed through `change`."""
    return Model(
        model.graph,
        {
            node: _rebuilt(mechanism, change)
            for node, mechanism in zip(model.graph.nodes, model.mechanisms, strict=True)
        },
    )


def _rebuilt(mechanism, change):
    match mechanism:
        case Gate(kind, p):
            return Gate(kind, change(p))
        case NoisyOr(first, strengths) | NoisyAnd(first, strengths):
            return type(mechanism)(change(first), tuple(change(s) for s in strengths))
        case Table(rows):
            return Table(tuple(change(p) for p in rows))
        case Bernoulli(p):
            return Bernoulli(change(p))
        case _:
            return mechanism


@laws
@given(engines, seeds)
def test_batch_equals_loop(engine, seed):
    model, rng = draw(seed)
    batches = {}

    def spread(p):
        return batches.setdefault(id(p), np.clip(p + rng.uniform(-0.05, 0.05, 4), 0.01, 0.99))

    many = with_parameters(model, spread)
    assume(many.batch is not None)
    for query in random_queries(model, rng):
        try:
            together = engine(many, query)
        except ImpossibleEvidence:
            continue
        for row in range(4):
            single = with_parameters(model, lambda p, row=row: float(batches[id(p)][row]))
            assert engine(single, query) == pytest.approx(together[row], abs=1e-12)


@laws
@given(seeds)
def test_exact_answers_agree_exactly(seed):
    model, rng = draw(seed, largest=4)
    exact = with_parameters(model, Fraction)
    for query in random_queries(exact, rng):
        try:
            assert agreed("", *((e.__module__, e(exact, query)) for e in ENGINES)).agree
        except ImpossibleEvidence:
            continue


@laws
@given(engines, seeds)
def test_fractions_equal_floats(engine, seed):
    model, rng = draw(seed, largest=4)
    exact = with_parameters(model, Fraction)
    for query in random_queries(model, rng):
        try:
            rounded = engine(model, query)
        except ImpossibleEvidence:
            with pytest.raises(ImpossibleEvidence):
                engine(exact, query)
            continue
        assert float(engine(exact, query)) == pytest.approx(rounded, abs=1e-12)
