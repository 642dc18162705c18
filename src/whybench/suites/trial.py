"""What a suite shows of itself when it is calibrated, line by line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Trial"]


@dataclass(frozen=True)
class Trial:
    """One line of what a suite has to show of itself beyond its agents' measures.

    Attributes:
        subject: What was tried.
        figures: What came out, by name; the same names in all lines of a suite.
        misses: What should hold and does not, in words.
    """

    subject: str
    figures: Mapping[str, float]
    misses: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether everything holds."""
        return not self.misses
