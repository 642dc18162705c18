"""What of this machine code in the sandbox may see: what is on this list, and nothing else.

Of the system: programs, libraries and time zones. Of Python: the interpreter, its standard library
and the libraries it loads. Of the installed packages: those that an analysis may import and what
they need in turn. Never a folder as a whole that may hold somebody's files, such as that of the
environment: where a project is its own environment, keys and logs lie there.

What is listed stands inside at the same path as outside, so that the interpreter finds itself;
only packages may come from elsewhere, such as the folder of a user's own packages.
"""

from __future__ import annotations

import os
import re
import site
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from inspect_bubblewrap.limits import PACKAGES
from inspect_bubblewrap.outcome import SandboxRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ALIASES = ("bin", "lib", "lib32", "lib64", "libx32")
"""Folders of `/usr` that are shown, and of `/`, where most systems have links to these."""

SYSTEM = ("/usr/share/zoneinfo", "/etc/ld.so.cache", "/etc/alternatives")
SITES = ("site-packages", "dist-packages")

INTERPRETER = re.compile(r"python(\d+(\.\d+)*)?")
LIBRARY = re.compile(r"lib[^/]+\.so(\.[\d.]+)?")
MOST_LIBRARIES = 40
"""Beside an interpreter with more libraries than these, as conda's, only those in use are shown."""

IN_USE = (
    "import bz2, ctypes, lzma, sqlite3, ssl, zlib\n"
    "import pandas, scipy.linalg, scipy.stats, statsmodels.api, statsmodels.formula.api\n"
    "scipy.linalg.svd([[1.0, 2.0], [3.0, 4.0]])\n"
)
NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class Bind:
    """A file or folder of the host, and where it appears inside, read-only."""

    source: str
    target: str


@dataclass(frozen=True)
class Link:
    """A symbolic link inside: where it stands and what it says."""

    path: str
    says: str


@dataclass(frozen=True)
class VisibleFiles:
    """All that is visible inside.

    Attributes:
        made: Folders that are made anew, empty, before anything is shown in them.
        system: Files and folders of the system and of the interpreter.
        emptied: Folders among these that are empty inside, save for what follows.
        packages: What an analysis may import, and the folder of inputs.
        links: Links, which lead to what is shown or nowhere.
    """

    made: tuple[str, ...] = ()
    system: tuple[Bind, ...] = ()
    emptied: tuple[str, ...] = ()
    packages: tuple[Bind, ...] = ()
    links: tuple[Link, ...] = ()

    @property
    def binds(self) -> tuple[Bind, ...]:
        """Everything of the host that is visible, in the order in which it is mounted."""
        return (*self.system, *self.packages)


@cache
def list_visible(packages: tuple[str, ...] = PACKAGES) -> VisibleFiles:
    """Return what of this machine is visible inside.

    Args:
        packages: Installed distributions that code inside can import, with their requirements.
    """
    folders = [f"/usr/{name}" for name in ALIASES] + [f"/{name}" for name in ALIASES]
    system = [Bind(path, path) for path in folders if _is_real_folder(path)]
    _, links = _follow_links(path for path in folders if not _is_real_folder(path))
    system += [Bind(os.path.realpath(path), path) for path in SYSTEM if Path(path).exists()]
    files, ways = _follow_links((*_list_interpreters(), *_list_libraries()))
    for path in (*_list_library_folders(), *files):
        if not _is_under(path, [bind.target for bind in system]):
            system.append(Bind(os.path.realpath(path), path))
    settings = f"{sys.prefix}/pyvenv.cfg"
    if Path(settings).is_file():
        system.append(Bind(os.path.realpath(settings), settings))
    shown = [bind.target for bind in system]
    links += [way for way in ways if not _is_under(way.path, shown)]
    emptied = [path for path in _list_sites() if _is_under(path, shown) and _is_real_folder(path)]
    return VisibleFiles(
        # An interpreter may lie in /tmp, which can be written inside: its own folder must not be.
        made=tuple(sorted(root for root in _list_roots() if root.startswith("/tmp/"))),
        system=tuple(system),
        emptied=tuple(emptied),
        packages=tuple(_list_packages(packages, sysconfig.get_path("purelib"))),
        links=tuple(dict.fromkeys(links)),
    )


def list_private(*further: str | Path) -> list[Path]:
    """Return what must never be visible: home, working and log folders, and files of keys."""
    here = Path.cwd()
    keys = [folder / ".env" for folder in (here, *here.parents)]
    logs = os.environ.get("INSPECT_LOG_DIR", "logs")
    given = [path for path in (logs, *further) if "://" not in str(path)]
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  (which does not fail where there is none)
    return [home, here, *(path for path in keys if path.exists()), *map(Path, given)]


def check_hidden(visible: VisibleFiles, private: Iterable[Path]) -> None:
    """Refuse to start where something private lies in what would be visible.

    Raises:
        SandboxRefusedError: With what would be seen, and what to do.
    """
    emptied = [os.path.realpath(folder) for folder in visible.emptied]
    packages = [bind.source for bind in visible.packages]
    system = [bind.source for bind in visible.system]
    for path in private:
        real = os.path.realpath(path)
        if _is_under(real, packages) or (_is_under(real, system) and not _is_under(real, emptied)):
            raise SandboxRefusedError(
                "home, working and log folders and .env files must not lie where programs can "
                f"read, got {real}; move it, or work in another folder"
            )


def _is_real_folder(path: str) -> bool:
    return Path(path).is_dir() and not Path(path).is_symlink()


def _is_under(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def _list_roots() -> list[str]:
    """Return the folders of the environment and of the installation it was made from."""
    executable = str(Path(sys.executable).resolve().parent.parent)
    roots = [sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix, executable]
    # By their real names too, by which libraries are found.
    return list(dict.fromkeys((*roots, *map(os.path.realpath, roots))))


def _list_library_folders() -> list[str]:
    """Return the folders of the standard library."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    found = {sysconfig.get_path("stdlib"), str(Path(os.__file__).parent)}
    found |= {f"{root}/{part}/{version}" for root in _list_roots() for part in ("lib", "lib64")}
    parts = ("os.py", "lib-dynload")  # on some systems one folder has each
    return sorted(path for path in found if any(Path(path, part).exists() for part in parts))


def _list_sites() -> list[str]:
    """Return the folders of installed packages, in whatever is shown."""
    found = {f"{folder}/{name}" for folder in _list_library_folders() for name in SITES}
    found |= {path for path in sys.path if Path(path).name in SITES}
    found |= {*site.getsitepackages(_list_roots()), "/usr/lib/python3/dist-packages"}
    return sorted(found)


def find_interpreter() -> str:
    """Return the path of the interpreter, without the `..` by which it may have been called.

    Beside the packages if it is there, since an environment is found by where its interpreter lies.
    """
    called = Path(sys.executable)
    if ".." not in called.parts:
        return sys.executable
    beside = Path(sys.prefix, "bin", called.name)
    if beside.exists() and beside.samefile(called):
        return str(beside)
    # A link stays one: what it leads to would not be in the environment.
    return str(called.parent.resolve() / called.name)


def _list_interpreters() -> Iterator[str]:
    """Yield the names by which the interpreter is called."""
    yield find_interpreter()
    for root in _list_roots():
        names = sorted(Path(root, "bin").glob("python*"))
        yield from (str(path) for path in names if INTERPRETER.fullmatch(path.name))


def _follow_links(paths: Iterable[str]) -> tuple[list[str], list[Link]]:
    """Return the files to which paths lead, and the links on the way."""
    files: dict[str, None] = {}
    links: dict[str, Link] = {}
    for given in paths:
        path = given
        while os.path.islink(path) and path not in links:  # noqa: PTH114
            says = os.readlink(path)  # noqa: PTH115
            links[path] = Link(path, says)
            path = os.path.normpath(os.path.join(os.path.dirname(path), says))  # noqa: PTH118, PTH120
        if path not in links and Path(path).is_file():
            files[path] = None
    return list(files), list(links.values())


def _list_libraries() -> Iterator[str]:
    """Yield the libraries that lie beside the interpreter, under every name they have."""
    for folder in dict.fromkeys(f"{root}/lib" for root in _list_roots()):
        if _is_under(folder, ("/usr/lib", "/lib")):  # shown as a whole
            continue
        names = [path for path in Path(folder).glob("lib*.so*") if LIBRARY.fullmatch(path.name)]
        if len(names) > MOST_LIBRARIES:
            used = _list_loaded()
            names = [path for path in names if os.path.realpath(path) in used]
        yield from sorted(map(str, names))


@cache
def _list_loaded() -> frozenset[str]:
    """Return the files that an interpreter maps once it has imported and used the packages."""
    code = "".join(f"try:\n    {line}\nexcept ImportError: pass\n" for line in IN_USE.splitlines())
    show = "print(*{line.split()[-1] for line in open('/proc/self/maps')}, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-I", "-c", code + show], capture_output=True, text=True, check=False
    )
    return frozenset(line for line in done.stdout.splitlines() if line.startswith("/"))


def _list_packages(packages: Iterable[str], folder: str) -> Iterator[Bind]:
    """Yield the files and folders of packages and of all that they require."""
    waiting, seen = list(packages), set()
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue
        required = [text for text in distribution.requires or () if "extra ==" not in text]
        waiting += [found.group() for text in required if (found := NAME.match(text))]
        for part in sorted(_list_parts(distribution, name)):
            source = os.path.realpath(str(distribution.locate_file(part)))
            if Path(source).exists():
                yield Bind(source, f"{folder}/{part}")


def _list_parts(distribution: metadata.Distribution, name: str) -> set[str]:
    """Return a distribution's files and folders, relative to the folder of packages."""
    # Without a distribution's own papers: each mount is a third of a millisecond of every start.
    papers = (".dist-info", ".egg-info", ".pth", "-stubs")
    tops = {file.parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}
    parts = {top for top in tops if not top.endswith(papers)}
    if not parts:  # installed by the system's own tools, which keep no list of files
        listed = (distribution.read_text("top_level.txt") or name.replace("-", "_")).split()
        parts = {part for top in listed for part in (top, f"{top}.py", f"{top}.libs")}
    return parts
