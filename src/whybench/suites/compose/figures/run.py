"""All figures of a run, from its records.

What the figures of compose are drawn from: plain results, whoever computed them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from whybench.drawing.figure import Figure, figures_by_design
from whybench.drawing.grids import pages
from whybench.drawing.style import read_table
from whybench.frames import rows_of
from whybench.suites.compose.chain import Chain
from whybench.suites.compose.figures.by_length import error_by_length, has_length
from whybench.suites.compose.figures.cut_tree import MOST_BLOCKS, CutTree, PairEffect, cut_trees
from whybench.suites.compose.figures.plane import Classified, class_plane
from whybench.suites.compose.groups import CONDITION, compose_groups, group_by_world
from whybench.suites.compose.measures import compose_measures
from whybench.suites.compose.tables import list_compositions, pairs_table
from whybench.suites.compose.units import parse_shape
from whybench.suites.groups import GROUP_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa


CAPTIONS: Mapping[str, str] = read_table(__package__, "style.yaml")["captions"]
"""What one sees in each kind of figure and what that means."""
MOST_TREES = 6
"""So many agents have their trees in one figure; those of more go into further ones."""

ComposeWorld = tuple[str, str, int]
"""Shape, gates, and number in the series of both."""


def compose_figures(records: pa.Table) -> Iterator[Figure]:
    """Yield the figures of a run.

    For each design there are the plane of validity and consistency, the errors by number of
    mediators where there are several numbers, and the cut trees of the first world of each shape
    and kind of gates.

    Args:
        records: Records of compose.
    """
    return figures_by_design(records, _figures)


def trees_of(records: pa.Table) -> dict[ComposeWorld, list[CutTree]]:
    """Return the cut trees of every world, one for each agent and condition."""
    found: dict[ComposeWorld, dict[tuple[str, ...], list[dict[str, Any]]]] = {}
    for row in pairs_table(records).to_pylist():
        whose = tuple(row[label] for label in (*GROUP_KEYS, *CONDITION))
        world = (row["kinds"], row["gates"], row["draw"])
        found.setdefault(world, {}).setdefault(whose, []).append(row)
    return {
        world: [_tree(world, rows) for rows in by_agent.values()]
        for world, by_agent in found.items()
    }


def _tree(world: ComposeWorld, rows: Sequence[dict[str, Any]]) -> CutTree:
    labels = {label: rows[0][label] for label in (*GROUP_KEYS, *CONDITION)}
    columns = ("cause", "effect", "true", "pns", "pns_low", "pns_high")
    effects = (PairEffect(*(row[column] for column in columns)) for row in rows)
    return CutTree(labels, Chain(parse_shape(world[0])), tuple(effects))


def _figures(design: str, records: pa.Table) -> Iterator[Figure]:
    agents = [
        Classified(group.labels, tuple(found for _, found in list_compositions(worlds)))
        for group in compose_groups(records)
        for worlds in (group_by_world(group),)
    ]
    if any(agent.compositions for agent in agents):
        draw = partial(class_plane, agents)
        yield Figure(f"plane-{design}", draw, rows_of(agents), caption=CAPTIONS["plane"])
    errors = [measure for measure in compose_measures(records) if has_length(measure)]
    if len({measure.key for measure in errors if "mediators" in measure.at}) > 1:
        draw = partial(error_by_length, errors)
        yield Figure(f"by-mediators-{design}", draw, rows_of(errors), caption=CAPTIONS["length"])
    yield from _trees(design, records)


def _trees(design: str, records: pa.Table) -> Iterator[Figure]:
    shown: set[tuple[str, str]] = set()
    for (kinds, gates, draw), trees in trees_of(records).items():
        if (kinds, gates) in shown or len(parse_shape(kinds)) > MOST_BLOCKS:
            continue
        shown.add((kinds, gates))
        title = f"{kinds}, gates {gates}, world {draw}"
        name = f"cut-tree-{design}-{kinds.replace('+', '-')}-{gates}"
        for page, together in pages(trees, MOST_TREES):
            drawn = partial(cut_trees, together, title)
            yield Figure("-".join([name, *page]), drawn, caption=CAPTIONS["cut_tree"])
