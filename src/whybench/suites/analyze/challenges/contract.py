"""What a challenge is, and how to add one.

A challenge is one module here and one YAML story of the same name in `stories`. The module ends
with a constant `CHALLENGE = Challenge(...)`; `challenges/__init__` lists it in one line. It says:

1. **The world.** `draw(variant, rng)` draws parameters from ranges and rows from them, and returns
   an `Instance`, or None where the guarantee does not hold on these rows (too weak, too few). It is
   called with the same generator for every variant, so that a trap and its controls are twins.
2. **The truths.** `ground_truth(variant, parameters, rows)` finds them, for all rows of a draw or
   for a sample of them. A number is a `NumericTruth`: a certificate of two derivations from the
   parameters alone, the values of consistent estimators on the very rows, a standard error, and the
   values of naive analyses. Whatever else is asked is a `CategoricalTruth`: the value, and which
   values are naive or cry trap. An `IntervalField` has the truth of the number it is `of`.
3. **Whether the trap is there.** `has_trap(instance)` is the trap's own statistical criterion. Only
   instances are kept on which it holds for `trap` and fails for every control.
4. **Three analysts**, instance to a dict of field to typed value (see `fields`): `competent`, whose
   estimators are not the references; `naive`, who walks into the trap; `always_trap`, who sees it
   everywhere. Null and schema-breaker are the same for all challenges (see `analysts`).
5. **A simulation of the truth**, `simulate(instance, n, rng)`: mean and standard error of each
   number from n draws of the world under intervention, which evidence sets beside the certificate.

Rows are rounded when they are drawn (`round_values`), so that what an agent reads is what is graded
on. Then run `python -m evidence.challenges NAME` and look at the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from whybench.seeds import ZERO, generator
from whybench.suites.analyze.fields import IntervalField

if TYPE_CHECKING:
    from whybench.scm import Certificate
    from whybench.suites.analyze.fields import Field

__all__ = [
    "NEAR_TRUTH",
    "TRAP",
    "TRIES",
    "Analyst",
    "Array",
    "CategoricalTruth",
    "Challenge",
    "DataColumn",
    "Instance",
    "NumericTruth",
    "Simulation",
    "TableTruth",
    "Truth",
    "round_values",
    "to_integers",
]

TRAP = "trap"
"""The variant in which the trap is there; all others are controls."""

NEAR_TRUTH = 2.5
"""How many standard errors from the truth a number may be."""

TRIES = 400
"""How many worlds are drawn for an instance before it is given up."""

Array = NDArray[Any]
Simulation = Mapping[str, tuple[float, float]]
"""Mean and standard error by number field; a row of a table is `field.row`."""


@dataclass(frozen=True)
class DataColumn:
    """A column of the data.

    Attributes:
        role: What it is in the world, such as treatment.
        kind: What its values are.
        measured: When it was measured: 0 before everything else, 1 next; equal numbers, at once.
    """

    role: str
    kind: Literal["binary", "category", "count", "real", "share"]
    measured: int


@dataclass(frozen=True)
class NumericTruth:
    """The truth of a number, and what can be had from the rows.

    Attributes:
        certificate: The true value, derived twice from the parameters.
        references: Values of consistent estimators on the rows, by name.
        se: The standard error of the first of them on the rows (SE_eff).
        naive: Values of naive analyses on the rows, by name.
        near: How many standard errors from the value a number may be.
    """

    certificate: Certificate
    references: Mapping[str, float]
    se: float
    naive: Mapping[str, float] = field(default_factory=dict)
    near: float = NEAR_TRUTH

    @property
    def value(self) -> float:
        """The true value; 0 where rounding left next to nothing of it."""
        value = float(self.certificate.value)
        return 0.0 if abs(value) < ZERO else value

    def apart(self, by: float) -> bool:
        """Whether every naive value is `by` standard errors from the truth and from references."""
        points = (self.value, *self.references.values())
        return all(abs(x - p) >= by * self.se for x in self.naive.values() for p in points)


@dataclass(frozen=True)
class CategoricalTruth:
    """The truth of a field that is right or wrong.

    Attributes:
        value: What is true.
        also: Other values that are right too.
        naive: Wrong values by which somebody shows that they fell for the trap.
        alarm: Values that claim the trap; saying one where it is wrong, in a control, is a false
            alarm.
    """

    value: Any
    also: tuple[Any, ...] = ()
    naive: tuple[Any, ...] = ()
    alarm: tuple[Any, ...] = ()


@dataclass(frozen=True)
class TableTruth:
    """The truths of a table of numbers, by row."""

    rows: Mapping[str, NumericTruth]

    @property
    def value(self) -> dict[str, float]:
        """The true values, by row."""
        return {row: truth.value for row, truth in self.rows.items()}


Truth = NumericTruth | CategoricalTruth | TableTruth
Analyst = Callable[["Instance"], Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class Instance:
    """One data set with its question and its truth; columns go by their roles.

    Equal challenge, variant and keys make equal instances; they are not compared row by row.

    Attributes:
        challenge: The challenge's name.
        variant: `trap` or the name of a control.
        parameters: The parameters of the structural causal model.
        columns: The columns in the order in which they are shown.
        rows: The values of each column, by role, in the same order.
        truths: The truth of each field, intervals excepted.
        derived: Where no number is asked for, numbers of the world on which the truths rest, by
            the names under which `simulate` gives them.
        facts: What the story tells of this world in figures, by name of the place in its texts.
        keys: What the instance was generated from.
        full_size: The number of rows of which these are a sample; 0 where they are all there are.
    """

    challenge: str
    variant: str
    parameters: Mapping[str, float]
    columns: tuple[DataColumn, ...]
    rows: Mapping[str, Array]
    truths: Mapping[str, Truth]
    facts: Mapping[str, float | str] = field(default_factory=dict)
    derived: Mapping[str, float] = field(default_factory=dict)
    keys: tuple[object, ...] = ()
    full_size: int = 0

    def __post_init__(self) -> None:
        roles = [column.role for column in self.columns]
        if list(self.rows) != roles:
            raise ValueError(f"rows must have the columns {roles}, got {list(self.rows)}")

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(next(iter(self.rows.values())))

    def number(self, name: str) -> NumericTruth:
        """Return the truth of a number."""
        truth = self.truths[name]
        if not isinstance(truth, NumericTruth):
            raise TypeError(f"{name} must be a number, got {truth!r}")
        return truth

    def numbers(self) -> dict[str, NumericTruth]:
        """Return the truths of all numbers, rows of tables as `field.row`."""
        numbers = {
            name: truth for name, truth in self.truths.items() if isinstance(truth, NumericTruth)
        }
        for name, truth in self.truths.items():
            if isinstance(truth, TableTruth):
                numbers |= {f"{name}.{row}": entry for row, entry in truth.rows.items()}
        return numbers

    def apart(self, by: float) -> bool:
        """Whether no number has a naive value that is nearer than `by` standard errors."""
        return all(truth.apart(by) for truth in self.numbers().values())


@dataclass(frozen=True)
class Challenge:
    """One kind of trap. See the head of this module for what each part does.

    Attributes:
        name: Its name; also that of its story.
        family: The family of challenges that it belongs to.
        summary: What the trap is, in one line.
        variants: `trap`, then the controls.
        fields: What an answer consists of.
        draw: A variant and a generator to an instance, or None where the guarantee does not hold.
        ground_truth: A variant, parameters and rows to an instance, whatever these rows show.
        has_trap: Whether the trap is in an instance, by its own statistical criterion.
        competent: Analyst who does it right, with estimators that are not the references.
        naive: Analyst who falls for the trap.
        always_trap: Analyst who claims the trap in every data set.
        simulate: The numbers' true values by simulation.
        story: The text of its story, if it is another package's; ours stand in `stories`.
    """

    name: str
    family: str
    summary: str
    variants: tuple[str, ...]
    fields: tuple[Field, ...]
    draw: Callable[[str, np.random.Generator], Instance | None]
    ground_truth: Callable[[str, Mapping[str, float], Mapping[str, Array]], Instance]
    has_trap: Callable[[Instance], bool]
    competent: Analyst
    naive: Analyst
    always_trap: Analyst
    simulate: Callable[[Instance, int, np.random.Generator], Simulation]
    story: str = ""

    def __post_init__(self) -> None:
        if self.variants[:1] != (TRAP,) or len(set(self.variants)) < len(self.variants):
            raise ValueError(
                f"variants must be {TRAP!r} and then controls, each once, got {self.variants}"
            )

    @property
    def controls(self) -> tuple[str, ...]:
        """The variants without the trap."""
        return self.variants[1:]

    def generate(self, variant: str, *keys: object) -> Instance:
        """Return the instance of a variant that belongs to these keys.

        Raises:
            ValueError: There is no such variant.
            RuntimeError: No world kept the guarantee in `TRIES` draws.
        """
        if variant not in self.variants:
            raise ValueError(
                f"variant of {self.name} must be one of {', '.join(self.variants)}, got {variant!r}"
            )
        for attempt in range(TRIES):
            instance = self.draw(variant, generator("analyze", self.name, *keys, attempt))
            if instance is not None and self.has_trap(instance) == (variant == TRAP):
                self._check(instance)
                return replace(instance, keys=keys)
        raise RuntimeError(
            f"{self.name} must keep its guarantee for {variant!r} within {TRIES} draws, "
            f"got none from the keys {keys}"
        )

    def _check(self, instance: Instance) -> None:
        names = {entry.name for entry in self.fields if not isinstance(entry, IntervalField)}
        if names != set(instance.truths):
            raise ValueError(
                f"truths of {self.name} must be of the fields {sorted(names)}, "
                f"got {sorted(instance.truths)}"
            )


def round_values(values: Array, digits: int = 3) -> Array:
    """Round real values as they will be shown; without a negative zero, which shows as -0.0."""
    rounded: Array = np.round(values, digits) + 0.0
    return rounded


def to_integers(values: Array) -> Array:
    """Return binary or counted values as whole numbers, as they will be shown."""
    return values.astype(np.int64)
