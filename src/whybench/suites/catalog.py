"""The items of a design as a sequence that is made as far as somebody looks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from whybench.frames import Frame, rows_to_arrow
from whybench.suites import registry
from whybench.suites.contract import Item, UserError
from whybench.suites.shards import WHOLE, take_shard

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

__all__ = ["Items", "items"]


class Items(Sequence[Item], Frame):
    """The items of a design, in the order in which they are asked.

    Items are made when they are looked at and kept: `items[0]` of an endless design is there at
    once. `len` and a data frame need them all.

    Attributes:
        suite: The suite.
        design: The design whose items these are.
    """

    def __init__(self, suite: AnySuite, design: Design, shard: str = WHOLE) -> None:
        self.suite, self.design = suite, design
        made: Any = suite.items(design)
        if shard != WHOLE:
            made = take_shard(list(made), shard, suite.grouping)
        self._coming: Iterator[Item] = iter(made)
        self._made: list[Item] = []

    def __len__(self) -> int:
        return len(self._reach(None))

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | list[Item]:
        """Return an item by its place from 0, or several."""
        if isinstance(index, slice):
            from_start = index.stop is not None and index.stop >= 0 and (index.start or 0) >= 0
            return self._reach(index.stop if from_start else None)[index]
        if not isinstance(index, int):
            raise TypeError(f"an item's place must be a whole number, got {index!r}; see `find`")
        made = self._reach(index + 1 if index >= 0 else None)
        if not -len(made) <= index < len(made):
            raise IndexError(f"an item's place must be from 0 to {len(made) - 1}, got {index}")
        return made[index]

    def __iter__(self) -> Iterator[Item]:
        place = 0
        while len(self._reach(place + 1)) > place:
            yield self._made[place]
            place += 1

    def __repr__(self) -> str:
        return f"<Items of {self.suite.name}, design {self.design.name}>"

    def find(self, which: str) -> Item:
        """Return an item by its id, or by its number from 1."""
        number = int(which) - 1 if which.isdigit() else None
        count = 0
        for count, item in enumerate(self, start=1):
            if item.id == which or count - 1 == number:
                return item
        raise UserError(
            f"`which` must be an id or a number from 1 to {count} in the design "
            f"{self.design.name}, got {which!r}; `whybench items {self.suite.name}` lists them"
        )

    def row(self, item: Item) -> dict[str, Any]:
        """Return an item as one flat row: id, factors, truth and prompt."""
        return {
            "item": item.id,
            "suite": self.suite.name,
            "version": self.suite.version,
            **item.factors,
            "truth": item.truth,
            "prompt": self.suite.render(item),
        }

    def prompt(self, index: int) -> str:
        """Return the prompt of the item at a place from 0, as an agent sees it."""
        return self.suite.render(self[index])

    def to_arrow(self) -> pa.Table:
        """Return one row for each item."""
        return rows_to_arrow([self.row(item) for item in self])

    def _reach(self, count: int | None) -> list[Item]:
        """Return all items so far, at least so many of them if there are; None for all."""
        missing = None if count is None else max(0, count - len(self._made))
        self._made.extend(islice(self._coming, missing))
        return self._made


def items(suite: str, design: str | None = None, *, shard: str = WHOLE, **factors: Any) -> Items:
    """Return the items of a design, made as far as somebody looks.

    Args:
        suite: The suite's name.
        design: A named design or a YAML file; the suite's first if there is none.
        shard: `i/n`, the i-th of n equal parts of the design.
        **factors: Levels in place of the design's, such as `style="cot"`.

    >>> questions = items("judge", style="cot")
    >>> questions[0].id == questions.find("1").id
    True
    """
    one = registry.get_suite(suite)
    return Items(one, one.make_design(one.settings(design, **factors)), shard)
