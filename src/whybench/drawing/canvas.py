"""The sheet that every figure is drawn on, and how it is saved.

Figures are plain objects; there is no current figure. What is saved is the same, byte for byte,
from the same results: no dates, no random names. Letters are embedded in PDF and outlined in SVG.
"""

from __future__ import annotations

import csv
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text

from whybench.drawing.style import FAMILY, SIZE, SMALL, WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["even_grid", "for_pages", "inches", "save", "settle", "sheet", "styled"]

RC: dict[str, Any] = {
    "font.family": FAMILY,
    "font.size": SIZE,
    "axes.titlesize": SIZE,
    "axes.labelsize": SIZE,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.handletextpad": 0.4,
    "legend.columnspacing": 1.4,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.0,
    "hatch.linewidth": 0.5,
    "pdf.fonttype": 42,
    "svg.fonttype": "path",
    "svg.hashsalt": "whybench",
}

UNDATED: dict[str, dict[str, Any]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
}

_FOR_PAGES: ContextVar[bool] = ContextVar("for_pages", default=False)

P = ParamSpec("P")


class Sheet(Figure):
    """A figure that knows what it shows.

    Attributes:
        rows: What the figure was drawn from, as flat rows. Unless the function that draws it says
            otherwise, these are the rows of its arguments that have any (`row` or `rows`).
    """

    rows: tuple[Mapping[str, Any], ...] = ()


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Draw in the style of this package, whatever the caller's settings are."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with mpl.rc_context(_settings()):
            figure = draw(*args, **kwargs)
            settle(figure)
            if isinstance(figure, Sheet) and not figure.rows:
                figure.rows = tuple(_rows_behind(args))
            return figure

    return drawn


def _settings() -> Any:
    """Return matplotlib's own settings, whatever the user's are, and ours above them."""
    settings: dict[str, Any] = dict(mpl.rcParamsDefault.items())
    settings.pop("backend")
    return settings | RC


def _rows_behind(given: object) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of something that has them, or of all things in a list."""
    if isinstance(given, list | tuple):
        for entry in given:
            yield from _rows_behind(entry)
    elif hasattr(given, "row"):
        yield given.row()
    elif callable(rows := getattr(given, "rows", None)):
        yield from rows()


def sheet(height: float) -> Sheet:
    """Return an empty figure of full width; the height is in mm."""
    layout = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03, wspace=0.03, hspace=0.03)
    figure = Sheet(figsize=(inches(WIDTH), inches(height)), layout=layout)
    FigureCanvasAgg(figure)
    return figure


def settle(figure: Figure) -> None:
    """Lay a figure out and keep it so: drawn again, and in any format, it is the same."""
    for _ in range(2):  # The first pass changes the sizes that the second one goes by.
        figure.draw_without_rendering()
    figure.set_layout_engine("none")


def even_grid(count: int, most: int) -> tuple[int, int]:
    """Return rows and columns for so many panels, at most so many in a row, rows nearly alike.

    >>> even_grid(5, 4)
    (2, 3)
    """
    rows = -(-count // most)
    return rows, -(-count // rows)


def inches(millimetres: float) -> float:
    """Return a length in matplotlib's unit."""
    return millimetres / 25.4


@contextmanager
def for_pages() -> Iterator[None]:
    """Save figures as a web page wants them meanwhile: as SVG only, with letters as text."""
    before = _FOR_PAGES.set(True)
    try:
        yield
    finally:
        _FOR_PAGES.reset(before)


def save(
    figure: Figure,
    folder: Path | str,
    name: str,
    kinds: Sequence[str] = tuple(UNDATED),
    rows: Sequence[Mapping[str, Any]] = (),
) -> tuple[Path, ...]:
    """Write a figure as PDF, SVG and PNG (200 dpi), or some of these, and its rows as CSV.

    Args:
        figure: What is drawn.
        folder: Where to; it is made if need be.
        name: The files' name, without the ending.
        kinds: Which pictures.
        rows: What the figure shows, if its sheet does not know that.

    Returns:
        The files.
    """
    if unknown := set(kinds) - set(UNDATED):
        raise ValueError(f"kinds must be among {', '.join(UNDATED)}, got {sorted(unknown)}")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settings = _settings()
    if _FOR_PAGES.get():
        kinds, settings = ("svg",), settings | {"svg.fonttype": "none"}
        _name_halos(figure)
    paths = [folder / f"{name}.{kind}" for kind in kinds]
    with mpl.rc_context(settings):
        for kind, path in zip(kinds, paths, strict=True):
            figure.savefig(path, dpi=200, metadata=UNDATED[kind])
    if shown := rows or getattr(figure, "rows", ()):
        paths.append(folder / f"{name}.csv")
        _write_rows(paths[-1], shown)
    return tuple(paths)


def _name_halos(figure: Figure) -> None:
    """Leave the halos of letters to the page's style sheet; drawn here they are outlines."""
    for text in figure.findobj(Text):
        if text.get_path_effects():
            text.set_path_effects([])
            text.set_gid("haloed")


def _write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows as CSV; a column that a row lacks is empty there."""
    columns = dict.fromkeys(name for row in rows for name in row)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
