"""All figures of a run, from its records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.drawing.canvas import save
from whybench.drawing.names import file_name
from whybench.drawing.panels import pages
from whybench.suites.compose.chain import Chain
from whybench.suites.compose.figures.by_length import error_by_length, has_length
from whybench.suites.compose.figures.cut_tree import MOST_BLOCKS, cut_trees
from whybench.suites.compose.figures.plane import class_plane
from whybench.suites.compose.figures.results import Classified, CutTree, PairEffect
from whybench.suites.compose.groups import CONDITION, groups_of
from whybench.suites.compose.measures import compose_measures, composed
from whybench.suites.compose.tables import pairs_table
from whybench.suites.compose.worlds import shape_of
from whybench.suites.groups import WHOSE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    from matplotlib.figure import Figure

__all__ = ["compose_figures", "trees_of"]

MOST_TREES = 6
"""So many agents have their trees in one figure; those of more go into further ones."""

World = tuple[str, str, int]
"""Shape, gates, and number in the series of both."""


def compose_figures(folder: Path | str, records: pa.Table) -> Iterator[Path]:
    """Compute and write the figures of a run, and yield each file as soon as it is there.

    For each design there are the plane of validity and consistency, the errors by number of
    mediators where there are several numbers, and the cut trees of the first world of each shape
    and kind of gates.

    Args:
        folder: Where to; it is made if need be.
        records: Records of compose.
    """
    for name, figure in _figures(records):
        yield from save(figure, folder, name)


def trees_of(records: pa.Table) -> dict[World, list[CutTree]]:
    """Return the cut trees of every world, one for each agent and condition."""
    found: dict[World, dict[tuple[str, ...], list[dict[str, Any]]]] = {}
    for row in pairs_table(records).to_pylist():
        whose = tuple(row[label] for label in (*WHOSE, *CONDITION))
        world = (row["kinds"], row["gates"], row["draw"])
        found.setdefault(world, {}).setdefault(whose, []).append(row)
    return {
        world: [_tree(world, rows) for rows in by_agent.values()]
        for world, by_agent in found.items()
    }


def _tree(world: World, rows: Sequence[dict[str, Any]]) -> CutTree:
    labels = {label: rows[0][label] for label in (*WHOSE, *CONDITION)}
    columns = ("cause", "effect", "true", "pns", "pns_low", "pns_high")
    effects = (PairEffect(*(row[column] for column in columns)) for row in rows)
    return CutTree(labels, Chain(shape_of(world[0])), tuple(effects))


def _figures(records: pa.Table) -> Iterator[tuple[str, Figure]]:
    designs = records["design"].to_pylist()
    for design in dict.fromkeys(designs):
        mine = records.filter([name == design for name in designs])
        name = file_name(design)
        agents = [
            Classified(group.labels, tuple(found for _, found in composed(group)))
            for group in groups_of(mine)
        ]
        if any(agent.compositions for agent in agents):
            yield f"plane-{name}", class_plane(agents)
        errors = [measure for measure in compose_measures(mine) if has_length(measure)]
        if len({measure.name for measure in errors if "mediators" in measure.name}) > 1:
            yield f"by-mediators-{name}", error_by_length(errors)
        yield from _trees(name, mine)


def _trees(design: str, records: pa.Table) -> Iterator[tuple[str, Figure]]:
    shown: set[tuple[str, str]] = set()
    for (kinds, gates, draw), trees in trees_of(records).items():
        if (kinds, gates) in shown or len(shape_of(kinds)) > MOST_BLOCKS:
            continue
        shown.add((kinds, gates))
        title = f"{kinds}, gates {gates}, world {draw}"
        name = f"cut-tree-{design}-{kinds.replace('+', '-')}-{gates}"
        for page, together in pages(trees, MOST_TREES):
            yield "-".join([name, *page]), cut_trees(together, title)
