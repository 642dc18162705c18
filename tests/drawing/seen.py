"""What a reader sees of a figure, for the tests of all figures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from matplotlib.text import Text
from PIL import Image

from whybench.drawing.figure import Figure as Saved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox


def drawn(figure: Figure, kind: str = "") -> int:
    """Count the points (or cells, or bars) whose name holds `kind`."""
    figure.draw_without_rendering()
    marks = [m for m in figure.findobj() if str(m.get_gid()).startswith("points-")]
    return sum(
        len(mark.get_xdata()) if hasattr(mark, "get_xdata") else 1
        for mark in marks
        if kind in str(mark.get_gid())
    )


def texts(figure: Figure) -> list[Text]:
    """Return what can be read: ticks beyond the ends of an axis are there and not drawn."""
    hidden = {
        id(label)
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        if not axes.axison
        or not min(ends := axis.get_view_interval()) <= tick.get_loc() <= max(ends)
        for label in (tick.label1, tick.label2)
    }
    every = [t for t in figure.findobj(Text) if t.get_text().strip() and t.get_visible()]
    return [text for text in every if id(text) not in hidden]


def words(figure: Figure) -> list[str]:
    return [text.get_text() for text in texts(figure)]


def extents(figure: Figure) -> list[tuple[str, Bbox]]:
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    return [(text.get_text(), text.get_window_extent(renderer)) for text in texts(figure)]


def check_files(figure: Figure, draw: Callable[[], Figure], folder: Path) -> None:
    """A figure is written in three formats, always the same, fit for print and seen in grey.

    The rows that it shows lie beside it.
    """
    paths = Saved("figure", lambda: figure).save(folder / "new" / "figure")
    (again,) = Saved("figure", draw).save(folder / "figure.svg")
    (rows,) = Saved("figure", draw).save(folder / "figure.csv")
    assert paths[1].read_bytes() == again.read_bytes()
    assert paths[3].read_bytes() == rows.read_bytes()
    assert [path.suffix for path in paths] == [".pdf", ".svg", ".png", ".csv"]
    assert all(path.stat().st_size > 8_000 for path in paths[:3])
    assert len(rows.read_text(encoding="utf-8").splitlines()) > 1
    pdf = paths[0].read_bytes()
    box = re.search(rb"/MediaBox \[ *0 0 ([\d.]+) ([\d.]+) *\]", pdf)
    assert box is not None
    assert float(box[1]) / 72 * 25.4 == pytest.approx(170, abs=0.1)
    assert b"/FontFile2" in pdf, "letters must be embedded"
    assert b"<text" not in paths[1].read_bytes(), "letters must be outlined"
    with Image.open(paths[2]) as picture:
        assert picture.width == pytest.approx(170 / 25.4 * 200, abs=1)
        grey = np.asarray(picture.convert("L"))
    assert 0.005 < (grey < 128).mean() < 0.6, "something dark on something light, in grey too"


def check_readable(figure: Figure) -> None:
    """Nothing is cut off, or too small to read."""
    assert min(text.get_fontsize() for text in texts(figure)) >= 6.5
    for text, box in extents(figure):
        assert box.x0 >= -0.5, text
        assert box.y0 >= -0.5, text
        assert box.x1 <= figure.bbox.x1 + 0.5, text
        assert box.y1 <= figure.bbox.y1 + 0.5, text


def check_apart(figure: Figure) -> None:
    """Texts do not cover each other."""
    boxes = [(text, box.padded(-1)) for text, box in extents(figure)]
    for place, (one, box) in enumerate(boxes):
        for two, other in boxes[place + 1 :]:
            assert not box.overlaps(other), (one, two)


class FigureLaws:
    """What holds of every figure; a test class that inherits it says how its figures are drawn."""

    draw: Mapping[str, Callable[[], Figure]]
    figure_of: Callable[[str], Figure]
    """Draws a figure by its name, once."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        metafunc.parametrize("name", self.draw)

    @pytest.mark.slow
    def test_a_figure_is_written_in_three_formats_and_always_the_same(
        self, name: str, tmp_path: Path
    ) -> None:
        check_files(self.figure_of(name), self.draw[name], tmp_path)

    def test_nothing_is_cut_off_or_too_small_to_read(self, name: str) -> None:
        check_readable(self.figure_of(name))

    def test_texts_do_not_cover_each_other(self, name: str) -> None:
        check_apart(self.figure_of(name))
