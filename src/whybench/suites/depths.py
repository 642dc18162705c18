"""Designs and items of suites whose questions have a depth.

Each world is drawn for one depth, and asked about by each query. `horizon` has the measures.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from whybench.errors import UserError
from whybench.seeds import item_digest
from whybench.suites.designs import Crossing, Manipulated, name_item

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import numpy as np

    from whybench.scm import Certificate
    from whybench.suites.items import Scalar

DesignT = TypeVar("DesignT", bound="DepthDesign")
ItemT = TypeVar("ItemT", bound="DepthItem")

STYLES = ("cot", "direct")
SIZES = ("growing", "equal")
"""Whether deeper questions have larger worlds."""

LABELS = tuple(
    f"{letter}{digit}" for letter in "ABCDEFGHJKLMNPQRSTUVWXYZ" for digit in range(2, 10)
)
"""The names of parts of a world."""


class Naming(NamedTuple):
    """The name of each part of a world, and the order in which the prompt lists them."""

    names: tuple[str, ...]
    order: tuple[int, ...]


def draw_naming(rng: np.random.Generator, size: int) -> Naming:
    """Draw names and an order, neither of which depends on which part affects which."""
    names = rng.choice(len(LABELS), size, replace=False)
    return Naming(tuple(LABELS[number] for number in names), tuple(rng.permutation(size).tolist()))


class DepthDesign(Crossing):
    """Depths crossed with other factors, asked about a number of worlds.

    A subclass is a dataclass that declares the attributes as fields.

    Attributes:
        deepest: The largest depth.
        depth: The depths.
        worlds: The number of worlds of each depth.
        most: The largest number of questions of each horizon, which are placed by the answers so
            far; 0 to ask all.
        split: The side of the train/test divide.
    """

    deepest: ClassVar[int]
    depth: tuple[int, ...]
    worlds: int
    most: int
    split: str

    manipulated: ClassVar[dict[str, Manipulated]] = {"style": Manipulated()}

    def __post_init__(self) -> None:
        super().__post_init__()
        for depth in self.depth:
            if not 1 <= depth <= self.deepest:
                raise UserError(f"depth must be from 1 to {self.deepest}, got {depth}")
        if self.worlds < 1:
            raise UserError(f"worlds must be 1 or more, got {self.worlds}")
        if self.most < 0:
            raise UserError(f"most must be 0 or more, got {self.most}")

    @property
    def block(self) -> int:
        """The number of items in a block: the whole crossing, about a world of each depth."""
        return super().size

    @property
    def size(self) -> int:
        """The number of items."""
        return self.block * self.worlds

    @property
    def summary(self) -> str:
        """The factors in one line."""
        adaptive = f", of which at most {self.most} are asked for each horizon" if self.most else ""
        return (
            f"{self.size} items{adaptive}: {self.worlds} worlds of each depth; {super().summary}; "
            f"{self.split}"
        )


MOST = "Most questions of each horizon, placed by the answers so far; 0 asks all."
"""The meaning of the factor `most`."""


class DepthItem(ABC):
    """One question about a drawn world.

    A subclass is a dataclass that declares the first two attributes as fields.

    Attributes:
        factors: The place in the design.
        certificate: The answer by two derivations.
        suite: The suite's name.
        case_factors: The factors that name the case.
    """

    factors: dict[str, Scalar]
    certificate: Certificate
    suite: ClassVar[str]
    case_factors: ClassVar[tuple[str, ...]]

    @abstractmethod
    def render(self) -> str:
        """Return the prompt."""

    @property
    @abstractmethod
    def truth(self) -> Scalar:
        """The ground truth."""

    @property
    def style(self) -> str:
        """The form of the reply."""
        return str(self.factors["style"])

    @cached_property
    def prompt(self) -> str:
        """The words in which it is asked."""
        return self.render()

    @cached_property
    def digest(self) -> str:
        """Equal exactly when prompt and ground truth are equal."""
        return item_digest(self.suite, self.prompt, self.truth)

    @property
    def case(self) -> str:
        """The depth, the query and the world."""
        return "-".join(str(self.factors[name]) for name in self.case_factors)

    @cached_property
    def id(self) -> str:
        """Case, condition and digits."""
        manipulated = DepthDesign.manipulated
        return name_item(self.digest, self.case, self.factors, manipulated, generated=True)


def make_items(
    design: DesignT, make_item: Callable[[DesignT, Mapping[str, Any], int], ItemT]
) -> Iterator[ItemT]:
    """Yield the items of a design, block after block.

    Args:
        design: The design.
        make_item: Returns the item of a design, a cell and the number of a world.
    """
    for draw in range(design.worlds):
        for cell in design.cells():
            yield make_item(design, cell, draw)
