"""Causal effects that multiply up along a chain of blocks.

Suppose every influence of X on Y passes through M. Y then answers to X (Y happens if X does, and
does not if X does not) *if* M answers to X and Y answers to M. Three conditions turn this into an
equation between probabilities:

- **Cutpoint**: all directed paths from X to Y go through M.
- **Independent noise**: nothing that is left to chance touches both M's answer to X and Y's answer
  to M. A common cause of M and Y, for instance, would.
- **Monotone mechanisms**: no noise lets a node fall when a parent rises. Otherwise M might do the
  opposite of X, Y the opposite of M, and Y answer to X though neither part answers: xor does just
  this.

Under these, PNS(X, Y) = PNS(X, M) · PNS(M, Y), and so along every chain of such cutpoints. Each
factor needs only the enumeration of its own block, and a world far beyond enumeration is answered
exactly. Where a condition fails the product is simply another number, so `probability` refuses.
"""

from functools import lru_cache
from itertools import pairwise

from whybench.scm import enumeration
from whybench.scm.errors import NotDecomposable
from whybench.scm.graph import Graph
from whybench.scm.model import Model
from whybench.scm.parameters import Value
from whybench.scm.queries import Query, pns, pns_nodes


def probability(model: Model, query: Query) -> Value:
    """The probability of necessity and sufficiency as a product over blocks.

    Args:
        model: A binary model.
        query: As made by `pns`; no other quantity is known to factor.

    Returns:
        As `enumeration.probability`.

    Raises:
        NotDecomposable: The query is another, there is no cutpoint between cause and effect, or
            some mechanism on the way is not monotone.
        TooManyStates: A single block is too large to enumerate.
    """
    nodes = pns_nodes(query)
    if nodes is None:
        raise NotDecomposable(f"query must be a PNS, got {query}")
    cause, effect = nodes
    stations = (cause, *gateways(model.graph, cause, effect), effect)
    if len(stations) == 2:
        raise NotDecomposable(
            f"some node must cut {cause} from {effect} and share no noise across, got none"
        )
    involved = _noise(model.graph, cause, effect) - {cause}
    for node in model.graph.order:
        parents = len(model.graph.parents(node))
        if node in involved and not model.binary(node).increasing(parents):
            raise NotDecomposable(
                f"mechanisms between {cause} and {effect} must never fall when a parent rises, "
                f"got {model.mechanism(node)!r} at {node}"
            )
    product: Value = 1
    for start, end in pairwise(stations):
        product = product * enumeration.probability(model, pns(start, end))
    return product


@lru_cache(maxsize=1024)
def gateways(graph: Graph, cause: str, effect: str) -> tuple[str, ...]:
    """The nodes strictly between cause and effect at which PNS factors, in causal order.

    Raises:
        NotDecomposable: `cause` is no cause of `effect`, so that there is nothing to factor.
    """
    if cause == effect or cause not in graph.ancestors(effect):
        raise NotDecomposable(f"cause must be an ancestor of effect {effect}, got {cause}")
    between = graph.descendants(cause) & graph.ancestors(effect) - {cause, effect}
    return tuple(
        node
        for node in graph.order
        if node in between
        and cause not in _noise(graph, node, effect)
        and not (_noise(graph, cause, node) & _noise(graph, node, effect)) - {node}
    )


def _noise(graph: Graph, start: str, end: str) -> frozenset[str]:
    """The nodes whose noise touches how `end` answers to `start`, with `start` itself.

    The causes of `start` are cut off: it is set, whatever they are.
    """
    return graph.ancestors(end, made=[start])
