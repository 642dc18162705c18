"""The output of an experiment: a folder, or any address that fsspec can reach.

Its content::

    logs/PLACE/*.eval      the logs of a unit, as of their last upload
    units/PLACE.json       how far the unit is, and where it runs
    records/, page.html    the collected answers and the report
    frozen.json            the statement, if it was frozen
    looks.json             the looks, if it is asked until decided

Workers on other machines share only this. A file appears whole or not at all.
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

    from whybench.evaluation.units import Unit

LOG = ".eval"


def is_remote(output: str | Path) -> bool:
    """Return whether an output is an address rather than a folder."""
    return "://" in str(output)


@dataclass(frozen=True)
class Store:
    """The files at an address.

    Attributes:
        files: The file system.
        root: The address within it.
    """

    files: AbstractFileSystem
    root: str

    def path(self, *parts: str) -> str:
        """Return the path of a file, as the file system takes it."""
        return "/".join((self.root, *parts))

    def read_note(self, unit: Unit) -> dict[str, Any]:
        """Return the note of a unit; an empty one if there is none that can be read."""
        try:
            note = json.loads(self.files.cat_file(self._note(unit)))
        except (FileNotFoundError, json.JSONDecodeError):
            return {}
        return note if isinstance(note, dict) else {}

    def write_note(self, unit: Unit, note: Mapping[str, Any]) -> None:
        """Write the note of a unit."""
        write_atomically(self.files, self._note(unit), json.dumps(note).encode())

    def _note(self, unit: Unit) -> str:
        return self.path("units", f"{unit.place.removeprefix('logs/')}.json")

    def logs(self, unit: Unit) -> list[str]:
        """Return the paths of a unit's uploaded logs."""
        folder = self.path(unit.place)
        self.files.invalidate_cache()
        if not self.files.exists(folder):
            return []
        return sorted(str(p) for p in self.files.ls(folder, detail=False) if p.endswith(LOG))

    def upload(self, file: Path, *parts: str) -> None:
        """Upload a file, replacing its last upload."""
        write_atomically(self.files, self.path(*parts, file.name), file.read_bytes())

    def remove_log(self, unit: Unit, log: str) -> None:
        """Remove an uploaded log that a later one replaces."""
        path = self.path(unit.place, log)
        if self.files.exists(path):
            self.files.rm_file(path)

    def download(self, unit: Unit, folder: Path) -> None:
        """Download the logs of a unit into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for path in self.logs(unit):
            # Renamed once it is complete: half a log would be taken for the whole.
            part = folder / (path.rpartition("/")[2] + ".part")
            part.write_bytes(self.files.cat_file(path))
            part.rename(part.with_suffix(""))


def open_store(output: str | Path) -> Store:
    """Open the store at an address, such as `experiments/steps` or `s3://bucket/steps`."""
    try:
        files, root = open_address(output)
        files.makedirs(root, exist_ok=True)
    except (OSError, ValueError, ImportError) as error:
        raise UserError(
            f"`output` must be a folder or an address that fsspec can write to, got {output}: "
            f"{error}"
        ) from None
    return Store(files, root)
