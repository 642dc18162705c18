"""What causes what: structural causal models with exact answers.

Build a `Model` from a `Graph` and mechanisms; ask it with `observe`, `do`, `counterfactual` or
`pns`; get a number from `probability`, or a `Certificate` with two independent derivations from
`certify`.

>>> from fractions import Fraction
>>> graph = Graph(("X", "Y"), (("X", "Y"),))
>>> model = Model(graph, {"X": Bernoulli(Fraction(1, 2)), "Y": Gate("or", Fraction(2, 5))})
>>> certify(model, pns("X", "Y"))
Certificate(query='P(Y[X=1]=1, Y[X=0]=0)', derivations=(('enumeration', Fraction(3, 5)), \
('elimination', Fraction(3, 5))), agree=True)

Parameters may be floats, fractions (exact answers), or arrays of shape (batch,) (as many answers).
Modules, in the order in which to read them: `graph`, `parameters`, `cells`, `mechanisms`,
`thresholds`, `queries`, `model`; the engines `enumeration`, `worlds` with `elimination`,
`block_product` and `linear`; `sampling`; `certificate`.
"""

from whybench.scm import block_product, elimination, enumeration, linear
from whybench.scm.certificate import Certificate, LinearEffect, agreed, certify
from whybench.scm.elimination import probability
from whybench.scm.errors import (
    CyclicGraph,
    Disagreement,
    ImpossibleEvidence,
    InvalidGraph,
    InvalidParameter,
    InvalidQuery,
    NotDecomposable,
    ScmError,
    TooManyStates,
    UnknownNode,
)
from whybench.scm.graph import Graph
from whybench.scm.mechanisms import (
    Bernoulli,
    BinaryMechanism,
    Gate,
    Linear,
    Mechanism,
    NoisyAnd,
    NoisyOr,
)
from whybench.scm.model import Model
from whybench.scm.parameters import Parameter, Value
from whybench.scm.queries import Event, Query, counterfactual, do, observe, pns
from whybench.scm.sampling import draw_units, respond, sample
from whybench.scm.thresholds import Logistic, Table

__all__ = [
    "Bernoulli",
    "BinaryMechanism",
    "Certificate",
    "CyclicGraph",
    "Disagreement",
    "Event",
    "Gate",
    "Graph",
    "ImpossibleEvidence",
    "InvalidGraph",
    "InvalidParameter",
    "InvalidQuery",
    "Linear",
    "LinearEffect",
    "Logistic",
    "Mechanism",
    "Model",
    "NoisyAnd",
    "NoisyOr",
    "NotDecomposable",
    "Parameter",
    "Query",
    "ScmError",
    "Table",
    "TooManyStates",
    "UnknownNode",
    "Value",
    "agreed",
    "block_product",
    "certify",
    "counterfactual",
    "do",
    "draw_units",
    "elimination",
    "enumeration",
    "linear",
    "observe",
    "pns",
    "probability",
    "respond",
    "sample",
]
