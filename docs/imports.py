"""The import graph of the workspace, read from the sources, and its picture.

Every import counts: at the top of a module, inside a function, and for types only.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from html import escape
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).parents[1]
CORE = "whybench"
FLOW = ("design", "items", "Inspect eval", "logs", "records", "measures", "comparison, page")
"""How data flow, from left to right."""

BOX, HEIGHT, GAP, ROW, MARGIN = 122, 34, 14, 78, 20
INK, PAPER, LINE = "#24292f", "#f3f5f8", "#8a96a3"
FILLS = {CORE: "#e3ecf7", "whybench_papers": "#f7ead9", "inspect_bubblewrap": "#e2f1e4"}


@cache
def list_modules() -> dict[str, Path]:
    """Return every module of the workspace by its full name."""
    found = {}
    for source in (ROOT / "src", *sorted(ROOT.glob("packages/*/src"))):
        for path in sorted(source.rglob("*.py")):
            parts = path.relative_to(source).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def import_graph() -> nx.DiGraph:
    """Return the modules of the workspace, with an edge to each module that one imports."""
    known = list_modules()
    graph = nx.DiGraph()
    graph.add_nodes_from(known)
    for name, path in known.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found: list[str] = []
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                found = [one if one in known else node.module for one in inner]
            graph.add_edges_from((name, one) for one in found if one in known and one != name)
    return graph


def find_cycles() -> list[list[str]]:
    """Return the groups of modules that import each other."""
    components = nx.strongly_connected_components(import_graph())
    return sorted(sorted(found) for found in components if len(found) > 1)


def package_graph() -> nx.DiGraph:
    """Return the packages: those inside the core, and the other distributions as a whole."""
    graph = nx.DiGraph()
    for start, end in import_graph().edges:
        pair = _package(start), _package(end)
        if None not in pair and pair[0] != pair[1]:
            graph.add_edge(*pair)
    graph.add_nodes_from(name for name in FILLS if name != CORE and name in list_modules())
    return graph


def _package(module: str) -> str | None:
    """Return the package of a module; None for modules that are in no package."""
    top, *rest = module.split(".")
    if top != CORE:
        return top if top in FILLS else None
    if not rest or list_modules().get(f"{CORE}.{rest[0]}", Path()).name != "__init__.py":
        return None
    return rest[0]


def draw_architecture() -> bytes:
    """Return the picture: data flow above, packages below, each under those that import it."""
    graph = package_graph()
    if not nx.is_directed_acyclic_graph(graph):
        raise RuntimeError(f"packages must not import each other, got {nx.find_cycle(graph)}")
    shown = nx.transitive_reduction(graph)
    depth = _layers(graph)
    rows: dict[int, list[str]] = defaultdict(list)
    for name in sorted(graph):
        rows[depth[name]].append(name)
    width = MARGIN * 2 + max(len(FLOW), *map(len, rows.values())) * (BOX + GAP) - GAP
    places = {}
    for number, row in sorted(rows.items()):
        start = (width - len(row) * (BOX + GAP) + GAP) / 2
        for column, name in enumerate(row):
            places[name] = (start + column * (BOX + GAP), MARGIN + ROW * (number + 1) + 20)
    height = max(y for _, y in places.values()) + HEIGHT + MARGIN
    start = (width - len(FLOW) * (BOX + GAP) + GAP) / 2
    parts = [
        _box(start + place * (BOX + GAP), MARGIN, name, PAPER) for place, name in enumerate(FLOW)
    ]
    middle = MARGIN + HEIGHT / 2
    parts += [
        _line(start + place * (BOX + GAP) - GAP, middle, start + place * (BOX + GAP), middle)
        for place in range(1, len(FLOW))
    ]
    for one, other in sorted(shown.edges):
        (x, y), (to_x, to_y) = places[one], places[other]
        parts.append(_line(x + BOX / 2, y + HEIGHT, to_x + BOX / 2, to_y))
    for name, (x, y) in sorted(places.items()):
        parts.append(_box(x, y, name, FILLS.get(name, FILLS[CORE])))
    marker = (
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" '
        f'markerHeight="6" orient="auto"><path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker></defs>'
    )
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="sans-serif" font-size="13">'
        f'<rect width="100%" height="100%" fill="#fff"/>{marker}{"".join(parts)}</svg>\n'
    )
    return text.encode()


def _layers(graph: nx.DiGraph) -> dict[str, int]:
    """Return the row of each package: below every package that imports it."""
    depth: dict[str, int] = {}
    for name in nx.topological_sort(graph):
        depth[name] = max((depth[one] + 1 for one in graph.predecessors(name)), default=0)
    last = max(depth.values())
    return {name: depth[name] if graph.degree(name) else last for name in depth}


def _box(x: float, y: float, name: str, fill: str) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{BOX}" height="{HEIGHT}" rx="5" fill="{fill}" '
        f'stroke="{LINE}"/><text x="{x + BOX / 2:g}" y="{y + HEIGHT / 2 + 4.5:g}" '
        f'text-anchor="middle" fill="{INK}">{escape(name)}</text>'
    )


def _line(x: float, y: float, to_x: float, to_y: float) -> str:
    return (
        f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" stroke="{LINE}" '
        'marker-end="url(#tip)"/>'
    )
