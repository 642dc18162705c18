"""The figures of the suites, inside the page.

Each figure of a suite becomes an element of the page: an SVG with letters as text (see `svg`), and
the table behind it. In the place of one that cannot be drawn stands why.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from whybench.drawing.vega import bundle
from whybench.errors import Fence
from whybench.page.svg import inline_svg
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from whybench.drawing.figure import Figure
    from whybench.page.material import Material
    from whybench.page.svg import Styles

MOST_FIGURES = 40
"""So many figures of a suite are in a page; `whybench results` draws all."""


@dataclass(frozen=True)
class Drawing:
    """One figure.

    Attributes:
        key: Its name in the page.
        suite: The suite that drew it.
        title: What it is called.
        svg: The picture; empty if it cannot be drawn.
        columns: The columns of the table behind it; none if there is no table.
        rows: The rows of that table.
        note: Why it cannot be drawn, if so.
        caption: What one sees in it and what that means.
        spec: Its Vega-Lite specification, which the page draws; None for a picture.
    """

    key: str
    suite: str
    title: str
    svg: Markup
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    note: str = ""
    caption: str = ""
    spec: Mapping[str, Any] | None = None


def drawings(
    material: Material, styles: Styles, say: Callable[[str], None]
) -> tuple[list[Drawing], list[str]]:
    """Return the figures of every suite that draws its runs, and notes on what is missing.

    Args:
        material: What the page is made of.
        styles: The styles of the page, to which those of the figures are added.
        say: Hears what is being done.
    """
    found: list[Drawing] = []
    notes = []
    for name, table in material.tables:
        if not get_suite(name).draws_figures:
            notes.append(f"{name} has no figures of runs.")
            continue
        say(f"{name}: drawing")
        fence, before = Fence(), len(found)
        with fence.around(name):
            import whybench.drawing.canvas  # noqa: F401, PLC0415  (says what to install)

            for drawing in _drawn(name, get_suite(name).figures(table), styles, before):
                found.append(drawing)
        some = len(found) > before
        for _, cause in fence.failures:
            notes.append(f"{'More figures' if some else 'Figures'} of {name} are not here: {cause}")
        if not some and not fence.failures:
            notes.append(f"{name}: these answers hold nothing that a figure could show.")
        if len(found) == before + MOST_FIGURES:
            notes.append(
                f"{name}: these are the first {MOST_FIGURES} figures; `whybench results` draws all."
            )
    return found, notes


def _drawn(name: str, figures: Iterable[Figure], styles: Styles, before: int) -> Iterator[Drawing]:
    """Yield the first figures of a suite, numbered after those before."""
    for number, figure in enumerate(islice(figures, MOST_FIGURES), before + 1):
        key = f"figure-{number}"
        fence, drawing = Fence(), Drawing(key, name, figure.title, Markup(), caption=figure.caption)
        with fence.around("This figure cannot be drawn"):
            if (spec := figure.spec) is not None:
                bundle()  # says what to install
                drawing = replace(drawing, spec=spec, **_behind(figure))
            else:
                svg = inline_svg(figure.to_svg(for_page=True), key, styles)
                drawing = replace(drawing, svg=svg, **_behind(figure))
        yield replace(drawing, note=" ".join(fence.notes))


def _behind(figure: Figure) -> dict[str, Any]:
    """Return columns and rows of the table behind a figure, or nothing if there is none."""
    if not figure.rows:
        return {}
    columns, *rows = map(tuple, csv.reader(io.StringIO(figure.to_csv(), newline="")))
    return {"columns": columns, "rows": tuple(rows)}
