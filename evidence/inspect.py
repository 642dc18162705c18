"""The figures of WhyBench in Inspect: ids and rows, any agent, the linter and the register."""

from __future__ import annotations

from functools import partial

from evidence import foreign_agents, inspect_rows, listing
from evidence.figures import Parts, figures_of

PARTS: Parts = {**inspect_rows.PARTS, **foreign_agents.PARTS, **listing.PARTS}

figures = partial(figures_of, PARTS)
