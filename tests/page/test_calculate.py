"""The page of a run of calculate: which mistake an agent makes stands there in words."""

from __future__ import annotations

from html import unescape
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("matplotlib")

from tests.suites.calculate.test_figures import records

from whybench.page import report
from whybench.page.downloads import unpacked
from whybench.records import write_records
from whybench.suites.calculate.diagnoses import WAYS

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_it_says_which_mistake_is_made_and_what_figures_show(tmp_path: Path, parse) -> None:
    write_records(records(), tmp_path / "answers.parquet")
    report(tmp_path / "answers.parquet", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    told = [element.text for element in parse(text).all("p")]
    [sentence] = [line for line in told if line.startswith("one: 30 of 36 answers are wrong. It ")]
    assert sentence.count("10%, ") == 3
    assert "conditions instead of intervening (10%, " in sentence
    assert "two: none of 36 answers is wrong." in told
    assert any(line.startswith("A bar is all wrong answers of an agent") for line in told)
    captions = [element.text for element in parse(text).all("figcaption")]
    assert captions == [
        f"calculate: {title} d"
        for title in ("which mistake", "answers", "by rung", "by relevant", "by operations")
    ]
    letters = unescape(text)
    [charts] = parse(text).all("script", id="charts-data")
    assert all(words in unpacked(charts.text) for words in WAYS.values())
    assert "answered correctly, within half a point" in letters
