"""The truths of fields: what is true, what can be had from the rows, and what the trap suggests."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from whybench.scm import agreed
from whybench.seeds import ZERO
from whybench.suites.analyze.estimators.regression import Coefficient
from whybench.suites.analyze.settings import BEFORE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from whybench.scm import Certificate

NEAR_TRUTH = 2.5
"""How many standard errors from the truth a number may be."""

NEAR_CHANCE = 0.2
"""How far a stated confidence may be from the chance that the claim is right."""


@dataclass(frozen=True)
class NumericTruth:
    """The truth of a number, and what can be had from the rows.

    Attributes:
        certificate: The true value, derived twice from the parameters.
        references: What consistent estimators find on the rows, by name; a panel of them, each with
            its own standard error, or with SE_eff where it is a number alone.
        se: The standard error of the first of them on the rows (SE_eff).
        naive: Values of naive analyses on the rows, by name.
        near: How many standard errors from the value a number may be.
    """

    certificate: Certificate
    references: Mapping[str, float | Coefficient]
    se: float
    naive: Mapping[str, float] = field(default_factory=dict)
    near: float = NEAR_TRUTH

    @property
    def value(self) -> float:
        """The true value; 0 where rounding left next to nothing of it."""
        value = float(self.certificate.value)
        return 0.0 if abs(value) < ZERO else value

    @property
    def panel(self) -> dict[str, Coefficient]:
        """What each consistent estimator finds, with its standard error."""
        return {
            name: found if isinstance(found, Coefficient) else Coefficient(found, self.se)
            for name, found in self.references.items()
        }

    @property
    def errors(self) -> tuple[float, float]:
        """The least and the greatest standard error in the panel."""
        errors = [self.se, *(found.se for found in self.panel.values())]
        return min(errors), max(errors)

    def scaled(self, factor: float) -> NumericTruth:
        """Return the same truth in units of which there are `factor` in one."""
        if factor == 1:
            return self
        derived = [(method, factor * float(x)) for method, x in self.certificate.derivations]
        return replace(
            self,
            certificate=agreed(self.certificate.query, *derived),
            references={
                name: Coefficient(factor * found.value, factor * found.se)
                for name, found in self.panel.items()
            },
            se=factor * self.se,
            naive={name: factor * value for name, value in self.naive.items()},
        )

    def apart(self, by: float) -> bool:
        """Whether every naive value is `by` standard errors from the truth and from references."""
        points = (self.value, *(found.value for found in self.panel.values()))
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

    def accepts(self, value: Any) -> bool:
        """Whether a value is right."""
        return value == self.value or value in self.also

    def is_naive(self, value: Any) -> bool:
        """Whether a wrong value is one that only the trap suggests."""
        return value in self.naive

    def is_alarm(self, value: Any) -> bool:
        """Whether a wrong value claims the trap."""
        return value in self.alarm

    def scaled(self, _factor: float) -> CategoricalTruth:
        """Return the same truth, which has no units."""
        return self


@dataclass(frozen=True)
class AdjustmentTruth(CategoricalTruth):
    """The truth of a set of columns to adjust for: every set passes that is enough by the graph.

    Attributes:
        value: The smallest such set.
        suffices: A set of roles to whether it is enough.
    """

    suffices: Callable[[frozenset[str]], bool] = lambda _: False

    def accepts(self, value: Any) -> bool:
        """Whether a set is enough; known first and by chance, decoys do no harm."""
        return self.suffices(frozenset(role for role in value if not role.startswith(BEFORE)))


@dataclass(frozen=True)
class TableTruth:
    """The truths of a table of numbers, by row."""

    rows: Mapping[str, NumericTruth]

    def scaled(self, factor: float) -> TableTruth:
        """Return the same truths in units of which there are `factor` in one."""
        return TableTruth({row: truth.scaled(factor) for row, truth in self.rows.items()})

    @property
    def value(self) -> dict[str, float]:
        """The true values, by row."""
        return {row: truth.value for row, truth in self.rows.items()}


@dataclass(frozen=True)
class UnidentifiedTruth(CategoricalTruth):
    """The truth of a number that cannot be had from what is given: null, and no number.

    Attributes:
        value: Null.
        bounds: The least and the greatest value that the number may have by what is seen, whatever
            is not; None where the data set it none.
    """

    value: Any = None
    bounds: tuple[NumericTruth, NumericTruth] | None = None

    def is_naive(self, value: Any) -> bool:
        """Whether a number is claimed."""
        return value is not None

    def is_overclaimed(self, interval: tuple[float, float]) -> bool:
        """Whether an interval claims more than the bounds do, if there are any."""
        if self.bounds is None:
            return False
        low, high = (end.value for end in self.bounds)
        return low < interval[0] and interval[1] < high

    def scaled(self, factor: float) -> UnidentifiedTruth:
        """Return the same truth with bounds in units of which there are `factor` in one."""
        if self.bounds is None:
            return self
        low, high = (end.scaled(factor) for end in self.bounds)
        return replace(self, bounds=(low, high))


@dataclass(frozen=True)
class ConfidenceTruth(CategoricalTruth):
    """The chance that a right claim is right, so far as anybody can tell from the data.

    Who is surer falls for the trap; who is less sure where there is no doubt cries trap.
    """

    def accepts(self, value: Any) -> bool:
        """Whether a confidence is near the chance."""
        return bool(abs(value - self.value) <= NEAR_CHANCE)

    def is_naive(self, value: Any) -> bool:
        """Whether somebody is too sure."""
        return bool(value > self.value)

    def is_alarm(self, value: Any) -> bool:
        """Whether somebody is not sure enough."""
        return bool(value < self.value)


Truth = NumericTruth | CategoricalTruth | TableTruth
