from __future__ import annotations

import re
import shutil
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from whybench import datasets
from whybench.datasets import SOURCES, data_path, file_state
from whybench.errors import DataError

PEOPLE = "data/raw/human/rw17/rw17_collider_ce.csv"


@pytest.fixture
def quiet_server(tmp_path, monkeypatch, mirror):
    """Serve a copy of the people's file on loopback, in place of the real address."""
    root = tmp_path / "served"
    (root / PEOPLE).parent.mkdir(parents=True)
    shutil.copy(mirror / "causAIign" / PEOPLE, root / PEOPLE)
    served = []

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *words):
            served.append(words)

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    from dataclasses import replace

    source = replace(SOURCES["causAIign"], address=f"http://127.0.0.1:{server.server_port}/")
    monkeypatch.setitem(SOURCES, "causAIign", source)
    monkeypatch.setenv("WHYBENCH_DATA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WHYBENCH_DATA_MIRROR")
    yield root, served
    server.shutdown()
    server.server_close()


def test_every_pinned_file_of_the_mirror_has_its_checksum(mirror) -> None:
    for path, file in SOURCES["causAIign"].files.items():
        assert data_path("causAIign", path).stat().st_size == file.size
        assert file_state("causAIign", path) == "mirror"


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_is_pinned_to_a_commit_or_version_and_its_files_to_checksums(source) -> None:
    commit = re.search(r"/[0-9a-f]{40}/$", SOURCES[source].address)
    for file in SOURCES[source].files.values():
        assert commit or re.match(r"\w+@\d+\.\d+\.\d+/", file.path)
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.size > 0
        assert not file.path.startswith("/")


def test_a_changed_file_of_the_mirror_is_refused(tmp_path, monkeypatch) -> None:
    changed = tmp_path / "causAIign" / PEOPLE
    changed.parent.mkdir(parents=True)
    changed.write_text("changed", encoding="utf-8")
    monkeypatch.setenv("WHYBENCH_DATA_MIRROR", str(tmp_path))
    with pytest.raises(
        DataError, match="must have the SHA-256 .* got .*unset WHYBENCH_DATA_MIRROR"
    ):
        data_path("causAIign", PEOPLE)


def test_a_file_is_downloaded_once(quiet_server) -> None:
    _, served = quiet_server
    assert file_state("causAIign", PEOPLE) == "not fetched"
    first = data_path("causAIign", PEOPLE)
    assert file_state("causAIign", PEOPLE) == "cache"
    assert data_path("causAIign", PEOPLE) == first
    assert len(served) == 1


def test_a_download_with_another_checksum_is_discarded(quiet_server) -> None:
    root, _ = quiet_server
    (root / PEOPLE).write_text("tampered", encoding="utf-8")
    with pytest.raises(DataError, match="must have the SHA-256 .* discarded"):
        data_path("causAIign", PEOPLE)
    assert file_state("causAIign", PEOPLE) == "not fetched"


def test_a_connection_that_is_cut_leaves_nothing_behind(quiet_server, monkeypatch) -> None:
    def cut_off(self):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"half of it")
        self.close_connection = True

    monkeypatch.setattr(SimpleHTTPRequestHandler, "do_GET", cut_off)
    with pytest.raises(DataError, match="could not be downloaded|discarded"):
        data_path("causAIign", PEOPLE)
    assert file_state("causAIign", PEOPLE) == "not fetched"
    monkeypatch.undo()


def test_without_a_network_the_message_names_the_mirror(quiet_server, monkeypatch) -> None:
    from dataclasses import replace

    nowhere = replace(SOURCES["causAIign"], address="http://127.0.0.1:9/")
    monkeypatch.setitem(datasets.SOURCES, "causAIign", nowhere)
    told = "could not be downloaded .* set WHYBENCH_DATA_MIRROR to"
    with pytest.raises(DataError, match=told) as raised:
        data_path("causAIign", PEOPLE)
    assert "from http://127.0.0.1:9/: Failed to establish a new connection: " in str(raised.value)


@pytest.mark.parametrize(
    ("source", "path", "message"),
    [("other", PEOPLE, "source must be one of"), ("causAIign", "x", "no pinned file 'x'")],
)
def test_unknown_data_is_refused(source, path, message) -> None:
    with pytest.raises(DataError, match=message):
        data_path(source, path)
