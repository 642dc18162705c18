"""The figures of scale: sweeps that are killed, servers that fail, tables that are large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evidence import costs, faults, speed, sweeps, tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evidence.figures import Figure

__all__ = ["PARTS", "figures"]

PARTS: dict[str, Callable[[bool], Iterator[Figure]]] = {
    **sweeps.PARTS,
    **faults.PARTS,
    **tables.PARTS,
    **costs.PARTS,
    **{name: part for name, part in speed.PARTS.items() if name.startswith(("engine", "cores"))},
}


def figures(small: bool = False, only: str = "") -> Iterator[Figure]:
    """Yield the figures of the parts whose name contains `only`."""
    for name, part in PARTS.items():
        if only in name:
            yield from part(small)
