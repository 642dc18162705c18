"""What is kept at an address: whole files, found again by name."""

import json

import pytest

from whybench.suites.contract import UserError
from whybench.sweep.store import open_store


@pytest.fixture(params=["folder", "memory"])
def store(request, tmp_path):
    return open_store(str(tmp_path / "out") if request.param == "folder" else "memory://sweep")


def test_what_a_unit_says_is_read_again(store):
    assert store.read_note("one", "done.json") is None
    store.write_note("one", "done.json", {"samples": 3})
    assert store.read_note("one", "done.json") == {"samples": 3}


def test_logs_go_and_come_back(store, tmp_path):
    log = tmp_path / "a.eval"
    for content in (b"first", b"second"):
        log.write_bytes(content)
        store.upload("two", log)
    store.write_note("two", "progress.json", {"done": 1})
    assert [path.rpartition("/")[2] for path in store.logs("two")] == ["a.eval"]
    store.download("two", tmp_path / "here")
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["a.eval"]
    assert (tmp_path / "here" / "a.eval").read_bytes() == b"second"
    store.remove_log("two", "a.eval")
    assert store.logs("two") == []


def test_half_a_note_is_no_note(tmp_path):
    store = open_store(str(tmp_path))
    store.write_note("one", "done.json", {"samples": 3})
    path = tmp_path / "units" / "one" / "done.json"
    path.write_text(json.dumps({"samples": 3})[:5])
    assert store.read_note("one", "done.json") is None


def test_an_address_that_cannot_be_written_to_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="output must be a folder or an address"):
        open_store(str(tmp_path / "file" / "out"))
    with pytest.raises(UserError, match="output must be a folder or an address"):
        open_store("nowhere://bucket")
