"""Files of records with rows that cannot be used: the others are, and it is said how many."""

from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from whybench.errors import UserError
from whybench.records import sum_records, write_partition, write_records
from whybench.records.table import record_table
from whybench.results import load
from whybench.suites.judge import SUITE

ROWS = 12
ITEMS = [
    {
        **{"agent": "a", "suite": "judge", "version": 1, "design": "core", "design_hash": "00"},
        **{"item": item.id, "epoch": 1, "outcome": "scored", "reason": "", "value": 40.0},
        **item.factors,
        **{"truth": item.truth, "input_tokens": 1, "output_tokens": 1, "seconds": 0.1, "log": "x"},
    }
    for item in SUITE.items(SUITE.make_design({}))
][:ROWS]


def write(path: Path, **changes: dict[int, object]) -> Path:
    """Write records in which some cells are changed: column to row and cell."""
    table = record_table(ITEMS, SUITE.record_columns)
    for name, cells in changes.items():
        column = [cells.get(row, cell) for row, cell in enumerate(table[name].to_pylist())]
        if any(isinstance(cell, str) for cell in cells.values()):
            column = [str(cell) for cell in column]
        table = table.set_column(table.column_names.index(name), name, pa.array(column))
    write_records(table, path)
    return path


def test_a_name_of_a_column_that_is_no_text_is_damage(tmp_path) -> None:
    path = write(tmp_path / "r.parquet")
    path.write_bytes(path.read_bytes().replace(b"reason", b"re\xe1son"))
    with pytest.raises(UserError, match=r"r\.parquet must be a whole file of records, got"):
        load(str(path))


@pytest.mark.parametrize("name", ["r.parquet", "r.csv"])
@pytest.mark.parametrize(
    ("column", "cell", "told"),
    [
        ("outcome", "scord", "outcome 'scord'"),
        ("value", "much", "value 'much'"),
        ("value", float("inf"), "value inf"),
        ("value", None, "no value"),
        ("agent", "", "no agent"),
        ("item", "judge-226a25f4aaag66ba2083", "item 'judge-226a25f4aaag66ba2083'"),
        ("epoch", "first", "epoch 'first'"),
        ("suite", "jurge", "suite 'jurge'"),
    ],
)
def test_a_row_that_cannot_be_used_is_left_out_and_named(
    tmp_path, name, column, cell, told
) -> None:
    path = write(tmp_path / name, **{column: {3: cell, 5: cell}})
    answers = load(path)
    assert len(answers) == ROWS - 2
    assert answers.notes == (
        f"{path} is damaged: {ROWS - 2} of {ROWS} rows are used (row 4 has {told}, "
        f"row 6 has {told})",
    )


def test_a_torn_row_of_a_csv_is_left_out(tmp_path) -> None:
    path = write(tmp_path / "r.csv")
    path.write_text(path.read_text()[:-40])
    answers = load(path)
    assert len(answers) == ROWS - 1
    assert "11 of 12 rows are used (1 are torn)" in answers.notes[0]


@pytest.mark.parametrize("name", ["r.parquet", "r.csv"])
def test_records_without_a_row_that_can_be_used_are_refused(tmp_path, name) -> None:
    path = write(tmp_path / name, outcome=dict.fromkeys(range(ROWS), ""))
    with pytest.raises(
        UserError, match=r"12 rows of which none can be used \(the first has no outc"
    ):
        load(path)


@pytest.mark.parametrize("column", ["suite", "agent", "outcome", "story", "truth"])
def test_a_column_that_is_gone_is_named(tmp_path, column) -> None:
    path = write(tmp_path / "r.parquet")
    pa.parquet.write_table(pa.parquet.read_table(path).drop_columns([column]), path)
    with pytest.raises(UserError, match=rf"r\.parquet must .*\b{column}\b"):
        load(path)


def test_one_damaged_file_does_not_stop_the_others(tmp_path) -> None:
    good, bad = write(tmp_path / "good.parquet"), tmp_path / "bad.parquet"
    bad.write_bytes(good.read_bytes()[:-50])
    answers = load(tmp_path)
    assert len(answers) == ROWS
    assert answers.notes[0].startswith(f"left out: {bad} must be a whole file of records")


def test_one_damaged_file_does_not_stop_partitioned_records(tmp_path, caplog) -> None:
    table = record_table(ITEMS, SUITE.record_columns)
    other = record_table([{**row, "agent": "b"} for row in ITEMS], SUITE.record_columns)
    write_partition(table, tmp_path)
    (bad,) = map(Path, write_partition(other, tmp_path))
    bad.write_bytes(bad.read_bytes()[:-50])
    answers = load(tmp_path)
    assert {measure.labels["agent"] for measure in answers.measures()} == {"a"}
    assert answers.notes[0].startswith(f"left out: {bad} must be a whole file")
    assert caplog.text.count(f"Note: left out: {bad}") == 1


def test_one_damaged_file_does_not_stop_sums(tmp_path, caplog) -> None:
    table = record_table(ITEMS, SUITE.record_columns)
    other = record_table([{**row, "agent": "b"} for row in ITEMS], SUITE.record_columns)
    write_partition(table, tmp_path)
    (bad,) = map(Path, write_partition(other, tmp_path))
    bad.write_bytes(bad.read_bytes()[:-50])
    summed = sum_records(tmp_path, "judge", ["agent"])
    assert summed.to_pydict()["answers"] == [ROWS]
    assert f"left out: {bad}" in caplog.text
    next(tmp_path.rglob("agent=a/*.parquet")).unlink()
    with pytest.raises(UserError, match=r"records at .* must have the columns agent, got"):
        sum_records(tmp_path, "judge", ["agent"])


def test_no_single_bit_of_a_page_changes_an_answer_unseen(tmp_path) -> None:
    whole, path = load(write(tmp_path / "r.parquet")).to_arrow(), tmp_path / "r.parquet"
    content, chance = path.read_bytes(), random.Random(1)
    pages = pa.parquet.read_metadata(path).serialized_size
    for _ in range(60):
        changed = bytearray(content)
        changed[chance.randrange(4, len(content) - pages - 8)] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        with suppress(UserError):
            assert load(path).to_arrow() == whole
