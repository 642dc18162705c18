"""What a reader sees or hears of a chart, for the tests of all charts."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from functools import cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
import pytest
from matplotlib import get_data_path
from PIL import Image, ImageFont

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from whybench.drawing.figure import Figure

POINT = 96 / 72
WIDTH = 170 / 25.4 * 96


class Words(NamedTuple):
    """A line of letters, its size in points, and its box: left, top, right, bottom, in pixels."""

    text: str
    size: float
    box: tuple[float, float, float, float]


@cache
def _font(bold: bool) -> ImageFont.FreeTypeFont:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(f"{get_data_path()}/fonts/ttf/{name}", 100)


def words(figure: Figure) -> list[Words]:
    """Return all that is written in a chart on paper."""
    return list(_words(ET.fromstring(figure.to_svg()), 0.0, 0.0))


def texts(figure: Figure) -> list[str]:
    return [one.text for one in words(figure)]


def _words(element: ET.Element, x: float, y: float) -> Iterator[Words]:
    moved = element.get("transform", "")
    if found := re.match(r"translate\(([-\d.e]+),([-\d.e]+)\)", moved):
        x, y = x + float(found[1]), y + float(found[2])
    if element.tag.endswith("}text"):
        upright = "rotate(-90)" in moved or "rotate(270)" in moved
        down = 0.0
        for line in (element, *element):
            down += float(line.get("dy", 0))  # Each line is that much below the one before.
            if (line.text or "").strip():
                right, below = (down, 0.0) if upright else (0.0, down)
                yield _line(line.text or "", element, x + right, y + below, upright)
        return
    for child in element:
        yield from _words(child, x, y)


def _line(text: str, element: ET.Element, x: float, y: float, upright: bool) -> Words:
    size = float(str(element.get("font-size")).removesuffix("px"))
    wide = _font(element.get("font-weight") == "bold").getlength(text) * size / 100
    share = {"middle": 0.5, "end": 1.0}.get(str(element.get("text-anchor")), 0.0)
    box = (
        (x - 0.75 * size, y - wide * (1 - share), x + 0.2 * size, y + wide * share)
        if upright
        else (x - wide * share, y - 0.75 * size, x + wide * (1 - share), y + 0.2 * size)
    )
    return Words(text, size / POINT, box)


def told(figure: Figure) -> list[dict[str, str]]:
    """Return what the marks of a chart tell, each as its words by their titles; all can be seen."""
    silent = (None, "title", "subtitle", "axis", "legend")
    marks = [
        (label, element)
        for element in ET.fromstring(figure.to_svg()).iter()
        if element.get("aria-roledescription") not in silent
        and ": " in (label := element.get("aria-label") or "")
    ]
    for label, mark in marks:
        inks = {mark.get("fill"), mark.get("stroke")} - {None, "none", "transparent"}
        assert inks, f"without a colour: {label}"
    return [dict(part.split(": ", 1) for part in label.split("; ")) for label, _ in marks]


def check_files(figure: Figure, again: Figure, folder: Path) -> None:
    """A chart is written in three formats, always the same, fit for print and seen in grey."""
    paths = figure.save(folder / "new" / "figure")
    for path, kind in zip(paths, ("pdf", "svg", "png", "csv"), strict=True):
        (second,) = again.save(folder / f"figure.{kind}")
        assert path.read_bytes() == second.read_bytes(), kind
    assert len(paths[3].read_text(encoding="utf-8").splitlines()) > 1
    pdf = paths[0].read_bytes()
    box = re.search(rb"/MediaBox \[ *0 0 ([\d.]+) ([\d.]+) *\]", pdf)
    assert box is not None
    assert float(box[1]) / 72 * 25.4 == pytest.approx(170, abs=0.1)
    assert b"/FontFile" in pdf, "letters must be embedded"
    assert 'width="170.0000mm"' in paths[1].read_text(encoding="utf-8")
    with Image.open(paths[2]) as picture:
        assert picture.width == pytest.approx(170 / 25.4 * 200, abs=1)
        grey = np.asarray(picture.convert("L"))
    assert 0.003 < (grey < 128).mean() < 0.6, "something dark on something light, in grey too"


def check_readable(figure: Figure) -> None:
    """Nothing is cut off, or too small to read."""
    high = float(re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)"', figure.to_svg())[1])  # type: ignore[index]
    for text, size, (left, top, right, bottom) in words(figure):
        assert size >= 6.5, text
        assert left >= -1, text
        assert top >= -1, text
        assert right <= WIDTH + 1, text
        assert bottom <= high + 1, text


def check_apart(figure: Figure) -> None:
    """Texts do not cover each other."""
    every = words(figure)
    for place, one in enumerate(every):
        for two in every[place + 1 :]:
            a, b = one.box, two.box
            apart = a[2] - 1 <= b[0] or b[2] - 1 <= a[0] or a[3] - 1 <= b[1] or b[3] - 1 <= a[1]
            assert apart, (one, two)


def check_numbers(figure: Figure, title: str = "estimate", column: str = "estimate") -> None:
    """There is a mark for each row that has a column, and it tells the row's number."""
    rows = [row[column] for row in figure.rows if column in row]
    assert sorted(mark[title] for mark in told(figure)) == sorted(map(_said, rows))


def _said(number: object) -> str:
    if not isinstance(number, int | float):
        return "none"
    return f"{number:.3f}".rstrip("0").rstrip(".").replace("-", "−")


class ChartLaws:
    """What holds of every chart; a test class that inherits it says how its charts are made."""

    draw: Mapping[str, Callable[[], Figure]]
    figure_of: Callable[[str], Figure]
    """Makes a chart by its name, once."""
    tells: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """By the name of a chart, what its marks call a number and the column of rows that has it."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        metafunc.parametrize("name", self.draw)

    @pytest.mark.slow
    def test_a_chart_is_written_in_three_formats_and_always_the_same(
        self, name: str, tmp_path: Path
    ) -> None:
        check_files(self.figure_of(name), self.draw[name](), tmp_path)

    def test_nothing_is_cut_off_or_too_small_to_read(self, name: str) -> None:
        check_readable(self.figure_of(name))

    def test_texts_do_not_cover_each_other(self, name: str) -> None:
        check_apart(self.figure_of(name))

    def test_every_row_is_a_mark_that_tells_its_number(self, name: str) -> None:
        check_numbers(self.figure_of(name), *self.tells.get(name, ("estimate", "estimate")))

    def test_a_chart_says_what_it_means_and_names_its_colours(self, name: str) -> None:
        figure = self.figure_of(name)
        assert figure.caption.endswith(".")
        assert figure.spec is not None
        assert not re.search(r"#[0-9a-fA-F]{6}", str(figure.spec))
