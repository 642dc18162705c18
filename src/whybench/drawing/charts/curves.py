"""Fitted curves: shares over a logarithmic axis, with the value at which each curve is half-way.

A panel has the points and curves of one agent. Below 0 there is a row for each series with the
mark of its threshold, the value at which its curve is half-way between guessing and 1. The names
of levels and rows are on the left axis, so that nothing is written among points.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from whybench.drawing.charts.parts import (
    assemble,
    colour_of,
    layer_of,
    present,
    tell,
    to_note,
)
from whybench.drawing.grids import even_grid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.drawing.charts.parts import Chart, ShownEstimate
    from whybench.drawing.style import Look

HEIGHT = 190
"""Height of a panel in pixels."""
ROW = 0.15
"""Height of a row below 0, in shares."""
TOP = 1.04
"""The upper end of the left axis."""
MARGIN = 1.3
"""The ends of the logarithmic axis are this factor beyond the first and last values."""
BEYOND = 1.12
"""A mark of a threshold beyond the values is this factor beyond the first or last one."""
ASIDE = 1.04
"""Series are this factor left and right of their value, so that they do not hide each other."""
LEAST_ROOM = 2.5
"""The text of an interval that leaves less of the axis on both sides is above it."""
SPARSE, DENSE = 1.9, 1.3
"""The least ratio of two numbers next to each other on the axis in narrow and in wide panels."""
LEAST_GAP = 0.09
"""If guessing is nearer to 0 than this, the axis names only guessing."""

SIDES = {"at": "diamond", "above": "triangle-right", "below": "triangle-left"}
"""The marks of thresholds among the values, above the last one and below the first one."""


class FittedCurve(NamedTuple):
    """A curve.

    Attributes:
        panel: Its panel.
        series: The series that it belongs to.
        points: Places on the axis with the value and the ends of its interval.
    """

    panel: str
    series: str
    points: Sequence[tuple[float, float, float, float]]


class Threshold(NamedTuple):
    """The place on the axis at which a curve is half-way.

    Attributes:
        shown: The estimate with its panel and series; `level` is its text.
        side: `at` its value, or `above` the last or `below` the first value of the axis.
    """

    shown: ShownEstimate
    side: str = "at"


def plot_curves(
    shown: Sequence[ShownEstimate],
    curves: Sequence[FittedCurve],
    thresholds: Sequence[Threshold],
    panels: Sequence[str],
    looks: Mapping[str, tuple[Look, str]],
    *,
    guess: float,
    across: str,
    columns: int = 4,
) -> Chart:
    """Return shares over a logarithmic axis with fitted curves, a panel for each agent.

    A series with dashes has open points, and no band.

    Args:
        shown: The shares, each `at` a value of the axis.
        curves: The curves.
        thresholds: Where curves are half-way.
        panels: The names of panels, in order.
        looks: The look of each series, in order, and the name of the row of its thresholds.
        guess: The share of right answers by guessing.
        across: The name of the axis below.
        columns: The most panels in a row.
    """
    places = sorted({one.at or 1.0 for one in shown})
    ends = places[0], places[-1]
    order = list(looks)
    rows = {name: -ROW * (place + 1) for place, name in enumerate(order)}
    data = [
        *(_point(one, order.index(one.series) - (len(order) - 1) / 2) for one in shown),
        *(
            present(p=curve.panel, s=curve.series, cx=x, c=value, cl=low, ch=high)
            for curve in curves
            for x, value, low, high in curve.points
        ),
        *(_mark(one, ends, rows[one.shown.series]) for one in thresholds),
    ]
    halfway = (1 + guess) / 2
    narrow = even_grid(len(panels), columns)[1] > 2
    x = _bottom_axis(places, SPARSE if narrow else DENSE, across if [*panels] == [""] else None)
    y = _left_axis(guess, halfway, {look[1]: rows[name] for name, look in looks.items()})
    styles = {name: look for name, (look, _) in looks.items()}
    lines, points = (_stack_legend(colour_of(styles, points=points)) for points in (False, True))
    points = _fill_points(points, styles)
    depth = {"x": {**x, "field": "x"}}
    reach = {**depth, "y": {**y, "field": "l"}, "y2": {"field": "h"}, **lines}
    told = tell(p="agent", s="cause", v=across, e="estimate", i="95% interval", n="answers")
    point = layer_of(
        "x", "point", "curve-point", {**depth, "y": {**y, "field": "e"}, **points}, told
    )
    layers = [
        *_curve_layers(x, y, styles, lines),
        layer_of("x", "rule", "curve-interval", reach),
        point,
        *_threshold_layers(x, y, halfway, ends, lines, points),
    ]
    note = to_note(
        "thin lines and bars: 95% intervals",
        "band: that of the solid curve" if not all(look.dashes for look in styles.values()) else "",
        "triangle: beyond the depths asked" if any(one.side != "at" for one in thresholds) else "",
    )
    return assemble(data, panels, layers, height=HEIGHT, columns=columns, note=note, across=across)


def _bottom_axis(places: Sequence[float], ratio: float, title: str | None) -> dict[str, Any]:
    """Return the logarithmic axis: a tick at each place, and numbers that are a ratio apart."""
    is_numbered = f"indexof({json.dumps(thin(places, ratio))}, datum.value) >= 0"
    return {
        "type": "quantitative",
        "scale": {
            "type": "log", "base": 2, "nice": False,
            "domain": [places[0] / MARGIN, places[-1] * MARGIN],
        },
        "axis": {
            "title": title, "values": list(places), "grid": False, "labelOverlap": "greedy",
            "labelExpr": f"{is_numbered} ? format(datum.value, '~g') : ''",
        },
    }  # fmt: skip


def thin(places: Sequence[float], ratio: float) -> list[float]:
    """Return the ends and, from above, the places between that are at least a ratio apart.

    >>> thin([1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48], 1.9)
    [1, 3, 6, 12, 24, 48]
    """
    first, *_ = places
    kept = [places[-1]]
    for place in reversed(places[:-1]):
        if place == first or (place * ratio <= kept[-1] and place >= first * ratio):
            kept.append(place)
    return sorted(kept)


def _point(one: ShownEstimate, aside: float) -> dict[str, Any]:
    """Return the datum of a share, a little to the side of its place; open marks are a series."""
    datum = one._replace(at=(one.at or 1.0) * ASIDE ** (2 * aside)).datum()
    return {name: value for name, value in datum.items() if name != "f"}


def _mark(one: Threshold, ends: tuple[float, float], row: float) -> dict[str, Any]:
    """Return the datum of a threshold: its mark, its interval, and the place of its text."""
    found = one.shown.found
    value = found.estimate or ends[0]
    low, high = (value if end is None else end for end in (found.low, found.high))
    if one.side != "at":
        value = low = high = ends[0] / BEYOND if one.side == "below" else ends[1] * BEYOND
    inner = {"l": low, "h": high} if one.side == "at" else {}
    left, right = low / ends[0], ends[1] / high
    if one.side == "at" and max(left, right) < LEAST_ROOM:
        farther = low if value / low > high / value else high
        text, align = (value * farther) ** 0.5, "center"
    else:
        text, align = (low, "right") if left > right else (high, "left")
    return present(
        p=one.shown.panel, s=one.shown.series, e=found.estimate, w=one.shown.level, k=one.side,
        zx=value, zy=row, tx=text, ta=align, n=found.n, **inner,
    )  # fmt: skip


def _left_axis(guess: float, halfway: float, rows: Mapping[str, float]) -> dict[str, Any]:
    """Return the left axis, on which levels and rows have names; levels are dashed lines."""
    labels = {
        1.0: "1", halfway: f"half-way {halfway:.2f}", guess: f"guessing {guess:.3g}",
        **({0.0: "0"} if guess > LEAST_GAP else {}),
        **{at: name for name, at in rows.items()},
    }  # fmt: skip
    words = json.dumps({str(round(1e4 * at)): name for at, name in labels.items()})
    between = "datum.value > 0 && datum.value < 1"
    return {
        "type": "quantitative",
        "scale": {"domain": [-ROW * (len(rows) + 0.6), TOP], "nice": False, "zero": False},
        "axis": {
            "title": "share of correct answers", "values": list(labels), "labelOverlap": False,
            "labelExpr": f"{words}[toString(round(1e4 * datum.value))]", "domain": False,
            "ticks": False,
            "gridDash": {"condition": {"test": between, "value": [3, 2]}, "value": [1, 0]},
            "gridOpacity": {"condition": {"test": "datum.value < 0 || datum.value == 1",
                                          "value": 0}, "value": 1},
        },
    }  # fmt: skip


def _curve_layers(
    x: dict[str, Any], y: dict[str, Any], styles: Mapping[str, Look], lines: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the curves, with a band where they are solid.

    They are a layer each, since dashes that were encoded would be those of points in the legend.
    """
    across = {"x": {**x, "field": "cx"}}
    for name, look in styles.items():
        line = layer_of("c", "line", "curve", {**across, "y": {**y, "field": "c"}, **lines})
        band = {"y": {**y, "field": "cl"}, "y2": {"field": "ch"}}
        ink = {"fill": {"value": {"expr": look.ink}}}
        own = [layer_of("cl", "area", "curve-band", {**across, **band, **ink}), line]
        if look.dashes:
            line["mark"]["strokeDash"] = list(look.dashes)
            own = [line]
        for layer in own:
            layer["transform"].append({"filter": f"datum.s == {json.dumps(name)}"})
            yield layer


def _stack_legend(encodings: dict[str, Any]) -> dict[str, Any]:
    """Return the encodings of series with one name in each line of the legend, for narrow pages."""
    return {
        channel: {**one, "legend": {"columns": 1}} if "legend" in one else one
        for channel, one in encodings.items()
    }


def _fill_points(points: dict[str, Any], styles: Mapping[str, Look]) -> dict[str, Any]:
    """Return the encodings of points that are open in series with dashes."""
    inks = [{"expr": "white" if look.dashes else look.ink} for look in styles.values()]
    if len(styles) == 1:
        return {**points, "fill": {"value": inks[0]}}
    fill = {name: value for name, value in points["fill"].items() if name != "condition"}
    return {**points, "fill": {**fill, "scale": {"domain": list(styles), "range": inks}}}


def _threshold_layers(
    x: dict[str, Any],
    y: dict[str, Any],
    halfway: float,
    ends: tuple[float, float],
    lines: dict[str, Any],
    points: dict[str, Any],
) -> list[dict[str, Any]]:
    """Return the rows of thresholds, and lines down to them from the half-way level."""
    row = {"y": {**y, "field": "zy"}}
    at = {**row, "x": {**x, "field": "zx"}}
    drop = layer_of("zx", "rule", "drop-line", {**at, "y2": {"datum": halfway}, **lines})
    reach = {**row, "x": {**x, "field": "l"}, "x2": {"field": "h"}}
    bar = layer_of("zx", "rule", "interval", {**reach, **lines})
    told = tell(p="agent", s="cause", w="horizon", e="estimate", i="95% interval")
    marks = []
    for side, shape in SIDES.items():
        mark = layer_of(
            "zx", "point", "estimate", {**at, **points, "shape": {"value": shape}}, told
        )
        mark["transform"].append({"filter": f"datum.k == '{side}'"})
        marks.append(mark)
    bar["transform"].append({"filter": "datum.k == 'at'"})
    # A value at an end may lie beyond it, so the curve isn't half-way there.
    drop["transform"].append({"filter": f"{ends[0]} < datum.zx && datum.zx < {ends[1]}"})
    written = {**row, "x": {**x, "field": "tx"}, "text": {"field": "w"}}
    text = layer_of("zx", "text", "written", written)
    text["mark"] |= {
        "align": {"expr": "datum.ta"},
        "dx": {"expr": "{right: -7, left: 7, center: 0}[datum.ta]"},
        "dy": {"expr": "datum.ta == 'center' ? -8 : 0"},
    }
    return [drop, bar, *marks, text]
