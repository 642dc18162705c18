"""Files of every shape to the same rows."""

from __future__ import annotations

import csv
import json
import tracemalloc
from io import StringIO
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from evidence.reading import HOSTILE_ROWS, read_rows
from hypothesis import given
from hypothesis import strategies as st

from whybench.study.rows import StudyRow
from whybench.study.saved import SavedData, read_saved
from whybench.suites.contract import UserError

AT = "2026-01-01T00:00:00Z"


def made(position: int = 0, **changes) -> dict:
    return {
        "kind": "item",
        "study": "s1",
        "participant": "007",
        "session": "a1",
        "position": position,
        "number": 3,
        "at": AT,
        "seconds": 2.5,
        "item": "judge-1",
        "replies": ["63"],
        "rt": 2500,
        "trial_type": "slider",
        **changes,
    }


ROWS = [
    made(0, kind="start", seconds=None, item=None, replies=None, resumed=False),
    made(1, kind="comprehension", attempts=2, correct=True),
    made(2, replies=['he said "63", [sic]\n{}', "64"], slider_start=17.25, order=0),
    made(3, kind="end", seconds=None),
]


def as_csv(rows: list[dict]) -> str:
    """Write as jsPsych does: everything in quotes, what is not there empty, objects as JSON."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = StringIO()
    lines = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    lines.writerow(names)
    for row in rows:
        cells = (row.get(name, "") for name in names)
        lines.writerow(cell if isinstance(cell, str) else json.dumps(cell) for cell in cells)
    return out.getvalue()


SHAPES = {
    "lines.jsonl": "\n".join(map(json.dumps, ROWS)),
    "array.json": json.dumps(ROWS),
    "pretty.json": json.dumps(ROWS, indent=2),
    "two participants.txt": f"{json.dumps(ROWS[:2])}\n{json.dumps(ROWS[2:])}\n",
    "strung together.txt": "".join(map(json.dumps, ROWS)),
    "mark.json": "\ufeff" + json.dumps(ROWS),
    "table.csv": as_csv(ROWS),
    "table in text.txt": as_csv(ROWS),
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_holds_the_same_rows(name: str, tmp_path) -> None:
    (tmp_path / name).write_text(SHAPES[name], encoding="utf-8", newline="")
    found = read_saved([tmp_path])
    assert (found.files, found.broken, found.foreign, found.empty) == (1, [], 0, [])
    assert found.rows == [
        StudyRow("start", "s1", "007", 0, "a1", 3, AT, resumed=False),
        StudyRow(
            "comprehension", "s1", "007", 1, "a1", 3, AT, 2.5,
            item="judge-1", replies=("63",), attempts=2, correct=True,
        ),
        StudyRow(
            "item", "s1", "007", 2, "a1", 3, AT, 2.5,
            item="judge-1", order=0, replies=('he said "63", [sic]\n{}', "64"), slider_start=17.25,
        ),
        StudyRow(
            "end", "s1", "007", 3, "a1", 3, AT, item="judge-1", replies=("63",)
        ),
    ]  # fmt: skip
    assert {row.file for row in found.rows} == {name}


def test_an_archive_of_results_is_read_with_its_folders(tmp_path) -> None:
    with ZipFile(tmp_path / "results.jrzip", "w") as archive:
        archive.writestr("metadata.json", '{"apiVersion": "1.0", "data": [{"id": 1}]}')
        archive.writestr("study_result_1/comp-result_1/data.txt", json.dumps(ROWS[:3]))
        archive.writestr("study_result_2/comp-result_2/data.txt", json.dumps(ROWS[3:]))
        archive.writestr("study_result_2/comp-result_2/files/picture.png", b"\x89PNG")
    found = read_saved([tmp_path / "results.jrzip"])
    assert [row.position for row in found.rows] == [0, 1, 2, 3]
    assert found.rows[3].where == "results.jrzip/study_result_2/comp-result_2/data.txt:1"
    assert found.empty == ["results.jrzip/metadata.json"]
    assert not found.broken


@given(st.data())
def test_what_is_cut_off_loses_no_more_than_is_missing(data) -> None:
    text = json.dumps(ROWS)
    ends = [len(json.dumps(ROWS[: count + 1])) - 1 for count in range(len(ROWS))]
    cut = data.draw(st.integers(0, len(text)))
    found = SavedData()
    found.read_text("cut.json", text[:cut].encode())
    assert [row.position for row in found.rows] == list(range(sum(end <= cut for end in ends)))
    assert len(found.broken) <= 1


PIECES = st.sampled_from(
    [json.dumps(ROWS[2]), as_csv(ROWS), '"kind"', "kind,", "{", "}", "[", "]", '"', ",", "\n", "\r"]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join), st.booleans())
def test_no_text_at_all_is_fatal(text: str, torn: bool) -> None:
    content = text.encode("utf-8", "surrogatepass")
    found = SavedData()
    found.read_text("any.txt", content[: len(content) // 2] if torn else content)
    assert found.files == 1
    assert all(row.kind for row in found.rows)


def test_a_broken_line_is_named_and_the_others_are_read(tmp_path) -> None:
    lines = [json.dumps(row) for row in ROWS]
    lines[1] = lines[1][:30]
    lines.insert(3, "17")
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    found = read_saved([tmp_path])
    assert [row.position for row in found.rows] == [0, 2, 3]
    assert [place.partition(" ")[0] for place in found.broken] == ["a.jsonl:2:", "a.jsonl:4:"]
    assert "must be an object of JSON, got '17'" in found.broken[1]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"replies": "63"}, "replies must be a list of words, got '63'"),
        ({"replies": [63]}, "replies must be a list of words, got [63]"),
        ({"replies": None}, "position, item, replies, got no replies"),
        ({"session": None}, "item, replies, got no session"),
        ({"kind": "null"}, "got no kind"),
        ({"position": int("9" * 400)}, "position must be a number, got 9999"),
        ({"position": -1}, "position must be a whole number from 0 to"),
        ({"number": 10**12}, "number must be a whole number from 0 to"),
        ({"participant": "\ud800"}, "participant must be text of Unicode, got '\\ud800'"),
        ({"participant": "x" * 1001}, "participant must be at most 1000 signs"),
        ({"replies": ["\udfff"]}, "replies must be text of Unicode"),
        ({"replies": ["x" * 100_001]}, "replies must be at most 100000 signs"),
        ({"replies": ["x"] * 1001}, "replies must be a list of at most 1000 words"),
        ({"seconds": "[" * 99_999}, "seconds must be JSON, got '[[["),
        ({"seconds": "9" * 9999}, "seconds must be JSON, got '999"),
        ({"participant": ""}, "got no participant"),
        ({"position": 1.5}, "position must be a whole number from 0 to 1000000000, got 1.5"),
        ({"position": True}, "position must be a number, got True"),
        ({"seconds": "fast"}, "seconds must be JSON, got 'fast'"),
        ({"seconds": float("inf")}, "seconds must be a number, got inf"),
        ({"correct": 1}, "correct must be true or false, got 1"),
        ({"item": ["judge-1"]}, "item must be a word"),
    ],
)
def test_a_row_that_is_not_one_is_broken_with_its_reason(changes, reason, tmp_path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([made(**changes)]), encoding="utf-8")
    found = read_saved([tmp_path])
    assert not found.rows
    (place,) = found.broken
    assert place.startswith("a.json:1: ")
    assert reason in place


def test_the_row_after_a_torn_one_is_found_on_the_same_line(tmp_path) -> None:
    lines = [json.dumps(row) for row in ROWS]
    for cut in range(1, len(lines[2])):
        text = f"{lines[0]}\n{lines[2][:cut]}{lines[1]}\n{lines[3]}\n"
        (tmp_path / "a.jsonl").write_text(text, encoding="utf-8")
        found = read_saved([tmp_path])
        assert [row.position for row in found.rows] == [0, 1, 3], text
        assert len(found.broken) == 1


def test_a_row_is_read_whatever_part_of_it_is_looked_at_first(monkeypatch) -> None:
    text = json.dumps([{**row, "more": [True, -1.5e-7, {"\u1234\n": "a\\"}]} for row in ROWS])
    for size in range(20, 200):
        monkeypatch.setattr("whybench.study.saved.PIECES", (size, size * 2, 1 << 14))
        found = SavedData()
        found.read_text("a.json", text.encode())
        assert ([row.position for row in found.rows], found.broken) == ([0, 1, 2, 3], []), size


@pytest.mark.parametrize(
    "text", HOSTILE_ROWS, ids=["lines", "deep", "quotes", "deep lines", "torn"]
)
def test_long_broken_files_hold_no_row(text: bytes) -> None:
    found = read_rows(text)
    assert found.broken
    assert not found.rows


def test_a_sign_that_is_none_costs_its_row_alone(tmp_path) -> None:
    rows = [json.dumps(row).encode() for row in ROWS]
    rows[2] = rows[2].replace(b"he said", b"he \xff\xfe said")
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(rows))
    found = read_saved([tmp_path])
    assert [row.position for row in found.rows] == [0, 1, 3]
    assert "replies must be text of Unicode" in found.broken[0]
    (tmp_path / "a.jsonl").write_bytes(
        b"\xff\xfe" + "\n".join(map(json.dumps, ROWS)).encode("utf-16")
    )
    found = read_saved([tmp_path])
    assert (found.rows, found.broken) == ([], ["a.jsonl: text must be UTF-8, got another encoding"])


def test_a_quote_that_is_not_closed_costs_its_line_alone(tmp_path) -> None:
    head, first, second, *rest = as_csv([ROWS[0], ROWS[1], ROWS[3]]).split("\r\n")
    text = "\r\n".join([head, first, second[:-1], *rest])
    (tmp_path / "a.csv").write_text(text, encoding="utf-8", newline="")
    found = read_saved([tmp_path])
    assert [row.position for row in found.rows] == [0, 3]
    assert len(found.broken) == 1
    assert found.broken[0].startswith("a.csv:3: ")


def test_sizes_are_bounded(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("whybench.study.saved.LARGEST_FILE", 5_000)
    monkeypatch.setattr("whybench.study.saved.LARGEST_IMPORT", 12_000)
    monkeypatch.setattr("whybench.study.saved.MOST_MEMBERS", 6)
    with ZipFile(tmp_path / "b.zip", "w", ZIP_DEFLATED) as archive:
        archive.writestr("bomb.txt", b" " * 8_000_000)
        for name in "abcd":
            archive.writestr(f"{name}.json", json.dumps(ROWS) + " " * 3_000)
    (tmp_path / "a.json").write_text(" " * 6_000, encoding="utf-8")
    with ZipFile(tmp_path / "c.zip", "w") as archive:
        for name in range(7):
            archive.writestr(f"{name}.json", "")
    tracemalloc.start()
    found = read_saved([tmp_path])
    assert tracemalloc.get_traced_memory()[1] < 5_000_000
    tracemalloc.stop()
    assert [place.partition(":")[0] for place in found.broken] == [
        "a.json", "b.zip/bomb.txt", "b.zip/d.json", "c.zip",
    ]  # fmt: skip
    assert found.broken[1].endswith("must be at most 5000 bytes, got more; cut it into several")
    assert "12000 bytes in all" in found.broken[2]
    assert len(found.rows) == 12


def test_a_torn_table_is_not_read_as_a_whole_one(tmp_path) -> None:
    text = as_csv(ROWS)
    (tmp_path / "torn.csv").write_text(text[:-12], encoding="utf-8", newline="")
    found = read_saved([tmp_path])
    assert [row.position for row in found.rows] == [0, 1, 2]
    assert len(found.broken) == 1
    short = "\r\n".join([*text.split("\r\n")[:2], '"007","s1"'])
    (tmp_path / "torn.csv").write_text(short, encoding="utf-8", newline="")
    found = read_saved([tmp_path])
    assert [row.position for row in found.rows] == [0]
    assert found.broken == ["torn.csv:3: a line must have a cell for each column"]


def test_what_is_not_ours_is_left_alone_and_counted(tmp_path) -> None:
    preload = {"trial_type": "preload", "success": True}
    (tmp_path / "a.json").write_text(json.dumps([preload, *ROWS]), encoding="utf-8")
    (tmp_path / "LICENSE.txt").write_text("Permission is [hereby] granted, {etc}", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / "b.csv").write_text(as_csv([preload, *ROWS]), encoding="utf-8", newline="")
    found = read_saved([tmp_path])
    assert (len(found.rows), found.foreign, found.empty) == (8, 2, ["LICENSE.txt"])


def test_damaged_files_are_named(tmp_path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04 torn")
    (tmp_path / "b.json").write_bytes(b'[{"kind": "\xff"}]')
    with ZipFile(tmp_path / "c.zip", "w", ZIP_DEFLATED) as archive:
        archive.writestr("data.txt", json.dumps(ROWS))
    whole = (tmp_path / "c.zip").read_bytes()
    (tmp_path / "c.zip").write_bytes(whole[:60] + b"\0" * 20 + whole[80:])
    found = read_saved([tmp_path])
    assert [place.partition(":")[0] for place in found.broken] == [
        "a.zip",
        "b.json",
        "c.zip/data.txt",
    ]
    with pytest.raises(UserError, match="data must be files or folders, got .*nothing"):
        read_saved([tmp_path / "nothing"])


def test_a_file_named_twice_is_read_once(tmp_path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(ROWS), encoding="utf-8")
    assert len(read_saved([tmp_path, tmp_path / "a.json"]).rows) == len(ROWS)
