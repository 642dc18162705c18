"""The sheet that every figure is drawn on, and how it is saved.

Figures are plain objects; there is no current figure. What is saved is the same, byte for byte,
from the same results: no dates, no random names. Letters are embedded in PDF and outlined in SVG.
"""

from __future__ import annotations

from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from whybench.drawing.style import FAMILY, SIZE, SMALL, WIDTH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["even_grid", "inches", "save", "settle", "sheet", "styled"]

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

P = ParamSpec("P")


def styled(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Draw in the style of this package, whatever the caller's settings are."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with mpl.rc_context(_settings()):
            figure = draw(*args, **kwargs)
            settle(figure)
            return figure

    return drawn


def _settings() -> Any:
    """Return matplotlib's own settings, whatever the user's are, and ours above them."""
    settings: dict[str, Any] = dict(mpl.rcParamsDefault.items())
    settings.pop("backend")
    return settings | RC


def sheet(height: float) -> Figure:
    """Return an empty figure of full width; the height is in mm."""
    layout = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03, wspace=0.03, hspace=0.03)
    figure = Figure(figsize=(inches(WIDTH), inches(height)), layout=layout)
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


def save(
    figure: Figure, folder: Path | str, name: str, kinds: Sequence[str] = tuple(UNDATED)
) -> tuple[Path, ...]:
    """Write a figure as PDF, SVG and PNG (200 dpi), or some of these, and return the files."""
    if unknown := set(kinds) - set(UNDATED):
        raise ValueError(f"kinds must be among {', '.join(UNDATED)}, got {sorted(unknown)}")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = tuple(folder / f"{name}.{kind}" for kind in kinds)
    with mpl.rc_context(_settings()):
        for kind, path in zip(kinds, paths, strict=True):
            figure.savefig(path, dpi=200, metadata=UNDATED[kind])
    return paths
