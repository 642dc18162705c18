from __future__ import annotations

import json
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


def post(address: str, *rows: object, path: str = "/data") -> tuple[int, str]:
    body = "".join(json.dumps(entry) + "\n" for entry in rows).encode()
    try:
        with urlopen(Request(address + path, data=body), timeout=10) as reply:
            return reply.status, reply.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def get(address: str, path: str) -> tuple[int, bytes]:
    try:
        with urlopen(address + path, timeout=10) as reply:
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
    assert not (study / "data").exists()


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
        ledger = again.RequestHandlerClass.keywords["ledger"]
        assert [ledger.number(name) for name in ("b", "d")] == [1, 2]


def test_a_server_says_what_it_needs(tmp_path: Path, address: str, study: Path) -> None:
    with pytest.raises(UserError, match=r"must be the folder of a study, with its study\.json"):
        study_server(tmp_path)
    port = int(address.rpartition(":")[2])
    with pytest.raises(UserError, match=f"`port` must be free, got {port}"):
        study_server(study, port=port)
