"""Shapes of diagrams: a text that isomorphic diagrams share, and no others."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING

from whybench.suites.intervene.world import InterveneWorld

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.suites.intervene.links.diagram import Diagram


def describe_shape(diagram: Diagram) -> str:
    """Return a text that two diagrams share exactly if one is the other with renamed entities.

    Of solid links, only the reachability counts, because no action can show more.
    """
    entities = range(diagram.n)
    reaches = InterveneWorld(diagram.n, diagram.solid).reaches
    dotted = set(diagram.dotted)
    kinds = [
        [
            "0123"[reaches[u][w] + 2 * ((u, w) in dotted)]
            if u != w
            else "45"[diagram.initial >> u & 1]
            for w in entities
        ]
        for u in entities
    ]
    colors = _refine(kinds)
    classes = [[v for v in entities if colors[v] == color] for color in sorted(set(colors))]
    listings = product(*map(permutations, classes))
    return min(_write(kinds, [v for part in parts for v in part]) for parts in listings)


def _refine(kinds: Sequence[Sequence[str]]) -> list[int]:
    """Return a color for each entity, which no renaming changes."""
    entities = range(len(kinds))
    colors = [int(kinds[v][v]) for v in entities]
    while True:
        seen = [
            (colors[u], sorted((kinds[u][w], kinds[w][u], colors[w]) for w in entities))
            for u in entities
        ]
        known = sorted({repr(one): one for one in seen}.values())
        finer = [known.index(one) for one in seen]
        if len(set(finer)) == len(set(colors)):
            return finer
        colors = finer


def _write(kinds: Sequence[Sequence[str]], listing: Sequence[int]) -> str:
    return "".join(kinds[u][w] for u in listing for w in listing)
