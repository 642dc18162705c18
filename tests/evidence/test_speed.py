"""Figures on speed that no other subject has, and the page they are put into."""

from __future__ import annotations

import os
from functools import partial
from types import SimpleNamespace

import pytest
from evidence.figures import Figure
from evidence.reading import grows_linearly
from evidence.speed import CLOSE, OPEN, idle_cores, in_turns, write_page


def test_a_page_gets_its_table_and_keeps_its_words(tmp_path) -> None:
    page = tmp_path / "speed.md"
    page.write_text(f"before\n\n{OPEN}\nold\n{CLOSE}\n\nafter\n", encoding="utf-8")
    held, missed = Figure("a is fast", "2 s", True), Figure("b is fast", "9 s", False)
    assert write_page(page, iter([held]))
    assert not write_page(page, iter([held, missed]))
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n\n" + OPEN)
    assert text.endswith(CLOSE + "\n\nafter\n")
    assert "old" not in text
    assert "| a is fast | 2 s |\n| b is fast | 9 s — **not held** |" in text
    assert text.count("a is fast") == 1


def test_work_is_timed_in_turns() -> None:
    calls: list[str] = []

    kinds = {name: partial(calls.append, name) for name in ("first", "second")}
    assert set(in_turns(kinds, 3)) == {"first", "second"}
    assert calls == ["first", "second"] * 4  # one round more than are timed


@pytest.mark.parametrize(
    ("short", "long", "linear"),
    [(0.01, 0.08, True), (0.0001, 0.1, True), (0.01, 0.64, False), (0.0001, 0.2, False)],
)
def test_reading_that_looks_at_all_of_a_text_from_each_place_is_not_linear(
    short: float, long: float, linear: bool
) -> None:
    assert grows_linearly(short, long) == linear


def test_cores_that_do_nothing_are_counted(tmp_path, monkeypatch) -> None:
    told = tmp_path / "stat"
    told.write_text("cpu  5 0 5 1000 200 0 0\n", encoding="utf-8")
    assert idle_cores(0.05, told) == 0  # nothing was idle any longer
    assert idle_cores(0.05, tmp_path / "none") == 0
    assert 0 <= idle_cores(0.2) <= len(os.sched_getaffinity(0))

    def work_meanwhile(_seconds: float) -> None:
        told.write_text("cpu  5 0 5 1020 220 0 0\n", encoding="utf-8")

    # 40 ticks while the clock goes on by as many ticks are one core.
    clock = iter([0.0, 40 / os.sysconf("SC_CLK_TCK")])
    made_up = SimpleNamespace(perf_counter=clock.__next__, sleep=work_meanwhile)
    monkeypatch.setattr("evidence.speed.time", made_up)
    assert idle_cores(told=told) == pytest.approx(1.0)
