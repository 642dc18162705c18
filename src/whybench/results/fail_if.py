"""A condition under which a build fails: `consistency<-0.05`.

By default the whole 95% interval of the difference must lie beyond the bound, so that chance rarely
breaks a build; strictly, the estimate alone. A measure without an interval is an error, except
where no item differs between the sides: then the condition is not met.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whybench.stats import Difference


@dataclass(frozen=True)
class FailIf:
    """A bound that the difference of a measure must not pass."""

    measure: str
    below: bool
    bound: float

    @classmethod
    def read(cls, text: str) -> FailIf:
        """Read `MEASURE<NUMBER` or `MEASURE>NUMBER`."""
        match = re.fullmatch(r"\s*([\w.]+)\s*([<>])\s*([-+]?(?:\d+\.?\d*|\.\d+))\s*", text)
        if match is None:
            raise UserError(
                "`fail_if` must be MEASURE<NUMBER or MEASURE>NUMBER, such as "
                f'"consistency<-0.05", got {text!r}'
            )
        return cls(match[1], match[2] == "<", float(match[3]))

    def find(self, differences: Iterable[Difference], strict: bool = False) -> list[Difference]:
        """Return the differences that meet the condition; strictly, by their estimates alone.

        Raises:
            UserError: A difference of the measure has no interval, or strictly no estimate.
        """
        met = []
        for one in differences:
            if one.measure != self.measure or (one.is_identical and not strict):
                continue
            end = one.high if self.below else one.low
            value = one.difference if strict else end
            if value is None:
                needed = "an estimate" if strict else "an interval"
                raise UserError(
                    f"`fail_if` must be about a difference with {needed}, got {self} where there "
                    "is none; compare more items"
                )
            if value < self.bound if self.below else value > self.bound:
                met.append(one)
        return met

    def __str__(self) -> str:
        """Return the condition as it is written."""
        return f"{self.measure}{'<' if self.below else '>'}{self.bound:g}"
