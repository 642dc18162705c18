"""A run in rounds: to its end, resumed after a failure, and with a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import whybench as wb
from whybench.suites.registry import find_item, get_suite
from whybench.suites.sources import RoundSource

if TYPE_CHECKING:
    from pathlib import Path

DESIGN: dict[str, Any] = {"design": "adaptive", "worlds": 6, "most": 24, "depth": "1,2,4,8,16"}


def ask(folder: Path, **settings: Any) -> wb.Records:
    return wb.run("trace", "reference/trace.reader", log_dir=folder, **{**DESIGN, **settings})


def answers(records: wb.Records) -> dict[str, int]:
    table = records.tables["trace"]
    return dict(zip(table["item"].to_pylist(), table["value"].to_pylist(), strict=True))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    return answers(ask(tmp_path_factory.mktemp("whole")))


def test_the_items_are_those_that_follow_from_the_answers(whole: dict[str, int]) -> None:
    suite = get_suite("trace")
    rounds = suite.rounds(suite.make_design(DESIGN))
    assert rounds is not None
    correct = {name: value == find_item(name).truth for name, value in whole.items()}  # type: ignore[union-attr]
    assert {item.id for item in rounds.list_items(correct)} == set(whole)
    assert 20 < len(whole) <= 48


def test_a_run_that_fails_continues_with_the_same_questions(
    whole: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    complete = RoundSource.sample_complete
    calls = []

    async def fail(source: RoundSource, sample: Any) -> None:
        calls.append(str(sample.id))
        if len(calls) == 25:
            raise RuntimeError("the machine went away")
        await complete(source, sample)

    monkeypatch.setattr(RoundSource, "sample_complete", fail)
    assert answers(ask(tmp_path)).items() < whole.items()
    calls.clear()
    monkeypatch.setattr(RoundSource, "sample_complete", complete)
    assert answers(ask(tmp_path)) == whole


def test_a_run_with_a_limit_continues_without_it(whole: dict[str, int], tmp_path: Path) -> None:
    first = answers(ask(tmp_path, limit=22))
    assert len(first) == 22
    assert first.items() <= whole.items()
    assert answers(ask(tmp_path)) == whole


def test_a_log_of_rounds_is_read_again_in_full(whole: dict[str, int], tmp_path: Path) -> None:
    ask(tmp_path)
    assert answers(wb.load(tmp_path, reread=True)) == whole


def test_two_runs_are_compared_by_all_answers(tmp_path: Path) -> None:
    one, two = (
        wb.run("trace", f"reference/trace.{name}", log_dir=tmp_path / name, **DESIGN)
        for name in ("reader", "exact")
    )
    found = wb.compare(one, two)
    assert found.notes[0].endswith("; horizons use all answers")
    (horizon,) = (row for row in found.rows() if row["measure"] == "horizon")
    sets = [table["query"].to_pylist() for side in (one, two) for table in side.tables.values()]
    assert horizon["n"] == sum(queries.count("do") for queries in sets)
