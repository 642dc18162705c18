"""A panel for each agent, in rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.drawing.canvas import even_grid, sheet
from whybench.drawing.names import distinct_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["agent_panels"]

AROUND = 20
"""Room for keys and the names of axes, in mm."""


def agent_panels(
    labels: Sequence[Mapping[str, str]], most: int, height: float, up: str
) -> tuple[Figure, list[Axes]]:
    """Return a figure with a titled panel for each agent, all on the same scales.

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
        axes.set_title(name)
        # The panel below may be missing, and then its ticks are too.
        axes.tick_params(labelbottom=place + columns >= len(labels))
        if place % columns == 0:
            axes.set_ylabel(up)
    for axes in every[len(labels) :]:
        axes.set_axis_off()
    return figure, list(every[: len(labels)])
