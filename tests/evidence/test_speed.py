"""Figures on speed that no other subject has, and the page they are put into."""

from __future__ import annotations

import os
import threading

import pytest
from evidence.figures import Figure, held
from evidence.speed import CLOSE, OPEN, PARTS, idle_cores, in_turns, write_page


@pytest.mark.parametrize("part", ["engine: analyze", "items", "logs", "page", "cores"])
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])


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

    def work(name: str, size: int) -> None:
        calls.append(name)
        sum(range(size))

    spent = in_turns(
        {"little": lambda: work("little", 10), "much": lambda: work("much", 3_000_000)}, 3
    )
    assert calls == ["little", "much"] * 4
    assert spent["much"] > 10 * spent["little"]


def test_cores_that_do_nothing_are_counted(tmp_path) -> None:
    told = tmp_path / "stat"
    told.write_text("cpu  5 0 5 1000 200 0 0\n", encoding="utf-8")
    assert idle_cores(0.05, told) == 0  # nothing was idle any longer
    later = threading.Timer(
        0.1, lambda: told.write_text("cpu  5 0 5 1020 220 0 0\n", encoding="utf-8")
    )
    later.start()
    # 40 ticks in 0.4 seconds are one core, or a little less if the wait was longer.
    ticks = os.sysconf("SC_CLK_TCK")
    assert 0.2 < idle_cores(0.4, told) <= 40 / ticks / 0.4
    later.join()
    assert idle_cores(0.05, tmp_path / "none") == 0
    assert 0 <= idle_cores(0.2) <= len(os.sched_getaffinity(0))
