"""Conditions on a comparison, by which a build can fail: `consistency<-0.05`.

A condition is met by default only if the whole 95% interval of the change lies beyond the bound, so
that chance seldom breaks a build; strictly, if the estimate lies beyond. A measure that cannot be
compared, though a condition names it, is an error and not a pass.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.results.changes import Change

__all__ = ["FailIf"]


@dataclass(frozen=True)
class FailIf:
    """A condition under which a build fails: a measure changed by less or more than a bound."""

    measure: str
    below: bool
    bound: float

    @classmethod
    def read(cls, text: str) -> FailIf:
        """Read `MEASURE<NUMBER` or `MEASURE>NUMBER`."""
        found = re.fullmatch(r"\s*([\w.]+)\s*([<>])\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*", text)
        if found is None:
            raise UserError(
                "`fail_if` must be MEASURE<NUMBER or MEASURE>NUMBER, such as "
                f'"consistency<-0.05", got {text!r}'
            )
        return cls(found[1], found[2] == "<", float(found[3]))

    def met(self, change: Change, strict: bool = False) -> bool:
        """Return whether a change meets the condition; strictly, by its estimate alone."""
        if self.below:
            value = change.estimate if strict else change.high
            return value is not None and value < self.bound
        value = change.estimate if strict else change.low
        return value is not None and value > self.bound

    def among(self, changes: Sequence[Change], strict: bool = False) -> list[Change]:
        """Return the changes that meet the condition; those of its measure must tell."""
        named = [change for change in changes if change.measure == self.measure]
        if any((change.estimate if strict else change.low) is None for change in named):
            needed = "an estimate" if strict else "an interval"
            raise UserError(
                f"`fail_if` must be about a change with {needed}, got {self} where there is none; "
                "compare more items"
            )
        return [change for change in named if self.met(change, strict)]

    def __str__(self) -> str:
        """Return the condition as it is written."""
        return f"{self.measure}{'<' if self.below else '>'}{self.bound:g}"
