"""Figures on their way into the page."""

from __future__ import annotations

import csv
from dataclasses import dataclass

import pytest
from matplotlib.patheffects import withStroke

from whybench.drawing.canvas import for_pages, save, sheet, styled
from whybench.report.drawings import drawings
from whybench.report.material import Material
from whybench.report.svg import Styles
from whybench.suites.contract import UserError
from whybench.suites.registry import suite


@dataclass
class Point:
    x: float
    name: str

    def row(self) -> dict[str, object]:
        return {"x": self.x, "name": self.name} if self.name else {"x": self.x}


@styled
def plot(points):
    figure = sheet(30)
    axes = figure.subplots()
    axes.set(xlim=(0, 1), ylim=(0, 1))
    for point in points:
        axes.plot(point.x, 0.5, "o")
        axes.text(point.x, 0.6, point.name, path_effects=[withStroke(linewidth=2)])
    return figure


POINTS = [Point(0.25, "near & <far>"), Point(0.5, "")]


def test_for_a_page_letters_are_text_and_halos_are_left_to_it(tmp_path) -> None:
    with for_pages():
        paths = save(plot(POINTS), tmp_path, "points")
    assert [path.name for path in paths] == ["points.svg", "points.csv"]
    text = (tmp_path / "points.svg").read_text(encoding="utf-8")
    assert ">near &amp; &lt;far&gt;</text>" in text
    assert '<g id="haloed">' in text


def test_outside_of_it_figures_are_as_ever(tmp_path) -> None:
    with pytest.raises(ZeroDivisionError), for_pages():
        raise ZeroDivisionError
    paths = save(plot(POINTS), tmp_path, "points")
    assert [path.suffix for path in paths] == [".pdf", ".svg", ".png", ".csv"]
    assert "</text>" not in (tmp_path / "points.svg").read_text(encoding="utf-8")


def test_a_figure_knows_the_rows_it_was_drawn_from(tmp_path) -> None:
    assert plot(POINTS).rows == ({"x": 0.25, "name": "near & <far>"}, {"x": 0.5})
    save(plot(POINTS), tmp_path, "points", kinds=())
    with (tmp_path / "points.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == [
            {"x": "0.25", "name": "near & <far>"},
            {"x": "0.5", "name": ""},
        ]
    save(plot(POINTS), tmp_path, "points", kinds=(), rows=[{"other": 1}])
    assert (tmp_path / "points.csv").read_text(encoding="utf-8") == "other\n1\n"


def test_a_suite_that_cannot_draw_is_told_and_the_others_are_drawn(monkeypatch) -> None:
    def draw(folder, _):
        yield from save(plot(POINTS), folder, "points-of-interest")

    def refuse(folder, _):
        raise UserError("records must hold episodes, got none")
        yield folder

    def with_figures(name: str, figures) -> None:
        object.__setattr__(suite(name), "figures", figures)

    before = {name: suite(name).figures for name in ("judge", "intervene", "compose")}
    try:
        with_figures("judge", draw)
        with_figures("intervene", refuse)
        with_figures("compose", None)
        material = Material([("compose", None), ("intervene", None), ("judge", None)])
        said: list[str] = []
        found, notes = drawings(material, Styles(), said.append)
    finally:
        for name, figures in before.items():
            with_figures(name, figures)
    assert [(one.key, one.suite, one.title) for one in found] == [
        ("figure-1", "judge", "points of interest")
    ]
    assert found[0].rows == (("0.25", "near & <far>"), ("0.5", ""))
    assert notes == [
        "Figures of intervene are not here: records must hold episodes, got none",
        "compose has no figures of runs.",
    ]
    assert said == ["judge: drawing", "intervene: drawing"]
