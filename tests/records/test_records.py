from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.records import record_schema, write_records
from whybench.records.rows import THINNED, is_thinned, pack_metadata, pack_score, unpack_sample
from whybench.records.table import record_table
from whybench.records.usable import read_usable
from whybench.seeds import item_id

COLUMNS = {"story": str, "number": int, "share": float, "seen": bool}
ROW = {
    "agent": "a",
    "suite": "judge",
    "version": 1,
    "design": "core",
    "design_hash": "00",
    "item": "judge-1",
    "epoch": 1,
    "case": "économie-ppp-VI",
    "outcome": "no_answer",
    "reason": "several_numbers",
    "value": None,
    "truth": 12.5,
    "input_tokens": 3,
    "output_tokens": 4,
    "seconds": 0.5,
    "log": "x.eval",
    "story": "économie, “quoted”",
    "number": 7,
    "share": 0.25,
    "seen": True,
}

answers = st.lists(
    st.tuples(
        st.one_of(st.none(), st.floats(0, 100)),
        st.sampled_from(["cut_off", "range"]),
        st.dictionaries(st.just("confidence"), st.floats(0, 100)),
    ),
    min_size=1,
    max_size=5,
)


@pytest.mark.parametrize("name", ["r.parquet", "deep/er/r.parquet", "r.csv"])
def test_records_survive_a_file(tmp_path, name: str) -> None:
    table = record_table([ROW, {**ROW, "value": 80.0, "outcome": "scored", "reason": ""}], COLUMNS)
    write_records(table, tmp_path / name)
    assert read_usable(tmp_path / name, "judge", COLUMNS) == (table, [])


def test_a_file_of_another_kind_is_refused(tmp_path) -> None:
    table = record_table([ROW], COLUMNS)
    with pytest.raises(ValueError, match=r"ending in \.parquet or \.csv, got .*r\.xlsx"):
        write_records(table, tmp_path / "r.xlsx")
    write_records(table.drop_columns(["story"]), tmp_path / "r.csv")
    with pytest.raises(ValueError, match=r"must have the columns .* story"):
        read_usable(tmp_path / "r.csv", "judge", COLUMNS)


def test_every_factor_is_a_typed_column() -> None:
    schema = record_schema(COLUMNS)
    assert [str(schema.field(name).type) for name in COLUMNS] == [
        "string",
        "int64",
        "double",
        "bool",
    ]
    assert schema.names[:2] == ["agent", "suite"]


@given(answers)
def test_what_a_task_packs_is_what_records_read(given_answers) -> None:
    items = [
        (f"judge-k-{p}-cot-abcde{p}", f"k-{p}", {"story": "economy", "task": str(p)}, float(p))
        for p in range(len(given_answers))
    ]
    packed = [
        (value, "" if value is not None else reason, parts if value is not None else {})
        for value, reason, parts in given_answers
    ]
    rows = unpack_sample(
        items[0][0], pack_metadata("judge", items), pack_score(packed, {"answered": 1.0})
    )
    assert len(rows) == len(items)
    for row, (name, key, factors, truth), (value, reason, parts) in zip(
        rows, items, packed, strict=True
    ):
        assert (row["item"], row["case"]) == (name, key)
        assert {key: row[key] for key in factors} == factors
        assert (row["suite"], row["truth"], row["value"], row["reason"]) == (
            "judge",
            truth,
            value,
            reason,
        )
        assert row["outcome"] == ("no_answer" if value is None else "scored")
        assert row.get("confidence") == parts.get("confidence")


def test_a_sample_without_a_score_is_an_error_for_each_of_its_items() -> None:
    items = [(f"judge-{i}-abcdef", str(i), {"task": str(i)}, 1.0) for i in range(3)]
    rows = unpack_sample("group", pack_metadata("judge", items), None, "timed out")
    assert [(row["outcome"], row["reason"], row["value"]) for row in rows] == [
        ("error", "timed out", None)
    ] * 3


def test_metadata_of_a_large_group_keeps_within_what_summaries_store() -> None:
    items = [
        (
            f"judge-collider-{'x' * 40}-{i}-direct-{i:016d}",
            f"collider-{'x' * 40}-{i}",
            {f"factor{j}": f"level{i}" for j in range(11)},
            12.345678901234,
        )
        for i in range(20)
    ]
    packed = pack_metadata("judge", items)
    assert all(len(repr(value)) < 1000 for value in packed.values())
    assert not is_thinned(packed, None)
    assert is_thinned({**packed, "factor0": THINNED}, None)
    assert is_thinned(packed, {"metadata": {"answer": THINNED}})
    assert is_thinned({**packed, "case": packed["case"][:100] + "..."}, None)


def test_keys_that_hold_the_marks_of_a_list_survive() -> None:
    keys = [f"a,b{{{number}}}" for number in range(3)]
    names = [item_id("judge-abcdef", key, "cot", generated=False) for key in keys]
    items = [(name, key, {}, 1.0) for name, key in zip(names, keys, strict=True)]
    rows = unpack_sample("group", pack_metadata("judge", items), None)
    assert [row["item"] for row in rows] == names
    assert [row["case"] for row in rows] == keys
