"""Audits as their users call them: files, verdicts, and what is said when something is amiss."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from audits.made_prompts import make_prompt

from whybench.datasets import list_sources
from whybench.errors import DataError
from whybench_papers import audits
from whybench_papers.audits import AUDITS, VERDICTS, count_rows, find_folder
from whybench_papers.audits.rlcausal import FILES, audit_rlcausal
from whybench_papers.audits.rlcausal.verdicts import ASKS_OF_SEEN, FOLLOWS, IMPOSSIBLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from conftest import CallCommand

TABLES = {"v0": ((), [[0.68, 0.32]]), "v1": (("v0",), [[0.85, 0.15], [0.35, 0.65]])}
ITEMS = (
    ("v0 given it is observed that v1=1", "[0.33, 0.67]"),
    ("v0 given it is observed that v1=1", "[0.39, 0.61]"),
    ("v1 given it is observed that v1=1", "[0.0, 1.0]"),
)


def write_items(folder: Path, items: Sequence[tuple[str, str]]) -> None:
    rows = [
        {"example": {"user": user, "reference": key}, "dag_id": "0", "sample_id": number}
        for number, (user, key) in enumerate(items)
    ]
    path = folder / FILES[0]
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    write_items(tmp_path, [(make_prompt(TABLES, question), key) for question, key in ITEMS])
    return tmp_path


def test_an_altered_key_is_found(made: Path) -> None:
    found = list(audit_rlcausal(made, FILES[:1]))
    assert [one.reason for one in found] == [FOLLOWS, IMPOSSIBLE, ASKS_OF_SEEN]
    assert [one.item for one in found] == ["0/0", "0/1", "0/2"]
    assert {one.verdict for one in found} <= set(VERDICTS)
    assert [row["items"] for row in count_rows(found)] == [1, 1, 1]
    assert len(list(audit_rlcausal(made, FILES[:1], 2))) == 2


def test_an_altered_prompt_is_refused_with_its_place(made: Path) -> None:
    text = make_prompt(TABLES, ITEMS[0][0]).replace("v0 -> v1;\n", "")
    write_items(made, [(text, "[0.33, 0.67]")])
    with pytest.raises(DataError, match=r"test_n10v2.parquet, item 0/0: .* get the file anew"):
        list(audit_rlcausal(made, FILES[:1]))


def test_files_that_are_missing_or_damaged(made: Path) -> None:
    with pytest.raises(DataError, match="must hold .* got no such file"):
        list(audit_rlcausal(made, FILES[1:2]))
    (made / FILES[0]).write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match="must be a Parquet file .* get the file anew"):
        list(audit_rlcausal(made, FILES[:1]))
    pq.write_table(pa.table({"prompt": ["x"]}), made / FILES[0])
    with pytest.raises(DataError, match="must be a Parquet file with example.user"):
        list(audit_rlcausal(made, FILES[:1]))


def test_the_command_counts_and_writes(
    made: Path, monkeypatch: pytest.MonkeyPatch, call_command: CallCommand
) -> None:
    monkeypatch.chdir(made)
    words = "rlcausal --folder . --only observational_distribution/test_n10v2"
    status, out, _ = call_command(f"papers audit {words} --output found.csv")
    assert status == 0
    assert "key of no world that prints so" in out
    assert "Scores of a perfect reader of the prompts" in out
    with (made / "found.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["verdict"] for row in rows] == ["right", "wrong", "trivial"]
    assert [row["key"] for row in rows] == [key for _, key in ITEMS]
    status, out, _ = call_command(f"papers audit {words} --limit 1 --json")
    said = json.loads(out)
    assert (status, said["items"], said["counts"][0]["reason"]) == (0, 1, FOLLOWS)
    status, out, _ = call_command("papers audit")
    assert status == 0
    assert out.splitlines()[1].startswith("rlcausal")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("rlcausl", "NAME must be one of rlcausal"),
        ("rlcausal --only nothing", "--only must be part of a file of rlcausal"),
        ("rlcausal --folder nowhere", "--folder must be a folder with the files of rlcausal"),
        ("rlcausal --output found.txt", "-o must end in .csv"),
    ],
)
def test_requests_that_cannot_be_met(words: str, told: str, call_command: CallCommand) -> None:
    status, _, err = call_command(f"papers audit {words}")
    assert status == 2
    assert told in err


def test_an_audit_that_is_stopped_says_how_far_it_came(
    made: Path, monkeypatch: pytest.MonkeyPatch, call_command: CallCommand
) -> None:
    real = AUDITS["rlcausal"]

    def stopped(folder: Path, files: Sequence[str], limit: int | None) -> Iterator[object]:
        yield next(real.examine(folder, files, limit))
        raise KeyboardInterrupt

    from dataclasses import replace

    monkeypatch.setitem(audits.AUDITS, "rlcausal", replace(real, examine=stopped))
    target = made / "found.csv"
    words = (
        f"rlcausal --folder {made} --only observational_distribution/test_n10v2 --output {target}"
    )
    status, _, err = call_command(f"papers audit {words}")
    assert status == 130
    assert "Stopped after 1 of 8,000 items; nothing was written." in err
    assert not target.exists()


def test_every_audit_has_a_source_that_pins_its_files() -> None:
    for name, audit in AUDITS.items():
        assert audit.name == name
        assert set(audit.files) <= set(list_sources()[name].files)


@pytest.fixture
def mirrored(mirror: Path) -> Path:
    if not (mirror / "rlcausal").is_dir():
        pytest.skip("the mirror must hold rlcausal/")
    return mirror / "rlcausal"


@pytest.mark.slow
def test_real_items_are_judged(mirrored: Path) -> None:
    audit = AUDITS["rlcausal"]
    assert find_folder(audit, audit.files) == mirrored
    found = list(audit_rlcausal(mirrored, limit=12))
    assert len(found) == 60
    assert {one.verdict for one in found} <= set(VERDICTS)


@pytest.mark.slow
def test_a_whole_file_is_judged(mirrored: Path) -> None:
    found = list(audit_rlcausal(mirrored, FILES[2:3]))
    assert len(found) == len({one.item for one in found}) == 8000
    assert sum(one.verdict == "wrong" for one in found) == 861


@pytest.mark.slow
def test_an_altered_key_of_a_real_item_is_found(mirrored: Path, tmp_path: Path) -> None:
    rows = pq.read_table(mirrored / FILES[0]).slice(0, 1).to_pylist()
    assert rows[0]["example"]["reference"] == "[0.07, 0.93]"
    write_items(tmp_path, [(rows[0]["example"]["user"], "[0.93, 0.07]")])
    (found,) = audit_rlcausal(tmp_path, FILES[:1])
    assert (found.verdict, found.reason) == ("wrong", IMPOSSIBLE)
