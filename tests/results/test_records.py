"""Answers as one object: where they come from, what is in them, and the way to everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from tests.altered import altered
from tests.page.simulated import answers

import whybench as wb
from whybench.records import write_records
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("records")
    for name, which in (("intervene", 0), ("intervene", 1), ("compose", 0)):
        write_records(answers(name, which), place / f"{name}-{which}.parquet")
    return place


@pytest.fixture(scope="module")
def both(folder: Path) -> wb.Records:
    return wb.load(folder / "intervene-0.parquet", folder / "intervene-1.parquet")


def test_sources_of_one_suite_are_one_table(both: wb.Records) -> None:
    assert both.suites == ("intervene",)
    assert both.agents == ("random-then-guess", "single-cause")
    assert len(both) == both.to_arrow().num_rows == 168
    assert repr(both) == "<Records: 168 answers of 2 agents to intervene>"
    assert both.notes == ()


def test_an_answer_that_is_there_twice_counts_once(folder: Path, both: wb.Records) -> None:
    twice = wb.load(
        folder / "intervene-0.parquet",
        folder / "intervene-1.parquet",
        folder / "intervene-0.parquet",
    )
    assert len(twice) == len(both)
    assert twice.notes == ("84 answers were there twice; those of the later source count",)
    assert {m.key: m.estimate for m in twice.filter("single-cause").measures()} == {
        m.key: m.estimate for m in both.filter("single-cause").measures()
    }


def test_a_folder_of_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(wb.UserError, match="`sources` must hold WhyBench answers, got none in"):
        wb.load(tmp_path)
    with pytest.raises(wb.UserError, match="`sources` must be one or more logs"):
        wb.load()
    (tmp_path / "page.html").write_text("no log")
    with pytest.raises(wb.UserError, match="`sources` must be logs .*, got .*page.html"):
        wb.load(tmp_path / "page.html")


def test_measures_are_those_of_the_suite(both: wb.Records) -> None:
    expected = get_suite("intervene").measures(both.tables["intervene"])
    found = both.measures()
    assert [(m.key, m.estimate, m.low, m.high) for m in found] == [
        (m.key, m.estimate, m.low, m.high) for m in expected
    ]
    assert {m.labels["suite"] for m in found} == {"intervene"}


def test_some_answers_are_chosen_by_agent_and_by_level(both: wb.Records) -> None:
    one = both.filter("single-cause")
    assert (one.agents, len(one)) == (("single-cause",), 84)
    true = both.filter(truth=1.0)
    assert set(true.to_arrow()["truth"].to_pylist()) == {1.0}
    assert 0 < len(true) < len(both)
    with pytest.raises(wb.UserError, match="got none with agent='x'; there are random-then-guess"):
        both.filter("x")
    with pytest.raises(wb.UserError, match="filter must name columns of the records .*'agents'"):
        both.filter(agents="x")


def test_a_suite_is_taken_by_its_name(folder: Path) -> None:
    every = wb.load(folder / "intervene-0.parquet", folder / "compose-0.parquet")
    assert every["compose"].suites == ("compose",)
    assert len(every) == len(every["compose"]) + len(every["intervene"])
    assert set(every.to_arrow()["suite"].to_pylist()) == {"intervene", "compose"}
    with pytest.raises(wb.UserError, match="suite that was answered .intervene, compose., got 'x'"):
        every["x"]


def test_what_is_saved_is_loaded(folder: Path, both: wb.Records, tmp_path: Path) -> None:
    assert both.save(tmp_path / "a.csv") == (tmp_path / "a.csv",)
    again = wb.load(tmp_path / "a.csv")
    assert again.to_arrow()["value"].to_pylist() == both.to_arrow()["value"].to_pylist()
    both.save(tmp_path / "a.parquet")
    assert wb.load(tmp_path / "a.parquet").to_arrow().equals(both.to_arrow())
    every = wb.load(folder / "intervene-0.parquet", folder / "compose-0.parquet")
    with pytest.raises(wb.UserError, match="`output` must be a folder for the 2 suites"):
        every.save(tmp_path / "a.parquet")
    files = every.save(tmp_path / "all")
    assert [file.name for file in files] == ["intervene.parquet", "compose.parquet"]


def test_partitioned_records_are_the_same_answers(both: wb.Records, tmp_path: Path) -> None:
    both.partition(tmp_path / "parts")
    parts = wb.load(tmp_path / "parts")
    assert repr(parts) == f"<Records: partitioned at {tmp_path / 'parts'}>"
    assert (parts.suites, len(parts)) == (both.suites, len(both))
    assert [table.num_rows for _, table in parts.iter_tables()] == [84, 84]
    watched: list[str] = []

    def watch(agents, label):
        watched.append(label)
        return agents

    found = parts.measures(watch=watch)
    assert watched == ["intervene, 2 agents"]
    assert {(m.labels["agent"], m.key): m.estimate for m in found} == {
        (m.labels["agent"], m.key): m.estimate for m in both.measures()
    }


def test_children_of_answers_are_tables_of_their_own(both: wb.Records) -> None:
    steps = both.child_table("steps")
    assert {"step", "action"} <= set(steps.tables["intervene"].column_names)
    with pytest.raises(wb.UserError, match="`table` must be among what intervene has .steps., got"):
        both.child_table("stairs")


@pytest.mark.slow
def test_baselines_stand_below_and_are_not_the_agents(tmp_path: Path, mirror) -> None:
    judged = wb.Records({"judge": answers("judge", 0)})
    beside = judged.with_baselines("people")
    assert beside.agents == judged.agents
    assert beside.baseline_agents == ("human/rw17",)
    assert len(beside) == len(judged) + 2 * 960
    assert "human/rw17" in {m.labels["agent"] for m in beside.measures()}
    with pytest.raises(wb.UserError, match="`baselines` must be among what the suites have"):
        judged.with_baselines("martians")
    judged.partition(tmp_path)
    parts = wb.load(tmp_path).with_baselines("people")
    assert [name for name, _ in parts.iter_tables()] == ["judge", "judge"]
    assert len(parts) == len(beside)


def test_two_agents_are_compared(both: wb.Records, folder: Path) -> None:
    found = both.compare("single-cause", "random-then-guess")
    assert found.measures == ("justified_accuracy", "accuracy", "balanced_accuracy", "answered")
    assert found.notes == ("intervene: 84 items compared",)
    again = wb.compare(folder / "intervene-1.parquet", folder / "intervene-0.parquet")
    assert again.differences == found.differences
    (alone,) = found["accuracy"]
    assert alone.corrected_p == alone.p, "what is looked at alone is corrected alone"
    assert set(found.to_arrow().column_names) >= {"measure", "difference", "low", "high", "verdict"}
    with pytest.raises(wb.UserError, match="`agents` must be among .*, got 'nobody'"):
        both.compare("nobody", "single-cause")
    with pytest.raises(wb.UserError, match="must be among those that are compared here"):
        found["explaining_away"]


def test_a_suite_without_a_comparison_says_so(both: wb.Records, monkeypatch) -> None:
    plain = altered(get_suite("intervene"), comparison=None)
    monkeypatch.setattr("whybench.results.comparison.get_suite", lambda _: plain)
    with pytest.raises(wb.UserError, match="must have a paired comparison .*, got intervene with"):
        both.compare(*both.agents)


def test_an_empty_table_is_still_a_table() -> None:
    none = wb.Records({"judge": answers("judge", 0).slice(0, 0)})
    assert (len(none), none.agents) == (0, ())
    assert isinstance(none.to_arrow(), pa.Table)
    assert len(none.measures()) == 0
