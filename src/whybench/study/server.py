"""A study on this machine: serves its folder, hands out numbers and takes the data.

Rows come as JSON lines and are on the disk, in a file for each participant, before they are
acknowledged. A write that fails is undone and said, so that the page keeps its rows and sends them
again. Numbers in the counterbalancing are handed out one after the other; a participant who comes
again gets the same. Only this machine is listened to, and only the study's own page: for people
elsewhere there are JATOS, DataPipe and servers of one's own.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import socket
import sys
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from http.client import HTTP_PORT
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Condition, Lock
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from whybench.errors import UserError
from whybench.study.export import DATA, read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGEST = 4_000_000
"""So many bytes may be sent at once."""

SLOWEST = 30.0
"""In so many seconds everything that is sent has to be there."""

GRACE = 5.0
"""So many seconds a server that ends waits for those whom it is answering."""

HIGHEST = 10**9
"""Numbers in the counterbalancing are below this, as they are in the page's address."""


class Ledger:
    """The data of a study on disk.

    Attributes:
        study: The study's id; rows of others are refused.
        folder: Where the files are.
        rows: How many rows were written.
        participants: Whose.
    """

    def __init__(self, study: str, folder: Path) -> None:
        self.study = study
        self.folder = folder
        self.rows = 0
        self.participants: set[str] = set()
        self._lock = Lock()
        self._closed = False
        self._numbers = dict(self._known())
        self._next = max(self._numbers.values(), default=-1) + 1

    def _known(self) -> Iterator[tuple[str, int]]:
        """Yield the participants that have rows here already, with their numbers."""
        for path in sorted(self.folder.glob("*.jsonl")):
            with path.open(encoding="utf-8", errors="replace") as lines:
                for line in lines:
                    with suppress(ValueError, RecursionError):
                        row = json.loads(line)
                        number = row.get("number") if isinstance(row, dict) else None
                        if type(number) is int and 0 <= number < HIGHEST:
                            yield str(row.get("participant")), number
                            break

    def number(self, participant: str) -> int:
        """Return a participant's number: the next one, or the one they have."""
        with self._lock:
            if participant not in self._numbers:
                self._numbers[participant] = self._next
                self._next += 1
            return self._numbers[participant]

    def try_write(self) -> None:
        """Write something and remove it again; an `OSError` says that no row could be written."""
        self.folder.mkdir(parents=True, exist_ok=True)
        probe = self.folder / f".{uuid4().hex}.part"
        try:
            _append(probe, b"\n" * 4096)
        finally:
            with suppress(OSError):
                probe.unlink(missing_ok=True)

    def append(self, lines: str) -> int:
        """Write rows, all or none; return how many.

        Raises:
            UserError: Something is no row of the study.
            OSError: They cannot be written; what was there before is there as it was.
        """
        rows = [self._checked(line) for line in lines.split("\n") if line.strip()]
        contents: dict[Path, bytes] = {}
        for row in rows:
            path = self.folder / _filename(row["participant"])
            # Half of a surrogate pair is no text, but JSON can write it.
            line = f"{json.dumps(row, ensure_ascii=False)}\n".encode("utf-8", "backslashreplace")
            contents[path] = contents.get(path, b"") + line
        with self._lock:
            if self._closed:
                raise OSError(errno.ESHUTDOWN, "the server is ending")
            self.folder.mkdir(parents=True, exist_ok=True)
            before: dict[Path, int | None] = {}
            try:
                for path, content in contents.items():
                    before[path] = path.stat().st_size if path.exists() else None
                    _append(path, content)
            except OSError:
                for path, size in before.items():
                    _restore(path, size)
                raise
            self.rows += len(rows)
            self.participants.update(row["participant"] for row in rows)
        return len(rows)

    def close(self) -> None:
        """Write no more; what is being written is finished first."""
        with self._lock:
            self._closed = True

    def _checked(self, line: str) -> dict[str, Any]:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(f"a row must be a JSON object, got {line[:80]!r}: {error}") from None
        if not isinstance(row, dict) or not isinstance(row.get("participant"), str):
            raise UserError(f"a row must be an object with a participant, got {line[:80]!r}")
        if row.get("study") != self.study:
            got = repr(row.get("study"))[:80]
            raise UserError(f"a row must be of the study {self.study}, got {got}")
        try:
            row["participant"].encode()
        except UnicodeEncodeError:
            raise UserError(
                f"a row must be of a participant whose name is text, got {line[:80]!r}"
            ) from None
        return row


def _filename(participant: str) -> str:
    """Return the name of a participant's file, whatever signs their name is made of."""
    if re.fullmatch(r"[A-Za-z0-9][\w-]{0,80}", participant, re.ASCII):
        return f"{participant}.jsonl"
    return f"participant-{hashlib.sha256(participant.encode()).hexdigest()[:16]}.jsonl"


def _append(path: Path, content: bytes) -> None:
    """Write whole lines at the end of a file, through to the disk."""
    with path.open("ab+", buffering=0) as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # what was torn before must not tear this
                content = b"\n" + content
        while content:
            content = content[file.write(content) :]
        os.fsync(file.fileno())


def _restore(path: Path, size: int | None) -> None:
    """Undo what was appended to a file of this size; None, if there was no file."""
    with suppress(OSError):
        if size is None:
            path.unlink(missing_ok=True)
        else:
            os.truncate(path, size)


class _Handler(SimpleHTTPRequestHandler):
    """Serves the experiment's own files, numbers, and takes rows; nothing else."""

    server: StudyServer
    timeout = 10.0

    def parse_request(self) -> bool:
        """Refuse who calls this machine by a name that is not its own."""
        if not super().parse_request():
            return False
        host = self.headers.get("Host")
        if host is None or host in self.server.hosts:
            return True
        self._refuse(HTTPStatus.FORBIDDEN, f"the study is at {self.server.hosts[0]}")
        return False

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        participant = parse_qs(url.query).get("participant", [""])[0]
        if url.path != "/number":
            super().do_GET()
        elif self._is_own_page():
            number = self.server.ledger.number(participant)
            self._say(HTTPStatus.OK, json.dumps({"number": number}))

    def do_POST(self) -> None:
        if not self._is_own_page():
            return
        length = self.headers.get("Content-Length") or ""
        if urlsplit(self.path).path != f"/{DATA}" or not re.fullmatch(r"0*[0-9]{1,99}", length):
            self._refuse(HTTPStatus.BAD_REQUEST, f"rows go to /{DATA}, with their length in bytes")
        elif int(length) > LARGEST:
            told = f"rows must be {LARGEST} bytes at most, got {length}"
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, told)
        else:
            self._take(int(length))

    def _take(self, length: int) -> None:
        """Read rows, write them, and say that they are written, or why not."""
        try:
            count = self.server.ledger.append(self._body(length).decode())
        except TimeoutError:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT, f"rows must come within {SLOWEST:.0f} s")
        except (UserError, UnicodeDecodeError) as error:
            self._say(HTTPStatus.BAD_REQUEST, str(error))
        except ConnectionError:
            raise  # nobody is there to be told
        except OSError as error:
            told = f"rows must be written, got {error.strerror}; make room and send them again"
            print(f"Not written: {error}", file=sys.stderr, flush=True)
            self._say(HTTPStatus.INSUFFICIENT_STORAGE, told)
        else:
            self._say(HTTPStatus.OK, json.dumps({"rows": count}))

    def _body(self, length: int) -> bytes:
        """Return what is sent, if it comes in time."""
        body, until = b"", monotonic() + SLOWEST
        while len(body) < length:
            part = self.rfile.read1(min(length - len(body), 1 << 20))
            if not part:
                raise UserError(f"rows must be {length} bytes as announced, got {len(body)}")
            if monotonic() > until:
                raise TimeoutError
            body += part
        return body

    def _is_own_page(self) -> bool:
        """Return whether the study's page asks, or no page; refuse every other page."""
        origin = self.headers.get("Origin", f"http://{self.server.hosts[0]}")
        site = self.headers.get("Sec-Fetch-Site", "none")
        own = {f"http://{host}" for host in self.server.hosts}
        if origin in own and site in {"none", "same-origin"}:
            return True
        self._refuse(HTTPStatus.FORBIDDEN, "only the study's own page may do this")
        return False

    def send_head(self) -> Any:
        # Nobody is to read what others answered, or to look around in the folder.
        path = Path(self.translate_path(self.path)).resolve()
        root = Path(self.directory).resolve()
        private = self.server.ledger.folder.resolve()
        if path.is_relative_to(private) or (path.is_dir() and path != root):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        return super().send_head()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def _say(self, status: HTTPStatus, text: str) -> None:
        body = text.encode("utf-8", "backslashreplace")
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _refuse(self, status: HTTPStatus, text: str) -> None:
        """Answer without having read everything: the answer is lost unless the rest is read."""
        self.close_connection = True
        self._say(status, text)
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(1)
            until = monotonic() + GRACE
            while monotonic() < until and self.rfile.read1(1 << 20):
                pass

    def log_message(self, format: str, *given: Any) -> None:
        """Say nothing: what matters is in the data."""


class StudyServer(ThreadingHTTPServer):
    """A server of one study, on the loopback address.

    Attributes:
        ledger: The data.
        hosts: The names by which it may be called.
    """

    request_queue_size = 512

    def __init__(self, ledger: Ledger, folder: Path, port: int) -> None:
        self.ledger = ledger
        self._answering = 0
        self._idle = Condition()
        super().__init__(("127.0.0.1", port), partial(_Handler, directory=str(folder)))
        port_shown = "" if self.server_port == HTTP_PORT else f":{self.server_port}"
        self.hosts = [f"{name}{port_shown}" for name in ("127.0.0.1", "localhost")]

    def summarize(self) -> str:
        """Say what was written, in a line."""
        people, rows = len(self.ledger.participants), self.ledger.rows
        return f"ended: {rows} rows of {people} participants were written to {self.ledger.folder}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, and know that it is not done yet."""
        with self._idle:
            self._answering += 1
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and say when it is done."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._idle:
                self._answering -= 1
                self._idle.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over who went away in the middle."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)

    def server_close(self) -> None:
        """End: take nobody new, answer who is there, finish what is being written."""
        super().server_close()
        with self._idle:
            self._idle.wait_for(lambda: not self._answering, timeout=GRACE)
        self.ledger.close()


def study_server(folder: Path, data: Path | None = None, port: int = 0) -> StudyServer:
    """Return a server of a study on the loopback address, not yet serving.

    Args:
        folder: The study.
        data: Where rows are written; `data` in the study's folder if None.
        port: The port; 0 for any that is free.

    Raises:
        UserError: There is no study, rows cannot be written, or the port is taken.
    """
    manifest = read_manifest(folder)
    target = data or folder / DATA
    try:
        ledger = Ledger(str(manifest["study"]), target)
        if data is not None or manifest.get("save") == "serve":
            ledger.try_write()
    except OSError as error:
        raise UserError(
            f"`data` must be a folder that can be written, got {target}: {error.strerror}; "
            "make room there, or name another"
        ) from None
    try:
        return StudyServer(ledger, folder, port)
    except OSError as error:
        raise UserError(f"`port` must be free, got {port}: {error.strerror}") from None
