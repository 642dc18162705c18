"""Mechanisms: how a node gets its value from its parents and from chance.

A structural causal model draws, for every node, an exogenous *noise* independent of all others, and
then computes the node from its parents and that noise. The conditional table P(v = 1 | parents)
says how often v happens; it does **not** say what v *would have been* in the same circumstances had
a parent differed. That is settled by the noise. An example with one parent x: "v is a fair coin"
and "v is x, or its opposite, by a fair coin" have the same table, 1/2 everywhere; yet in the second
world changing x always changes v.

So each mechanism gives both:

- `table`: P(v = 1 | parents), all that seeing and doing need;
- `cells`: the noise itself, as a finite list of *response functions* with their probabilities. All
  noise values that make v answer its parents in the same way are one cell (Balke and Pearl's
  response-function variables), so nothing is lost and a counterfactual is a finite sum.

| mechanism | noise | v |
|---|---|---|
| `Bernoulli(p)` | u ~ p | u |
| `Gate(kind, p)` | u ~ p | u or / and / xor the parents |
| `NoisyOr(leak, strengths)` | a bit per parent, a leak bit | the leak, or a present parent's bit |
| `NoisyAnd(inhibition, strengths)` | a bit per parent, an inhibiting bit | nothing blocks v |
| `Table(probabilities)` | one uniform | the uniform is below P(v = 1 given the parents) |
| `Logistic(intercept, weights)` | one uniform | the same, with a logistic table |
| `Linear(intercept, weights, sd)` | one Gaussian | intercept + weighted parents + noise |

`Table` and `Logistic` are in `thresholds`. Configurations of k parents are numbered 0 … 2^k - 1
with the first parent as the highest bit. Arrays end in the batch axis (see `parameters`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import get_args

import numpy as np

from whybench.scm.cells import (
    Cells,
    GateKind,
    and_responses,
    doubled,
    gate_responses,
    or_responses,
    subset_probabilities,
)
from whybench.scm.errors import InvalidParameter
from whybench.scm.parameters import (
    Array,
    Parameter,
    as_batch,
    as_finite,
    as_probability,
    as_tuple,
)


class Mechanism:
    """What `Bernoulli` … `Linear` have in common: parameters, and a number of parents they fit."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """All numeric parameters, flat."""
        values = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        return tuple(
            number
            for value in values
            if not isinstance(value, str)
            for number in (value if isinstance(value, tuple) else (value,))
        )

    @property
    def arity(self) -> int | None:
        """How many parents the parameters are for: as many as a parameter has entries.

        None, where no parameter is a list with an entry per parent: then any number will do.
        """
        values = (getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]
        return next((len(value) for value in values if isinstance(value, tuple)), None)


class BinaryMechanism(Mechanism, ABC):
    """A mechanism of a node that is 0 or 1, as its parents are."""

    @abstractmethod
    def table(self, parents: int) -> Array:
        """P(v = 1 | configuration); shape (2^parents, batch)."""

    @abstractmethod
    def cells(self, parents: int) -> Cells:
        """The noise, as response functions with probabilities."""

    def increasing(self, parents: int) -> bool:
        """Whether no noise value lets v fall when a parent rises.

        Cells of probability 0 count: the property belongs to the mechanism, not to its numbers.
        """
        response = self.cells(parents).response
        cube = response.reshape(response.shape[0], *(2,) * parents, response.shape[-1])
        halves = ((cube.take(0, axis), cube.take(1, axis)) for axis in range(1, parents + 1))
        return all(bool(np.all(absent <= present)) for absent, present in halves)


@dataclass(frozen=True)
class Bernoulli(BinaryMechanism):
    """A root that happens with probability `p`. Cell 0 is absence, cell 1 presence."""

    p: Parameter

    def __post_init__(self) -> None:
        as_probability("p", self.p)

    @property
    def arity(self) -> int:
        """None but roots."""
        return 0

    def table(self, parents: int) -> Array:  # noqa: ARG002 - a root has but one configuration
        """P(v = 1)."""
        return as_batch("p", self.p)[None]

    def cells(self, parents: int) -> Cells:
        """The bit u itself."""
        p = as_batch("p", self.p)
        return Cells(np.stack([1 - p, p]), gate_responses("or", parents))


@dataclass(frozen=True)
class Gate(BinaryMechanism):
    """v = u OP parents, with one noise bit u ~ Bernoulli(p) and OP one of or, and, xor.

    Cell 0 is u = 0 and cell 1 is u = 1. Without parents, v = u whatever the kind.
    """

    kind: GateKind
    p: Parameter

    def __post_init__(self) -> None:
        if self.kind not in get_args(GateKind):
            raise InvalidParameter(f"kind must be one of {get_args(GateKind)}, got {self.kind!r}")
        as_probability("p", self.p)

    def table(self, parents: int) -> Array:
        """P(v = 1 | configuration)."""
        p = as_batch("p", self.p)
        off, on = gate_responses(self.kind, parents)
        # Where the noise does not matter the chance is 0 or 1 exactly, which (1 - p) + p may miss.
        return np.where(off == on, off, np.where(on, p, 1 - p))

    def cells(self, parents: int) -> Cells:
        """The bit u."""
        p = as_batch("p", self.p)
        return Cells(np.stack([1 - p, p]), gate_responses(self.kind, parents))


@dataclass(frozen=True)
class NoisyOr(BinaryMechanism):
    """Each present parent produces v with its strength, independently; so does an unseen leak.

    P(v = 1 | x) = 1 - (1 - leak) · Π over present parents of (1 - strength).
    """

    leak: Parameter
    strengths: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        as_probability("leak", self.leak)
        strengths = as_tuple("strength", self.strengths, as_probability)
        object.__setattr__(self, "strengths", strengths)

    def table(self, parents: int) -> Array:  # noqa: ARG002 - the strengths say how many
        """P(v = 1 | configuration)."""
        silent = 1 - as_batch("leak", self.leak)[None]
        for strength in self.strengths:
            fails = 1 - as_batch("strength", strength)
            silent = doubled(silent, silent * fails)
        return 1 - silent

    def cells(self, parents: int) -> Cells:
        """A cell for each set of parents whose bits are on, leak off; a last one for the leak."""
        return Cells(subset_probabilities(self.leak, self.strengths), or_responses(parents))


@dataclass(frozen=True)
class NoisyAnd(BinaryMechanism):
    """v happens unless an absent parent blocks it, with its strength, or an unseen inhibitor does.

    P(v = 1 | x) = (1 - inhibition) · Π over absent parents of (1 - strength). This is noisy-or with
    "absent" and "present" exchanged for all nodes; with strengths of 1 and an inhibition of 1 - p
    it is the and gate with noise p, as `NoisyOr` with strengths of 1 and leak p is the or gate.
    """

    inhibition: Parameter
    strengths: tuple[Parameter, ...]

    def __post_init__(self) -> None:
        as_probability("inhibition", self.inhibition)
        strengths = as_tuple("strength", self.strengths, as_probability)
        object.__setattr__(self, "strengths", strengths)

    def table(self, parents: int) -> Array:  # noqa: ARG002 - the strengths say how many
        """P(v = 1 | configuration)."""
        free = 1 - as_batch("inhibition", self.inhibition)[None]
        for strength in self.strengths:
            passes = 1 - as_batch("strength", strength)
            free = doubled(free * passes, free)
        return free

    def cells(self, parents: int) -> Cells:
        """A cell for each set of parents that are required, then one for the inhibitor."""
        return Cells(subset_probabilities(self.inhibition, self.strengths), and_responses(parents))


@dataclass(frozen=True)
class Linear(Mechanism):
    """v = intercept + Σ weight · parent + noise, Gaussian with mean 0 and deviation `sd`."""

    intercept: Parameter
    weights: tuple[Parameter, ...]
    sd: Parameter = 1.0

    def __post_init__(self) -> None:
        as_finite("intercept", self.intercept)
        object.__setattr__(self, "weights", as_tuple("weight", self.weights, as_finite))
        if np.any(as_finite("sd", self.sd) < 0):
            raise InvalidParameter(f"sd must be at least 0, got {self.sd!r}")
