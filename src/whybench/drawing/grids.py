"""How many panels stand in a row, and how many things in one figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Thing = TypeVar("Thing")


def even_grid(count: int, most: int) -> tuple[int, int]:
    """Return rows and columns for so many panels, at most so many in a row, rows nearly alike.

    >>> even_grid(5, 4)
    (2, 3)
    """
    rows = -(-count // most)
    return rows, -(-count // rows)


def pages(things: Sequence[Thing], most: int) -> Iterator[tuple[tuple[str, ...], Sequence[Thing]]]:
    """Yield so many things as one figure holds, each with the page's number if there are several.

    >>> list(pages("abc", 2))
    [(('1',), 'ab'), (('2',), 'c')]
    >>> list(pages("abc", 3))
    [((), 'abc')]
    """
    for place, start in enumerate(range(0, len(things), most)):
        yield (str(place + 1),) if len(things) > most else (), things[start : start + most]
