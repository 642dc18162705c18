"""The page in a real browser, by the same code on a small page; and the logs that it is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from evidence.figures import held
from evidence.made_logs import Speaker, write_log
from evidence.page import PARTS

from whybench.records import read_logs
from whybench.suites.calibration import simulate_rows
from whybench.suites.registry import find_item, get_suite
from whybench.suites.task import inspect_task

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("browser")


@pytest.mark.parametrize("part", PARTS)
def test_the_figures_hold(part: str) -> None:
    held(PARTS[part])


@pytest.mark.parametrize(
    ("name", "strategy", "answers"),
    [("judge", "random", 6), ("intervene", "random-then-guess", 6), ("compose", "coin", 6 * 15)],
)
def test_made_logs_hold_what_the_agent_answers(
    name: str, strategy: str, answers: int, tmp_path: Path
) -> None:
    asked = get_suite(name)
    task = inspect_task(asked)()
    speaker = Speaker("maker/model", strategy, {"seed": 3})
    assert write_log(asked, task, speaker, tmp_path, samples=6) == answers
    read = read_logs([tmp_path])
    assert (read.unfinished, read.foreign) == ((), ())
    rows = read.rows[name]
    items = [find_item(row["item"]) for row in rows]
    design = asked.make_design({"design": next(iter(asked.designs))})
    known = simulate_rows(
        asked, design, items, asked.agent(strategy), {"seed": 3}, "maker/model", {}
    )
    for row, expected in zip(rows, known, strict=True):
        assert {key: row.get(key) for key in expected} == expected


def test_every_epoch_of_a_made_log_has_answers_of_its_own(tmp_path: Path) -> None:
    asked = get_suite("judge")
    task = inspect_task(get_suite("judge"))()
    write_log(asked, task, Speaker("maker/model", "random"), tmp_path, samples=4, epochs=3)
    rows = read_logs([tmp_path]).rows["judge"]
    assert len({(row["item"], row["epoch"]) for row in rows}) == 12
    assert len({row["value"] for row in rows}) > 4
