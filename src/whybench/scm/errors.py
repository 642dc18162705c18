"""What can go wrong with a causal question, each under its own name.

Every error here is a `ValueError`: the caller asked for something that has no answer, and the
message says what was wanted and what was received. Nothing in this package returns NaN, clamps, or
guesses.
"""

# Errors bear the name of the concept, as in the field's own words ("the evidence is impossible").
# ruff: noqa: N818


class ScmError(ValueError):
    """Any causal question that cannot be answered as put."""


class InvalidGraph(ScmError):
    """Nodes and edges do not make a simple directed graph."""


class CyclicGraph(InvalidGraph):
    """The graph has a directed cycle, so no node order lets causes come before effects."""


class UnknownNode(ScmError):
    """A name that is not a node of the graph."""


class InvalidParameter(ScmError):
    """A mechanism's parameter is out of its range, or does not fit the node's parents."""


class InvalidQuery(ScmError):
    """A query that is malformed, or that this kind of model cannot be asked."""


class ImpossibleEvidence(ScmError):
    """The evidence has probability 0, so nothing can be conditioned on it."""


class TooManyStates(ScmError):
    """An exact engine would have to visit more states than its limit."""


class NotDecomposable(ScmError):
    """The effect is not the product of its blocks' effects, so the product must not be taken."""


class Disagreement(ScmError):
    """Two independent derivations of one quantity differ: the truth is not known."""
