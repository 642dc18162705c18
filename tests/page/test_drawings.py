"""Figures on their way into the page."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass

import pyarrow as pa
import pytest
from matplotlib.patheffects import withStroke
from tests.altered import altered
from tests.page.simulated import answers

from whybench.drawing.canvas import sheet, styled
from whybench.drawing.figure import Figure
from whybench.page.drawings import drawings
from whybench.page.material import Material
from whybench.page.svg import Styles, inline_svg
from whybench.suites.compose import Compose
from whybench.suites.contract import Suite, UserError
from whybench.suites.registry import get_suite


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


KINDS = ("pdf", "svg", "png", "csv")
POINTS = [Point(0.25, "near & <far>"), Point(0.5, "")]


def test_for_a_page_letters_are_text_and_halos_are_left_to_it() -> None:
    text = Figure("points", lambda: plot(POINTS)).to_svg(for_page=True)
    assert ">near &amp; &lt;far&gt;</text>" in text
    assert '<g id="haloed">' in text


def test_outside_of_it_figures_are_as_ever(tmp_path) -> None:
    figure = Figure("points", lambda: plot(POINTS))
    before = figure.to_svg()
    figure.to_svg(for_page=True)
    assert figure.to_svg() == before
    paths = figure.save(tmp_path)
    assert [path.name for path in paths] == [f"points.{kind}" for kind in KINDS]
    assert "</text>" not in (tmp_path / "points.svg").read_text(encoding="utf-8")


def test_a_figure_knows_the_rows_it_was_drawn_from(tmp_path) -> None:
    assert plot(POINTS).rows == ({"x": 0.25, "name": "near & <far>"}, {"x": 0.5})
    Figure("points", lambda: plot(POINTS)).save(tmp_path / "points.csv")
    with (tmp_path / "points.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.DictReader(file)) == [
            {"x": "0.25", "name": "near & <far>"},
            {"x": "0.5", "name": ""},
        ]
    Figure("points", lambda: plot(POINTS), [{"other": 1}]).save(tmp_path / "points.csv")
    assert (tmp_path / "points.csv").read_text(encoding="utf-8") == "other\n1\n"


def test_what_is_written_in_a_figure_stays_as_it_is() -> None:
    words = ["0.995", "0.9995", 'id="a" style="b" d="1.2345"', "url(#c)  1.0001", "$1.0002$"]
    points = [Point(0.1 * place, text) for place, text in enumerate(words)]
    file = Figure("points", lambda: plot(points)).to_svg(for_page=True)
    shown = inline_svg(file, "figure-1", Styles())
    texts = [re.findall(r"<text[^>]*>([^<]*)</text>", svg) for svg in (file, shown)]
    assert texts[0] == texts[1]
    assert set(words) <= set(texts[0])
    assert len(shown) < len(file)


def test_a_suite_that_cannot_draw_is_told_and_the_others_are_drawn(monkeypatch) -> None:
    def never():
        raise UserError("records must hold episodes, got none")

    def draw(_):
        yield Figure("points-of-interest", lambda: plot(POINTS))
        yield Figure("never", never)
        yield Figure("odd", lambda: plot(None))
        yield Figure("other-points", lambda: plot(POINTS))

    def refuse(_):
        yield from ()
        raise KeyError("an error\nof many lines")

    class Plain(Compose):
        figures = Suite.figures

    suites = {
        "judge": altered(get_suite("judge"), figures=draw),
        "intervene": altered(get_suite("intervene"), figures=refuse),
        "compose": Plain(),
    }
    monkeypatch.setattr("whybench.page.drawings.get_suite", suites.get)
    material = Material([("compose", None), ("intervene", None), ("judge", None)])
    said: list[str] = []
    found, notes = drawings(material, Styles(), said.append)
    refused = "This figure cannot be drawn: "
    assert [(one.key, one.suite, one.title, one.note) for one in found] == [
        ("figure-1", "judge", "points of interest", ""),
        ("figure-2", "judge", "never", f"{refused}records must hold episodes, got none"),
        ("figure-3", "judge", "odd", f"{refused}TypeError: 'NoneType' object is not iterable"),
        ("figure-4", "judge", "other points", ""),
    ]
    assert [bool(one.svg) for one in found] == [True, False, False, True]
    assert found[0].rows == (("0.25", "near & <far>"), ("0.5", ""))
    assert notes == [
        r"Figures of intervene are not here: KeyError: 'an error\nof many lines'",
        "compose has no figures of runs.",
    ]
    assert said == ["judge: drawing", "intervene: drawing"]


def test_many_figures_of_one_suite_leave_room_for_those_of_the_others(monkeypatch) -> None:
    def draw(_):
        return (Figure(f"points-{number}", lambda: plot(POINTS)) for number in range(5))

    suites = {name: altered(get_suite(name), figures=draw) for name in ("judge", "compose")}
    monkeypatch.setattr("whybench.page.drawings.get_suite", suites.get)
    monkeypatch.setattr("whybench.page.drawings.MOST_FIGURES", 3)
    material = Material([("judge", None), ("compose", None)])
    found, notes = drawings(material, Styles(), lambda _: None)
    assert [one.suite for one in found] == ["judge"] * 3 + ["compose"] * 3
    assert [one.key for one in found] == [f"figure-{number}" for number in range(1, 7)]
    assert notes == [
        f"{name}: these are the first 3 figures; `whybench results` draws all."
        for name in ("judge", "compose")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["judge", "analyze"])
def test_names_from_outside_do_not_end_a_figure(name, tmp_path) -> None:
    table = answers(name, 0)
    for column, value in {"agent": "maker/$x_{$\u202e\n", "design": "../my/design"}.items():
        values = pa.array([value] * table.num_rows)
        table = table.set_column(table.column_names.index(column), column, values)
    found, notes = drawings(Material([(name, table)]), Styles(), lambda _: None)
    assert found
    assert [(one.title, one.note) for one in found if one.note] == []
    assert notes == []
    seen = [
        one.svg if one.spec is None else json.dumps(one.spec, ensure_ascii=False) for one in found
    ]
    assert any("$x_{$[U+202E]" in letters for letters in seen)
    assert not any("\u202e" in letters for letters in seen)
    (tmp_path / "in").mkdir()
    for figure in get_suite(name).figures(table):
        [path] = figure.save(tmp_path / "in" / f"{figure.name}.csv")
        assert path.parent == tmp_path / "in"
