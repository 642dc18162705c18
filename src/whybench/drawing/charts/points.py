"""Points with intervals: a row for each agent, a panel for each measure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.drawing.charts.parts import (
    AGENTS,
    EDGE,
    assemble,
    colour_of,
    embolden,
    explain,
    layer_of,
    layers_of_intervals,
    named,
    room_of,
    tell,
    to_note,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.drawing.charts.parts import Chart, Guide, ShownEstimate
    from whybench.drawing.style import Look

STEP = 16
"""Height of a row in pixels."""
BESIDE = 4
"""What each further series adds to it, where several have a point in one row."""


def plot_points(
    shown: Sequence[ShownEstimate],
    rows: Sequence[str],
    panels: Sequence[str],
    *,
    looks: Mapping[str, Look] | None = None,
    guides: Mapping[str, Guide] | None = None,
    heads: Sequence[str] = (),
    columns: int = 4,
    across: str = "",
    words: tuple[str, str, str] = ("agent", "measure", "series"),
    ends: tuple[float, float] | None = None,
) -> Chart:
    """Return estimates with intervals, in rows and panels.

    Axes go from 0 to 1 where all estimates lie between, and each panel has its own unless all go by
    `ends`.

    Args:
        shown: What is to be seen.
        rows: The names of rows, from above.
        panels: The names of panels.
        looks: How series look, in order; agents as one series if not stated.
        guides: By panel, a value for comparison.
        heads: Rows on a band of their own, in bold.
        columns: The most panels in a row.
        across: What the axis is called.
        words: What rows, panels and series are called in words.
        ends: The ends of all axes.
    """
    looks = looks or {"": AGENTS[0]}
    guides = guides or {}
    data = [one.datum() for one in shown]
    told = named(data, **dict(zip("rps", words, strict=True)))
    note = to_note(*explain(data, guides.values()))
    axis = {"title": across if [*panels] == [""] else None, "tickCount": 4}
    scale = {"nice": False, "padding": EDGE} | ({"domain": list(ends)} if ends else {})
    x = {"type": "quantitative", "axis": axis, "scale": scale}
    names: dict[str, Any] = {"title": None, **embolden(heads)}
    y = {"field": "r", "type": "nominal", "scale": {"domain": list(rows)}, "axis": names}
    side = [series for series in looks if series]
    offset: dict[str, Any] = {}
    height: dict[str, Any] = {"step": STEP}
    if len(side) > 1 and _share_rows(shown):
        height = {"step": STEP + BESIDE * (len(side) - 1), "for": "position"}
        offset = {"yOffset": {"field": "s", "scale": {"domain": side, "paddingOuter": 0.3}}}
    extra: list[dict[str, Any]] = [
        guides[panel].datum(panel) for panel in panels if panel in guides
    ]
    if not ends:
        extra += [room_of(panel, shown, guides.get(panel)) for panel in panels]
    room = layer_of("d0", "rule", "room", {"x": {**x, "field": "d0"}, "x2": {"field": "d1"}})
    layers = [] if ends else [room]
    if heads:
        band = layer_of("hd", "rect", "guide-band", {"y": {**y, "field": "hd"}})
        layers.append({**band, "data": {"values": [{"hd": row} for row in heads]}})
    for guide in list(guides.values())[:1]:
        said = tell(gn="what", g="estimate")
        layers += [
            layer_of("a", "rect", f"{guide.style}-band", {"x": {**x, "field": "a"},
                                                         "x2": {"field": "b"}}),
            layer_of("g", "rule", f"{guide.style}-line", {"x": {**x, "field": "g"}}, said),
        ]  # fmt: skip
    placed = {"y": y, **offset}
    layers += layers_of_intervals(data, "x", x, placed, colour_of(looks))
    layers.append(
        layer_of("e", "point", "estimate",
               {**placed, "x": {**x, "field": "e"}, **colour_of(looks, points=True)}, tell(**told))
    )  # fmt: skip
    if any("e" not in datum for datum in data):
        at = {**placed, "x": {**x, "datum": 0}, "text": {"value": "×"}}
        cross = layer_of("r", "text", "no-estimate", at, tell(**told))
        cross["transform"] = [{"filter": "isValid(datum.r) && !isValid(datum.e)"}]
        layers.append(cross)
    return assemble(
        [*extra, *data], panels, layers, height=height, columns=columns, note=note,
        across=across, independent="" if ends else "x",
    )  # fmt: skip


def _share_rows(shown: Sequence[ShownEstimate]) -> bool:
    """Say whether several series have a point in one row of a panel."""
    places = [(one.panel, one.row) for one in shown]
    return len(set(places)) < len(places)
