"""Answers of reference agents, two for each suite, on small designs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from whybench.records.table import record_table
from whybench.suites.calibration import simulate_rows
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    import pyarrow as pa

DESIGNS: dict[str, dict[str, object]] = {
    "judge": {"design": "core"},
    "intervene": {"design": "core"},
    "compose": {"design": "core", "kinds": "cycle3+cycle3", "worlds": 4, "units": 8},
    "analyze": {"design": "core", "challenge": ["simpson", "selection"], "seeds": 2},
}
AGENTS: dict[str, tuple[tuple[str, dict[str, Any]], ...]] = {
    "judge": (("noisy-or", {"noise": 0.3}), ("associative", {"noise": 0.3})),
    "intervene": (("random-then-guess", {}), ("single-cause", {})),
    "compose": (("always-yes", {}), ("exact", {})),
    "analyze": (("naive", {}), ("competent", {})),
}


@cache
def answers(name: str, side: int, seed: int = 0) -> pa.Table:
    """Return the records of a suite's first or second agent."""
    asked = get_suite(name)
    design = asked.make_design(DESIGNS[name])
    agent, settings = AGENTS[name][side]
    rows = simulate_rows(
        asked,
        design,
        list(asked.items(design)),
        asked.agent(agent),
        {**settings, "seed": seed},
        agent,
        {},
    )
    return record_table(list(rows), asked.record_columns)
