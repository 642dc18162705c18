"""What every measure of the package is: a number that says what it rests on.

A measure carries its interval, the number of answers and of sampled units behind it, how many
answers were missing, the method and flags. A measure that cannot be computed has no estimate;
it is never zero by default.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SMALL_N", "Measure"]

SMALL_N = 60
"""Measures resting on fewer scored answers of a run than this are flagged `small_n`."""


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

    def row(self) -> dict[str, object]:
        """Return the measure as one flat row, labels first."""
        plain = asdict(self)
        labels = plain.pop("labels")
        plain["flags"] = " ".join(self.flags)
        return {**labels, **plain}
