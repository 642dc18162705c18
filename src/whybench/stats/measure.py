"""What every measure of the package is: a number that says what it rests on.

A measure carries its interval, the number of answers and of sampled units behind it, how many
answers were missing, the method and flags. A measure that cannot be computed has no estimate;
it is never zero by default.

Measures are tidy data. The name says what is measured, `labels` whose measure it is, and `at` the
levels to which it is restricted: `accuracy` at 4 entities is the measure `accuracy` with
`at={"entities": 4}`, and the overall one has no levels. So names need never be taken apart.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SMALL_N", "Level", "Measure", "MeasureKey"]

SMALL_N = 60
"""Measures resting on fewer scored answers of a run than this are flagged `small_n`."""

Level = str | int | float
"""One value of a factor: a word or a number."""

COLUMNS = ("estimate", "low", "high", "n", "units", "scored", "no_answer", "error", "method")


class MeasureKey(NamedTuple):
    """Which measure: its name and the levels to which it is restricted, none if it is overall."""

    name: str
    at: tuple[tuple[str, Level], ...] = ()


@dataclass(frozen=True)
class Measure:
    """One number about one agent under one condition.

    Attributes:
        name: The measure, by the one name it has everywhere (`ea`, `mv`).
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

    def __post_init__(self) -> None:
        if "@" in self.name:
            raise ValueError(f"name must hold no level, got {self.name!r}; give levels as `at`")
        taken = {"measure", *COLUMNS, "flags", *self.labels} & {*self.at}
        if taken:
            raise ValueError(
                f"levels of {self.name} must have names that no other column has, got "
                f"{', '.join(sorted(taken))}"
            )

    @property
    def key(self) -> MeasureKey:
        """Which measure it is, whoever's it is."""
        return MeasureKey(self.name, tuple(self.at.items()))

    @property
    def title(self) -> str:
        """The name with its levels, for people to read: `accuracy (entities 4)`."""
        levels = ", ".join(f"{factor} {level}" for factor, level in self.at.items())
        return f"{self.name} ({levels})" if levels else self.name

    def row(self) -> dict[str, object]:
        """Return one flat row: labels, the name as `measure`, levels, then the numbers."""
        numbers = {name: getattr(self, name) for name in COLUMNS}
        return {
            **self.labels,
            "measure": self.name,
            **self.at,
            **numbers,
            "flags": " ".join(self.flags),
        }
