"""`train export` and `train scan` as their users call them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from whybench.training import reward

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import CallCommand


@pytest.mark.slow
def test_export_and_look_for_tests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call_command: CallCommand
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, _ = call_command("train export compose --count 45 -o train.jsonl")
    assert status == 0
    assert out.startswith("45 items of compose for training\nfile             train.jsonl, ")
    text = (tmp_path / "train.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n")[:-1]]
    assert sum(reward(row, "yes") for row in rows) == sum(row["truth"] for row in rows)

    status, out, _ = call_command(
        "train export compose --split test --design core --not-for-training --count 15 "
        "-o test.parquet --json"
    )
    said = json.loads(out)
    assert (status, said["items"], said["split"]) == (0, 15, "test")

    looked = "train scan --designs compose/core train.jsonl"
    status, out, _ = call_command(f"{looked} --json")
    found = json.loads(out)
    assert (status, found["contaminated"], found["texts"]) == (0, False, 45)
    assert found["counts"] == [
        {"found": "canary", "suite": "compose", "designs": "", "split": "train", "count": 45}
    ]

    status, out, _ = call_command(f"{looked} test.parquet")
    assert status == 1
    assert out.startswith("60 texts compared with 5,760 test prompts\n")
    assert "canary  compose  –        train     45\nexact   compose  core     test      15\n" in out
    assert "… and 5 more; --json lists them all" in out
    assert out.endswith("CONTAMINATED\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train export judge -o a.jsonl", "--count must say how many items"),
        ("train export judge --split test -o a.jsonl", "--split may be test if that is meant"),
        (
            "train export judge --split test --design core -o a.jsonl",
            "--split may be test if that is meant",
        ),
        (
            "train export judge --split test --not-for-training -o a.jsonl",
            "--split may be test if that is meant",
        ),
        ("train export judge --count 3 -T split=test -o a.jsonl", "the split is chosen by --split"),
        (
            "train export compose --count 3 -o a.txt",
            "FILE must end in .jsonl or .parquet, got a.txt",
        ),
        ("train export compose --count 3 --design party -o a.jsonl", "party is one world"),
        (
            "train export compose --count 3 -o /dev/null/a.jsonl",
            "must be a file that can be written, got ",
        ),
        (
            "train export judge --count 3 -o a.jsonl",
            "judge is for testing alone: it has no `training`",
        ),
        ("train scan absent.jsonl", "DATASET must be a file that can be read, got absent.jsonl"),
        ("train scan a.jsonl --designs judge/none", "--designs must be of judge's"),
    ],
)
def test_requests_that_cannot_be_met_end_with_status_2(
    words: str,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    call_command: CallCommand,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = call_command(words)
    assert (status, out) == (2, "")
    assert message in err
    assert list(tmp_path.iterdir()) == []
