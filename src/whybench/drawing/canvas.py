"""The sheet that every figure is drawn on, and how it becomes a file.

Figures are plain objects; there is no current figure. What is saved is the same, byte for byte,
from the same results: no dates, no random names. Letters are embedded in PDF and outlined in SVG.
"""

from __future__ import annotations

import io
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, ParamSpec

try:
    import matplotlib as mpl
except ModuleNotFoundError as missing:
    raise ImportError("figures need matplotlib: pip install 'whybench[figures]'") from missing

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from whybench.drawing.style import FAMILY, SIZE, SMALL, WIDTH
from whybench.frames import rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from matplotlib.lines import Line2D

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
    "text.parse_math": False,  # a dollar in a name is a dollar
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
                figure.rows = tuple(rows_of(*args))
            return figure

    return drawn


def _settings() -> Any:
    """Return matplotlib's own settings, whatever the user's are, and ours above them."""
    settings: dict[str, Any] = dict(mpl.rcParamsDefault.items())
    settings.pop("backend")
    return settings | RC


def sheet(height: float) -> Sheet:
    """Return an empty figure of full width; the height is in mm."""
    layout = ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03, wspace=0.03, hspace=0.03)
    figure = Sheet(figsize=(inches(WIDTH), inches(height)), layout=layout)
    FigureCanvasAgg(figure)
    return figure


def settle(figure: Figure) -> None:
    """Lay a figure out and keep it so: drawn again, and in any format, it is the same."""
    engine = figure.get_layout_engine()
    for _ in range(2):  # The first pass changes the sizes that the second one goes by.
        if engine is not None:
            engine.execute(figure)
    figure.set_layout_engine(None)  # Not "none", which draws once more before a figure is saved.


def add_key(
    figure: Figure,
    keys: Sequence[Line2D],
    where: Literal["outside upper center", "outside lower center"] = "outside upper center",
) -> None:
    """Put the keys above or below everything, in one row or, if they need more room, in two."""
    for rows in (1, 2):
        legend = figure.legend(handles=keys, loc=where, ncols=-(-len(keys) // rows))
        if rows == 2 or legend.get_window_extent().width <= figure.bbox.width:
            break
        legend.remove()


def inches(millimetres: float) -> float:
    """Return a length in matplotlib's unit."""
    return millimetres / 25.4


def picture(figure: Figure, kind: str, *, for_page: bool = False) -> bytes:
    """Return a figure as a file has it: PDF, SVG or PNG (200 dpi).

    Args:
        figure: What is drawn.
        kind: `pdf`, `svg` or `png`.
        for_page: Whether letters are text, and halos are left to the style sheet of a web page.
    """
    written = io.BytesIO()
    settings = _settings() | ({"svg.fonttype": "none"} if for_page else {})
    with mpl.rc_context(settings), _named_halos(figure) if for_page else nullcontext():
        figure.savefig(written, format=kind, dpi=200, metadata=UNDATED[kind])
    return written.getvalue()


@contextmanager
def _named_halos(figure: Figure) -> Iterator[None]:
    """Leave the halos of letters to the page's style sheet; drawn here they are outlines."""
    texts = [*figure.texts, *(text for axes in figure.axes for text in axes.texts)]
    haloed = [text for text in texts if text.get_path_effects()]
    before = [(text, text.get_path_effects(), text.get_gid()) for text in haloed]
    for text in haloed:
        text.set_path_effects([])
        text.set_gid("haloed")
    try:
        yield
    finally:
        for text, effects, gid in before:
            text.set_path_effects(effects)
            text.set_gid(gid)
