"""What all charts are made of: data, looks of series, tooltips, panels, notes."""

from __future__ import annotations

import json
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

from whybench.drawing.grids import even_grid
from whybench.drawing.style import SERIES
from whybench.stats import SMALL_N

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.drawing.style import Look
    from whybench.stats import Estimate, Measure

Chart = dict[str, Any]
"""A specification of Vega-Lite."""

DIGITS = 5
"""Decimals of the numbers in a chart."""
NUMBER = ".3~f"
WIDTH = 150
"""Pixels of a panel, where nobody says otherwise."""
EDGE = 6
"""Pixels beyond the ends of an axis: a mark that overhangs would push the title of its panel."""
LETTERS = 100
"""So many letters of titles or legends have room across a figure."""
AGENTS = SERIES[1:]
"""The looks of agents; black is for people."""


class ShownEstimate(NamedTuple):
    """One estimate as a chart shows it.

    Attributes:
        found: The estimate, with its intervals.
        row: Whose it is, or which row it stands in.
        panel: Its panel.
        series: What it is drawn like.
        at: Where it stands, if its place is a number.
        level: That place in words.
    """

    found: Estimate | Measure
    row: str = ""
    panel: str = ""
    series: str = ""
    at: float | None = None
    level: str = ""

    def datum(self) -> dict[str, Any]:
        """Return what a chart needs of it, without what is not there."""
        found = self.found
        return present(
            p=self.panel, r=self.row, s=self.series, v=self.level, x=self.at, e=found.estimate,
            l=found.low, h=found.high, gl=found.general_low, gh=found.general_high, n=found.n,
            f=1 if "small_n" in found.flags else None,
        )  # fmt: skip


class Guide(NamedTuple):
    """A value for comparison: a line, and a band if it has an interval.

    Attributes:
        name: What it is.
        estimate: The value.
        low: Lower end of its interval.
        high: Upper end of its interval.
        people: Whether it is people's.
    """

    name: str
    estimate: float
    low: float | None = None
    high: float | None = None
    people: bool = False

    def datum(self, panel: str) -> dict[str, Any]:
        """Return what a chart needs of it."""
        return present(p=panel, g=self.estimate, gn=self.name, a=self.low, b=self.high)

    @property
    def style(self) -> str:
        """Whose line and band it is."""
        return "people" if self.people else "guide"


def present(**fields: Any) -> dict[str, Any]:
    """Return a datum of what is there, its numbers rounded."""
    return {
        name: round(value, DIGITS) if isinstance(value, float) else value
        for name, value in fields.items()
        if value is not None and value != ""
    }


def span(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the ends of an axis: from 0 to 1 where all lie between, and with 0 in sight.

    >>> span([0.2, None, 0.7]), span([-0.5, 2.0])
    ((0.0, 1.0), (-0.5, 2.0))
    """
    known = [value for value in values if value is not None] or [0.0]
    low, high = min(known), max(known)
    return (0.0, 1.0) if low >= 0 and high <= 1 else (min(0.0, low), max(0.0, high))


def span_of(found: Iterable[Estimate | Measure], guide: Guide | None = None) -> tuple[float, float]:
    """Return the ends of an axis that has room for estimates and their intervals."""
    ends = [e for m in found for e in (m.estimate, m.low, m.high, m.general_low, m.general_high)]
    return span([*ends, *((guide.estimate, guide.low, guide.high) if guide else ())])


def room_of(
    panel: str, shown: Iterable[ShownEstimate], guide: Guide | None = None
) -> dict[str, Any]:
    """Return the datum that makes the axis of a panel long enough."""
    low, high = span_of((one.found for one in shown if one.panel == panel), guide)
    return present(p=panel, d0=low, d1=high)


INTERVALS = [
    {
        "calculate": f"isValid(datum.{low}) ? format(datum.{low}, '{NUMBER}') + ' to ' + "
        f"format(datum.{high}, '{NUMBER}') : 'none'",
        "as": name,
    }
    for name, low, high in (("i", "l", "h"), ("gi", "gl", "gh"))
]
"""Intervals in words: `i` of the first, `gi` of the second."""

FORMATS = dict.fromkeys("egxy", NUMBER)


def tell(**titles: str) -> dict[str, Any]:
    """Return the parts of a mark and of its encoding that tell its datum.

    Args:
        **titles: By field, what it is called; fields that no datum has are left out.
    """
    tooltip = [
        {"field": field, "title": title, "type": "nominal"}
        | ({"type": "quantitative", "format": FORMATS[field]} if field in FORMATS else {})
        for field, title in titles.items()
    ]
    words = [
        json.dumps(f"{'; ' if place else ''}{title}: ") + " + " + _said(field)
        for place, (field, title) in enumerate(titles.items())
    ]
    return {"tooltip": tooltip, "description": {"expr": " + ".join(words)}}


def _said(field: str) -> str:
    if field in FORMATS:
        return f"(isValid(datum.{field}) ? format(datum.{field}, '{FORMATS[field]}') : 'none')"
    return f"replace(datum.{field}, '\\n', ', ')"


def named(values: Sequence[Mapping[str, Any]], **titles: str) -> dict[str, str]:
    """Return the titles of those fields that some datum has, and of its estimate and intervals."""
    met = {field for datum in values for field in datum}
    known = {field: title for field, title in titles.items() if field in met}
    known |= {"e": "estimate", "i": "95% interval"}
    if "gl" in met:
        known["gi"] = "for others like these"
    return known | ({"n": "answers"} if "n" in met else {})


def colour_of(looks: Mapping[str, Look], *, points: bool = False) -> dict[str, Any]:
    """Return the encodings of series: their colour, and the shape of their points.

    Args:
        looks: The looks of series, in order.
        points: Whether it is for points, which are open where they rest on few answers.
    """
    names = list(looks)
    is_open = {"test": "datum.f", "value": {"expr": "white"}}
    if len(names) == 1:
        (look,) = looks.values()
        ink = {"value": {"expr": look.ink}}
        shaped = {"fill": {"condition": is_open, **ink}, "shape": {"value": look.shape}}
        return {"stroke": ink, **(shaped if points else {})}
    legend = sized_legend(names)
    inks = {"domain": names, "range": [{"expr": look.ink} for look in looks.values()]}
    colour = {"field": "s", "type": "nominal", "scale": inks, "legend": legend}
    if not points:
        return {"stroke": colour}
    shapes = {"domain": names, "range": [look.shape for look in looks.values()]}
    return {
        "stroke": colour,
        "fill": {**colour, "condition": is_open},
        "shape": {**colour, "scale": shapes},
    }


def embolden(rows: Sequence[str]) -> dict[str, Any]:
    """Return the part of an axis by which the names of some rows are bold."""
    if not rows:
        return {}
    bold = {"test": f"indexof({json.dumps([*rows])}, datum.value) >= 0", "value": "bold"}
    return {"labelFontWeight": {"condition": bold, "value": "normal"}}


def sized_legend(names: Sequence[str]) -> dict[str, Any]:
    """Return a legend in as many columns as have room across a figure."""
    widest = max(map(len, names)) + 4
    room = max(1, int(1.1 * LETTERS // widest))
    return {} if len(names) <= room else {"columns": room}


def explain(
    data: Sequence[Mapping[str, Any]], guides: Iterable[Guide] = (), *, rows: bool = True
) -> list[str]:
    """Return in words what marks mean that no legend has."""
    met = {field for datum in data for field in datum}
    said = ["bar: 95% interval"] if "l" in met else []
    said += ["light bar: interval for others like these"] if "gl" in met else []
    said += [f"open: fewer than {SMALL_N} answers"] if "f" in met else []
    if rows and any("r" in datum and "e" not in datum for datum in data):
        said.append("cross: no estimate")
    for guide in dict.fromkeys((g.name, g.people, g.low is not None) for g in guides):
        name, people, band = guide
        line = "line" if people else "dashed line"
        said.append(f"{line}{' with band' if band else ''}: {name}")
    return said


def to_note(*said: str) -> str:
    """Return a note of what there is to say.

    >>> to_note("bar: 95% interval", "open: few answers")
    'Bar: 95% interval; open: few answers.'
    """
    words = "; ".join(filter(None, said))
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def layer_of(
    field: str,
    mark: str,
    style: str,
    encoding: Mapping[str, Any],
    told: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a layer of the data that have a field."""
    told = told or {"tooltip": None, "description": None}
    tooltip = {"tooltip": told["tooltip"]} if told["tooltip"] else {}
    described = {"description": told["description"]} if told["description"] else {"aria": False}
    return {
        "transform": [{"filter": f"isValid(datum.{field})"}],
        "mark": {"type": mark, "style": style, **described},
        "encoding": {**encoding, **tooltip},
    }


def layers_of_intervals(
    data: Sequence[Mapping[str, Any]],
    axis: str,
    channel: Mapping[str, Any],
    placed: Mapping[str, Any],
    series: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Return the bars of intervals along an axis, `x` or `y`: those for others like these first.

    Args:
        data: What is drawn.
        axis: The axis of estimates.
        channel: How that axis is.
        placed: Where a bar stands on the other one.
        series: How bars look.
    """
    return [
        layer_of(
            low,
            "rule",
            style,
            {**placed, axis: {**channel, "field": low}, f"{axis}2": {"field": high}, **series},
        )
        for low, high, style in (("gl", "gh", "general-interval"), ("l", "h", "interval"))
        if any(low in datum for datum in data)
    ]


def assemble(
    data: Sequence[Mapping[str, Any]],
    panels: Sequence[str],
    layers: Sequence[Mapping[str, Any]],
    *,
    height: Any,
    columns: int,
    note: str,
    across: str = "",
    independent: str = "",
) -> Chart:
    """Return the chart of some layers: a panel for each name, or one where the only name is empty.

    Args:
        data: Everything that is shown.
        panels: The names of panels, in order.
        layers: What is drawn in each.
        height: Height of a panel.
        columns: The most panels in a row.
        note: What marks mean that no legend has.
        across: What the axis below the panels is called.
        independent: The axis, `x` or `y`, that each panel has for itself.
    """
    inside = {"height": height, "layer": list(layers)}
    met = {datum.get("p") for datum in data}
    empty = [{"p": panel} for panel in panels if panel and panel not in met]
    chart: Chart = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": [*data, *empty]},
        "transform": INTERVALS,
    }
    if [*panels] == [""]:
        chart |= {"width": 3 * WIDTH, **inside, "usermeta": {"columns": 1, "note": note}}
        return chart
    beside = even_grid(len(panels), columns)[1]
    letters = max(12, LETTERS // beside)
    header = {
        "title": None,
        "labelExpr": _wrapped(panels, letters),
    }
    chart |= {
        "facet": {"field": "p", "type": "nominal", "sort": list(panels), "header": header},
        "columns": beside,
        "spacing": {"row": 14, "column": 14},
        "spec": {"width": WIDTH, **inside},
        "usermeta": {"columns": beside, "note": note},
    }
    if across:
        chart["title"] = {"text": across, "orient": "bottom", "anchor": "middle"}
    # Below the last row a panel may be missing, and then its axis were too.
    chart["resolve"] = {"axis": {"x": "independent"}} if len(panels) > beside else {}
    if independent:
        chart["resolve"]["scale"] = {independent: "independent"}
    return chart


def _wrapped(panels: Sequence[str], letters: int) -> str:
    """Return the expression of a panel's title, in lines where it is long."""
    long = {name: _lines(name, letters) for name in panels}
    cases = {name: lines for name, lines in long.items() if lines != name}
    # The name is put in as an expression, hence the brackets.
    return f"{json.dumps(cases)}[datum.label] || (datum.label)" if cases else "datum.label"


def _lines(title: str, letters: int) -> str | list[str]:
    """Return a title of one line, or of several, with the levels in a line of their own."""
    lines = [part for line in title.split("\n") for part in fill(line, letters).split("\n")]
    return title if len(lines) == 1 else lines
