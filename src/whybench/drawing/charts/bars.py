"""Shares: a bar for each row, cut into parts, with the share written where there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from whybench.drawing.charts.parts import assemble, layer_of, present, sized_legend, tell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.drawing.charts.parts import Chart

STEP = 20
"""Height of a row in pixels."""
ROOM = 0.065
"""A part that is so long has room for its share."""


class BarPart(NamedTuple):
    """One part of a bar.

    Attributes:
        row: The bar that it belongs to.
        kind: What it is.
        number: How many answers, or episodes, it holds.
        share: Which share of the bar.
        low: Lower end of the share's interval.
        high: Upper end of the share's interval.
    """

    row: str
    kind: str
    number: int
    share: float
    low: float | None = None
    high: float | None = None


def plot_shares(
    parts: Sequence[BarPart],
    rows: Sequence[str],
    inks: Mapping[str, str],
    *,
    across: str,
    beside: Mapping[str, str],
    word: str,
    none: str = "",
) -> Chart:
    """Return bars that are cut into parts.

    Parts stand in the order of their kinds, as in the legend, and are told apart in grey by that
    and by their rims.

    Args:
        parts: The parts, those of a bar from left to right.
        rows: The names of bars, from above.
        inks: The kinds in order, and their colours.
        across: What the axis is called.
        beside: What is written beside each bar.
        word: What is counted.
        none: What is written in the place of a bar without parts.
    """
    data: list[dict[str, Any]] = []
    ends = dict.fromkeys(rows, 0.0)
    for part in parts:
        start, ends[part.row] = ends[part.row], ends[part.row] + part.share
        data.append(
            present(
                r=part.row, s=part.kind, a=start, b=ends[part.row], c=part.number, e=part.share,
                l=part.low, h=part.high,
                w=f"{part.share:.0%}" if part.share >= ROOM else None,
            )
        )  # fmt: skip
    extra = [present(r=row, o=text, b=1.0) for row, text in beside.items()]
    extra += [present(r=row, z=none, b=0.0) for row in rows if not ends[row] and none]
    y = {"field": "r", "type": "nominal", "scale": {"domain": list(rows), "paddingInner": 0.25},
         "axis": {"title": None, "grid": False}}  # fmt: skip
    x = {"type": "quantitative", "scale": {"domain": [0, 1]},
         "axis": {"title": across, "format": ".0%", "tickCount": 4, "grid": False}}  # fmt: skip
    kinds = list(inks)
    colour = {
        "field": "s",
        "type": "nominal",
        "scale": {"domain": kinds, "range": [{"expr": ink} for ink in inks.values()]},
        "legend": {**sized_legend(kinds), "symbolType": "square", "symbolStrokeColor": "grey"},
    }
    letters = {
        "field": "s",
        "type": "nominal",
        "scale": {"domain": kinds, "range": [{"expr": f"on_{ink}"} for ink in inks.values()]},
        "legend": None,
    }
    told = {"r": "agent", "s": "kind", "e": "estimate", "c": word}
    if any("l" in datum for datum in data):
        told["i"] = "95% interval"
    middle = {"calculate": "(datum.a + datum.b) / 2", "as": "m"}
    share = layer_of("w", "text", "written", {"y": y, "x": {**x, "field": "m"},
                     "text": {"field": "w"}, "color": letters})  # fmt: skip
    share["transform"].append(middle)
    share["mark"]["align"] = "center"
    at_end = {"y": y, "x": {**x, "field": "b"}}
    layers = [
        layer_of("s", "bar", "part", {"y": y, "x": {**x, "field": "a"}, "x2": {"field": "b"},
                                      "fill": colour}, tell(**told)),
        share,
        *(layer_of(field, "text", "written", {**at_end, "text": {"field": field}})
          for field in ("o", "z") if any(field in datum for datum in extra)),
    ]  # fmt: skip
    for layer in layers[2:]:
        layer["mark"] |= {"align": "left", "dx": 6}
    return assemble([*extra, *data], [""], layers, height={"step": STEP}, columns=1, note="")
