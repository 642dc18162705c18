"""Files with a secret word, put where people keep keys and logs, to see that no program finds them.

They are put into folders that exist, under names that nobody else uses, and taken away at the end.
Where this user may not write, nothing is put, and the number of places says so.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LOOK = """
import json, os, sys
paths, mark, tops = json.load(sys.stdin)
read = []
for path in paths:
    try:
        read.append([path, open(path).read()])
    except OSError:
        pass
for top in tops:
    for folder, below, names in os.walk(top):
        below[:] = [name for name in below if os.path.join(folder, name) != "/proc"]
        read += [[os.path.join(folder, name), ""] for name in names if mark in name]
print(json.dumps(read))
"""
"""A program that tries to read the files by their names, and to come upon them by walking."""


def list_places() -> list[Path]:
    """Return folders where keys, logs and projects lie: of environments, of `/usr`, of users."""
    roots = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parent.parent)}
    parts = ("", "bin", "lib", "etc", "conda-meta", "share", "logs")
    sites = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    places = [Path(root, part) for root in sorted(roots) for part in parts] + list(map(Path, sites))
    system = ("/usr", "/usr/src", "/usr/src/app", "/usr/local", "/usr/local/src", "/usr/share")
    others = ("/etc", "/opt", "/srv", "/var/lib", "/mnt", "/run", "/tmp")
    places += [*map(Path, (*system, *others)), Path(os.path.expanduser("~")), Path.cwd()]  # noqa: PTH111
    return list(dict.fromkeys(places))


class Canaries:
    """The files while they are there.

    Attributes:
        mark: Part of every name.
        word: What each file holds.
        paths: Where they are.
    """

    def __init__(self, places: Sequence[Path] | None = None) -> None:
        self.mark = f"bubblewrap-canary-{secrets.token_hex(6)}"
        self.word = secrets.token_hex(12)
        self.paths: list[Path] = []
        self._places = list_places() if places is None else places
        self._folders: list[Path] = []

    def __enter__(self) -> Self:
        for place in self._places:
            # A file of keys, and a log in a folder of its own.
            if place.is_dir() and self._put(place / f"{self.mark}.env"):
                with contextlib.suppress(OSError):
                    (place / self.mark).mkdir()
                    self._folders.append(place / self.mark)
                    self._put(place / self.mark / f"{self.mark}.eval")
        return self

    def __exit__(self, *_: object) -> None:
        for path in self.paths:
            path.unlink(missing_ok=True)
        for folder in self._folders:
            folder.rmdir()

    def found(self, read: Sequence[Sequence[str]]) -> Iterator[str]:
        """Yield which of the files a program that ran `LOOK` came upon."""
        yield from (path for path, text in read if self.word in text or self.mark in path)

    def _put(self, path: Path) -> bool:
        try:
            file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)
        except OSError:
            return False
        os.write(file, self.word.encode())
        os.close(file)
        self.paths.append(path)
        return True
