"""Tables that any library takes."""

from __future__ import annotations

import sys
from functools import partial

import duckdb
import polars
import pyarrow as pa
import pytest

from whybench.frames import LONG, SHOWN, Frame, LazyTables


class Small(Frame):
    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def to_arrow(self) -> pa.Table:
        return self.table

    def __repr__(self) -> str:
        return "<Small & neat>"


@pytest.fixture
def small() -> Small:
    return Small(pa.table({"name": ["a<b", "c"], "value": [0.123456, None], "none": ["", None]}))


def test_every_library_gets_the_same_rows(small: Small) -> None:
    rows = small.to_rows()
    assert rows[0] == {"name": "a<b", "value": 0.123456, "none": ""}
    assert small.to_pandas()["name"].tolist() == ["a<b", "c"]
    assert small.to_polars().to_dicts() == rows
    assert polars.DataFrame(small).to_dicts() == rows
    assert pa.table(small).to_pylist() == rows
    assert duckdb.from_arrow(pa.table(small)).fetchall()[0] == ("a<b", 0.123456, "")


def test_a_notebook_shows_words_as_words_and_leaves_out_empty_columns(small: Small) -> None:
    shown = small._repr_html_()
    assert "<td>a&lt;b</td><td>0.1235</td>" in shown
    assert "&lt;Small &amp; neat&gt;" in shown
    assert "none" not in shown
    assert "more rows" not in shown


def test_a_notebook_shows_the_first_rows_and_says_how_many_are_left() -> None:
    shown = Small(pa.table({"text": ["x" * 200] * (SHOWN + 5)}))._repr_html_()
    assert shown.count("<tr>") == SHOWN + 1
    assert f"<td>{'x' * (LONG - 1)}…</td>" in shown
    assert "… and 5 more rows" in shown


@pytest.mark.parametrize(
    ("library", "method", "advice"),
    [("pandas", "to_pandas", r"whybench\[pandas\]"), ("polars", "to_polars", "install polars")],
)
def test_a_library_that_is_missing_is_named(
    small: Small, monkeypatch: pytest.MonkeyPatch, library: str, method: str, advice: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=advice):
        getattr(small, method)()


def test_a_table_is_made_when_it_is_needed_and_once() -> None:
    made: list[str] = []

    def make(name: str) -> list[dict[str, str]]:
        made.append(name)
        return [{"name": name}]

    tables = LazyTables({name: partial(make, name) for name in ("first", "second")})
    assert [*tables] == ["first", "second"]
    assert len(tables) == 2
    assert not made
    assert tables["second"] == [{"name": "second"}] == tables["second"]
    assert made == ["second"]
