"""A question: one world, one unit of it, what is asked, and how it is told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, get_args

from whybench.suites.compose.world import COUNTS, World

if TYPE_CHECKING:
    from whybench.suites.compose.themes import Theme

__all__ = ["Question", "Style"]

Style = Literal["direct", "step-by-step", "worked-example"]
"""How the reply is asked for; the last shows an example first."""


@dataclass(frozen=True)
class Question:
    """Does a node hold, or would it hold if another one were made to hold or kept from it?

    Attributes:
        world: The rules.
        counts: The unit: the count of every node, from 1 to 10.
        names: What every node is called, from the names of the theme.
        theme: In which words it is told.
        order: The nodes in the order in which they are listed. Drawn by chance, so that the order
            gives nothing away.
        effect: The node that is asked about.
        intervention: The node that is set from outside, and to what; None for a factual question.
        style: How the reply is asked for.
        details: Sentences without bearing that stand among the rules.
        example: Which worked example is shown, in the style that has one.

    Raises:
        ValueError: The parts do not fit the world.
    """

    world: World
    counts: tuple[int, ...]
    names: tuple[str, ...]
    theme: Theme
    order: tuple[int, ...]
    effect: int
    intervention: tuple[int, bool] | None = None
    style: Style = "direct"
    details: tuple[str, ...] = ()
    example: int = 0

    def __post_init__(self) -> None:
        size = self.world.size
        if len(self.counts) != size or min(self.counts) < 1 or max(self.counts) > COUNTS:
            raise ValueError(f"counts must be {size} numbers from 1 to {COUNTS}, got {self.counts}")
        if len(self.names) != size or len(set(self.names)) != size:
            raise ValueError(f"names must be {size} different ones, got {self.names}")
        if sorted(self.order) != list(range(size)):
            raise ValueError(f"order must hold each of {size} nodes once, got {self.order}")
        asked = (self.effect,) if self.intervention is None else (self.effect, self.intervention[0])
        if min(asked) < 0 or max(asked) >= size or len(set(asked)) < len(asked):
            raise ValueError(
                f"effect and intervention must be about different nodes below {size}, "
                f"got {self.effect} and {self.intervention}"
            )
        if self.style not in get_args(Style):
            raise ValueError(
                f"style must be one of {', '.join(get_args(Style))}, got {self.style!r}"
            )

    @property
    def plain(self) -> Question:
        """The question without what has no bearing: details, and which example is shown.

        It is what a reader can rebuild from the prompt.
        """
        return replace(self, details=(), example=0)
