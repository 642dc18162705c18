"""A plane: points in two dimensions, with intervals both ways, a panel for each agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from whybench.drawing.charts.parts import (
    NUMBER,
    assemble,
    colour_of,
    layer_of,
    present,
    tell,
    to_note,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.drawing.charts.parts import Chart
    from whybench.drawing.style import Look

Ends = tuple[float | None, float | None]
"""The ends of an interval."""


class Spot(NamedTuple):
    """A point of the plane.

    Attributes:
        x: Where it stands across.
        y: Where it stands up.
        panel: Its panel.
        series: What it is drawn like.
        name: What it is.
        across: The ends of its interval across.
        up: The ends of its interval upwards.
        few: Whether it is open.
        label: What is written beside it.
        left: Whether that is on its left.
        moved: Where it is drawn, if it would cover another; for all points of a chart or none.
    """

    x: float
    y: float
    panel: str = ""
    series: str = ""
    name: str = ""
    across: Ends = (None, None)
    up: Ends = (None, None)
    few: bool = False
    label: str = ""
    left: bool = False
    moved: tuple[float, float] | None = None


class Segment(NamedTuple):
    """A straight line of a plane, in one panel or, if none is named, in all; a role styles it."""

    start: tuple[float, float]
    end: tuple[float, float]
    style: str = "guide-line"
    panel: str | None = None


class Writing(NamedTuple):
    """Words in all panels of a plane, at a point."""

    at: tuple[float, float]
    text: str
    align: str = "left"
    baseline: str = "middle"


def plot_plane(
    spots: Sequence[Spot],
    panels: Sequence[str],
    looks: Mapping[str, Look],
    *,
    across: str,
    up: str,
    ends: tuple[Sequence[float], Sequence[float]],
    ticks: tuple[Sequence[float] | None, Sequence[float] | None] = (None, None),
    segments: Sequence[Segment] = (),
    bands: Sequence[tuple[str, float, float]] = (),
    writings: Sequence[Writing] = (),
    words: tuple[str, str, str] = ("agent", "what", "kind"),
    note: Sequence[str] = (),
    columns: int = 3,
    height: int = 180,
) -> Chart:
    """Return points in the plane of two numbers.

    Args:
        spots: The points.
        panels: The names of panels.
        looks: How series look, in order.
        across: What the axis below is called.
        up: What the axis on the left is called.
        ends: The ends of both axes.
        ticks: Where both axes have numbers; where Vega puts them if not stated.
        segments: Lines.
        bands: Bands across (`x`) or up (`y`), from and to.
        writings: Words in all panels.
        words: What panels, points and series are called in words.
        note: What marks mean that no legend has.
        columns: The most panels in a row.
        height: Height of a panel in pixels, where it is not made as wide.
    """
    data = [_datum(spot) for spot in spots]
    met = {field for datum in data for field in datum}
    axes: list[dict[str, Any]] = []
    for place, title in enumerate((across, up)):
        listed = ticks[place]
        values = {"tickCount": 5} if listed is None else {"values": list(listed)}
        alone = place == 1 or [*panels] == [""]
        axis = {"title": title if alone else None, "grid": False, "format": NUMBER, **values}
        scale = {"domain": list(ends[place]), "nice": False, "zero": False}
        axes.append({"type": "quantitative", "scale": scale, "axis": axis})
    x, y = axes
    told = {name: word for name, word in zip("pvs", words, strict=True) if name in met}
    said = tell(**told, **{way: title.split(":")[0] for way, title in (("x", across), ("y", up))})
    layers: list[dict[str, Any]] = []
    for way, low, high in bands:
        field = {way: {**(x if way == "x" else y), "field": "a"}, f"{way}2": {"field": "b"}}
        layers.append(_fixed([{"a": low, "b": high}], layer_of("a", "rect", "guide-band", field)))
    own = {"x": {**x, "field": "x0"}, "y": {**y, "field": "y0"}, "x2": {"field": "x1"},
           "y2": {"field": "y1"}}  # fmt: skip
    for style in dict.fromkeys(segment.style for segment in segments):
        mine = [segment for segment in segments if segment.style == style]
        everywhere = [_line(segment) for segment in mine if segment.panel is None]
        if everywhere:
            layers.append(_fixed(everywhere, _cut(layer_of("x0", "rule", style, own))))
        here = [{**_line(segment), "p": segment.panel, "k": style} for segment in mine
                if segment.panel is not None]  # fmt: skip
        if here:
            data += here
            rule = layer_of("x0", "rule", style, own)
            rule["transform"] = [{"filter": f"datum.k == '{style}'"}]
            layers.append(_cut(rule))
    for writing in writings:
        at = {"x": {**x, "field": "x"}, "y": {**y, "field": "y"}, "text": {"field": "t"}}
        layer = layer_of("x", "text", "written", at)
        layer["mark"] |= {"align": writing.align, "baseline": writing.baseline}
        layers.append(_fixed([{"x": writing.at[0], "y": writing.at[1], "t": writing.text}], layer))
    moved = "px" in met
    placed = {
        "x": {**x, "field": "px" if moved else "x"},
        "y": {**y, "field": "py" if moved else "y"},
    }
    series = colour_of(looks)
    for way in ("x", "y"):
        if f"{way}l" in met:
            reach = {way: {**placed[way], "field": f"{way}l"}, f"{way}2": {"field": f"{way}h"}}
            at = {**placed, **reach, **series}
            layers.append(layer_of(f"{way}l", "rule", "thin-interval", at))
    point = layer_of("x", "point", "estimate", {**placed, **colour_of(looks, points=True)}, said)
    layers.append(point)
    if "t" in met:
        label = layer_of("t", "text", "written", {**placed, "text": {"field": "t"}})
        label["mark"] |= {
            "align": {"expr": "datum.tl ? 'right' : 'left'"},
            "dx": {"expr": "datum.tl ? -6 : 6"},
        }
        layers.append(label)
    chart = assemble(
        data, panels, layers, height=height, columns=columns, note=to_note(*note), across=across
    )
    chart["usermeta"]["square"] = True
    return chart


def _datum(spot: Spot) -> dict[str, Any]:
    return present(
        p=spot.panel, s=spot.series, v=spot.name, x=float(spot.x), y=float(spot.y),
        xl=spot.across[0], xh=spot.across[1], yl=spot.up[0], yh=spot.up[1],
        f=1 if spot.few else None, t=spot.label, tl=1 if spot.label and spot.left else None,
        px=spot.moved and float(spot.moved[0]), py=spot.moved and float(spot.moved[1]),
    )  # fmt: skip


def _line(segment: Segment) -> dict[str, Any]:
    (x0, y0), (x1, y1) = segment.start, segment.end
    return present(x0=x0, y0=y0, x1=x1, y1=y1)


def _cut(layer: dict[str, Any]) -> dict[str, Any]:
    """Return a layer of which nothing is drawn outside the plane."""
    return {**layer, "mark": {**layer["mark"], "clip": True}}


def _fixed(values: list[dict[str, Any]], layer: dict[str, Any]) -> dict[str, Any]:
    """Return a layer with data of its own, which stand in every panel."""
    return {**layer, "data": {"values": values}}
