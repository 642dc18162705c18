"""What code in the sandbox sees: the file system, the environment and its own identity.

Everything is a bubblewrap argument. Nothing of the host is visible but `/usr`, the interpreter
that runs this program with its packages, and the folder of inputs, all read-only. What can be
written lies in memory, in two folders of limited size. `/dev` holds `null` and the random sources
only: `/dev/zero` would give memory that nobody counts. WhyBench itself is covered up, since
whoever can import it can compute the answers.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from whybench.sandbox.outcome import SandboxRefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.sandbox.limits import Limits

__all__ = ["ENVIRONMENT", "INPUT", "NOBODY", "WORK", "Bind", "arguments", "binds"]

NOBODY = 65534
"""User and group inside."""

INPUT = "/input"
WORK = "/tmp/work"
AGENT = "/run/agent.pyc"
STAGE = "/tmp"

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

ALIASES = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
"""Folders of `/` that are links into `/usr` on most systems, folders of their own on some."""

SYSTEM = ("/etc/ld.so.cache", "/etc/alternatives")
COVERED = ("/proc/cmdline", "/proc/keys")
"""Files of the new /proc that anyone may read and that can hold secrets of the host."""


@dataclass(frozen=True)
class Bind:
    """A file or folder of the host, and where it appears inside, read-only."""

    source: str
    target: str


def _interpreter() -> list[str]:
    """Return the folders the interpreter needs: its environment and what that was made from."""
    executable = Path(sys.executable).resolve().parent.parent
    roots = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, str(executable)}
    roots |= {os.path.realpath(root) for root in roots}
    home = str(Path.home())
    for root in roots:
        if root in {"/", home} or home.startswith(root + "/"):
            raise SandboxRefusedError(
                f"the interpreter's folder must not hold a home folder, got {root} and {home}"
            )
    outside = sorted(root for root in roots if root != "/usr" and not root.startswith("/usr/"))
    return [
        root
        for root in outside
        if not any(root.startswith(other + "/") for other in outside if other != root)
    ]


def binds(inputs: Path | None) -> list[Bind]:
    """Return what of the host is visible inside."""
    found = [Bind("/usr", "/usr")]
    found += [Bind(os.path.realpath(root), root) for root in _interpreter()]
    found += [Bind(f"/{name}", f"/{name}") for name in ALIASES if _is_folder(f"/{name}")]
    found += [Bind(os.path.realpath(path), path) for path in SYSTEM if Path(path).exists()]
    if inputs is not None:
        found.append(Bind(str(inputs.resolve(strict=True)), INPUT))
    return found


def _is_folder(path: str) -> bool:
    return Path(path).is_dir() and not Path(path).is_symlink()


def _own_package(visible: Sequence[Bind]) -> list[str]:
    """Return where WhyBench itself would be visible inside."""
    own = str(Path(__file__).resolve().parent.parent)
    return [
        bind.target + own.removeprefix(bind.source)
        for bind in visible
        if own.startswith(bind.source + "/")
    ]


def arguments(
    limits: Limits, visible: Sequence[Bind], staged: bool, fds: dict[str, int], preload: str
) -> list[str]:
    """Return bubblewrap's arguments.

    Args:
        limits: Sizes of the folders in memory, and what the agent inside is told.
        visible: What of the host is visible.
        staged: Whether the warden has put `visible` in order under the staging folder, as it must
            when the user it becomes cannot reach the originals.
        fds: Descriptors from which bubblewrap reads the filter, the agent and the list of users.
        preload: Modules, with commas between them, that the agent imports before it is asked.
    """
    made = (
        "--unshare-all --unshare-user --disable-userns --die-with-parent --new-session --clearenv "
        f"--cap-drop ALL --uid {NOBODY} --gid {NOBODY} --hostname sandbox --as-pid-1"
    ).split()
    # Before what is shown, since an interpreter may itself lie in a temporary folder.
    made += ["--perms", "0700", "--size", str(limits.disk), "--tmpfs", "/tmp", "--dir", WORK]
    for place, bind in enumerate(visible):
        made += ["--ro-bind", f"{STAGE}/{place}" if staged else bind.source, bind.target]
    for name in ALIASES:
        if Path(f"/{name}").is_symlink():
            made += ["--symlink", str(Path(f"/{name}").readlink()), f"/{name}"]
    for covered in _own_package(visible):
        made += ["--size", "4096", "--tmpfs", covered, "--remount-ro", covered]
    made += ["--perms", "0444", "--ro-bind-data", str(fds["agent"]), AGENT]
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
    environment = ENVIRONMENT | {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    for name, value in environment.items():
        made += ["--setenv", name, value]
    made += ["--", sys.executable, "-sP", AGENT, preload]
    made += [
        f"AS={limits.address_space}",
        f"CPU={limits.processor_seconds}",
        f"FSIZE={limits.file_size}",
        f"NPROC={limits.processes}",
        f"NOFILE={limits.open_files}",
        "CORE=0",
    ]
    return made
