"""Lines over a level: a panel for each agent, or for each measure, points with intervals."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from whybench.drawing.charts.parts import (
    EDGE,
    assemble,
    colour_of,
    explain,
    layer_of,
    layers_of_intervals,
    named,
    present,
    room_of,
    tell,
    to_note,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.drawing.charts.parts import Chart, Guide, ShownEstimate
    from whybench.drawing.style import Look

HEIGHT = 140
"""Height of a panel in pixels."""
APART = 0.1
"""How far neighbours stand apart at one level, as a share of the least distance of levels."""


def plot_lines(
    shown: Sequence[ShownEstimate],
    panels: Sequence[str],
    looks: Mapping[str, Look],
    levels: Mapping[float, str],
    *,
    across: str,
    up: str = "",
    ends: tuple[float, float] | None = None,
    guides: Sequence[Guide] = (),
    curve: tuple[str, Mapping[float, float]] | None = None,
    columns: int = 4,
    words: tuple[str, str, str] = ("agent", "measure", "level"),
) -> Chart:
    """Return estimates over levels, joined by lines, in panels.

    Args:
        shown: What is to be seen, each `at` one of the levels.
        panels: The names of panels, in order.
        looks: How series look, in order.
        levels: Where levels stand, and what they are called.
        across: What the levels are levels of.
        up: What the axis of estimates is called, if it is not the only series.
        ends: The ends of the axis in all panels, at which what lies beyond is drawn; each panel has
            its own if not stated.
        guides: Values for comparison, in all panels.
        curve: A name and values for comparison at levels, in all panels, drawn as a dashed line.
        columns: The most panels in a row.
        words: What panels, series and levels are called in words.
    """
    places = sorted(levels)
    step = min((two - one for one, two in pairwise(places)), default=1.0)
    data = [_beside(one, list(looks), step) for one in shown]
    told = named(data, **dict(zip("psv", words, strict=True)))
    margin = 0.4 * step
    x: dict[str, Any] = {
        "type": "quantitative",
        "scale": {"domain": [places[0] - margin, places[-1] + margin], "nice": False},
        "axis": {
            "title": across if [*panels] == [""] else None, "values": places, "grid": False,
            "labelExpr": f"{json.dumps({f'{at:g}': name for at, name in levels.items()})}"
            "[format(datum.value, '~g')]",
        },
    }  # fmt: skip
    title = up or (next(iter(looks)) if len(looks) == 1 else "estimate")
    scale: dict[str, Any] = {"nice": False, "padding": EDGE}
    y = {"type": "quantitative", "axis": {"title": title, "tickCount": 4}, "scale": scale}
    if ends:
        scale |= {"domain": list(ends), "clamp": True}
    extra: list[dict[str, Any]] = [guide.datum(panel) for guide in guides for panel in panels]
    layers: list[dict[str, Any]] = []
    if not ends:
        extra += [room_of(panel, shown) for panel in panels]
        layers.append(layer_of("d0", "rule", "room", {"y": {**y, "field": "d0"},
                                                      "y2": {"field": "d1"}}))  # fmt: skip
    for guide in guides[:1]:
        said = tell(gn="what", g="estimate")
        layers.append(
            layer_of("g", "rule", f"{guide.style}-line", {"y": {**y, "field": "g"}}, said)
        )
    if curve:
        name, values = curve
        extra += [
            present(p=panel, c=value, x=float(at), gn=name)
            for panel in panels
            for at, value in values.items()
        ]
        at = {"x": {**x, "field": "x"}, "y": {**y, "field": "c"}}
        layers.append(layer_of("c", "line", "people-curve", at))
    series = colour_of(looks)
    placed = {"x": {**x, "field": "x"}}
    for name, look in looks.items():
        # A layer each, since dashes that were encoded would be those of points in the legend too.
        at = {**placed, "y": {**y, "field": "e"}, **series}
        line = layer_of("e", "line", "curve", at)
        if len(looks) > 1:
            line["transform"].append({"filter": f"datum.s == {json.dumps(name)}"})
        if look.dashes:
            line["mark"]["strokeDash"] = list(look.dashes)
        layers.append(line)
    layers += layers_of_intervals(data, "y", y, placed, series)
    at = {**placed, "y": {**y, "field": "e"}, **colour_of(looks, points=True)}
    layers.append(layer_of("e", "point", "estimate", at, tell(**told)))
    note = to_note(*explain(data, guides, rows=False), f"long dashes: {curve[0]}" if curve else "")
    return assemble(
        [*extra, *data], panels, layers, height=HEIGHT, columns=columns, note=note, across=across,
        independent="" if ends else "y",
    )  # fmt: skip


def _beside(one: ShownEstimate, order: Sequence[str], step: float) -> dict[str, Any]:
    """Return a datum a little beside its level, so that series do not hide each other."""
    aside = APART * step * (order.index(one.series) - (len(order) - 1) / 2)
    return one._replace(at=(one.at or 0.0) + aside).datum()
