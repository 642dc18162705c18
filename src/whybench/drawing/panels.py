"""A panel for each agent, in rows; and pages, where there are too many for one figure."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, TypeVar

from whybench.drawing.canvas import even_grid, sheet
from whybench.drawing.names import distinct_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["agent_panels", "pages"]

Thing = TypeVar("Thing")

LINE = 80
"""So many letters of a title have room across a figure beside the names of its axes."""
AROUND = 20
"""Room for keys and the names of axes, in mm."""


def agent_panels(
    labels: Sequence[Mapping[str, str]], most: int, height: float, up: str = ""
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a titled panel for each agent, all on the same scales.

    Names that are too long for a panel go on below.

    Args:
        labels: The agents and their conditions, in order.
        most: How many panels a row may have.
        height: Height of a row in mm.
        up: What the first panel of each row has written along its side.
    """
    rows, columns = even_grid(len(labels), most)
    figure = sheet(height * rows + AROUND)
    every = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    for place, (axes, name) in enumerate(zip(every, distinct_names(labels), strict=False)):
        axes.set_title(fill(name, int(LINE / columns)))
        # The panel below may be missing, and then its ticks are too.
        axes.tick_params(labelbottom=place + columns >= len(labels))
        if place % columns == 0:
            axes.set_ylabel(up)
    for axes in every[len(labels) :]:
        axes.set_axis_off()
    return figure, list(every[: len(labels)])


def pages(things: Sequence[Thing], most: int) -> Iterator[tuple[tuple[str, ...], Sequence[Thing]]]:
    """Yield so many things as one figure holds, each with the page's number if there are several.

    >>> list(pages("abc", 2))
    [(('1',), 'ab'), (('2',), 'c')]
    >>> list(pages("abc", 3))
    [((), 'abc')]
    """
    for place, start in enumerate(range(0, len(things), most)):
        yield (str(place + 1),) if len(things) > most else (), things[start : start + most]
