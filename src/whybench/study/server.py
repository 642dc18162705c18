"""A study on this machine: serves its folder, hands out numbers and takes the data.

Rows come as JSON lines and are written as they come, a file for each participant, before they are
acknowledged. Numbers in the counterbalancing are handed out one after the other; a participant who
comes again gets the same. Only this machine is listened to: for people elsewhere there are JATOS,
DataPipe and servers of one's own.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from whybench.errors import UserError
from whybench.study.export import DATA, read_manifest

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Ledger", "study_server"]

LARGEST = 4_000_000
"""So many bytes may be sent at once."""


class Ledger:
    """The data of a study on disk.

    Attributes:
        study: The study's id; rows of others are refused.
        folder: Where the files are.
    """

    def __init__(self, study: str, folder: Path) -> None:
        self.study = study
        self.folder = folder
        self._lock = Lock()
        self._numbers = {name: number for name, number in self._known() if number is not None}
        self._next = max(self._numbers.values(), default=-1) + 1

    def _known(self) -> Iterator[tuple[str, int | None]]:
        """Yield the participants that have rows here already, with their numbers."""
        for path in sorted(self.folder.glob("*.jsonl")):
            with path.open(encoding="utf-8") as lines:
                try:
                    row = json.loads(next(lines, "null"))
                except ValueError:
                    continue
            if isinstance(row, dict) and isinstance(row.get("number"), int):
                yield str(row.get("participant")), row["number"]

    def number(self, participant: str) -> int:
        """Return a participant's number: the next one, or the one they have."""
        with self._lock:
            if participant not in self._numbers:
                self._numbers[participant] = self._next
                self._next += 1
            return self._numbers[participant]

    def append(self, lines: str) -> int:
        """Write rows; return how many. A `UserError` says what is wrong with them."""
        rows = [self._checked(line) for line in lines.splitlines() if line.strip()]
        with self._lock:
            self.folder.mkdir(parents=True, exist_ok=True)
            for row in rows:
                with (self.folder / _filename(row["participant"])).open("a", encoding="utf-8") as f:
                    f.write(json.dumps(row, ensure_ascii=False) + "\n")
                    f.flush()
                    os.fsync(f.fileno())
        return len(rows)

    def _checked(self, line: str) -> dict[str, Any]:
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UserError(f"a row must be a JSON object, got {line[:80]!r}: {error}") from None
        if not isinstance(row, dict) or not isinstance(row.get("participant"), str):
            raise UserError(f"a row must be an object with a participant, got {line[:80]!r}")
        if row.get("study") != self.study:
            raise UserError(f"a row must be of the study {self.study}, got {row.get('study')!r}")
        return row


def _filename(participant: str) -> str:
    """Return the name of a participant's file, whatever signs their name is made of."""
    if re.fullmatch(r"[A-Za-z0-9][\w-]{0,80}", participant, re.ASCII):
        return f"{participant}.jsonl"
    return f"participant-{hashlib.sha256(participant.encode()).hexdigest()[:16]}.jsonl"


class _Handler(SimpleHTTPRequestHandler):
    """Serves the experiment's own files, numbers, and takes rows; nothing else."""

    def __init__(self, *given: Any, ledger: Ledger, **named: Any) -> None:
        self.ledger = ledger
        super().__init__(*given, **named)

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        participant = parse_qs(url.query).get("participant", [""])[0]
        if url.path == "/number":
            self._say(HTTPStatus.OK, json.dumps({"number": self.ledger.number(participant)}))
        else:
            super().do_GET()

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if urlsplit(self.path).path != f"/{DATA}" or not 0 < length <= LARGEST:
            self._say(HTTPStatus.BAD_REQUEST, f"rows go to /{DATA}, {LARGEST} bytes at most")
            return
        try:
            count = self.ledger.append(self.rfile.read(length).decode())
        except (UserError, UnicodeDecodeError) as error:
            self._say(HTTPStatus.BAD_REQUEST, str(error))
            return
        self._say(HTTPStatus.OK, json.dumps({"rows": count}))

    def send_head(self) -> Any:
        # Nobody is to read what others answered, or to look around in the folder.
        path = Path(self.translate_path(self.path)).resolve()
        root = Path(self.directory).resolve()
        private = self.ledger.folder.resolve()
        if path.is_relative_to(private) or (path.is_dir() and path != root):
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        return super().send_head()

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def _say(self, status: HTTPStatus, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *given: Any) -> None:
        """Say nothing: what matters is in the data."""


def study_server(folder: Path, data: Path | None = None, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of a study on the loopback address, not yet serving.

    Args:
        folder: The study.
        data: Where rows are written; `data` in the study's folder if None.
        port: The port; 0 for any that is free.
    """
    manifest = read_manifest(folder)
    ledger = Ledger(str(manifest["study"]), data or folder / DATA)
    handler = partial(_Handler, ledger=ledger, directory=str(folder))
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise UserError(f"`port` must be free, got {port}: {error.strerror}") from None
