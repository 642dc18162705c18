"""What a conversation about an item comes to: an answer, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Answer", "Episode", "OneTurn", "Outcome", "Scalar"]

Scalar = str | int | float | bool
Outcome = Literal["scored", "no_answer", "error"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a reply says: a value, or the reason why there is none.

    Attributes:
        value: The answer as a number; None if there is none.
        reason: Why there is no value, as a short slug; empty when scored.
        parts: What else there is to the answer, such as a stated confidence.
    """

    value: float | None
    reason: str = ""
    parts: Mapping[str, Scalar] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome:
        """Say `scored` or `no_answer`; an error never becomes an `Answer`."""
        return "no_answer" if self.value is None else "scored"


class Episode(Protocol):
    """One conversation about one item, from an item's factors alone.

    It does the same on the same replies, so a log can be read again by letting it hear them again.
    It ends whatever the replies are.
    """

    @property
    def over(self) -> bool:
        """Whether nothing more is to be said."""

    @property
    def answer(self) -> Answer:
        """What the replies came to; before the end, no answer with the reason `unfinished`."""

    def hear(self, reply: str, truncated: bool) -> str | None:
        """Take in a reply, which the token limit may have cut off; return what is said to it."""


@dataclass
class OneTurn:
    """The episode of a suite that asks in one turn: one reply, and it is over."""

    read: Callable[[str, bool], Answer]
    answer: Answer = Answer(None, "unfinished")
    over: bool = False

    def hear(self, reply: str, truncated: bool) -> str | None:
        """Read the reply; nothing is said to it."""
        self.answer, self.over = self.read(reply, truncated), True
        return None
