from __future__ import annotations

import json
import os
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Thread
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from whybench.study.export import Saving, write_study
from whybench.study.plan import make_plan
from whybench.study.server import study_server
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("engine")

PLAN = make_plan("judge", {"design": "core"}, max_items=4, lists=1)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    write_study(PLAN, tmp_path / "study", Saving("serve"))
    return tmp_path / "study"


@pytest.fixture
def address(study: Path) -> Iterator[str]:
    with study_server(study) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def row(participant: str, **more: object) -> dict[str, object]:
    return {"study": PLAN.id, "participant": participant, "number": 0, **more}


def post(
    address: str, *rows: object, path: str = "/data", headers: dict[str, str] | None = None
) -> tuple[int, str]:
    return send(address, "".join(json.dumps(entry) + "\n" for entry in rows), path, headers)


def send(
    address: str, text: str, path: str = "/data", headers: dict[str, str] | None = None
) -> tuple[int, str]:
    try:
        asked = Request(address + path, data=text.encode(), headers=headers or {})
        with urlopen(asked, timeout=60) as reply:
            return reply.status, reply.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def get(address: str, path: str) -> tuple[int, bytes]:
    try:
        with urlopen(address + path, timeout=60) as reply:
            return reply.status, reply.read()
    except HTTPError as error:
        with error:
            return error.code, error.read()


def test_rows_are_written_line_by_line_a_file_each(address: str, study: Path) -> None:
    assert post(address, row("anna", at=1), row("bert", at=2)) == (200, '{"rows": 2}')
    assert post(address, row("anna", at=3)) == (200, '{"rows": 1}')
    written = (study / "data" / "anna.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["at"] for line in written] == [1, 3]
    assert (study / "data" / "bert.jsonl").is_file()


@pytest.mark.parametrize("name", ["../../evil", "a/b", "", ".hidden", "ü", "x" * 200, "nul\0"])
def test_any_name_makes_a_file_in_the_folder(name: str, address: str, study: Path) -> None:
    assert post(address, row(name))[0] == 200
    (path,) = (study / "data").rglob("*")
    assert path.parent == study / "data"
    assert path.name.startswith("participant-")
    assert json.loads(path.read_text(encoding="utf-8"))["participant"] == name


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"study": "other", "participant": "a"}, "a row must be of the study"),
        ({"study": PLAN.id}, "a row must be an object with a participant"),
        ([1], "a row must be an object with a participant"),
    ],
)
def test_what_is_no_row_is_refused_and_nothing_is_written(entry, message, address, study) -> None:
    status, said = post(address, row("anna"), entry)
    assert status == 400
    assert message in said
    assert not list((study / "data").iterdir())


def test_rows_go_to_one_address_alone(address: str) -> None:
    assert post(address, row("anna"), path="/index.html")[0] == 400


def test_the_experiment_is_served_and_the_data_are_not(address: str) -> None:
    post(address, row("anna"))
    status, page = get(address, "/")
    assert status == 200
    assert b"<title>A study of cause and effect</title>" in page
    assert get(address, "/study.js?participant=anna")[0] == 200
    for path in ("/data/anna.jsonl", "/data/", "/data", "/jspsych/", "//data/", "/../../x"):
        assert get(address, path)[0] == 404, path


def test_numbers_are_handed_out_in_turn_and_kept(address: str, study: Path) -> None:
    def number(name: str) -> int:
        return json.loads(get(address, f"/number?participant={name}")[1])["number"]

    assert [number(name) for name in ("a", "b", "a", "c")] == [0, 1, 0, 2]
    post(address, row("b") | {"number": 1})
    (study / "data" / "broken.jsonl").write_text("{", encoding="utf-8")
    with study_server(study) as again:
        assert [again.ledger.number(name) for name in ("b", "d")] == [1, 2]


def test_a_server_says_what_it_needs(tmp_path: Path, address: str, study: Path) -> None:
    with pytest.raises(UserError, match=r"must be the folder of a study, with its study\.json"):
        study_server(tmp_path)
    port = int(address.rpartition(":")[2])
    with pytest.raises(UserError, match=f"`port` must be free, got {port}"):
        study_server(study, port=port)


def speak(address: str, words: bytes) -> bytes:
    """Send bytes as they are, and return all that comes back."""
    port = int(address.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall(words)
        line.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: line.recv(65536), b""))


def test_a_write_that_fails_is_undone_and_said(address, study, monkeypatch) -> None:
    assert post(address, row("anna", at=1))[0] == 200
    fsync, full = os.fsync, [True]

    def failing(handle: int) -> None:
        if full:
            raise OSError(28, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", failing)
    status, said = post(address, row("anna", at=2), row("new", at=2))
    assert status == 507
    assert "No space left on device" in said
    assert [path.name for path in (study / "data").iterdir()] == ["anna.jsonl"]
    full.clear()
    assert post(address, row("anna", at=2))[0] == 200
    written = (study / "data" / "anna.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["at"] for line in written] == [1, 2]


def test_a_row_begins_on_a_line_of_its_own_whatever_was_torn_before(address, study) -> None:
    (study / "data" / "anna.jsonl").write_text('{"kind": "st', encoding="utf-8")
    assert post(address, row("anna", at=2))[0] == 200
    torn, whole = (study / "data" / "anna.jsonl").read_text(encoding="utf-8").splitlines()
    assert (torn, json.loads(whole)["at"]) == ('{"kind": "st', 2)


def test_a_folder_that_takes_no_row_is_refused_before_anybody_is_asked(study, tmp_path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match=r"`data` must be a folder that can be written, got .*file"):
        study_server(study, tmp_path / "file" / "data")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
)
def test_rows_of_other_pages_are_refused(headers, address, study) -> None:
    status, said = post(address, row("anna"), headers=headers)
    assert status == 403, said
    assert not list((study / "data").iterdir())


def test_rows_and_numbers_of_the_study_s_own_page_are_taken(address: str) -> None:
    port = address.rpartition(":")[2]
    for name in ("127.0.0.1", "localhost"):
        own = {"Origin": f"http://{name}:{port}", "Host": f"{name}:{port}"}
        assert (
            post(address, row("anna"), headers={**own, "Sec-Fetch-Site": "same-origin"})[0] == 200
        )
    elsewhere = Request(f"{address}/number?participant=x", headers={"Host": "evil.example"})
    with pytest.raises(HTTPError, match="403"):
        urlopen(elsewhere, timeout=60)


@pytest.mark.parametrize(
    ("length", "status"),
    [("seven", 400), ("-1", 400), ("1e3", 400), ("", 400), ("\u00b2", 400), ("9" * 30, 413)],
)
def test_a_length_that_is_none_is_answered(length: str, status: int, address: str) -> None:
    port = address.rpartition(":")[2]
    head = f"POST /data HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\n\r\n"
    answer = speak(address, head.encode() + b"x" * 300_000)
    assert answer.split()[1:2] == [str(status).encode()]


def test_more_than_is_taken_at_once_is_answered(address: str) -> None:
    assert send(address, "x" * 4_000_001)[0] == 413


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"study": ' + "9" * 5000 + "}",
        json.dumps(row("\ud800")),
    ],
    ids=["lists", "objects", "digits", "surrogate"],
)
def test_what_no_row_can_be_is_answered(text: str, address: str, study: Path) -> None:
    status, said = send(address, text)
    assert status == 400
    assert "a row must be" in said
    assert not list((study / "data").iterdir())


@pytest.mark.parametrize("reply", ["a\u2028b", "a\x85b", "a\x1cb", "\ud800"])
def test_every_sign_of_a_reply_is_taken(reply: str, address: str, study: Path) -> None:
    text = json.dumps(row("anna", replies=[reply]), ensure_ascii=reply == "\ud800")
    assert send(address, text + "\n" + text) == (200, '{"rows": 2}')
    lines = (study / "data" / "anna.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert [json.loads(line)["replies"] for line in lines] == [[reply], [reply]]


def test_four_hundred_posts_of_forty_at_once_are_all_answered(address: str, study: Path) -> None:
    def many(name: int) -> list[int]:
        return [post(address, row(f"p{name}", at=time))[0] for time in range(10)]

    with ThreadPoolExecutor(40) as people:
        answers = [status for each in people.map(many, range(40)) for status in each]
    assert answers == [200] * 400
    files = list((study / "data").iterdir())
    assert len(files) == 40
    assert sum(len(file.read_text("utf-8").splitlines()) for file in files) == 400


def test_who_comes_while_others_are_answered_waits_and_is_not_sent_away(study: Path) -> None:
    with study_server(study) as server, ExitStack() as lines:
        for _ in range(100):  # nobody is answered yet
            lines.enter_context(socket.create_connection(server.server_address, timeout=60))


def test_a_client_that_sends_nothing_more_is_given_up(address: str, monkeypatch) -> None:
    monkeypatch.setattr("whybench.study.server._Handler.timeout", 2)
    port = int(address.rpartition(":")[2])
    head = f"POST /data HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 9\r\n\r\n{{"
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall(head.encode())
        answer = b"".join(iter(lambda: line.recv(65536), b""))
    assert answer.split()[1] == b"408"
    assert post(address, row("anna"))[0] == 200


def test_a_number_that_nobody_can_have_is_not_counted_on_from(study: Path) -> None:
    (study / "data").mkdir()
    for name, number in (
        ("a", "true"),
        ("b", "9" * 30),
        ("c", "-4"),
        ("d", "6"),
        ("e", "[" * 9999),
    ):
        text = f'{{"torn": \n{{"participant": "{name}", "number": {number}}}\n'
        (study / "data" / f"{name}.jsonl").write_text(text, encoding="utf-8")
    with study_server(study) as again:
        assert [again.ledger.number(name) for name in ("d", "f")] == [6, 7]
