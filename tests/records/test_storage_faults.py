"""Storage that fails: a message that says what to do, and nothing lost."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet
import pytest
from evidence.fault_server import MODEL, FaultServer

from whybench.records import read_logs, write_partition, write_records
from whybench.records.logs import check_log_folder
from whybench.records.table import record_table
from whybench.records.usable import read_usable
from whybench.results import load
from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = SUITE.record_columns
ITEMS = 6


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    """A log of six answers, as JSON, which a test can change."""
    from inspect_ai import eval as run

    from whybench._registry import judge

    folder = tmp_path_factory.mktemp("logs")
    (done,) = run(
        judge(),
        model="reference/judge.noisy-or",
        limit=ITEMS,
        log_dir=str(folder),
        log_format="json",
        display="none",
    )
    return Path(done.location.removeprefix("file://"))


@pytest.fixture
def folder(log, tmp_path) -> Path:
    """A folder with a whole copy of the log."""
    shutil.copy(log, tmp_path)
    return tmp_path


def changed(log: Path, target: Path, change) -> None:
    content = json.loads(log.read_text())
    change(content)
    target.write_text(json.dumps(content))


def refusal(*sources: Path) -> str:
    with pytest.raises(UserError) as caught:
        len(load(*sources))
    return str(caught.value)


def test_a_whole_log_is_read(folder) -> None:
    ((name, table),) = load(folder).tables.items()
    assert (name, table.num_rows) == ("judge", ITEMS)


@pytest.mark.parametrize("content", [b"", b"PK\3\4 and then nothing", b"{"])
@pytest.mark.parametrize("kind", ["eval", "json"])
def test_a_log_of_which_nothing_is_left_is_named_and_the_others_are_read(
    folder, content, kind
) -> None:
    damaged = folder / f"2026-01-01T00-00-00+00-00_judge_abc.{kind}"
    also = folder / f"2026-01-02T00-00-00+00-00_judge_abd.{kind}"
    damaged.write_bytes(content)
    also.write_bytes(content)
    answers = load(folder)
    assert len(answers) == ITEMS
    assert [note.split(" (")[0] for note in answers.notes] == [
        f"left out {damaged}",
        f"left out {also}",
    ]
    told = refusal(damaged)
    assert told.startswith("logs must be whole")
    assert str(damaged) in told
    assert damaged.read_bytes() == content


def test_a_log_of_a_later_format_is_named(log, tmp_path) -> None:
    later = tmp_path / log.name
    changed(log, later, lambda content: content.update(version=99))
    told = refusal(later)
    assert str(later) in told
    assert "99" in told


def test_a_log_of_a_version_without_a_design_hash_is_named(log, tmp_path) -> None:
    older = tmp_path / log.name
    changed(log, older, lambda content: content["eval"]["metadata"].pop("design_hash"))
    assert f"{older} (it does not say its design_hash)" in refusal(older)


def test_an_error_without_words_is_still_an_error(log, tmp_path) -> None:
    def fail(content) -> None:
        sample = content["samples"][0]
        sample["scores"] = None
        sample["error"] = {"message": " ", "traceback": "", "traceback_ansi": ""}

    silent = tmp_path / log.name
    changed(log, silent, fail)
    outcomes = [(row["outcome"], row["reason"]) for row in read_logs([silent]).rows["judge"]]
    assert outcomes.count(("error", "no score")) == 1
    assert len(outcomes) == ITEMS


def test_answers_that_do_not_fit_their_columns_are_of_another_version() -> None:
    with pytest.raises(ValueError, match="another version made these answers"):
        record_table([{"agent": "a", "truth": "yes"}], COLUMNS)


@pytest.fixture
def records(log, tmp_path) -> Path:
    target = tmp_path / "records.parquet"
    write_records(record_table(read_logs([log]).rows["judge"], COLUMNS), target)
    return target


def test_records_of_an_older_schema_are_named_with_what_they_lack(records) -> None:
    table = pa.parquet.read_table(records)
    pa.parquet.write_table(table.drop_columns(["output_tokens", "polarity"]), records)
    told = refusal(records)
    assert str(records) in told
    assert "output_tokens, polarity" in told
    assert "`whybench results`" in told


def test_records_of_a_later_schema_are_read_without_what_is_new(records) -> None:
    table = pa.parquet.read_table(records)
    pa.parquet.write_table(table.append_column("mood", pa.array(["good"] * ITEMS)), records)
    assert read_usable(records, "judge", COLUMNS) == (table, [])


@pytest.mark.parametrize("hurt", ["cut", "flipped", "empty", "other", "typed"])
def test_a_damaged_file_of_records_is_named(records, hurt) -> None:
    content = bytearray(records.read_bytes())
    if hurt == "typed":
        table = pa.parquet.read_table(records)
        at = table.column_names.index("value")
        words = pa.array(["much"] * ITEMS)
        pa.parquet.write_table(table.set_column(at, "value", words), records)
    else:
        flipped = content[:60] + bytes(400) + content[460:]
        kinds = {"cut": content[:-200], "flipped": flipped, "empty": b"", "other": b"not records"}
        records.write_bytes(kinds[hurt])
    told = refusal(records)
    assert told.startswith(f"{records} must be a whole file of records, got")
    assert "`whybench results`" in told


UNWRITTEN = r"must be a file that can be written, got .*unchanged"


@contextmanager
def no_room(size: int) -> Iterator[None]:
    """Let no file grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("name", ["records.parquet", "records.csv"])
def test_where_there_is_no_room_the_file_before_stays(records, name) -> None:
    table = pa.parquet.read_table(records)
    target = records.parent / name
    write_records(table, target)
    before = target.read_bytes()
    many = pa.concat_tables([table] * 2000)
    with no_room(len(before) // 2), pytest.raises(ValueError, match=UNWRITTEN):
        write_records(many, target)
    assert target.read_bytes() == before
    assert not list(target.parent.glob("*.part"))
    write_records(many, target)
    assert read_usable(target, "judge", COLUMNS)[0].num_rows == 2000 * ITEMS


def test_partitioned_records_are_written_whole_and_a_damaged_file_is_named(records) -> None:
    table = pa.parquet.read_table(records)
    address = records.parent / "store"
    (written,) = map(Path, write_partition(table, address))
    before = written.read_bytes()
    with no_room(len(before) // 2), pytest.raises(ValueError, match=UNWRITTEN):
        write_partition(table, address)
    assert written.read_bytes() == before
    assert list(written.parent.iterdir()) == [written]
    written.write_bytes(before[:-200])
    assert refusal(address).startswith(f"{written} must be a whole file of records, got")


def test_a_folder_that_cannot_be_made_is_named(records) -> None:
    table = pa.parquet.read_table(records)
    with pytest.raises(ValueError, match=r"inside\.csv must be a file that can be written, got"):
        write_records(table, records / "inside.csv")


def test_a_folder_of_logs_is_tried_before_the_first_call(folder, tmp_path) -> None:
    check_log_folder(folder)
    check_log_folder(tmp_path / "new" / "deep")
    check_log_folder("memory://elsewhere")
    assert list((tmp_path / "new" / "deep").iterdir()) == []
    (in_the_way := tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"folder that can be written, got .*file: "):
        check_log_folder(in_the_way)


def on_a_small_disk(script: str, disk: Path, *words: str, **settings) -> list[str]:
    """Run a script in a process that sees a disk of its own, `$0`; return the lines it writes."""
    disk.mkdir()
    if os.geteuid() or not shutil.which("unshare"):
        pytest.skip("only root can mount a small disk, by unshare and mount")
    mounted = f"mount -t tmpfs -o size=120k tmpfs $0 || exit 77\n{script}"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mounted, str(disk), *words],
        capture_output=True,
        text=True,
        check=False,
        **settings,
    )
    if done.returncode == 77 or "unshare failed" in done.stderr:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    return (done.stdout + done.stderr).splitlines()


def test_a_disk_that_cannot_be_written_is_told_before_the_first_call(tmp_path) -> None:
    code = (
        "import sys\nfrom whybench.records.logs import check_log_folder\n"
        "try:\n    check_log_folder(sys.argv[1])\nexcept ValueError as error:\n    print(error)"
    )
    disk = tmp_path / "disk"
    told = on_a_small_disk('mount -o remount,ro $0; "$@" $0/logs', disk, sys.executable, "-c", code)
    assert told == [
        f"logs must go to a folder that can be written, got {disk}/logs: "
        f"[Errno 30] Read-only file system: '{disk}/logs'"
    ]


@pytest.mark.slow
def test_a_run_on_a_full_disk_says_so_keeps_what_was_written_and_is_resumed(tmp_path) -> None:
    asked, buffer, connections = 60, 10, 2
    script = (
        "cd $0\n"
        '"$@" --log-dir logs; echo "ended $?"\n'
        "cp -r logs ../first; mount -o remount,size=20m $0\n"
        '"$@" --log-dir logs; echo "ended $?"\n'
        "cp -r logs ../second\n"
    )
    options = {
        "--model": MODEL,
        "--limit": asked,
        "--log-buffer": buffer,
        "--max-connections": connections,
    }
    words = [str(word) for pair in options.items() for word in pair]
    command = [sys.executable, "-c", "from whybench.cli import main; main()", "run", "judge"]
    with FaultServer() as server:
        environment = {**os.environ, **server.environment, "INSPECT_DISPLAY": "plain"}
        told = on_a_small_disk(script, tmp_path / "disk", *command, *words, env=environment)
        calls = len(server.calls())
    assert any("No space left on device" in line for line in told)
    assert [line for line in told if line.startswith("ended")] == ["ended 1", "ended 0"]
    kept = {row["item"]: row["value"] for row in read_logs([tmp_path / "first"]).rows["judge"]}
    whole = {row["item"]: row["value"] for row in read_logs([tmp_path / "second"]).rows["judge"]}
    assert 0 < len(kept) < asked
    assert len(whole) == asked
    assert kept.items() <= whole.items()
    # Asked again is only what was under way or waited to be written when the disk was full.
    assert calls <= asked + buffer + connections
