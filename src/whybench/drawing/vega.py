"""Charts as pictures for paper, and the script that draws them on a page.

A chart is a specification of Vega-Lite, a plain dictionary. `vl-convert`, which brings its own
engine, draws it without a browser. On paper every chart is as wide as all figures: its panels get
what its names leave. Letters are embedded in PDF and are text in SVG, since vl-convert outlines
none; they are set in the typeface that matplotlib brings along, so that they are the same
everywhere.
"""

from __future__ import annotations

import importlib.util
import re
from copy import deepcopy
from functools import cache
from math import floor
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from whybench.datasets import cache_folder
from whybench.drawing.style import FAMILY, WIDTH
from whybench.drawing.theme import PIXELS, theme
from whybench.errors import atomic_write

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

PAGE = WIDTH * PIXELS
"""Width of a figure in pixels."""
NARROWEST = 70
"""Pixels that a panel must have; with fewer, less panels stand side by side."""
MOST_TRIES = 9
"""So often the width of panels is tried."""
HIGHEST = 260
"""Pixels that a square panel has at most upwards."""
LETTERS = 118
"""So many letters have room in a line of notes."""
DOTS = 200
"""Dots of a PNG in an inch."""
MOST_PDFS = 30
"""So often a PDF is written."""
FACES = re.compile(rb"/FontName /\w+\+([\w-]+)")
REFERENCES = re.compile(rb"<<\n((?: +/[\w.]+ \d+ 0 R\n)+)( *>>)")


@cache
def _engine() -> ModuleType:
    """Return vl-convert, which knows our typeface from then on."""
    try:
        import vl_convert  # noqa: PLC0415  (not for every use)
    except ModuleNotFoundError as missing:
        raise ImportError("figures need vl-convert: pip install 'whybench[figures]'") from missing
    if (found := importlib.util.find_spec("matplotlib")) and found.origin:
        fonts = Path(found.origin).parent / "mpl-data" / "fonts" / "ttf"
        vl_convert.register_font_directory(str(fonts))
    return vl_convert


def render(spec: Mapping[str, Any], kind: str) -> bytes:
    """Return a chart as a file has it: `pdf`, `svg` or `png` (200 dpi), 170 mm wide.

    Raises:
        ImportError: vl-convert is missing.
    """
    return convert(draw(spec), kind)


def draw_on_page(spec: Mapping[str, Any], *, dark: bool) -> str:
    """Return a chart as SVG in the colours of a light or of a dark page, as wide as it says."""
    config = theme(dark=dark) | {"font": f"{FAMILY}, sans-serif"}  # it is known how wide that is
    svg: str = _engine().vega_to_svg(_compile(spec, config))
    return _renumber(svg)


def draw(spec: Mapping[str, Any]) -> str:
    """Return a chart on paper as Vega draws it: with its notes, and as wide as all figures.

    Names take what they need, and panels the rest. Where that is too little, fewer panels stand
    side by side.
    """
    chart = deepcopy(dict(spec))
    about = chart.get("usermeta", {})
    if note := about.get("note"):
        lines = wrap(note, LETTERS)
        below = {"text": lines, "orient": "bottom", "anchor": "middle"}
        chart["title"] = {**chart["title"], "subtitle": lines} if "title" in chart else below
    panel = chart.get("spec", chart)
    columns = chart.get("columns", 1)
    # Too wide at first, so that panels and not a legend or a note say how wide the chart is.
    panel["width"] = int(PAGE / columns)
    for _ in range(MOST_TRIES):
        if about.get("square"):
            panel["height"] = min(panel["width"], HIGHEST)
        svg: str = _engine().vega_to_svg(_compile(chart))
        spare = PAGE - _size(svg)[0]
        if 0 <= spare < columns:
            break
        # What names need depends a little on the ticks, and so on the width.
        panel["width"] += floor(spare / columns)
        if panel["width"] < NARROWEST and columns > 1:
            columns -= 1
            chart["columns"], panel["width"] = columns, int(PAGE / columns)
    return _renumber(svg)


def convert(svg: str, kind: str) -> bytes:
    """Return a drawn chart as a file has it, see `render`."""
    height = _size(svg)[1]
    millimetres = (WIDTH, height / PIXELS)
    if kind == "svg":
        return _resize(svg, *(f"{side:.4f}mm" for side in millimetres)).encode("utf-8")
    if kind == "pdf":
        points = (f"{side / 25.4 * 72:.4f}" for side in millimetres)
        return _write_pdf(_resize(svg, *points))
    scale = DOTS / 25.4 / PIXELS
    png: bytes = _engine().svg_to_png(_resize(svg, f"{PAGE:.4f}", f"{height:.4f}"), scale=scale)
    return png


def _compile(spec: Mapping[str, Any], config: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return a chart as Vega draws it, on paper if no other theme is stated."""
    used = dict(config or theme(paper=True))
    compiled: dict[str, Any] = _engine().vegalite_to_vega(dict(spec), config=used)
    return compiled


def _renumber(svg: str) -> str:
    """Return a picture whose ids have their own numbers; Vega counts on from picture to picture."""
    ids = dict.fromkeys(re.findall(r'\bid="(\w*?\d+)"', svg))
    new = {old: f"{re.sub(r'[0-9]+$', '', old)}{place}" for place, old in enumerate(ids)}
    return re.sub(r'(\bid="|url\(#)(\w*?\d+)(?=["\)])', lambda at: at[1] + new[at[2]], svg)


def _size(svg: str) -> tuple[float, float]:
    """Return width and height of a picture in pixels."""
    found = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    assert found is not None, "Vega states the size of a picture"
    return float(found[1]), float(found[2])


def _resize(svg: str, width: str, height: str) -> str:
    """Return a picture of this size, its paper as wide as all figures."""
    high = _size(svg)[1]
    head, _, rest = svg.partition("><rect ")
    head = re.sub(r' (width|height|viewBox)="[^"]*"', "", head)
    ground = re.sub(r'^width="[^"]*"', f'width="{PAGE:.4f}"', rest)
    box = f'width="{width}" height="{height}" viewBox="0 0 {PAGE:.4f} {high:g}"'
    return f"{head} {box}><rect {ground}"


def _write_pdf(svg: str) -> bytes:
    """Return a picture as PDF: typefaces stand in it in a random order, and here in that of names.

    It is written until the order is right, mostly at the first or second time.
    """
    for _ in range(MOST_PDFS):
        pdf: bytes = _engine().svg_to_pdf(svg)
        faces = FACES.findall(pdf)
        if faces == sorted(faces):
            break
    return _sort_references(pdf)


def _sort_references(pdf: bytes) -> bytes:
    """Put lists of references in order, which have a random one; no place in the file changes."""

    def order(found: re.Match[bytes]) -> bytes:
        return b"<<\n" + b"".join(sorted(found[1].splitlines(keepends=True))) + found[2]

    return REFERENCES.sub(order, pdf)


def bundle() -> str:
    """Return the script for pages: Vega, Vega-Lite and vega-embed, as `window.vegaEmbed`.

    It takes seconds to make, and is kept beside downloaded data, by the version of vl-convert.

    Raises:
        ImportError: vl-convert is missing.
    """
    engine = _engine()
    kept = cache_folder() / "vega" / f"vega-embed-{engine.__version__}.js"
    if not kept.is_file():
        with atomic_write(kept) as part:
            part.write_text(engine.javascript_bundle(), encoding="utf-8")
    # Closed, since its hundreds of names would be those of all scripts of the page.
    return f"(() => {{{kept.read_text(encoding='utf-8')}\n}})();"
