"""The figures of the suites, inside the page.

A suite draws its figures into a folder, here as SVG with letters as text, and each becomes an
element of the page (see `svg`). The table behind a figure lies beside it as CSV.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from whybench.report.svg import inline_svg
from whybench.suites.contract import UserError
from whybench.suites.registry import suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from markupsafe import Markup

    from whybench.report.material import Material
    from whybench.report.svg import Styles

__all__ = ["MOST_FIGURES", "Drawing", "drawings"]

MOST_FIGURES = 60
"""So many figures are in a page; `whybench figures` draws all."""


@dataclass(frozen=True)
class Drawing:
    """One figure.

    Attributes:
        key: Its name in the page.
        suite: The suite that drew it.
        title: What it is called.
        svg: The picture.
        columns: The columns of the table behind it; none if there is no table.
        rows: The rows of that table.
    """

    key: str
    suite: str
    title: str
    svg: Markup
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


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
        draw = suite(name).figures
        if draw is None:
            notes.append(f"{name} has no figures of runs.")
            continue
        say(f"{name}: drawing")
        try:
            with TemporaryDirectory() as folder:
                found += _drawn(name, draw(Path(folder), table), styles, len(found))
        except (ImportError, UserError) as error:
            notes.append(f"Figures of {name} are not here: {error}")
    if len(found) == MOST_FIGURES:
        notes.append(f"These are the first {MOST_FIGURES} figures; `whybench figures` draws all.")
    return found, notes


def _drawn(name: str, paths: Iterable[Path], styles: Styles, before: int) -> Iterator[Drawing]:
    """Yield the figures of a suite, as long as there is room after those before."""
    from whybench.drawing.canvas import for_pages  # noqa: PLC0415  (needs matplotlib)

    with for_pages():  # It holds for figures that are drawn meanwhile, as paths are asked for.
        pictures = (path for path in paths if path.suffix == ".svg")
        for number, path in enumerate(islice(pictures, MOST_FIGURES - before), before + 1):
            key = f"figure-{number}"
            svg = inline_svg(path.read_text("utf-8"), key, styles)
            yield Drawing(key, name, path.stem.replace("-", " "), svg, *_behind(path))


def _behind(picture: Path) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return columns and rows of the table beside a figure, or nothing if there is none."""
    table = picture.with_suffix(".csv")
    if not table.is_file():
        return (), ()
    with table.open(encoding="utf-8", newline="") as file:
        columns, *rows = map(tuple, csv.reader(file))
    return columns, tuple(rows)
