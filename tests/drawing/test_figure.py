"""A figure as everybody meets it, and the picture of any measures."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from errno import ENOSPC
from functools import cache, partial
from html import escape
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("matplotlib")

from tests.drawing.seen_charts import ChartLaws, texts, told
from tests.drawing.test_drawing import plain

from whybench.drawing.charts import theme
from whybench.drawing.estimates import numeric_factor, plot_estimates
from whybench.drawing.figure import (
    Figure,
    distinct_names,
    figures_by_design,
    file_name,
    save_figures,
    short_names,
)
from whybench.errors import Fence, UserError
from whybench.stats import Level, Measure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from whybench.drawing.charts import Chart

PEOPLE = "human/rw17"


def measure(name: str, agent: str, value: float | None, *flags: str, **at: Level) -> Measure:
    ends = (None, None) if value is None else (value - 0.06, value + 0.05)
    labels = {"agent": agent, "design": "made-up", "style": "direct"}
    return Measure(name, value, *ends, 80, 40, 320, 2, 0, "made up", flags, labels, at)


def made(names: int, agents: int, *levels: int) -> list[Measure]:
    """Return measures from the best agent to the worst; people last."""
    return [
        measure(f"measure_{one}", f"maker/model-{place}", 0.9 - 0.8 * place / agents, **at)
        for one in range(names)
        for place in range(agents)
        for at in ([{"entities": level} for level in levels] or [{}])
    ] + [measure(f"measure_{one}", PEOPLE, 0.5, **({"entities": levels[0]} if levels else {}))
         for one in range(names)]  # fmt: skip


DRAW = {
    "one-of-two": lambda: plot_estimates(made(1, 2)),
    "three-of-eight": lambda: plot_estimates(made(3, 8)),
    "many": lambda: plot_estimates(made(5, 40)),
    "lines": lambda: plot_estimates(made(1, 3, 4, 5, 6, 7)),
    "lines-of-many": lambda: plot_estimates(made(2, 7, 4, 6)),
    "long-names": lambda: plot_estimates(
        [
            measure(name, f"maker/{'long-' * 9}{n}", n / 5)
            for name in ("explaining_away", "markov_violation")
            for n in range(4)
        ]
    ),
}


@cache
def figure_of(name: str) -> Figure:
    return DRAW[name]()


class TestEstimates(ChartLaws):
    draw = DRAW
    figure_of = staticmethod(figure_of)


def values(figure: Figure, panel: str) -> list[dict[str, Any]]:
    """Return the estimates of a panel, as the chart states them."""
    assert figure.spec is not None
    return [d for d in figure.spec["data"]["values"] if d.get("p") == panel and "e" in d]


def rows_of(figure: Figure) -> list[str]:
    """Return the names of rows, from above."""
    return figure.spec["spec"]["layer"][-1]["encoding"]["y"]["scale"]["domain"]


def titles(figure: Figure) -> list[str]:
    return figure.spec["facet"]["sort"]


def test_points_stand_at_estimates_and_rows_in_the_order_of_the_first_measure() -> None:
    given = [
        measure("explaining_away", f"maker/{name}", value)
        for name, value in (("a", 0.2), ("b", 0.7))
    ]
    figure = plot_estimates([*given, measure("markov_violation", "maker/a", 0.1)])
    assert rows_of(figure) == ["b", "a"]
    assert titles(figure) == ["explaining_away", "markov_violation"]
    points = {d["r"]: (d["l"], d["e"], d["h"], d["n"]) for d in values(figure, "explaining_away")}
    assert points == {"b": (0.64, 0.7, 0.75, 80), "a": (0.14, 0.2, 0.25, 80)}
    assert [mark["95% interval"] for mark in told(figure)] == [
        "0.14 to 0.25", "0.64 to 0.75", "0.04 to 0.15",
    ]  # fmt: skip


def test_what_is_undefined_is_a_cross_and_few_answers_are_open() -> None:
    figure = plot_estimates([
        measure("explaining_away", "maker/a", 0.4),
        measure("explaining_away", "maker/b", None, "undefined"),
        measure("explaining_away", "maker/c", 0.9, "small_n"),
    ])  # fmt: skip
    assert {"a", "b", "c", "×"} <= set(texts(figure))
    assert [d["r"] for d in values(figure, "explaining_away") if d.get("f")] == ["c"]
    assert any("open: fewer than 60 answers; cross: no estimate" in t for t in texts(figure))
    assert [mark["estimate"] for mark in told(figure)] == ["0.4", "0.9", "none"]


def test_numbers_make_lines_and_words_make_panels() -> None:
    numbers = [measure("accuracy", "maker/a", n / 10, entities=n) for n in (6, 4, 5)]
    assert numeric_factor(numbers) == "entities"
    figure = plot_estimates(numbers)
    assert [(d["x"], d["e"]) for d in values(figure, "accuracy")] == [(4, 0.4), (5, 0.5), (6, 0.6)]
    assert {"4", "5", "6", "entities"} <= set(texts(figure))
    assert numeric_factor(numbers[:1]) is None
    assert numeric_factor([*numbers, measure("accuracy", "maker/a", 0.5)]) is None
    gates = [measure("error", "maker/a", 0.5, gates=gate) for gate in ("or", "and")]
    assert numeric_factor(gates) is None
    assert titles(plot_estimates(gates)) == ["error (gates or)", "error (gates and)"]


def test_the_second_interval_is_a_lighter_bar_behind_the_first() -> None:
    plain = measure("explaining_away", "a", 0.3)
    both = replace(plain, general_low=-0.2, general_high=0.9, general_units=3)
    figure = plot_estimates([both])
    styles = [layer["mark"]["style"] for layer in figure.spec["spec"]["layer"]]
    assert styles.index("general-interval") < styles.index("interval") < styles.index("estimate")
    looks = theme(paper=True)["style"]
    assert looks["general-interval"]["opacity"] < looks["interval"]["opacity"]
    assert {"p": "explaining_away", "d0": -0.2, "d1": 0.9} in figure.spec["data"]["values"]
    assert told(figure)[0]["for others like these"] == "−0.2 to 0.9"
    assert not any("others like these" in text for text in texts(plot_estimates([plain])))


def test_conditions_are_told_where_they_differ_and_suites_share_rows() -> None:
    one = measure("explaining_away", "maker/a", 0.5)
    labels = {"agent": "maker/a", "theme": "feast"}
    other = Measure("error", 0.1, None, None, 80, 8, 80, 0, 0, "made up", (), labels)
    assert rows_of(plot_estimates([one, other])) == ["a"]
    cot = Measure(
        "explaining_away", 0.2, 0.1, 0.3, 80, 8, 80, 0, 0, "", (), {**one.labels, "style": "cot"}
    )
    assert {"a, direct", "a, cot"} <= set(texts(plot_estimates([one, cot])))


def shown(measures: list[Measure]) -> Chart:
    spec = plot_estimates(measures).spec
    assert spec is not None
    return spec


def test_nothing_cannot_be_shown() -> None:
    with pytest.raises(ValueError, match="measures must be at least one, got none"):
        plot_estimates([])


@pytest.mark.slow
def test_an_ending_says_what_is_written(tmp_path: Path) -> None:
    figure = plot_estimates(made(1, 2))
    assert [path.name for path in figure.save(tmp_path / "new" / "a.csv")] == ["a.csv"]
    assert (tmp_path / "new" / "a.csv").read_text(encoding="utf-8").startswith("agent,design,")
    names = ["measure_0.pdf", "measure_0.svg", "measure_0.png", "measure_0.csv"]
    assert [path.name for path in figure.save(tmp_path)] == names
    assert [path.name for path in figure.save(tmp_path / "b")] == [
        "b.pdf", "b.svg", "b.png", "b.csv",
    ]  # fmt: skip
    assert (tmp_path / "b.svg").read_bytes() == (tmp_path / "measure_0.svg").read_bytes()
    assert repr(figure) == "Figure('measure_0')"


def test_figures_are_drawn_when_their_turn_comes(tmp_path: Path) -> None:
    asked = []

    def draw() -> Chart:
        asked.append(1)
        return shown(made(1, 1))

    one = Figure("one-of-many", draw, [{"n": 1}])
    assert (one.title, asked) == ("one of many", [])
    paths = save_figures([one, one], tmp_path / "there.d")
    assert next(paths).name == "one-of-many.pdf"
    names = [path.name for path in paths]
    assert (len(names), names[3]) == (7, "one-of-many-2.pdf")
    assert asked == [1]


def test_a_figure_that_fails_is_named_and_the_others_are_written(tmp_path: Path) -> None:
    figures = [
        Figure("no-good", lambda: 1 / 0),
        Figure("no-rows", lambda: None),
        Figure("good", lambda: shown(made(1, 1)), [{"n": 1}]),
    ]
    fence = Fence()
    written = [path.name for path in save_figures(figures, tmp_path, fence)]
    assert written == ["good.pdf", "good.svg", "good.png", "good.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(written)
    assert fence.failures == [
        ("no good", "ZeroDivisionError: division by zero"),
        ("no rows", "AttributeError: 'NoneType' object has no attribute 'savefig'"),
    ]
    with pytest.raises(ZeroDivisionError):
        list(save_figures(figures, tmp_path))


def test_a_design_that_fails_takes_the_place_of_its_figures_only() -> None:
    import pyarrow as pa

    def draw(design: str, mine: pa.Table) -> Iterator[Figure]:
        yield Figure(f"first-{design}", lambda: shown(made(1, 1)))
        if design == "b":
            raise ZeroDivisionError("b has nothing")
        yield Figure(f"second-{design}", lambda: shown(made(1, 1)))

    records = pa.table({"design": ["b", "a"]})
    found = list(figures_by_design(records, draw))
    assert [figure.name for figure in found] == ["first-b", "figures-b", "first-a", "second-a"]
    with pytest.raises(ZeroDivisionError, match="b has nothing"):
        assert found[1].drawn


@pytest.mark.parametrize("name", ["my/design", "../up", "/root", "a b\n", ".", "", "ü*", "ü" * 400])
def test_files_stay_in_their_folder_whatever_a_design_is_called(tmp_path: Path, name: str) -> None:
    figure = Figure(name, lambda: shown(made(1, 1)), [{"n": 1}])
    (tmp_path / "in").mkdir()
    paths = [*figure.save(tmp_path / "in"), *save_figures([figure], tmp_path / "in")]
    assert {path.parent for path in paths} == {tmp_path / "in"}
    assert all(path.is_file() for path in paths)
    assert [path.name for path in tmp_path.iterdir()] == ["in"]
    assert file_name(file_name(name)) == file_name(name)


def test_names_of_designs_that_look_alike_do_not_fall_together() -> None:
    names = ["my/design", "my-design", "my design", "my\\design"]
    assert len(set(map(file_name, names))) == 4


@pytest.mark.parametrize("name", ["a$b$c", "$\\frac{$", "_{", "100% $ & <b>"])
def test_a_dollar_in_a_name_is_a_dollar(name: str) -> None:
    figure = plot_estimates([measure("explaining_away", f"maker/{name}", 0.5)])
    assert name in texts(figure)
    assert f">{escape(name)}</text>" in figure.to_svg(for_page=True)


def test_marks_that_turn_writing_around_are_seen_in_a_figure() -> None:
    names = short_names(["maker/\u202eevil", "maker/a\u200bb\nc", "maker/\x1b[31m"])
    assert list(names.values()) == ["[U+202E]evil", "a[U+200B]b c", "[U+001B][31m"]
    labels = [{"agent": "m/a", "design": "\u2066x"}, {"agent": "m/a", "design": "y"}]
    assert distinct_names(labels) == ["a, [U+2066]x", "a, y"]


def test_a_full_disk_leaves_the_files_that_were_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = Figure("one", lambda: shown(made(1, 1)), [{"n": 1}])
    before = {path: path.read_bytes() for path in figure.save(tmp_path)}

    def fill(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:10])
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", fill)
    fence = Fence()
    with pytest.raises(
        UserError, match=r"one\.pdf must be .* written, got No space left"
    ) as raised:
        list(save_figures([figure], tmp_path, fence))
    assert "\n" not in str(raised.value)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert not fence.failures


def test_figures_of_each_design_in_order_of_appearance() -> None:
    import pyarrow as pa

    records = pa.table({"design": ["b", "a*", "b"], "n": [1, 2, 3]})
    found = figures_by_design(
        records, lambda design, mine: [Figure(design, None, [{"n": mine["n"].to_pylist()}])]
    )
    assert [(figure.name, figure.rows[0]["n"]) for figure in found] == [
        ("b", [1, 3]),
        ("a-changed", [2]),
    ]


def test_in_a_notebook_letters_are_paths_and_ids_are_its_own() -> None:
    first, second = (Figure("plain", partial(plain, n))._repr_html_() for n in (2, 3))
    ids = []
    for html in (first, second):
        root = ET.fromstring(html)
        assert root.tag.endswith("svg")
        assert "<text" not in html
        mine = [element.get("id") for element in root.iter() if element.get("id")]
        assert len(set(mine)) == len(mine)
        used = re.findall(r"(?:url\(|href=\")#([^)\"]+)", html)
        assert used
        assert set(used) <= set(mine)
        ids.append(set(mine))
    assert not ids[0] & ids[1]


def test_rows_as_a_data_frame() -> None:
    pytest.importorskip("pandas")
    frame = plot_estimates(made(1, 2, 4, 5)).to_pandas()
    assert list(frame["entities"]) == [4, 5, 4, 5, 4]
    assert {"agent", "measure", "estimate", "low", "high"} <= set(frame.columns)


def test_without_vl_convert_there_are_rows_and_a_word_on_what_to_install() -> None:
    code = (
        "import sys; sys.modules['vl_convert'] = None\n"
        "from whybench.drawing.figure import Figure\n"
        "from whybench.drawing.estimates import plot_estimates\n"
        "from whybench.stats import Measure\n"
        "whose = {'agent': 'a'}\n"
        "one = Measure('explaining_away', .5, None, None, 8, 4, 8, 0, 0, '', (), whose)\n"
        "figure = plot_estimates([one])\n"
        "print(len(figure.rows), figure.to_csv().count('explaining_away'))\n"
        "try:\n    figure.save('nothing.pdf')\n"
        "except ImportError as error:\n    print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600
    )
    assert done.stdout.splitlines() == [
        "1 1",
        "figures need vl-convert: pip install 'whybench[figures]'",
    ]
