"""Logs that are damaged: what is whole in them is read, and what is lost is named."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest

from whybench.errors import UserError
from whybench.records import read_logs
from whybench.records.logs import check_log_folder
from whybench.records.runs import AnswerPosition, read_runs, read_transcripts
from whybench.records.salvage import is_whole, write_whole
from whybench.results import load

ITEMS = 12
MODEL = "reference/judge.noisy-or"


def ask(folder: Path, limit: int = ITEMS, **settings) -> Path:
    """Ask judge as `whybench run` does; return the newest log."""
    import whybench as wb

    wb.run("judge", MODEL, limit=limit, log_dir=str(folder), display="none", **settings)
    return max(folder.glob("*.eval"))


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    return ask(tmp_path_factory.mktemp("logs"))


@pytest.fixture
def copy(log, tmp_path) -> Path:
    return Path(shutil.copy(log, tmp_path))


def rows(log: Path) -> dict[str, dict]:
    found = read_logs([log], salvage=True).rows.get("judge", [])
    return {row["item"]: row for row in found}


def middle(log: Path, name: str) -> int:
    """Return a place in the middle of an entry of a log."""
    from zipfile import ZipFile

    with ZipFile(log) as file:
        info = file.getinfo(name)
    return info.header_offset + 30 + len(name) + info.compress_size // 2


def flip(log: Path, place: int, bit: int = 0) -> None:
    content = bytearray(log.read_bytes())
    content[place] ^= 1 << bit
    log.write_bytes(content)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.99])
def test_a_log_cut_short_keeps_its_whole_samples(log, copy, share) -> None:
    content = log.read_bytes()
    copy.write_bytes(content[: int(share * len(content))])
    whole, kept = rows(log), rows(copy)
    assert kept.items() <= whole.items()
    assert len(kept) >= min(ITEMS, int(share * ITEMS) - 2)
    (note,) = load(copy).notes
    assert note == f"{copy} is damaged: {len(kept)} of about {ITEMS} answers could be read"
    with pytest.raises(UserError, match="parts of it are damaged or cut off"):
        read_logs([copy])


def test_a_log_cut_before_its_first_sample_is_named(log, copy) -> None:
    copy.write_bytes(log.read_bytes()[:400])
    with pytest.raises(UserError, match=re.escape(str(copy))):
        load(copy)
    shutil.copy(log, copy.with_name("2026-01-01T00-00-00+00-00_judge_abc.eval"))
    answers = load(copy.parent)
    assert len(answers) == ITEMS
    assert any(note.startswith(f"left out {copy}") for note in answers.notes)


@pytest.mark.slow
def test_no_single_bit_changes_an_answer_unseen(log, copy) -> None:
    whole, content = rows(log), log.read_bytes()
    chance = random.Random(1)
    for _ in range(60):
        copy.write_bytes(content)
        flip(copy, chance.randrange(len(content)), chance.randrange(8))
        kept = rows(copy)
        assert kept.items() <= whole.items()
        assert len(kept) == ITEMS or read_logs([copy], salvage=True).damaged


@pytest.mark.parametrize("name", ["summaries.json", "header.json", "_journal/start.json"])
def test_what_stands_twice_is_lost_only_twice(log, copy, name) -> None:
    flip(copy, middle(copy, name))
    assert not is_whole(copy)
    assert rows(copy) == rows(log)
    assert read_runs([copy])[0].samples == ITEMS


def test_a_damaged_sample_is_noticed_where_samples_are_read(log, copy) -> None:
    items = sorted(rows(log))
    flip(copy, middle(copy, f"samples/{items[0]}_epoch_1.json"))
    assert is_whole(copy)
    assert not is_whole(copy, samples=True)
    assert rows(copy) == rows(log)
    reread = load(copy, reread=True)
    assert len(reread) == ITEMS - 1
    assert f"{ITEMS - 1} of about {ITEMS} answers" in reread.notes[0]
    wanted = [AnswerPosition(copy.name, item, 1) for item in items]
    assert [key.item for key, _ in read_transcripts([copy], wanted)] != items
    assert {key.item for key, _ in read_transcripts([copy], wanted)} == {*items[1:]}


def test_an_item_that_no_suite_has_is_left_out_and_named(log, tmp_path) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    changed = read_eval_log(str(log))
    assert changed.samples
    changed.samples[3].id = str(changed.samples[3].id)[:-1] + "g"
    write_eval_log(changed, str(tmp_path / log.with_suffix(".json").name))
    answers = load(tmp_path)
    assert len(answers) == ITEMS - 1
    (note,) = answers.notes
    assert note.endswith(f"{changed.samples[3].id}: no such item")


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "flipped", "nothing left"])
def test_a_damaged_log_does_not_stop_its_run_which_asks_what_is_lost(
    log, tmp_path, caplog, damage
) -> None:
    shutil.copytree(log.parent, tmp_path / "logs")
    broken = tmp_path / "logs" / log.name
    content = log.read_bytes()
    if damage == "cut":
        broken.write_bytes(content[: len(content) // 2])
    elif damage == "flipped":
        flip(broken, middle(broken, f"samples/{min(rows(log))}_epoch_1.json"))
    else:
        broken.write_bytes(content[:100])
    hurt = broken.read_bytes()
    again = ask(tmp_path / "logs")
    whole, now = rows(log), rows(again)
    assert {item: row["value"] for item, row in now.items()} == {
        item: row["value"] for item, row in whole.items()
    }
    assert not load(tmp_path / "logs").notes
    kept = sum(row["sample"] == whole[item]["sample"] for item, row in now.items())
    assert kept == {"cut": kept, "flipped": ITEMS - 1, "nothing left": 0}[damage]
    assert damage != "cut" or 2 < kept < ITEMS
    assert broken.with_name(f"{broken.name}.broken").read_bytes() == hurt
    assert f"{kept} samples of it are whole and kept" in caplog.text


def test_a_whole_log_is_left_alone(copy) -> None:
    before = copy.read_bytes()
    check_log_folder(copy.parent)
    assert [path.read_bytes() for path in copy.parent.glob("*.eval*")] == [before]


def test_what_is_no_log_cannot_be_made_whole(tmp_path) -> None:
    (other := tmp_path / "x.eval").write_bytes(b"something else")
    with pytest.raises(UserError, match=r"x\.eval must be a log, got one of which nothing"):
        write_whole(other, tmp_path / "y.eval")


@pytest.mark.slow
def test_an_unfinished_log_is_no_longer_noted_when_its_run_was_resumed(log, tmp_path) -> None:
    from inspect_ai.log import read_eval_log, write_eval_log

    early = read_eval_log(str(log))
    early.status = "cancelled"
    early.eval.created = "2026-01-01T00:00:00+00:00"
    assert early.samples
    early.samples = early.samples[:4]
    write_eval_log(early, str(tmp_path / "2026-01-01T00-00-00+00-00_judge_abc.eval"))
    (note,) = load(tmp_path).notes
    assert note.startswith("unfinished log")
    shutil.copy(log, tmp_path)
    assert load(tmp_path).notes == ()
