"""Linear models: effects as sums over paths, beliefs as Gaussians.

With v = intercept + Σ weight · parent + noise at every node, stack the nodes into one vector: v = a
+ B v + e, where B[child, parent] is a weight. Everything follows from T = (I - B)⁻¹:

- the **total effect** of x on y, the change of y when x is *made* one larger, is T[y, x];
- means and covariances are T a and T diag(sd²) Tᵀ; beliefs given evidence are those of a Gaussian;
- an intervention deletes rows of B.

There is a second way to the total effect: multiply the weights along each directed path from x to y
and add over paths (Wright's rule). Both are here, written separately, so that one can vouch for the
other. Paths through a mediator m make up the natural *indirect* effect, the others the natural
*direct* effect, and in linear models they add up to the total.

The triangle x → m → y, x → y with weights 2, 5 and 3: direct 3, indirect 2 · 5, total 13.

>>> from whybench.scm import Graph, Linear, Model
>>> graph = Graph(("x", "m", "y"), (("x", "m"), ("x", "y"), ("m", "y")))
>>> model = Model(graph, {"x": Linear(0, ()), "m": Linear(0, (2,)), "y": Linear(0, (3, 5))})
>>> natural_effects(model, "x", "y", through="m")
NaturalEffects(total=13.0, direct=3.0, indirect=10.0)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from whybench.scm.errors import ImpossibleEvidence, InvalidQuery
from whybench.scm.mechanisms import Linear
from whybench.scm.model import Model
from whybench.scm.parameters import Array, Value, as_batch, unbatched


@dataclass(frozen=True)
class NaturalEffects:
    """A total effect and its two parts."""

    total: Value
    direct: Value
    indirect: Value


@dataclass(frozen=True)
class Normal:
    """A Gaussian belief about one node."""

    mean: float
    variance: float


def path_effect(model: Model, cause: str, effect: str, holding: tuple[str, ...] = ()) -> Value:
    """The total effect as the sum, over directed paths, of the products of weights.

    Paths with a common start are added before they are extended, so their number, which may grow
    exponentially, does not matter.

    Args:
        model: A linear model; parameters may be floats, fractions or batches.
        cause: Where the paths start.
        effect: Where they end.
        holding: Nodes kept from changing, so that no counted path passes through them.
    """
    graph = model.graph
    _check_effect(model, cause, effect, holding)
    arriving: dict[str, Array] = {cause: np.ones(1, dtype=np.int64)}
    for node in graph.order:
        if node == cause or node in holding:
            continue
        terms = [
            weight * arriving[parent]
            for parent, weight in zip(graph.parents(node), _weights(model, node), strict=True)
            if parent in arriving
        ]
        if terms:
            arriving[node] = sum(terms[1:], start=terms[0])
    return unbatched(arriving.get(effect, np.zeros(1, dtype=np.int64)), model.batch)


def solved_effect(model: Model, cause: str, effect: str, holding: tuple[str, ...] = ()) -> Value:
    """The same as the entry [effect, cause] of (I - B)⁻¹, by solving for its column.

    Rows of B are emptied for the nodes that are held: they listen to nobody.
    """
    _check_effect(model, cause, effect, holding)
    nodes = model.graph.nodes
    matrix = _matrix(model)
    matrix[:, [nodes.index(node) for node in holding]] = 0
    system = np.eye(len(nodes), dtype=np.int64) - matrix
    unit = np.array([int(node == cause) for node in nodes])
    column = _solve(system, unit)
    return unbatched(column[:, nodes.index(effect)], model.batch)


def natural_effects(model: Model, cause: str, effect: str, through: str) -> NaturalEffects:
    """The effect of raising `cause` by one, parted into that through a mediator and the rest.

    Direct: the mediator keeps the value it would have had without the rise. Indirect: only the
    mediator takes the value that the rise would give it.
    """
    direct = path_effect(model, cause, effect, holding=(through,))
    carried = path_effect(model, cause, through) * path_effect(model, through, effect)
    return NaturalEffects(path_effect(model, cause, effect), direct, carried)


def mean(model: Model, do: Mapping[str, float] | None = None) -> dict[str, float]:
    """The mean of every node, in the world where the nodes of `do` are set."""
    centre, _, _ = _gaussian(model, do or {})
    return dict(zip(model.graph.nodes, centre.tolist(), strict=True))


def normal(
    model: Model,
    target: str,
    given: Mapping[str, float] | None = None,
    do: Mapping[str, float] | None = None,
) -> Normal:
    """The belief about `target` after seeing `given`, in the world where the nodes of `do` are set.

    Raises:
        ImpossibleEvidence: The evidence has no density: a node without noise, or two that move
            together.
    """
    graph, given = model.graph, given or {}
    centre, transfer, spread = _gaussian(model, do or {})
    graph.check(target, *given)
    rows = [graph.nodes.index(node) for node in given]
    place = graph.nodes.index(target)
    prior = np.diag(spread**2)
    loading = transfer[rows]
    covariance = loading @ prior @ loading.T
    if rows and np.linalg.matrix_rank(covariance) < len(rows):
        raise ImpossibleEvidence(f"evidence must have a density, got none at {dict(given)}")
    surprise = np.array(list(given.values()), dtype=float) - centre[rows]
    gain = np.linalg.solve(covariance, loading @ prior).T if rows else np.zeros((len(prior), 0))
    remaining = prior - gain @ loading @ prior
    variance = float(transfer[place] @ remaining @ transfer[place])
    return Normal(float(centre[place] + transfer[place] @ (gain @ surprise)), max(variance, 0.0))


def _check_effect(model: Model, cause: str, effect: str, holding: tuple[str, ...]) -> None:
    model.graph.check(cause, effect, *holding)
    if cause in holding or effect in holding:
        raise InvalidQuery(f"held nodes must be other than {cause} and {effect}, got {holding}")


def _gaussian(model: Model, do: Mapping[str, float]) -> tuple[Array, Array, Array]:
    """Means, the transfer matrix T from noise to nodes, and the deviations of the noise."""
    model.graph.check(*do)
    if model.batch is not None:
        raise InvalidQuery(f"model must have one set of parameters, got a batch of {model.batch}")
    nodes = model.graph.nodes
    matrix = _matrix(model)[0].astype(float)
    constant = np.array([float(_linear(model, node).intercept) for node in nodes])
    spread = np.array([float(_linear(model, node).sd) for node in nodes])
    fixed = [nodes.index(node) for node in do]
    matrix[fixed] = 0
    constant[fixed] = list(do.values())
    transfer = np.linalg.inv(np.eye(len(nodes)) - matrix)
    centre = transfer @ constant
    # A node that is set keeps its noise, which now goes nowhere.
    transfer[:, fixed] = 0
    return centre, transfer, spread


def _matrix(model: Model) -> Array:
    """B[model of the batch, child, parent]; of objects where weights are fractions."""
    nodes = model.graph.nodes
    weights = {
        (nodes.index(child), nodes.index(parent)): weight
        for child in nodes
        for parent, weight in zip(model.graph.parents(child), _weights(model, child), strict=True)
    }
    kind = np.result_type(np.int64, *weights.values())
    matrix: Array = np.zeros((model.batch or 1, len(nodes), len(nodes)), dtype=kind)
    for (child, parent), weight in weights.items():
        matrix[:, child, parent] = weight
    return matrix


def _solve(system: Array, right: Array) -> Array:
    """Solve system · x = right for each model of the batch; exactly where the numbers are exact."""
    if system.dtype != object:
        stacked = np.broadcast_to(right[:, None], (len(system), len(right), 1))
        solution: Array = np.linalg.solve(system.astype(float), stacked.astype(float))[..., 0]
        return solution
    # Gauss and Jordan. Any pivot that is not 0 will do: exact numbers do not lose digits. All of
    # them are made fractions, since integers would divide to floats.
    column = np.broadcast_to(right.astype(object)[:, None], (*system.shape[:2], 1))
    rows = np.concatenate([system, column], axis=2) * Fraction(1)
    for block in rows:
        for place in range(len(block)):
            pivot = next(row for row in range(place, len(block)) if block[row, place] != 0)
            block[[place, pivot]] = block[[pivot, place]]
            block[place] = block[place] / block[place, place]
            # Few nodes have many parents, so most rows have a 0 here and stay as they are.
            others = (block[:, place] != 0) & (np.arange(len(block)) != place)
            block[others] -= np.outer(block[others, place], block[place])
    exact: Array = rows[:, :, -1]
    return exact


def _weights(model: Model, node: str) -> list[Array]:
    return [as_batch("weight", weight) for weight in _linear(model, node).weights]


def _linear(model: Model, node: str) -> Linear:
    mechanism = model.mechanism(node)
    if not isinstance(mechanism, Linear):
        raise InvalidQuery(f"mechanism of {node} must be Linear, got {mechanism!r}")
    return mechanism
