"""How charts look: colours by name and styles by role, on paper and on a page.

A chart names no colour and no width. Its colours are parameters of the theme (`blue`, `pale`;
`white` is whatever it is drawn on, `on_blue` what is written on blue), its marks have styles that
the theme describes. So one specification is drawn on paper, on a light page and on a dark one.

The roles are `estimate` (a point), `interval`, `general-interval` (for others like what was seen),
`thin-interval` (of a point in a plane), `curve` (a line through points), `curve-band` (its
interval), `curve-point` and `curve-interval` (small, for many points near a curve), `drop-line`
(from a curve to a value on its axis), `no-estimate`, `guide-line` and `guide-band` (what could be
reached), `people-line` and `people-band`, `part` (of a bar), `tile` (of a map), `written` (words
among marks), and `room` (nothing to be seen: it makes an axis long enough).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.drawing.style import COLOURS, FAMILY, PAGE_COLOURS, SIZE, SMALL

if TYPE_CHECKING:
    from collections.abc import Mapping

PIXELS = 96 / 25.4
"""Pixels of a chart in a millimetre of paper."""
POINT = 96 / 72
"""Pixels of a chart in a point."""

LETTERS = {"on_light": "#000000", "on_dark": "#FFFFFF"}
"""What is written on light and on dark ground."""
PAGE_FAMILY = "system-ui, Segoe UI, Roboto, Helvetica Neue, Arial, sans-serif"
PAGE_SIZE, PAGE_SMALL = 13, 12
"""Sizes of type on a page, in pixels."""


def theme(*, dark: bool = False, paper: bool = False) -> dict[str, Any]:
    """Return the configuration that Vega draws our charts by.

    Args:
        dark: Whether it is for a dark page.
        paper: Whether it is for paper, where dark is nothing.
    """
    page = {} if paper else PAGE_COLOURS["dark" if dark else "light"]
    inks = {**COLOURS, **page}
    size, small = (SIZE * POINT, SMALL * POINT) if paper else (PAGE_SIZE, PAGE_SMALL)
    ink, soft, pale = inks["black"], inks["grey"], inks["pale"]
    line = {"color": soft, "strokeWidth": 1}
    band = {"color": pale, "opacity": 0.6, "strokeWidth": 0}
    return {
        "font": FAMILY if paper else PAGE_FAMILY,
        "background": inks["white"] if paper else None,
        "padding": 2,
        "params": [{"name": name, "value": ink} for name, ink in _named(inks).items()],
        "view": {"stroke": None},
        "axis": {
            "domainColor": soft, "gridColor": pale, "tickColor": soft, "labelColor": ink,
            "titleColor": ink, "labelFontSize": small, "titleFontSize": size, "gridWidth": 0.7,
            "titleFontWeight": "normal", "labelLimit": 0 if paper else 260, "tickSize": 4,
            "titlePadding": 6, "labelOverlap": True,
        },
        "axisYBand": {"domain": False, "ticks": False, "grid": True, "labelOverlap": False},
        "header": {
            "labelColor": ink, "labelFontSize": size, "titleColor": ink, "titleFontSize": size,
            "labelLimit": 0, "labelPadding": 6,
        },
        "legend": {
            "orient": "top", "title": None, "labelColor": ink, "labelFontSize": small,
            "labelLimit": 0, "symbolSize": 50, "symbolStrokeWidth": 1.3, "columnPadding": 14,
            "rowPadding": 3, "offset": 10, "titleColor": ink, "titleFontSize": small,
            "titleFontWeight": "normal", "gradientThickness": 8,
        },
        "title": {
            "color": ink, "fontSize": size, "fontWeight": "normal", "subtitleColor": ink,
            "subtitleFontSize": small, "subtitlePadding": 5, "offset": 8,
        },
        "range": {"heatmap": ["#00224E", "#575D6D", "#A59C74", "#FEE838"]},
        "style": {
            "estimate": {"size": 36, "strokeWidth": 1.3, "opacity": 1},
            "interval": {"strokeWidth": 5, "opacity": 0.45, "strokeCap": "butt"},
            "general-interval": {"strokeWidth": 5, "opacity": 0.2, "strokeCap": "butt"},
            "thin-interval": {"strokeWidth": 1, "opacity": 0.8},
            "curve": {"strokeWidth": 1.3, "opacity": 0.9},
            "curve-band": {"opacity": 0.18, "strokeWidth": 0},
            "curve-point": {"size": 22, "strokeWidth": 1.1, "opacity": 1},
            "curve-interval": {"strokeWidth": 1, "opacity": 0.5},
            "drop-line": {"strokeWidth": 1, "opacity": 0.8, "strokeDash": [1, 2]},
            "no-estimate": {"fontSize": size, "color": soft, "baseline": "middle"},
            "guide-line": {**line, "strokeDash": [3, 2]},
            "guide-band": band,
            "contour": {"color": pale, "strokeWidth": 1.3},
            "people-line": {"color": ink, "strokeWidth": 1.3},
            "people-band": band,
            "people-curve": {"color": ink, "strokeWidth": 1, "strokeDash": [8, 4]},
            "part": {"stroke": soft, "strokeWidth": 0.6, "opacity": 1},
            "tile": {"stroke": inks["white"], "strokeWidth": 0.5},
            "written": {"fontSize": small, "color": ink, "baseline": "middle"},
            "room": {"opacity": 0},
        },
    }  # fmt: skip


def _named(inks: Mapping[str, str]) -> dict[str, str]:
    """Return all colours, what is written on light and dark ground, and on each, as `on_blue`."""
    on = {f"on_{name}": LETTERS["on_light" if _is_light(ink) else "on_dark"]
          for name, ink in inks.items()}  # fmt: skip
    return {**inks, **LETTERS, **on}


def _is_light(shade: str) -> bool:
    red, green, blue = (int(shade[place : place + 2], 16) for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > LIGHT


LIGHT = 135
"""The brightness, of 255, from which black letters are read better than white ones."""
