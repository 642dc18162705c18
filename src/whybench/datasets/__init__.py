"""Data that are downloaded, never kept with the code: answers, stimuli, data sets, a library.

Each source is pinned to a commit of a public repository or to a version, and each of its files to a
SHA-256 in a table beside this module. A file is taken from the first of these that has it:

1. the folder named by the environment variable `WHYBENCH_DATA_MIRROR`, which holds one folder a
   source (for machines without a network, and for tests);
2. the package, into which a release puts what its licence allows (`hatch_build.py`);
3. the cache, which `WHYBENCH_DATA_CACHE` may move;
4. the source's address, from where it is downloaded into the cache by pooch.

Wherever a file comes from, its checksum is verified before it is used.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from importlib.resources import files
from pathlib import Path
from typing import Literal

from whybench.errors import DataError

__all__ = [
    "SOURCES",
    "DataFile",
    "Source",
    "cache_folder",
    "data_path",
    "file_state",
    "list_sources",
]

MIRROR = "WHYBENCH_DATA_MIRROR"
CACHE = "WHYBENCH_DATA_CACHE"

GROUP = "whybench.data"
"""The group of entry points by which other packages add sources."""


@dataclass(frozen=True)
class DataFile:
    """One file of a source: its path there, its size and its checksum."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Source:
    """A public place from which data are downloaded.

    Attributes:
        name: Its name, also that of its folder in a mirror.
        title: What it holds.
        address: Where its files are; a file's path is appended.
        licence: The licence it states.
        citation: How to cite it.
        package: The package that holds its table of files.
        folder: The folder of its files in a mirror and in the cache; its name if empty.
    """

    name: str
    title: str
    address: str
    licence: str
    citation: str
    package: str = __name__
    folder: str = ""

    @property
    def files(self) -> dict[str, DataFile]:
        """The files that are pinned, by path."""
        return _files(self.package, self.name)

    @property
    def place(self) -> str:
        """The folder of its files in a mirror and in the cache."""
        return self.folder or self.name


SOURCES: dict[str, Source] = {
    source.name: source
    for source in (
        Source(
            name="causAIign",
            title="Likelihood judgments of 96 people about two causal graphs",
            address=(
                "https://raw.githubusercontent.com/hmd101/causAIign/"
                "c8ffdcdcb370884694a32cacdfe1441bb9677c34/"
            ),
            licence="none stated: downloaded for your use, not redistributed",
            citation=(
                "H. M. Dettki, causAIign (GitHub, 2025); people: B. Rehder and M. R. Waldmann, "
                "Failures of explaining away and screening off in described versus experienced "
                "causal learning scenarios, Memory & Cognition 45 (2017)"
            ),
        ),
        Source(
            name="jsPsych",
            title="The library on which studies for people run in a browser",
            address="https://cdn.jsdelivr.net/npm/",
            licence="MIT",
            citation=(
                "J. R. de Leeuw, R. A. Gilbert and B. Luchterhandt, jsPsych: Enabling an "
                "open-source collaborative ecosystem of behavioral experiments, Journal of Open "
                "Source Software 8 (2023), 5351"
            ),
        ),
    )
}
"""The sources of this package."""


def list_sources() -> dict[str, Source]:
    """Return the sources by name: those of this package, then those of other packages.

    An entry point of the group `whybench.data` names a mapping of sources.
    """
    return {**SOURCES, **_added_sources()}


@cache
def _added_sources() -> dict[str, Source]:
    found: dict[str, Source] = {}
    for entry in entry_points(group=GROUP):
        found.update(entry.load())
    return found


@cache
def _files(package: str, name: str) -> dict[str, DataFile]:
    table = files(package).joinpath(f"{name}.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in table.splitlines())
    return {path: DataFile(path, int(size), sha256) for sha256, size, path in rows}


def file_state(source: str, path: str) -> Literal["mirror", "bundled", "cache", "not fetched"]:
    """Return where a file would be taken from now, without downloading or verifying it."""
    found, _ = _find_file(source, path)
    if _find_in_mirror(found, path) is not None:
        return "mirror"
    if _find_bundled(source, path) is not None:
        return "bundled"
    return "cache" if (cache_folder() / found.place / path).is_file() else "not fetched"


def data_path(source: str, path: str) -> Path:
    """Return the local path of a file, downloading it if need be; its checksum is verified."""
    known, file = _find_file(source, path)
    mirrored = _find_in_mirror(known, path)
    found = mirrored or _find_bundled(source, path)
    if found is None:
        return _download(known, file)
    sha256 = hashlib.sha256(found.read_bytes()).hexdigest()
    if sha256 != file.sha256:
        todo = f"replace the file, or unset {MIRROR} to download it"
        raise DataError(
            f"{found} must have the SHA-256 {file.sha256}, got {sha256}; "
            f"{todo if mirrored else 'install the package again'}"
        )
    return found


def _find_file(source: str, path: str) -> tuple[Source, DataFile]:
    sources = list_sources()
    if source not in sources:
        raise DataError(f"source must be one of {', '.join(sources)}, got {source!r}")
    table = sources[source].files
    if path not in table:
        raise DataError(f"{source} has no pinned file {path!r}; `whybench data list` shows them")
    return sources[source], table[path]


def _find_in_mirror(source: Source, path: str) -> Path | None:
    folder = os.environ.get(MIRROR)
    if not folder:
        return None
    candidate = Path(folder) / source.place / path
    return candidate if candidate.is_file() else None


def _find_bundled(source: str, path: str) -> Path | None:
    candidate = Path(__file__).parent / source / path
    return candidate if candidate.is_file() else None


def cache_folder() -> Path:
    """Return the folder in which downloaded data are kept."""
    import pooch  # noqa: PLC0415  (half of a second is not wanted at start-up)

    return Path(os.environ.get(CACHE) or pooch.os_cache("whybench"))


def _reason(error: Exception) -> str:
    """Return why a request failed, without the objects that the libraries below name."""
    inner = error.args[0] if error.args else error
    reason = str(getattr(inner, "reason", inner))
    return reason.partition("): ")[2] or reason


def _download(source: Source, file: DataFile) -> Path:
    import pooch  # noqa: PLC0415
    from requests.exceptions import RequestException  # noqa: PLC0415

    pooch.get_logger().setLevel("WARNING")
    target = cache_folder() / source.place / file.path
    try:
        return Path(
            pooch.retrieve(
                source.address + file.path,
                known_hash=f"sha256:{file.sha256}",
                path=target.parent,
                fname=target.name,
            )
        )
    except RequestException as error:
        raise DataError(
            f"{file.path} of {source.name} could not be downloaded from {source.address}: "
            f"{_reason(error)}. Without a network, set {MIRROR} to a folder that holds "
            f"{source.place}/"
        ) from error
    except ValueError as error:
        raise DataError(
            f"{file.path} of {source.name} must have the SHA-256 {file.sha256}; the download "
            f"had another and was discarded ({error}). Try again, or report it if it stays so"
        ) from error
