"""The figures of scale: workers that are killed, servers that fail, tables that are large."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evidence import broken_replies, costs, speed, tables, workers
from evidence.figures import figures_of

if TYPE_CHECKING:
    from evidence.figures import Parts

PARTS: Parts = {
    **workers.PARTS,
    **broken_replies.PARTS,
    **tables.PARTS,
    **costs.PARTS,
    **{name: part for name, part in speed.PARTS.items() if name.startswith(("engine", "cores"))},
}

figures = partial(figures_of, PARTS)
