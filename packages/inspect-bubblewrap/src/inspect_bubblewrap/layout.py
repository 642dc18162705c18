"""What code in the sandbox sees: the file system, the environment and its own identity.

Everything is a bubblewrap argument. Nothing of the host is visible but what `allowlist` lists and
the folder of inputs, all read-only. What can be written lies in memory, in two folders of limited
size. `/dev` holds `null` and the random sources only: `/dev/zero` would give memory that nobody
counts. Packages that register with Inspect are covered wherever they would show, since a
program that imports a task can compute its answers.
"""

from __future__ import annotations

import os
from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from inspect_bubblewrap.allowlist import (
    Bind,
    check_hidden,
    find_interpreter,
    list_private,
    list_visible,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from inspect_bubblewrap.allowlist import VisibleFiles
    from inspect_bubblewrap.limits import Limits

NOBODY = 65534
"""User and group inside."""

INPUT = "/input"
WORK = "/tmp/work"
RUNNER = "/run/runner.pyc"
STAGE = "/tmp"
EMPTY = str(1 << 20)
"""Size of a folder in memory that holds nothing but places to mount on."""

ENVIRONMENT = {
    "HOME": WORK,
    "LANG": "C.UTF-8",
    "MPLBACKEND": "Agg",
    "MPLCONFIGDIR": "/tmp/matplotlib",
    # One thread: processes are few, and the same sums in the same order give the same digits.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # A process with one thread can be forked without a second thought.
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "TMPDIR": "/tmp",
    "TZ": "UTC",
    "USER": "nobody",
}

COVERED = ("/proc/cmdline", "/proc/keys")
"""Files of the new /proc that anyone may read and that can hold secrets of the host."""


def choose_visible(packages: tuple[str, ...], inputs: Path | None) -> VisibleFiles:
    """Return what of the host is visible inside; refuse where it holds something private."""
    shown = list_visible(packages)
    check_hidden(shown, list_private())
    if inputs is None:
        return shown
    bind = Bind(str(inputs.resolve(strict=True)), INPUT)
    return replace(shown, packages=(*shown.packages, bind))


def _covered_packages(visible: Sequence[Bind]) -> list[str]:
    """Return where packages that hold tasks would be visible inside."""
    return [
        bind.target + folder.removeprefix(bind.source)
        for folder in list_task_packages()
        for bind in visible
        if folder.startswith(bind.source + "/")
    ]


@cache
def list_task_packages() -> tuple[str, ...]:
    """Return the folders of this package and of all that register with Inspect."""
    names = {entry.module.partition(".")[0] for entry in entry_points(group="inspect_ai")}
    found = {str(Path(__file__).resolve().parent)}
    for name in names:
        spec = find_spec(name)
        found.update(
            os.path.realpath(path) for path in (spec and spec.submodule_search_locations) or ()
        )
    return tuple(sorted(found))


def _mount_shown(shown: VisibleFiles, staged: bool) -> list[str]:
    """Return the arguments that mount what is visible, read-only, and what is made empty in it."""
    mounted = [
        ["--ro-bind", f"{STAGE}/{place}" if staged else bind.source, bind.target]
        for place, bind in enumerate(shown.binds)
    ]
    first, rest = mounted[: len(shown.system)], mounted[len(shown.system) :]
    empty = [["--size", EMPTY, "--tmpfs", path] for path in (*shown.made, *shown.emptied)]
    links = [["--symlink", link.says, link.path] for link in shown.links]
    covered = [["--size", EMPTY, "--tmpfs", path] for path in _covered_packages(shown.binds)]
    closed = [*reversed((*shown.made, *shown.emptied)), *_covered_packages(shown.binds)]
    made = len(shown.made)
    parts = (*empty[:made], *first, *empty[made:], *rest, *links, *covered)
    return [word for part in parts for word in part] + [
        word for path in closed for word in ("--remount-ro", path)
    ]


def bwrap_arguments(
    limits: Limits, shown: VisibleFiles, staged: bool, fds: Mapping[str, int], preload: str
) -> list[str]:
    """Return bubblewrap's arguments.

    Args:
        limits: Sizes of the folders in memory, and what the runner inside is told.
        shown: What of the host is visible.
        staged: Whether the monitor has put that in order under the staging folder, as it must when
            the user it becomes cannot reach the originals.
        fds: Descriptors from which bubblewrap reads the filter, the runner and the list of users.
        preload: Modules, with commas between them, that the runner imports before it is asked.
    """
    made = (
        "--unshare-all --unshare-user --disable-userns --die-with-parent --new-session --clearenv "
        f"--cap-drop ALL --uid {NOBODY} --gid {NOBODY} --hostname sandbox --as-pid-1"
    ).split()
    # Before what is shown, since an interpreter may itself lie in a temporary folder.
    made += ["--perms", "0700", "--size", str(limits.disk), "--tmpfs", "/tmp", "--dir", WORK]
    made += _mount_shown(shown, staged)
    made += ["--perms", "0444", "--ro-bind-data", str(fds["runner"]), RUNNER]
    made += ["--perms", "0444", "--ro-bind-data", str(fds["users"]), "/etc/passwd"]
    made += ["--proc", "/proc"]
    for path in COVERED:
        if Path(path).exists():
            made += ["--ro-bind", "/dev/null", path]
    made += ["--size", str(64 * 1024), "--tmpfs", "/dev"]
    for name in ("null", "random", "urandom"):
        made += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        made += ["--symlink", f"/proc/self/fd{target}", f"/dev/{name}"]
    made += ["--perms", "0700", "--size", str(limits.shared_memory), "--tmpfs", "/dev/shm"]
    made += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", WORK]
    made += ["--seccomp", str(fds["filter"])]
    interpreter = find_interpreter()
    environment = ENVIRONMENT | {"PATH": f"{Path(interpreter).parent}:/usr/bin:/bin"}
    for name, value in environment.items():
        made += ["--setenv", name, value]
    made += ["--", interpreter, "-sP", RUNNER, preload]
    made += [
        f"AS={limits.address_space}",
        f"CPU={limits.processor_seconds}",
        f"FSIZE={limits.file_size}",
        f"NPROC={limits.processes}",
        f"NOFILE={limits.open_files}",
        "CORE=0",
    ]
    return made
