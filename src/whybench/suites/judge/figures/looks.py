"""How judge's styles of reply and providers look, and what its measures are called.

What conditions are called in a figure of judge.

The axis of a measure: R² is stretched towards 1, and others show where 0 is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from whybench.drawing.labels import squared_axis
from whybench.drawing.style import PEOPLE, Look, colour, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

__all__ = [
    "SQUARED",
    "TASKS",
    "condition_name",
    "look",
    "measure_axis",
    "measure_name",
    "style_name",
]


_STYLE = read_table(__package__, "style.yaml")

TASKS: dict[str, dict[str, list[str]]] = _STYLE["tasks"]
"""By graph, the tasks that belong together, under the name of the group."""


def look(table: str, key: str) -> Look:
    """Return the look of a style of reply, of a provider, or of people."""
    return PEOPLE if table == "people" else Look.of(_STYLE[table][key])


def measure_name(name: str) -> str:
    """Return what an axis calls a measure."""
    return str(_STYLE["measures"].get(name, name))


def style_name(style: str) -> str:
    """Return a style of reply in words."""
    return str(_STYLE["styles"][style]["name"])


def condition_name(labels: Mapping[str, str]) -> str:
    r"""Name a condition without its style, on one to three lines.

    >>> condition_name({"graph": "collider", "content": "story", "overload": "e",
    ...                 "overload_source": "filler"})
    'story +e\n(filler)'
    """
    name = labels["content"]
    if labels["graph"] != "collider":
        name = f"{labels['graph']}, {name}"
    stated = ",\nindependence stated" if labels.get("independence") == "stated" else ""
    if labels["overload"] == "none":
        return f"{name}{stated}"
    source = {"story": "other story", "filler": "filler"}.get(
        labels["overload_source"], labels["overload_source"]
    )
    return f"{name} +{labels['overload']}\n({source}){stated}"


SQUARED = ("consistency", "class_consistency")
"""The measures that are R²."""
MARGIN = 0.06
TICKS = 4
"""About so many names have room on a horizontal axis."""


def measure_axis(
    axes: Axes,
    name: str,
    values: Sequence[float],
    which: Literal["x", "y"] = "y",
    until: float = 1.0,
) -> None:
    """Give an axis the scale of a measure, wide enough for these values.

    Args:
        axes: Whose axis.
        name: The measure.
        values: What is to be seen.
        which: Which of the two axes.
        until: How far across the axes the line at 0 goes, as a share.
    """
    if name in SQUARED:
        squared_axis(axes, values, which)
        return
    low, high = min([0.0, *values]), max([0.0, *values])
    margin = MARGIN * (high - low or 1)
    limit, line = (axes.set_ylim, axes.axhline) if which == "y" else (axes.set_xlim, axes.axvline)
    limit(low - margin, high + margin)
    if which == "x":
        axes.locator_params(axis="x", nbins=TICKS)
    line(0, 0, until, color=colour("grey"), linewidth=0.5, linestyle=":", zorder=0)
