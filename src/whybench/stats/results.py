"""What statistics are returned as: an estimate, the result of a test, and a measure of an agent.

All of them say what they rest on: the number of values, the number of units that were sampled
independently, the method in words, and flags. What cannot be computed is None, never zero.

A `Measure` is an estimate about an agent, with how many answers were missing. Measures are tidy
data. The name says what is measured, `labels` whose measure it is, and `at` the levels to which it
is restricted: `accuracy` at 4 entities is the measure `accuracy` with `at={"entities": 4}`, and the
overall one has no levels. So names need never be taken apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


FEW_UNITS = 10
"""Resampling fewer units than this is flagged `few_units`: intervals tend to be too short."""

FEW_UNITS_FLAG = "few_units"

SMALL_N = 60
"""Measures resting on fewer scored answers of a run than this are flagged `small_n`."""

Level = str | int | float
"""One value of a factor: a word or a number."""

COLUMNS = ("estimate", "low", "high", "n", "units", "scored", "no_answer", "error", "method")
GENERAL = ("general_low", "general_high", "general_units")
"""Columns of the second interval, in rows of measures that have one."""


@dataclass(frozen=True)
class Estimate:
    """A number and its interval.

    Attributes:
        estimate: The value; None where it is not defined.
        low: Lower end of the interval; None where there is none.
        high: Upper end of the interval.
        n: Values it rests on.
        units: Units sampled independently of each other, the n values if nothing else is said.
        method: How the interval was made.
        flags: What to know before trusting it.
        general_low: Lower end of a second interval, for other strata like those that were seen, of
            which the first knows nothing; None where there is none.
        general_high: Upper end of the second interval.
        general_units: Strata that it rests on.
    """

    estimate: float | None
    low: float | None
    high: float | None
    n: int
    units: int
    method: str
    flags: tuple[str, ...] = ()
    general_low: float | None = None
    general_high: float | None = None
    general_units: int | None = None


@dataclass(frozen=True)
class HypothesisTest:
    """The result of a test.

    Attributes:
        statistic: The test statistic; None where it is not defined.
        p: The p-value.
        effect: The size of the effect on the scale the method names.
        n: Values it rests on.
        groups: Groups that were compared.
        method: The test, and the scale of the effect.
        flags: What to know before trusting it.
        adjusted: The p-value after correction for several tests; None where there was none.
    """

    statistic: float | None
    p: float | None
    effect: float | None
    n: int
    groups: int
    method: str
    flags: tuple[str, ...] = ()
    adjusted: float | None = None


class MeasureKey(NamedTuple):
    """Which measure: its name and the levels to which it is restricted, none if it is overall."""

    name: str
    at: tuple[tuple[str, Level], ...] = ()


@dataclass(frozen=True)
class Measure:
    """One number about one agent under one condition.

    Attributes:
        name: The measure, by the one name it has everywhere (`explaining_away`,
            `markov_violation`).
        estimate: The value; None where nothing can be estimated.
        low: Lower end of the 95% interval; None where there is none.
        high: Upper end of the 95% interval.
        n: Scored answers the estimate rests on.
        units: Sampled units (clusters) behind the interval.
        scored: Scored answers of the whole group, including those other measures use.
        no_answer: Answers without a value, with a reason each in the records.
        error: Answers lost to an error.
        method: How the interval was made.
        flags: What a reader should know before trusting the number.
        labels: Whose measure it is: agent and condition.
        at: The levels of factors to which it is restricted; none if it is overall.
        general_low: Lower end of the 95% interval for other stories like these; None where there
            is none, as for measures to which it means nothing.
        general_high: Upper end of that interval.
        general_units: Stories that it rests on.
        range: The lowest and the highest value that the measure can have, if they are known.

    Raises:
        ValueError: The name holds a level, or a level has the name of another column of the row.
    """

    name: str
    estimate: float | None
    low: float | None
    high: float | None
    n: int
    units: int
    scored: int
    no_answer: int
    error: int
    method: str
    flags: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    at: Mapping[str, Level] = field(default_factory=dict)
    general_low: float | None = None
    general_high: float | None = None
    general_units: int | None = None
    range: tuple[float, float] = (-inf, inf)

    def __post_init__(self) -> None:
        if "@" in self.name:
            raise ValueError(f"name must hold no level, got {self.name!r}; give levels as `at`")
        taken = {"measure", *COLUMNS, *GENERAL, "flags", *self.labels} & {*self.at}
        if taken:
            raise ValueError(
                f"levels of {self.name} must have names that no other column has, got "
                f"{', '.join(sorted(taken))}"
            )

    @property
    def key(self) -> MeasureKey:
        """Which measure it is, of whichever agent."""
        return MeasureKey(self.name, tuple(self.at.items()))

    @property
    def title(self) -> str:
        """The name with its levels, for people to read: `accuracy (entities 4)`."""
        levels = ", ".join(f"{factor} {level}" for factor, level in self.at.items())
        return f"{self.name} ({levels})" if levels else self.name

    def row(self) -> dict[str, object]:
        """Return one flat row: labels, the name as `measure`, levels, then the numbers.

        The second interval has columns where there is one.
        """
        columns = COLUMNS if self.general_units is None else (*COLUMNS, *GENERAL)
        numbers = {name: getattr(self, name) for name in columns}
        return {
            **self.labels,
            "measure": self.name,
            **self.at,
            **numbers,
            "flags": " ".join(self.flags),
        }


def scale_skill(found: Estimate, blind: float) -> Estimate:
    """Return an estimate on the scale of skill: 0 where a blind agent lies, 1 where an exact one.

    Args:
        found: The estimate, whose exact value is 1.
        blind: What the best agent has that does not reason.
    """
    if found.estimate is None or blind >= 1:
        return replace(
            found, estimate=None, low=None, high=None, general_low=None, general_high=None
        )

    def scale(end: float | None) -> float | None:
        return None if end is None else (end - blind) / (1 - blind)

    return replace(
        found,
        estimate=scale(found.estimate),
        low=scale(found.low),
        high=scale(found.high),
        method=f"(value - {blind:.4f}) / (1 - {blind:.4f}); {found.method}",
        general_low=scale(found.general_low),
        general_high=scale(found.general_high),
    )


def flag_few_units(units: int) -> tuple[str, ...]:
    """Return the flag for a small number of sampled units, if it is small."""
    return (FEW_UNITS_FLAG,) if units < FEW_UNITS else ()
