"""The expected information of actions in bits, by listing all orders of up to five entities."""

from __future__ import annotations

from functools import lru_cache

from whybench.suites.intervene.experimenters import Inquiry, Intervention, expect_bits
from whybench.suites.intervene.steps import replay_path
from whybench.suites.intervene.world import InterveneWorld

CACHED = 65536


def _read_case(n: int, graph: str, moving: str, asked: str) -> tuple[InterveneWorld, Inquiry]:
    """Return the world and the question that the columns of a record describe."""
    pairs = [tuple(map(int, pair.split(">"))) for pair in (asked, *graph.split())]
    (x, y), *edges = pairs
    world = InterveneWorld(n, tuple((cause, effect) for cause, effect in edges))
    return world, Inquiry(n, x, y, frozenset(map(int, moving.split())))


@lru_cache(maxsize=CACHED)
def count_bits(n: int, graph: str, moving: str, asked: str, path: str) -> tuple[float, float]:
    """Return the bits that a path was to tell of the answer, and those of the best in its place.

    Args:
        n: How many entities there are, at most five.
        graph: The hidden edges, as in records.
        moving: Those that move at first.
        asked: Cause and effect in question.
        path: What was done: `hold 2; move 0`.
    """
    world, inquiry = _read_case(n, graph, moving, asked)
    told = best = 0.0
    for seen in replay_path(world, inquiry.initial, path):
        bits = expect_bits(inquiry)
        # To move what moves, or to hold what rests, tells nothing.
        changes = (seen.entity in seen.before) == (seen.action == "hold")
        told += bits[seen.entity] if changes else 0.0
        best += max(bits)
        inquiry = inquiry.then(Intervention(seen.action, seen.entity), seen.after)
    return told, best
