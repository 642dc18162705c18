"""Partitioned records: what is written is read, whole, once, and by nobody else's company."""

from __future__ import annotations

from pathlib import Path

import fsspec
import pyarrow as pa
import pytest

from whybench.records import write_partition
from whybench.records.partitions import (
    is_partitioned,
    list_agent_files,
    list_partitioned_suites,
    read_agent,
    write_atomically,
)
from whybench.records.table import CORE, record_table

COLUMNS = {"task": str}
AGENTS = ("openai/gpt-4o[temperature=0.7,top_p=0.9]", "a=b/c d%", "Übermensch")


def records(agent: str = AGENTS[0], items: int = 3, **changed: object) -> pa.Table:
    row = dict.fromkeys(CORE) | {"suite": "judge", "design": "core", "design_hash": "00"}
    row |= {"version": 1, "epoch": 1, "outcome": "scored", "value": 50.0, "task": "I"}
    rows = [{**row, "agent": agent, "item": f"i{k}", **changed} for k in range(items)]
    return record_table(rows, COLUMNS)


@pytest.fixture(params=["folder", "memory"])
def address(request, tmp_path):
    if request.param == "folder":
        yield str(tmp_path / "many [records]")
    else:
        yield "memory://partitions/records"
        fsspec.filesystem("memory").rm("/partitions", recursive=True)


def test_each_agent_is_read_as_it_was_written(address: str) -> None:
    tables = {agent: records(agent, 2 + place) for place, agent in enumerate(AGENTS)}
    assert not is_partitioned(address)
    write_partition(pa.concat_tables(tables.values()), address)
    assert is_partitioned(address)
    assert list_partitioned_suites(address) == ["judge"]
    assert list(list_agent_files(address, "judge")) == sorted(AGENTS)
    for agent, table in tables.items():
        assert read_agent(address, "judge", agent, COLUMNS) == table


def test_suites_and_designs_have_files_of_their_own(address: str) -> None:
    other = records(suite="intervene")
    changed = records(design_hash="11")
    written = write_partition(pa.concat_tables([records(), other, changed]), address)
    assert len(written) == 3
    assert list_partitioned_suites(address) == ["intervene", "judge"]
    assert read_agent(address, "judge", AGENTS[0], COLUMNS).num_rows == 6
    assert read_agent(address, "intervene", AGENTS[0], COLUMNS) == other


def test_the_same_unit_written_twice_is_the_same_file(address: str) -> None:
    files, root = fsspec.core.url_to_fs(address)
    (first,) = write_partition(records(), address, "part 1/2")
    before = files.cat_file(first)
    (again,) = write_partition(records(), address, "part 1/2")
    assert again == first
    assert files.cat_file(again) == before
    # What the unit says later takes the place of what it said before.
    write_partition(records(items=5), address, "part 1/2")
    assert read_agent(address, "judge", AGENTS[0], COLUMNS).num_rows == 5
    assert [path for path in files.find(root) if not path.endswith(".parquet")] == []


def test_units_add_up_and_an_answer_in_two_of_them_is_refused(address: str) -> None:
    write_partition(records(items=2), address, "1-of-2")
    write_partition(records(items=2, epoch=2), address, "2-of-2")
    assert read_agent(address, "judge", AGENTS[0], COLUMNS).num_rows == 4
    write_partition(records(items=1), address)
    with pytest.raises(ValueError, match="must be in one file, got 1 of .*remove the file"):
        read_agent(address, "judge", AGENTS[0], COLUMNS)


def test_people_may_answer_the_same_item(tmp_path) -> None:
    people = pa.concat_tables([records("human/all"), records("human/all")])
    write_partition(people, tmp_path)
    assert read_agent(tmp_path, "judge", "human/all", COLUMNS).num_rows == 6


def test_an_unknown_agent_is_named(tmp_path) -> None:
    write_partition(records(), tmp_path)
    with pytest.raises(ValueError, match="agent must be one with records of judge .* got 'nobody'"):
        read_agent(tmp_path, "judge", "nobody", COLUMNS)


def test_a_write_that_fails_leaves_what_was_there(tmp_path, monkeypatch) -> None:
    (path,) = write_partition(records(), tmp_path)
    before = Path(path).read_bytes()
    files = fsspec.filesystem("file")

    def half(path: str, content: bytes) -> None:
        Path(path).write_bytes(content[: len(content) // 2])
        raise OSError("disk full")

    monkeypatch.setattr(files, "pipe_file", half)
    with pytest.raises(ValueError, match="disk full"):
        write_atomically(files, path, before * 2)
    assert Path(path).read_bytes() == before
    assert read_agent(tmp_path, "judge", AGENTS[0], COLUMNS) == records()
