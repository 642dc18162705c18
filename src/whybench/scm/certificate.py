"""Certificates: a truth and two ways to it.

A benchmark's answer key is a program's output, and programs err. So no truth is stated here on the
word of one. A quantity is derived twice, by methods that share the model and nothing else, and the
certificate names both and keeps both values. If they differ there is no certificate but a
`Disagreement`, which holds both values too.

| quantity | first derivation | second derivation |
|---|---|---|
| any query, up to 2^20 states | enumeration | elimination |
| PNS in a larger chain of blocks | block product | elimination |
| effect in a linear model | path sum | linear solve |

Fractions must agree exactly; floats to 1e-12, relative for numbers beyond 1.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from whybench.scm import block_product, elimination, enumeration, linear
from whybench.scm.errors import Disagreement
from whybench.scm.model import Model
from whybench.scm.parameters import Value
from whybench.scm.queries import Query, pns_nodes

TOLERANCE = 1e-12


@dataclass(frozen=True)
class LinearEffect:
    """How much `effect` changes when `cause` is made one larger, in a linear model.

    Attributes:
        cause: The node that is raised.
        effect: The node that is watched.
        holding: Nodes that are kept from changing. None: the total effect. A mediator: the natural
            direct effect, which in a linear model is the controlled one.
    """

    cause: str
    effect: str
    holding: tuple[str, ...] = ()

    def __str__(self) -> str:
        kept = f" holding {', '.join(self.holding)}" if self.holding else ""
        return f"effect of {self.cause} on {self.effect}{kept}"


@dataclass(frozen=True)
class Certificate:
    """A quantity with two independent derivations that agree.

    Attributes:
        query: What was asked, in words.
        derivations: (method, value) twice; a value is an array for a batched model.
        agree: Whether the values are the same.
    """

    query: str
    derivations: tuple[tuple[str, Value], tuple[str, Value]]
    agree: bool

    @property
    def value(self) -> Value:
        """The certified value."""
        return self.derivations[0][1]


def certify(model: Model, query: Query | LinearEffect) -> Certificate:
    """Answer `query` twice, independently.

    Raises:
        Disagreement: The two answers differ.
        TooManyStates: The world is too large for a first derivation, and `query` is not a PNS that
            factors.
        NotDecomposable: The world is too large, and its blocks' effects do not multiply.
        ImpossibleEvidence: P(given) = 0.
    """
    if isinstance(query, LinearEffect):
        asked = (query.cause, query.effect, query.holding)
        first = ("path sum", linear.path_effect(model, *asked))
        second = ("linear solve", linear.solved_effect(model, *asked))
    else:
        first = _first(model, query)
        second = ("elimination", elimination.probability(model, query))
    return agreed(str(query), first, second)


def agreed(query: str, first: tuple[str, Value], second: tuple[str, Value]) -> Certificate:
    """The certificate for two derivations.

    Raises:
        Disagreement: They differ by more than `TOLERANCE`, or at all if they are exact.
    """
    if not _same(first[1], second[1]):
        raise Disagreement(
            f"derivations of {query} must agree, "
            f"got {first[0]} = {first[1]} and {second[0]} = {second[1]}"
        )
    return Certificate(query, (first, second), agree=True)


def _first(model: Model, query: Query) -> tuple[str, Value]:
    """Enumeration where it is possible; else the block product, if that is what is asked for."""
    if enumeration.states(model, query) > enumeration.LIMIT and pns_nodes(query):
        return "block product", block_product.probability(model, query)
    return "enumeration", enumeration.probability(model, query)


def _same(first: Value, second: Value) -> bool:
    """Equal if exact; else within the tolerance, everywhere in the batch."""
    one, other = np.atleast_1d(np.asarray(first)), np.atleast_1d(np.asarray(second))
    if one.shape != other.shape:
        return False
    if one.dtype == object:
        numbers = zip(one, other, strict=True)
        return all(
            a == b
            if isinstance(a, Fraction) and isinstance(b, Fraction)
            else abs(a - b) <= TOLERANCE * max(1, abs(a))
            for a, b in numbers
        )
    return bool(np.all(np.abs(one - other) <= TOLERANCE * np.maximum(1, np.abs(one))))
