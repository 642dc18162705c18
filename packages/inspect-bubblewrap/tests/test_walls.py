"""The walls: what is visible, and which calls to the kernel are refused."""

from __future__ import annotations

import errno
import json
from collections import Counter
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from inspect_bubblewrap import layout
from inspect_bubblewrap.allowlist import Bind, VisibleFiles
from inspect_bubblewrap.confinement import Sandbox
from inspect_bubblewrap.limits import PACKAGES, Limits
from inspect_bubblewrap.outcome import SandboxRefusedError
from inspect_bubblewrap.syscall_filter import (
    FIRST_UNKNOWN,
    compile_filter,
    find_number,
    list_refused_calls,
)

FDS = {"filter": 10, "runner": 11, "users": 12}


def given(staged: bool = False) -> list[str]:
    return layout.bwrap_arguments(
        Limits(), layout.choose_visible(PACKAGES, None), staged, FDS, "numpy"
    )


def test_the_walls_asked_for_are_all_there() -> None:
    text = " ".join(given())
    for wall in (
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
        "--clearenv",
        "--cap-drop ALL",
        "--uid 65534",
        "--gid 65534",
        "--ro-bind /usr/bin /usr/bin",
        f"--size {Limits().disk} --tmpfs /tmp",
        f"--size {Limits().shared_memory} --tmpfs /dev/shm",
        "--remount-ro /dev",
        "--remount-ro /",
        "--seccomp 10",
    ):
        assert wall in text
    assert not {"--bind", "--share-net", "--cap-add", "--dev"} & set(given())


def test_our_own_package_is_covered_where_it_is_visible() -> None:
    own = Path(layout.__file__).resolve().parent
    installed = VisibleFiles(system=(Bind(str(own.parent), "/site-packages"),))
    made = " ".join(layout.bwrap_arguments(Limits(), installed, False, FDS, ""))
    assert (
        "--tmpfs /site-packages/inspect_bubblewrap --remount-ro /site-packages/inspect_bubblewrap"
        in made
    )
    elsewhere = VisibleFiles(system=(Bind("/usr", "/usr"),))
    assert "inspect_bubblewrap" not in " ".join(
        layout.bwrap_arguments(Limits(), elsewhere, False, FDS, "")
    )


def test_packages_that_register_with_inspect_are_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EntryPoint("tasks", "json.decoder:tasks", "inspect_ai")
    monkeypatch.setattr(layout, "entry_points", lambda group: [entry])
    layout.list_task_packages.cache_clear()
    folder = Path(json.__file__).resolve().parent
    assert str(folder) in layout.list_task_packages()
    layout.list_task_packages.cache_clear()


def test_staged_sources_are_named_by_their_place() -> None:
    plain, staged = given(), given(staged=True)
    changed = [(a, b) for a, b in zip(plain, staged, strict=True) if a != b]
    visible = layout.choose_visible(PACKAGES, None).binds
    assert changed == [(bind.source, f"/tmp/{place}") for place, bind in enumerate(visible)]


def test_no_call_is_listed_twice() -> None:
    counts = Counter(name for names in list_refused_calls().values() for name in names)
    assert not [name for name, count in counts.items() if count > 1]


def test_the_filter_is_a_program_of_the_kernel() -> None:
    pytest.importorskip("pyseccomp", exc_type=RuntimeError)
    compiled = compile_filter()
    assert len(compiled) % 8 == 0  # struct sock_filter
    assert 100 < len(compiled) // 8 < 4096  # BPF_MAXINSNS


@pytest.mark.xdist_group("sandbox")
@pytest.mark.usefixtures("confines")
def test_every_listed_call_is_refused() -> None:
    listed = [name for names in list_refused_calls().values() for name in names]
    numbers = {name: number for name in listed if (number := find_number(name)) is not None}
    assert len(numbers) > 90
    code = (
        "import ctypes, json, sys\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "found = {}\n"
        "for name, number in json.load(sys.stdin).items():\n"
        "    came = libc.syscall(number, -1, -1, -1, -1, -1, -1)\n"
        "    found[name] = ctypes.get_errno() if came == -1 else 0\n"
        "print(json.dumps(found))\n"
    )
    newer = {str(number): number for number in range(FIRST_UNKNOWN, FIRST_UNKNOWN + 50)}
    with Sandbox.open() as sandbox:
        outcome = sandbox.run(["python", "-c", code], stdin=json.dumps(numbers).encode())
        others = {name: find_number(name) for name in ("clone3", "getpid")}
        hidden = sandbox.run(["python", "-c", code], stdin=json.dumps(others).encode())
        unheard = sandbox.run(["python", "-c", code], stdin=json.dumps(newer).encode())
    assert json.loads(outcome.stdout) == dict.fromkeys(numbers, errno.EPERM)
    assert json.loads(hidden.stdout) == {"clone3": errno.ENOSYS, "getpid": 0}
    assert json.loads(unheard.stdout) == dict.fromkeys(newer, errno.ENOSYS)


def test_a_call_that_libseccomp_does_not_know_is_refused_by_its_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pyseccomp = pytest.importorskip("pyseccomp", exc_type=RuntimeError)
    monkeypatch.setattr(pyseccomp, "resolve_syscall", lambda *_: -1)
    assert find_number("mount_setattr") == 442
    with pytest.raises(SandboxRefusedError, match="must know every call .*, got 'ptrace'; update"):
        find_number("ptrace")
