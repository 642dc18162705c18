"""Drawing cases from a model, case by case the same under every intervention.

A case is its noise: which response cell each binary node is in, or the Gaussian deviate of each
linear node. `draw_units` draws the noise; `respond` computes the nodes from it, in the actual world
or in one where some nodes are set. The same units under two settings are therefore the two sides of
a counterfactual, unit by unit:

>>> import numpy as np
>>> from whybench.scm import Bernoulli, Gate, Graph, Model
>>> model = Model(Graph(("X", "Y"), (("X", "Y"),)), {"X": Bernoulli(0.5), "Y": Gate("and", 0.5)})
>>> units = draw_units(model, 1000, np.random.default_rng(0))
>>> had, had_not = respond(model, units, {"X": 1})["Y"], respond(model, units, {"X": 0})["Y"]
>>> bool(np.all(had >= had_not))
True

Noise is drawn unit by unit, so that the first m of n units are those of a draw of m; and for all
nodes, set or not, so that a generator in a given state draws the same units whatever is done to
them.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from whybench.scm.errors import InvalidParameter, InvalidQuery
from whybench.scm.mechanisms import Linear
from whybench.scm.model import Model
from whybench.scm.parameters import Array


def sample(
    model: Model, n: int, rng: np.random.Generator, do: Mapping[str, float] | None = None
) -> dict[str, Array]:
    """Draw `n` cases, in the world where the nodes of `do` are set.

    Returns:
        Each node's values, of shape (n,): bytes 0 and 1, or floats in a linear model.

    Raises:
        InvalidParameter: `n` is negative or the model is batched.
    """
    return respond(model, draw_units(model, n, rng), do)


def draw_units(model: Model, n: int, rng: np.random.Generator) -> Array:
    """Draw the noise of `n` cases.

    Returns:
        Shape (n, nodes), in the order of `graph.nodes`: the number of the response cell (for a
        `Gate`, the noise bit itself), or the noise to be added to a linear node.

    Raises:
        InvalidParameter: `n` is negative or the model is batched.
    """
    if n < 0:
        raise InvalidParameter(f"n must be at least 0, got {n}")
    _check_single(model)
    if model.is_linear:
        spread = [float(m.sd) for m in model.mechanisms if isinstance(m, Linear)]
        return rng.standard_normal((n, len(spread))) * spread
    uniform = rng.random((n, len(model.graph.nodes)))
    units = np.empty(uniform.shape, dtype=np.intp)
    for column, node in enumerate(model.graph.nodes):
        # The last edge is 1 but for rounding, and no uniform may fall behind it.
        edges = np.cumsum(model.cells(node).probability[:, 0].astype(float))[:-1]
        units[:, column] = np.searchsorted(edges, uniform[:, column], side="right")
    return units


def respond(model: Model, units: Array, do: Mapping[str, float] | None = None) -> dict[str, Array]:
    """What happens to `units` in the world where the nodes of `do` are set.

    Returns:
        Each node's values, of shape (units,).

    Raises:
        InvalidParameter: `units` has not one column per node, or the model is batched.
        InvalidQuery: A binary node is set to something other than 0 or 1.
    """
    _check_single(model)
    setting = dict(do or {})
    model.graph.check(*setting)
    nodes = model.graph.nodes
    if units.ndim != 2 or units.shape[1] != len(nodes):
        raise InvalidParameter(f"units must have shape (n, {len(nodes)}), got {units.shape}")
    values: dict[str, Array] = {}
    for node in model.graph.order:
        noise = units[:, nodes.index(node)]
        parents = [values[parent] for parent in model.graph.parents(node)]
        mechanism = model.mechanism(node)
        if isinstance(mechanism, Linear):
            values[node] = _linear(mechanism, parents, noise)
        else:
            values[node] = _binary(model, node, parents, noise)
        if node in setting:
            if not model.is_linear and setting[node] not in (0, 1):
                raise InvalidQuery(f"value of {node} must be 0 or 1, got {setting[node]!r}")
            values[node] = np.full_like(values[node], setting[node])
    return {node: values[node] for node in nodes}


def _binary(model: Model, node: str, parents: list[Array], cell: Array) -> NDArray[np.uint8]:
    configuration = np.zeros(len(cell), dtype=np.intp)
    for value in parents:
        configuration = 2 * configuration + value
    response = model.cells(node).response[:, :, 0]
    return response[cell, configuration]


def _linear(mechanism: Linear, parents: list[Array], noise: Array) -> Array:
    total = noise + float(mechanism.intercept)
    for weight, value in zip(mechanism.weights, parents, strict=True):
        total = total + float(weight) * value
    return total


def _check_single(model: Model) -> None:
    if model.batch is not None:
        raise InvalidParameter(
            f"model must have one set of parameters, got a batch of {model.batch}"
        )
