"""The address at which a sweep is kept: a folder, or whatever fsspec can reach.

What is there::

    units/NAME/*.eval         the log of a unit, as of its last upload
    units/NAME/progress.json  how far it is, and where it runs
    units/NAME/done.json      that it is finished, and what it came to
    records/                  the collected answers

Workers on other machines share nothing but this. A file appears whole or not at all.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError
from whybench.records.partitions import open_address, write_atomically

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from fsspec import AbstractFileSystem

DONE, PROGRESS, LOG = "done.json", "progress.json", ".eval"


@dataclass(frozen=True)
class Store:
    """What is kept at an address.

    Attributes:
        files: The file system.
        root: The address within it.
    """

    files: AbstractFileSystem
    root: str

    def path(self, *parts: str) -> str:
        """Return the path of something in the store, as the file system takes it."""
        return "/".join((self.root, *parts))

    def read_note(self, unit: str, name: str) -> dict[str, Any] | None:
        """Return the note of a unit under a name; None if there is none."""
        try:
            note = json.loads(self.files.cat_file(self.path("units", unit, name)))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return note if isinstance(note, dict) else None

    def write_note(self, unit: str, name: str, note: Mapping[str, Any]) -> None:
        """Write a note of a unit under a name."""
        write_atomically(self.files, self.path("units", unit, name), json.dumps(note).encode())

    def logs(self, unit: str) -> list[str]:
        """Return the paths of a unit's uploaded logs."""
        folder = self.path("units", unit)
        self.files.invalidate_cache()
        if not self.files.exists(folder):
            return []
        return sorted(str(p) for p in self.files.ls(folder, detail=False) if p.endswith(LOG))

    def upload(self, unit: str, log: Path) -> None:
        """Upload a log, replacing its last upload."""
        write_atomically(self.files, self.path("units", unit, log.name), log.read_bytes())

    def remove_log(self, unit: str, log: str) -> None:
        """Remove an uploaded log that a later one has taken over."""
        path = self.path("units", unit, log)
        if self.files.exists(path):
            self.files.rm_file(path)

    def download(self, unit: str, folder: Path) -> None:
        """Fetch a unit's uploaded logs into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for path in self.logs(unit):
            # Renamed when it is there: half a log would be taken for the whole.
            part = folder / (path.rpartition("/")[2] + ".part")
            part.write_bytes(self.files.cat_file(path))
            part.rename(part.with_suffix(""))


def open_store(address: str) -> Store:
    """Open the store at an address, such as `sweeps/spring` or `s3://bucket/spring`."""
    try:
        files, root = open_address(address)
        files.makedirs(root, exist_ok=True)
    except (OSError, ValueError, ImportError) as error:
        raise UserError(
            f"output must be a folder or an address that fsspec can write to, got {address}: "
            f"{error}"
        ) from None
    return Store(files, root)
