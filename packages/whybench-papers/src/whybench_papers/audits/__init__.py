"""Other people's benchmarks, recertified: is each key what its own item says?

An audit reads every item of a benchmark's public files from what an agent is shown, answers it
anew, and gives a verdict on its key. `AUDITS` lists them by name; each is a function of a folder,
some of its files and a limit, so that a new audit is a function and an entry here.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol

from whybench.datasets import data_path
from whybench.errors import DataError, UserError, suggest
from whybench_papers.audits import cladder, rlcausal
from whybench_papers.audits.findings import VERDICTS, Finding, Verdict, count_rows, write_findings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = [
    "AUDITS",
    "VERDICTS",
    "Audit",
    "Finding",
    "Verdict",
    "count_rows",
    "find_folder",
    "get_audit",
    "write_findings",
]


class Examine(Protocol):
    """What gives the verdicts: on the items of some files in a folder, a number of each at most."""

    def __call__(self, folder: Path, files: Sequence[str], limit: int | None) -> Iterator[Finding]:
        """Yield findings in the order of the files."""


@dataclass(frozen=True)
class Audit:
    """A benchmark whose keys can be recomputed.

    Attributes:
        name: What the command calls it; also the name of the source of its data.
        title: What is audited.
        files: Its files, as paths in the source, and how many items each holds.
        examine: What gives the verdicts.
        readers: What a perfect reader scores by the benchmark's own rule, as rows of a table.
        besides: Files that hold no items, and are needed to read them.
    """

    name: str
    title: str
    files: dict[str, int]
    examine: Examine
    readers: Callable[[Sequence[Finding]], list[dict[str, str]]] | None = None
    besides: tuple[str, ...] = ()

    def choose(self, only: str = "") -> dict[str, int]:
        """Return the files whose path contains a text.

        Raises:
            UserError: There are none.
        """
        chosen = {file: items for file, items in self.files.items() if only in file}
        if not chosen:
            raise UserError(
                f"`only` must be part of a file of {self.name}, got {only!r}; "
                f"files are {', '.join(self.files)}"
            )
        return chosen


AUDITS: dict[str, Audit] = {
    audit.name: audit
    for audit in (
        Audit(
            name="rlcausal",
            title="RLCausal's test files, n10v2 and n10v3",
            files=dict.fromkeys(rlcausal.FILES, rlcausal.ITEMS),
            examine=rlcausal.audit_rlcausal,
            readers=rlcausal.readers,
        ),
        Audit(
            name="cladder",
            title="CLadder's test files",
            files=cladder.FILES,
            examine=cladder.audit_cladder,
            besides=(cladder.MODELS,),
        ),
    )
}
"""The audits by name."""


def get_audit(name: str) -> Audit:
    """Return an audit.

    Raises:
        UserError: There is none of that name.
    """
    if name not in AUDITS:
        raise UserError(
            f"`name` must be one of {', '.join(AUDITS)}, got {name!r}{suggest(name, AUDITS)}"
        )
    return AUDITS[name]


def find_folder(audit: Audit, files: Iterable[str], folder: str | None = None) -> Path:
    """Return the folder that holds the files: the one given, or where they are downloaded to.

    Raises:
        UserError: The folder given is none.
        DataError: A file cannot be had, or files lie in several folders.
    """
    if folder is not None:
        if not Path(folder).is_dir():
            raise UserError(
                f"`folder` must be a folder with the files of {audit.name}, got {folder!r}; "
                "leave it out, and they are downloaded"
            )
        return Path(folder)
    found = {
        data_path(audit.name, file).parents[len(PurePosixPath(file).parts) - 1]
        for file in (*files, *audit.besides)
    }
    if len(found) > 1:
        raise DataError(
            f"the files of {audit.name} must lie in one folder, got "
            f"{' and '.join(map(str, sorted(found)))}; complete the first, or remove its files"
        )
    return found.pop()
