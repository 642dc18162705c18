"""`export` and `contamination` as their users call them."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from whybench.cli import main
from whybench.training import reward

if TYPE_CHECKING:
    from pathlib import Path


def call(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["whybench", *words.split()])
    status = 0
    try:
        main()
    except SystemExit as done:
        status = int(done.code or 0)
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.mark.slow
def test_export_and_look_for_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, _ = call("export compose --count 45 -o train.jsonl", monkeypatch, capsys)
    assert status == 0
    assert out.startswith("45 items of compose to train on\nfile     train.jsonl, ")
    text = (tmp_path / "train.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n")[:-1]]
    assert sum(reward(row, "yes") for row in rows) == sum(row["truth"] for row in rows)

    status, out, _ = call(
        "export compose --split test --design core --not-for-training --count 15 "
        "-o test.parquet --json",
        monkeypatch,
        capsys,
    )
    said = json.loads(out)
    assert (status, said["items"], said["split"]) == (0, 15, "test")

    looked = "contamination --designs compose/core train.jsonl"
    status, out, _ = call(f"{looked} --json", monkeypatch, capsys)
    found = json.loads(out)
    assert (status, found["contaminated"], found["texts"]) == (0, False, 45)
    assert found["counts"] == [
        {"found": "canary", "suite": "compose", "designs": "", "split": "train", "count": 45}
    ]

    status, out, _ = call(f"{looked} test.parquet", monkeypatch, capsys)
    assert status == 1
    assert out.startswith("60 texts held against 5,760 prompts of tests\n")
    assert "canary  compose  –        train     45\nexact   compose  core     test      15\n" in out
    assert "… and 5 more; --json lists them all" in out
    assert out.endswith("CONTAMINATED\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("export judge -o a.jsonl", "--count must say how many items"),
        ("export judge --split test -o a.jsonl", "--split may be test if that is meant"),
        (
            "export judge --split test --design core -o a.jsonl",
            "--split may be test if that is meant",
        ),
        (
            "export judge --split test --not-for-training -o a.jsonl",
            "--split may be test if that is meant",
        ),
        ("export judge --count 3 -T split=test -o a.jsonl", "the split is chosen by --split"),
        ("export compose --count 3 -o a.txt", "FILE must end in .jsonl or .parquet, got a.txt"),
        ("export compose --count 3 --design party -o a.jsonl", "party is one world"),
        (
            "export compose --count 3 -o /dev/null/a.jsonl",
            "must be a file that can be written, got ",
        ),
        ("export judge --count 3 -o a.jsonl", "judge is for testing alone: it has no `training`"),
        ("contamination absent.jsonl", "DATASET must be a file that can be read, got absent.jsonl"),
        ("contamination a.jsonl --designs judge/none", "--designs must be of judge's"),
    ],
)
def test_requests_that_cannot_be_met_end_with_status_2(
    words: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = call(words, monkeypatch, capsys)
    assert (status, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []
