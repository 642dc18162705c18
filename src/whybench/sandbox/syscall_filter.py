"""The seccomp filter: which calls to the kernel are refused inside.

The table is `syscalls.yaml`. Four refusals depend on more than the name. `clone` may start
processes and threads but no namespaces; `clone3` hides its flags behind a pointer a filter cannot
follow, so it is answered as if the kernel had never heard of it and the C library takes `clone`;
a mapping that is both shared and anonymous is refused, because its pages can be dropped from the
process and yet stay in memory, where the warden would not count them, and so is one of huge pages,
which are counted nowhere; and a terminal takes no
input put into its mouth (`TIOCSTI`, `TIOCLINUX`). Calls of another architecture's table end the
process.
"""

from __future__ import annotations

import errno
import os
from functools import cache
from importlib.resources import files

from whybench.sandbox.outcome import SandboxRefusedError

__all__ = ["compiled_filter", "refused_calls"]

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


@cache
def refused_calls() -> dict[str, tuple[str, ...]]:
    """Return the refused calls, by what they would open."""
    import yaml  # noqa: PLC0415

    text = (files(__package__) / "syscalls.yaml").read_text(encoding="utf-8")
    return {reason: tuple(names) for reason, names in yaml.safe_load(text).items()}


@cache
def compiled_filter() -> bytes:
    """Return the filter as the kernel takes it; refuse where it cannot be made."""
    try:
        import pyseccomp  # noqa: PLC0415
    except (ImportError, RuntimeError) as error:
        raise SandboxRefusedError(
            f"the seccomp filter cannot be made ({error}); install whybench[sandbox] and libseccomp"
        ) from error
    denied = pyseccomp.ERRNO(errno.EPERM)
    made = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    for names in refused_calls().values():
        for name in names:
            try:
                number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
            except (OSError, ValueError):
                continue
            if number >= 0:  # libseccomp gives other architectures' calls negative numbers
                made.add_rule(denied, number)
    made.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")
    for flag in NAMESPACES.values():
        made.add_rule(denied, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
    for flags in (MAP_SHARED_ANONYMOUS, MAP_HUGETLB):
        made.add_rule(denied, "mmap", pyseccomp.Arg(3, pyseccomp.MASKED_EQ, flags, flags))
    for request in TERMINAL_INPUT:
        # The kernel reads 32 bits of the request; the rest must not matter to the comparison.
        made.add_rule(denied, "ioctl", pyseccomp.Arg(1, pyseccomp.MASKED_EQ, 0xFFFFFFFF, request))
    with os.fdopen(os.memfd_create("filter"), "w+b") as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()
