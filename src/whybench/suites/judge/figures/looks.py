"""How judge's styles of reply and providers look, and what its measures are called.

What conditions are called in a figure of judge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.drawing.style import PEOPLE, Look, read_table

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    if "overload_source" not in labels:  # sources of distracting text are pooled
        return f"{name} +{labels['overload']}{stated}"
    source = {"story": "other story", "filler": "filler"}.get(
        labels["overload_source"], labels["overload_source"]
    )
    return f"{name} +{labels['overload']}\n({source}){stated}"
