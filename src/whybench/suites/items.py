"""What is asked: a design says which questions there are, an item is one of them.

Both are protocols: any frozen class with these properties will do. A suite whose items are nothing
but a prompt and a place in the design can use `PlainItem`, and `designs.Crossing` for the design.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from whybench.seeds import item_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.scm import Certificate
    from whybench.suites.episode import Scalar

__all__ = ["Design", "Item", "PlainItem"]


class Design(Protocol):
    """Which questions are asked, as factors and levels; frozen and hashable."""

    @property
    def name(self) -> str:
        """The name under which the design is asked for."""

    @property
    def summary(self) -> str:
        """Its factors in one line."""

    @property
    def hash(self) -> str:
        """A digest of everything that decides which items there are."""

    @property
    def block(self) -> int:
        """The number of items in a block; every prefix of whole blocks is balanced."""


class Item(Protocol):
    """One question, with its world, its truth and its place in the design. Pure data."""

    @property
    def id(self) -> str:
        """Equal exactly when prompt and truth are equal."""

    @property
    def factors(self) -> Mapping[str, Scalar]:
        """The place in the design; every factor becomes a column of the records."""

    @property
    def world(self) -> object:
        """What the prompt says of the world; equal to what `Suite.parse_prompt` finds there."""

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
        id: Equal exactly when prompt and truth are equal.
        prompt: What the agent reads.
        factors: The place in the design.
        truth: The computed answer.
        certificate: The two derivations of the truth.
    """

    id: str
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
    ) -> PlainItem:
        """Return the item of a suite, with the id that follows from prompt and truth."""
        return cls(item_id(suite, prompt, truth), prompt, factors, truth, certificate)

    @property
    def world(self) -> dict[str, Scalar]:
        """What the prompt says of the world: the factors."""
        return dict(self.factors)
