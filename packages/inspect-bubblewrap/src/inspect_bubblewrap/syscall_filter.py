"""The seccomp filter: which calls to the kernel are refused inside.

The table is `syscalls.yaml`. Calls that are newer than it, by number, are answered as if the kernel
had never heard of them. Some refusals depend on more than the name. `clone` may start processes and
threads but no namespaces; `clone3` hides its flags behind a pointer a filter cannot follow, so it
too is unheard of, and the C library takes `clone`. A mapping that is both shared and anonymous is
refused, because its pages can be dropped from the process and yet stay in memory, where the monitor
would not count them, and so is one of huge pages, which are counted nowhere. A terminal takes no
input put into its mouth (`TIOCSTI`, `TIOCLINUX`). Files are not locked, since all sandboxes and the
host see the same ones. A process may change its own priority and limits, and nobody else's: the
runner, of the same user, must not be starved. Calls of another architecture's table end the
process.
"""

from __future__ import annotations

import errno
import os
import struct
from functools import cache
from importlib.resources import files

from inspect_bubblewrap.outcome import SandboxRefusedError

NAMESPACES = {
    "CLONE_NEWTIME": 0x00000080,
    "CLONE_NEWNS": 0x00020000,
    "CLONE_NEWCGROUP": 0x02000000,
    "CLONE_NEWUTS": 0x04000000,
    "CLONE_NEWIPC": 0x08000000,
    "CLONE_NEWUSER": 0x10000000,
    "CLONE_NEWPID": 0x20000000,
    "CLONE_NEWNET": 0x40000000,
}
MAP_SHARED_ANONYMOUS = 0x01 | 0x20
MAP_HUGETLB = 0x40000
TERMINAL_INPUT = (0x5412, 0x541C)
LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1026)
"""Commands of `fcntl` for locks, leases and notices, which others would feel on a file all see."""

OF_A_PROCESS = {
    "prlimit64": 0,
    "sched_setaffinity": 0,
    "sched_setattr": 0,
    "sched_setparam": 0,
    "sched_setscheduler": 0,
    "setpriority": 1,
}
"""Calls that may change the caller alone (0), and which argument says whom they change."""

OF_A_USER = 2

FIRST_UNKNOWN = 457
"""The number of the first call that this table has not judged; the same on every processor."""

NEWER = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "pidfd_getfd": 438,
    "process_madvise": 440,
    "mount_setattr": 442,
    "quotactl_fd": 443,
    "memfd_secret": 447,
    "process_mrelease": 448,
    "set_mempolicy_home_node": 450,
}
"""Numbers of calls that an older libseccomp does not know by name."""


@cache
def list_refused_calls() -> dict[str, tuple[str, ...]]:
    """Return the refused calls, by what they would open."""
    import yaml  # noqa: PLC0415

    text = (files(__package__) / "syscalls.yaml").read_text(encoding="utf-8")
    return {reason: tuple(names) for reason, names in yaml.safe_load(text).items()}


@cache
def compile_filter() -> bytes:
    """Return the filter as the kernel takes it; refuse where it cannot be made."""
    try:
        import pyseccomp  # noqa: PLC0415
    except (ImportError, RuntimeError) as error:
        raise SandboxRefusedError(
            f"the seccomp filter cannot be made ({error}); install pyseccomp and libseccomp"
        ) from error
    denied = pyseccomp.ERRNO(errno.EPERM)
    made = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for names in list_refused_calls().values():
        for name in names:
            number = find_number(name)
            if number is not None:
                made.add_rule(denied, number)
    made.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    for flag in NAMESPACES.values():
        made.add_rule(denied, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    for flags in (MAP_SHARED_ANONYMOUS, MAP_HUGETLB):
        made.add_rule(denied, "mmap", pyseccomp.Arg(3, pyseccomp.MASKED_EQ, flags, flags))
    for request in TERMINAL_INPUT:
        # The kernel reads 32 bits of the request; the rest must not matter to the comparison.
        made.add_rule(denied, "ioctl", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, 0xFFFFFFFF, request))
    for command in LOCKS:
        made.add_rule(denied, "fcntl", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, 0xFFFFFFFF, command))
    for name, place in OF_A_PROCESS.items():
        made.add_rule(denied, name, pyseccomp.Arg(place, pyseccomp.NE, 0))
    made.add_rule(
        denied, "setpriority", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, 0xFFFFFFFF, OF_A_USER)
    )
    with os.fdopen(os.memfd_create("filter"), "w+b") as file:
        made.export_bpf(file)
        file.seek(0)
        return _refuse_from(FIRST_UNKNOWN) + file.read()


def find_number(name: str) -> int | None:
    """Return a call's number; None where it belongs to other processors alone.

    Raises:
        SandboxRefusedError: Neither libseccomp nor this table knows it, so it would pass.
    """
    import pyseccomp  # noqa: PLC0415

    number: int = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
    if number == -1 and name in NEWER:
        return NEWER[name]
    if number == -1:
        raise SandboxRefusedError(
            f"libseccomp must know every call that is refused, got {name!r}; update libseccomp"
        )
    return number if number >= 0 else None  # libseccomp gives others' calls negative numbers


def _refuse_from(number: int) -> bytes:
    """Return instructions that answer calls from a number on as a kernel without them does."""
    load, jump, answer = 0x20, 0x35, 0x06  # the call's number; at least?; the reply
    return b"".join(
        struct.pack("=HBBI", *instruction)
        for instruction in (
            (load, 0, 0, 0),
            (jump, 0, 1, number),
            (answer, 0, 0, 0x00050000 | errno.ENOSYS),
        )
    )
