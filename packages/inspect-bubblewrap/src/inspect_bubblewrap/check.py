"""What this machine can enforce, found by trying.

Each finding is an attempt made in a real sandbox with small limits. Where one does not hold,
untrusted code is not run at all: a sandbox with one wall missing is a room.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspect_bubblewrap.canaries import LOOK, Canaries
from inspect_bubblewrap.confinement import Sandbox
from inspect_bubblewrap.layout import ENVIRONMENT, NOBODY
from inspect_bubblewrap.limits import MIB, Limits
from inspect_bubblewrap.monitor import descendants
from inspect_bubblewrap.monitor_handle import find_bwrap
from inspect_bubblewrap.outcome import SandboxError, SandboxRefusedError
from inspect_bubblewrap.syscall_filter import compile_filter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NEEDED = (0, 8)
MOST_NAMED = 4
WAYS_OUT = (
    "install what is missing, such as by `apt-get install bubblewrap libseccomp2` "
    "(`inspect-bubblewrap` tests it), or use another sandbox, such as `--sandbox docker`"
)
"""Without square brackets, which Inspect takes for colours."""
SMALL = Limits(
    seconds=10,
    lifetime=60,
    memory=192 * MIB,
    address_space=1024 * MIB,
    processes=16,
    disk=8 * MIB,
    shared_memory=MIB,
    file_size=4 * MIB,
)
SWITCHES = {
    "/proc/sys/kernel/unprivileged_userns_clone": "0",
    "/proc/sys/user/max_user_namespaces": "0",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1",
}
"""Settings of the kernel, and the value with which each keeps users from making namespaces."""


@dataclass(frozen=True)
class SandboxFinding:
    """One thing that must hold, whether it does, and what was seen."""

    name: str
    holds: bool
    seen: str


def check_confinement() -> Iterator[SandboxFinding]:
    """Yield what this machine enforces; stop at what nothing further can be tried without."""
    yield SandboxFinding("Linux", sys.platform == "linux", sys.platform)
    for name, look in (("bubblewrap", _bubblewrap), ("seccomp filter", _filter)):
        finding = look(name)
        yield finding
        if not finding.holds:
            return
    try:
        sandbox = Sandbox.open(SMALL)
    except SandboxError as error:
        yield SandboxFinding("namespaces", False, f"{error}{_hint()}")
        return
    with sandbox:
        yield SandboxFinding(
            "namespaces", True, "user, process, mount, network, message and host name"
        )
        yield _user_outside(sandbox)
        yield from _inside(sandbox)
        yield from _limits(sandbox)
        watched = [sandbox.process, *descendants(sandbox.process)]
    left = [number for number in watched if Path(f"/proc/{number}").exists()]
    yield SandboxFinding(
        "nothing left behind", not left, f"{len(left)} of {len(watched)} processes left"
    )


def check_all() -> Iterator[SandboxFinding]:
    """Yield everything that can be tried, files left in the way among it."""
    all_hold = True
    for finding in check_confinement():
        all_hold &= finding.holds
        yield finding
    if all_hold:
        yield from check_canaries()


def check_canaries() -> Iterator[SandboxFinding]:
    """Yield whether code inside can read files put where people keep keys and logs."""
    with Canaries() as canaries, Sandbox.open(replace(SMALL, seconds=60)) as sandbox:
        given = [[str(path) for path in canaries.paths], canaries.mark, ["/"]]
        outcome = sandbox.run(["python", "-c", LOOK], stdin=json.dumps(given).encode())
        try:
            found = sorted(set(canaries.found(json.loads(outcome.stdout))))
        except ValueError:
            yield SandboxFinding("keys and logs", False, f"a look from inside failed: {outcome}")
            return
    seen = f"{len(found)} of {len(canaries.paths)} can be read, put in {_name(canaries.paths)}"
    yield SandboxFinding(
        "keys and logs", not found, f"{seen}{': ' if found else ''}{', '.join(found)}"
    )


def _name(paths: Sequence[Path]) -> str:
    """Return the folders of the first few paths, for people."""
    folders = [str(path.parent) for path in paths if path.suffix == ".env"]
    more = len(folders) - MOST_NAMED
    return ", ".join(folders[:MOST_NAMED]) + (f" and {more} more folders" if more > 0 else "")


@cache
def require_confinement() -> None:
    """Refuse, with the reason, where untrusted code cannot be confined."""
    for finding in check_confinement():
        if not finding.holds:
            raise SandboxRefusedError(
                f"programs must run in a sandbox, which this machine cannot keep ({finding.name}: "
                f"{finding.seen}), so none is run; {WAYS_OUT}"
            )


def _bubblewrap(name: str) -> SandboxFinding:
    try:
        path = find_bwrap()
    except SandboxRefusedError as error:
        return SandboxFinding(name, False, str(error))
    said = subprocess.run([path, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = re.findall(r"\d+", said)[:2]
    version = tuple(int(number) for number in numbers)
    return SandboxFinding(name, version >= NEEDED, f"{said.strip()} (0.8 or later is needed)")


def _filter(name: str) -> SandboxFinding:
    try:
        size = len(compile_filter()) // 8
    except SandboxRefusedError as error:
        return SandboxFinding(name, False, str(error))
    return SandboxFinding(name, True, f"{size} instructions")


def _hint() -> str:
    for path, value in SWITCHES.items():
        file = Path(path)
        if file.exists() and file.read_text(encoding="utf-8").strip() == value:
            return f"; {file.name} is {value}, which keeps users from making namespaces"
    return ""


def _user_outside(sandbox: Sandbox) -> SandboxFinding:
    status = Path(f"/proc/{sandbox.process}/status").read_text(encoding="utf-8")
    users = set(re.findall(r"^Uid:\s+(.*)$", status, re.MULTILINE)[0].split())
    started_as = str(os.geteuid())
    dropped = users.isdisjoint({"0"}) and len(users) == 1
    how = "root dropped to it" if started_as == "0" else "an ordinary user's own"
    return SandboxFinding("user outside", dropped, f"{', '.join(sorted(users))} ({how})")


def _inside(sandbox: Sandbox) -> Iterator[SandboxFinding]:
    source = Path(__file__).with_name("probe.py").read_text(encoding="utf-8")
    outcome = sandbox.run(["python", "-c", source])
    try:
        told: dict[str, Any] = json.loads(outcome.stdout)
    except ValueError:
        words = outcome.stderr.decode("utf-8", "replace").strip().splitlines()
        yield SandboxFinding("a look from inside", False, words[-1] if words else str(outcome))
        return
    powerless = all(int(mask, 16) == 0 for mask in told["capabilities"])
    unprivileged = told["user"] == NOBODY and powerless and told["no_new_privileges"] == "1"
    yield SandboxFinding("user inside", unprivileged, f"{told['user']}, without capabilities")
    refused = [told[name] for name in ("socket", "ptrace", "unshare")]
    yield SandboxFinding(
        "calls refused",
        told["seccomp"] == "2" and "done" not in refused,
        f"seccomp mode {told['seccomp']}; socket, ptrace, unshare: {', '.join(refused)}",
    )
    yield SandboxFinding("network off", told["networks"] == ["lo"], f"only {told['networks']}")
    written = told["written"]
    writable = sorted(path for path, came in written.items() if came == "done")
    yield SandboxFinding(
        "files", writable == ["/dev/shm", "/tmp"], f"writable: {', '.join(writable)}"
    )
    yield SandboxFinding("secrets", told["shadow"] != "done", f"/etc/shadow: {told['shadow']}")
    extra = sorted(set(told["environment"]) - {*ENVIRONMENT, "PATH", "PWD", "LC_CTYPE"})
    yield SandboxFinding(
        "environment", not extra, f"not ours: {extra}" if extra else "nothing of ours"
    )
    seen = told["processes"]
    yield SandboxFinding("other processes", len(seen) <= 2, f"sees {len(seen)}, itself among them")
    most = SMALL.processes
    yield SandboxFinding(
        "number of processes", told["forks"] < most, f"{told['forks']} forks of {most}"
    )


def _limits(sandbox: Sandbox) -> Iterator[SandboxFinding]:
    greedy = "held = []\nwhile True: held.append(bytearray(b'x' * 2**20))"
    outcome = sandbox.run(["python", "-c", greedy])
    yield SandboxFinding(
        "memory", outcome.ended == "memory", f"{outcome.note} of {SMALL.memory} bytes"
    )
    vast = f"held = bytearray({2 * SMALL.address_space})"
    outcome = sandbox.run(["python", "-c", vast])
    yield SandboxFinding("address space", b"MemoryError" in outcome.stderr, "MemoryError")
    outcome = sandbox.run(["sleep", "30"], seconds=0.2)
    yield SandboxFinding(
        "wall clock", outcome.ended == "time", f"ended after {outcome.seconds:.2f} s"
    )
    outcome = sandbox.run(["yes"], output=10_000)
    yield SandboxFinding(
        "output", outcome.ended == "output", f"ended at {len(outcome.stdout)} bytes"
    )
