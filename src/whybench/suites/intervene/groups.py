"""Records by agent and condition: what a measure is computed on.

The sampled unit of a random world is the hidden graph: what is asked of it, and how often, is not
sampled anew. The core set is complete and has four graphs only; there each case, a graph with a
first state and a question, is a unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.suites.groups import Group, grouped

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

__all__ = ["CONDITION", "groups_of"]

CONDITION = ("worlds", "theme", "style", "interface", "split")
"""The columns that make up a condition; measures are computed within one."""

WORDS = (
    "outcome",
    "reason",
    "structure",
    "initial",
    "relation",
    "graph",
    "moving",
    "asked",
    "verdict",
    "pattern",
    "evidence",
)
NUMBERS = ("value", "truth", "n", "steps", "reasks")

GRAPH = ("n", "graph")
CASE = (*GRAPH, "moving", "asked")


def groups_of(records: pa.Table) -> list[Group]:
    """Return the groups of intervene records, in order of appearance."""
    return grouped(records, CONDITION, WORDS, NUMBERS, _sampled)


def _sampled(labels: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    return ("case", CASE) if labels["worlds"] == "core" else ("hidden graph", GRAPH)
