"""Files at an address: whole files, found again by the place of their unit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from whybench.errors import UserError
from whybench.evaluation.store import Store, open_store
from whybench.evaluation.units import Unit
from whybench.planning.asks import Ask

if TYPE_CHECKING:
    from pathlib import Path

UNIT = Unit(Ask("judge"), "hash", "a/b", {}, {}, "", "1/1", 3, "logs/judge/b")


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "out") if request.param == "folder" else "memory://out")


def test_a_note_is_read_again(store: Store) -> None:
    unit = replace(UNIT, place="logs/judge/noted")
    assert store.read_note(unit) == {}
    store.write_note(unit, {"answered": 3})
    assert store.read_note(unit) == {"answered": 3}


def test_logs_go_and_come_back(store: Store, tmp_path: Path) -> None:
    log = tmp_path / "a.eval"
    for content in (b"first", b"second"):
        log.write_bytes(content)
        store.upload(log, UNIT.place)
    store.write_note(UNIT, {"ended": 1})
    assert [path.rpartition("/")[2] for path in store.logs(UNIT)] == ["a.eval"]
    store.download(UNIT, tmp_path / "here")
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["a.eval"]
    assert (tmp_path / "here" / "a.eval").read_bytes() == b"second"
    store.remove_log(UNIT, "a.eval")
    assert store.logs(UNIT) == []


def test_half_a_note_is_ignored(tmp_path: Path) -> None:
    store = open_store(str(tmp_path))
    store.write_note(UNIT, {"answered": 3})
    path = tmp_path / "units" / "judge" / "b.json"
    path.write_text(path.read_text()[:5])
    assert store.read_note(UNIT) == {}


def test_an_address_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="`output` must be a folder or an address"):
        open_store(str(tmp_path / "file" / "out"))
    with pytest.raises(UserError, match="`output` must be a folder or an address"):
        open_store("nowhere://bucket")
