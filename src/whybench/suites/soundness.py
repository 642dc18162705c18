"""What a suite does of its own to show that it is sound, beside what every suite is held to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["Check", "SelfTest"]

ItemT = TypeVar("ItemT", bound=Any)


@dataclass(frozen=True)
class Check(Generic[ItemT]):
    """A check of a suite's own on the items of a design, for `whybench check`.

    Attributes:
        problems: What is wrong with the items that it looks at, in words.
        about: The items of a design that it looks at. Where there are none, the check does not
            apply, which is not the same as to pass.
    """

    problems: Callable[[Sequence[ItemT]], Iterable[str]]
    about: Callable[[Sequence[ItemT]], Sequence[ItemT]] = lambda items: items


@dataclass(frozen=True)
class SelfTest:
    """One line of what a suite shows of itself in `whybench calibrate`, beside its agents.

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
