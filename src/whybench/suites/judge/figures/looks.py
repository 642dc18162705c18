"""How judge's styles of reply and providers look, and what its measures are called."""

from __future__ import annotations

from whybench.drawing.style import PEOPLE, Look, read_table

__all__ = ["TASKS", "look", "measure_name", "style_name"]

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
