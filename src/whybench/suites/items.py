"""Designs, items, and the answers of conversations about them.

A design says which questions there are, and an item is one of them. Both are protocols: any frozen
class with these properties will do. A suite whose items are nothing but a prompt and its factors
can use `PlainItem`, and `designs.Crossing` for the design. An item is asked in an `Episode`, which
ends in an `Answer`: a value, or the reason why there is none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from whybench.seeds import item_digest
from whybench.suites.designs import Manipulated, name_item

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from whybench.scm import Certificate

GOES_ON = "goes_on"
"""What marks a message by which a conversation goes on, in its metadata."""


Scalar = str | int | float | bool
Outcome = Literal["scored", "no_answer", "error"]


class Item(Protocol):
    """One question, with its world, its truth and its factors. Pure data."""

    @property
    def id(self) -> str:
        """The case, the condition and digits; equal exactly when the digests are."""

    @property
    def case(self) -> str:
        """What is asked, apart from what the design says may be manipulated."""

    @property
    def digest(self) -> str:
        """`seeds.item_digest`: equal exactly when prompt and truth are equal."""

    @property
    def factors(self) -> Mapping[str, Scalar]:
        """The levels of the design's factors; each factor becomes a column of the records."""

    @property
    def world(self) -> object:
        """What the prompt says of the world; equal to what `Suite.parse_prompt` returns."""

    @property
    def truth(self) -> Scalar:
        """The computed answer."""

    @property
    def certificate(self) -> Certificate:
        """The two derivations of the truth."""


@dataclass(frozen=True)
class PlainItem:
    """An item whose world is its factors, and whose prompt is made together with it.

    Attributes:
        id: Words and digits; equal exactly when prompt and truth are equal.
        case: The levels of the factors that are not manipulated.
        digest: Equal exactly when prompt and truth are equal.
        prompt: What the agent reads.
        factors: The levels of the design's factors.
        truth: The computed answer.
        certificate: The two derivations of the truth.
    """

    id: str
    case: str
    digest: str
    prompt: str
    factors: Mapping[str, Scalar]
    truth: Scalar
    certificate: Certificate

    @classmethod
    def of(
        cls,
        suite: str,
        prompt: str,
        factors: Mapping[str, Scalar],
        truth: Scalar,
        certificate: Certificate,
        manipulated: Mapping[str, Manipulated] | None = None,
    ) -> PlainItem:
        """Return the item of a suite, with the id that follows from prompt, truth and factors.

        Args:
            suite: The suite's name.
            prompt: What the agent reads.
            factors: The levels of the design's factors.
            truth: The computed answer.
            certificate: The two derivations of the truth.
            manipulated: The design's `manipulated`; none of its factors if left out.
        """
        said = manipulated or {}
        asked = [str(level) for name, level in factors.items() if name not in said]
        key, content = "-".join(asked), item_digest(suite, prompt, truth)
        own = name_item(content, key, factors, said, generated=True)
        return cls(own, key, content, prompt, factors, truth, certificate)

    @property
    def world(self) -> dict[str, Scalar]:
        """What the prompt says of the world: the factors."""
        return dict(self.factors)


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

    parse: Callable[[str, bool], Answer]
    answer: Answer = Answer(None, "unfinished")
    over: bool = False

    def hear(self, reply: str, truncated: bool) -> str | None:
        """Parse the reply; nothing is said to it."""
        self.answer, self.over = self.parse(reply, truncated), True
        return None


def find_heard(messages: Sequence[Any], *, ended: bool = True) -> list[Any]:
    """Return the replies from which a conversation went on, and the last one if it did not.

    Args:
        messages: The messages of the conversation, as Inspect has them.
        ended: Whether it is over; else a reply from which it did not go on is asked for again.
    """
    heard: list[Any] = []
    last = None
    for message in messages:
        if message.role == "assistant":
            last = message
        elif last is not None and (message.metadata or {}).get(GOES_ON):
            heard.append(last)
            last = None
    return heard if last is None or not ended else [*heard, last]
