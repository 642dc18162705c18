"""What conditions are called in a figure of judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["condition_name"]


def condition_name(labels: Mapping[str, str]) -> str:
    r"""Name a condition without its style, on one or two lines.

    >>> condition_name({"graph": "collider", "content": "story", "overload": "e",
    ...                 "overload_source": "filler"})
    'story +e\n(filler)'
    """
    name = labels["content"]
    if labels["graph"] != "collider":
        name = f"{labels['graph']}, {name}"
    if labels["overload"] == "none":
        return name
    source = {"story": "other story", "filler": "filler"}.get(
        labels["overload_source"], labels["overload_source"]
    )
    return f"{name} +{labels['overload']}\n({source})"
