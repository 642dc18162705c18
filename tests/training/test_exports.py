"""Files of rows: the same in both formats, the same bytes again, whole or not there."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite
from whybench.training import reward
from whybench.training.canary import canary
from whybench.training.exports import CHARACTERS, ROWS, _batches, export
from whybench.training.items import evaluation_items, training_items

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["calculate", "intervene", "compose", "analyze"])
def test_both_formats_hold_the_same_and_are_the_same_again(name: str, tmp_path: Path) -> None:
    series, count = training_items(get_suite(name), {}), 3 if name == "analyze" else 40
    first = {
        kind: export(series, count, tmp_path / f"first.{kind}") for kind in ("jsonl", "parquet")
    }
    text = (tmp_path / "first.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.split("\n")[:-1]]
    table = pq.read_table(tmp_path / "first.parquet")
    assert lines == [{name: row[name] for name in lines[0]} for row in table.to_pylist()]
    assert set(lines[0]) == set(table.column_names)
    for kind, one in first.items():
        again = export(training_items(get_suite(name), {}), count, tmp_path / f"again.{kind}")
        assert (again.rows, again.size, again.sha256) == (count, one.size, one.sha256)
        assert one.sha256 == hashlib.sha256(one.path.read_bytes()).hexdigest()
    item, row = next(series.take(1)), lines[0]
    assert (row["id"], row["prompt"], row["truth"]) == (
        item.id,
        get_suite(name).render(item),
        item.truth,
    )
    assert row["canary"] == canary("train")
    assert row["stream"] == series.hash == table.schema.metadata[b"stream"].decode()
    assert table.schema.metadata[b"canary"].decode() == canary("train")
    (one, a), (two, b) = ((way["method"], way["value"]) for way in map(
        row["certificate"].get, ("first", "second")
    ))  # fmt: skip
    assert one != two
    assert a == pytest.approx(b, abs=1e-12)
    assert reward(row, "") == reward(table.to_pylist()[0], "") == 0.0


def test_a_prefix_of_a_longer_file_is_the_shorter_one(tmp_path: Path) -> None:
    series = training_items(get_suite("compose"), {})
    export(series, 20, tmp_path / "few.jsonl")
    export(series, 300, tmp_path / "many.jsonl")
    assert (tmp_path / "many.jsonl").read_bytes().startswith((tmp_path / "few.jsonl").read_bytes())


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    series = evaluation_items(get_suite("judge"), {"design": "core"})
    for kind in ("jsonl", "parquet"):
        with pytest.raises(UserError, match="count must be at most 240, the number of different"):
            export(series, 241, tmp_path / f"many.{kind}")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UserError, match="FILE must end in .jsonl or .parquet, got a.csv"):
        export(series, 1, tmp_path / "a.csv")


def test_batches_are_bounded_in_rows_and_in_text() -> None:
    short = [{"prompt": "x"}] * (ROWS + 5)
    assert [len(portion) for portion in _batches(short)] == [ROWS, 5]
    long = [{"prompt": "x" * (CHARACTERS // 2)}] * 5
    assert [len(portion) for portion in _batches(long)] == [2, 2, 1]
