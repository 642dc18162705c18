from fractions import Fraction
from itertools import pairwise
from math import prod

import networkx
import numpy as np
import pytest

from whybench.scm import (
    Bernoulli,
    Graph,
    ImpossibleEvidence,
    InvalidQuery,
    Linear,
    LinearEffect,
    Model,
    certify,
)
from whybench.scm.linear import (
    NaturalEffects,
    Normal,
    mean,
    natural_effects,
    normal,
    path_effect,
    solved_effect,
)

TRIANGLE = Model(
    Graph(("x", "m", "y"), (("x", "m"), ("x", "y"), ("m", "y"))),
    {"x": Linear(1, (), 2), "m": Linear(0, (2,), 1), "y": Linear(4, (3, 5), 1)},
)
EDGES = ["01", "12", "02", "23", "34", "24", "45", "56", "46"]
WEIGHTS = (2, -1, 3, 1, 4, -2, 3, 2, -1)


def cycles(number=Fraction):
    graph = Graph(tuple("0123456"), tuple((a, b) for a, b in EDGES))
    weight = dict(zip(EDGES, map(number, WEIGHTS), strict=True))
    return Model(
        graph,
        {n: Linear(0, tuple(weight[p + n] for p in graph.parents(n))) for n in graph.nodes},
    )


def test_triangle():
    assert natural_effects(TRIANGLE, "x", "y", through="m") == NaturalEffects(13, 3, 10)
    assert certify(TRIANGLE, LinearEffect("x", "y")).value == 13
    direct = certify(TRIANGLE, LinearEffect("x", "y", holding=("m",)))
    assert direct.value == 3
    assert direct.query == "effect of x on y holding m"


@pytest.mark.parametrize(
    ("pair", "effect"), [("02", 1), ("24", 2), ("46", 5), ("04", 2), ("26", 10), ("06", 10)]
)
@pytest.mark.parametrize("number", [float, int, Fraction])
def test_three_cycles(pair, effect, number):
    certificate = certify(cycles(number), LinearEffect(*pair))
    assert certificate.value == effect
    assert [name for name, _ in certificate.derivations] == ["path sum", "linear solve"]
    if number is Fraction:
        assert all(isinstance(value, Fraction) for _, value in certificate.derivations)


def random_linear(rng, batch=None):
    names = [f"V{place}" for place in range(7)]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    edges = tuple(pair for pair in pairs if rng.random() < 0.5)
    graph = Graph(tuple(names), edges)
    shape = () if batch is None else (batch,)
    return Model(
        graph,
        {
            n: Linear(rng.normal(), tuple(rng.normal(0, 1, shape) for _ in graph.parents(n)))
            for n in names
        },
    )


def test_effects_are_sums_over_listed_paths():
    rng = np.random.default_rng(0)
    for _ in range(20):
        model = random_linear(rng)
        graph = model.graph
        weight = {
            (parent, node): w
            for node in graph.nodes
            for parent, w in zip(graph.parents(node), model.mechanism(node).weights, strict=True)
        }
        paths = list(networkx.all_simple_paths(graph.to_networkx(), "V0", "V6"))
        listed = sum(prod(weight[edge] for edge in pairwise(path)) for path in paths)
        through = sum(prod(weight[e] for e in pairwise(path)) for path in paths if "V3" in path)
        assert certify(model, LinearEffect("V0", "V6")).value == pytest.approx(listed)
        effects = natural_effects(model, "V0", "V6", through="V3")
        assert effects.indirect == pytest.approx(through)
        held = certify(model, LinearEffect("V0", "V6", holding=("V3",)))
        assert effects.direct == pytest.approx(held.value)
        assert effects.direct + effects.indirect == pytest.approx(effects.total)


def test_batches():
    model = random_linear(np.random.default_rng(1), batch=9)
    certificate = certify(model, LinearEffect("V0", "V6"))
    assert certificate.value.shape == (9,)
    exact = Model(
        Graph(("x", "y"), (("x", "y"),)),
        {"x": Linear(0, ()), "y": Linear(0, (np.array([Fraction(1, 3), Fraction(2, 3)]),))},
    )
    for effect in (path_effect, solved_effect):
        assert effect(exact, "x", "y").tolist() == [Fraction(1, 3), Fraction(2, 3)]
        assert effect(exact, "y", "x").tolist() == [0, 0]


def test_means():
    assert mean(TRIANGLE) == pytest.approx({"x": 1, "m": 2, "y": 17})
    assert mean(TRIANGLE, do={"m": 0}) == pytest.approx({"x": 1, "m": 0, "y": 7})
    rise = mean(TRIANGLE, do={"x": 2})["y"] - mean(TRIANGLE, do={"x": 1})["y"]
    assert rise == pytest.approx(13)


def test_seeing():
    # Var x = 4, Var m = 4·4 + 1 = 17, Cov(x, m) = 8: seeing m = 19 moves x by 8/17 · 17.
    seen = normal(TRIANGLE, "x", given={"m": 19})
    assert seen.mean == pytest.approx(1 + 8)
    assert seen.variance == pytest.approx(4 - 64 / 17)
    assert normal(TRIANGLE, "y") == Normal(pytest.approx(17), pytest.approx(13**2 * 4 + 25 + 1))


def test_doing_cuts_what_seeing_tells():
    assert normal(TRIANGLE, "x", do={"m": 19}) == Normal(1.0, 4.0)


def test_refusals():
    certain = Model(Graph(("x",)), {"x": Linear(0, (), 0)})
    with pytest.raises(ImpossibleEvidence, match="must have a density"):
        normal(certain, "x", given={"x": 1})
    with pytest.raises(InvalidQuery, match="held nodes must be other than x and y"):
        natural_effects(TRIANGLE, "x", "y", through="x")
    with pytest.raises(InvalidQuery, match="one set of parameters, got a batch of 3"):
        mean(random_linear(np.random.default_rng(0), batch=3))
    binary = Model(Graph(("x", "y")), dict.fromkeys("xy", Bernoulli(0.5)))
    with pytest.raises(InvalidQuery, match="mechanism of x must be Linear"):
        mean(binary)
