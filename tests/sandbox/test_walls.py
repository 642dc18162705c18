"""The walls: what is visible, and which calls to the kernel are refused."""

from __future__ import annotations

import errno
import json
import sys
from collections import Counter
from pathlib import Path

import pytest

import whybench
from whybench.sandbox import layout
from whybench.sandbox.confinement import Sandbox
from whybench.sandbox.limits import Limits
from whybench.sandbox.outcome import SandboxRefusedError
from whybench.sandbox.syscall_filter import compiled_filter, refused_calls

FDS = {"filter": 10, "agent": 11, "users": 12}


def given(staged: bool = False) -> list[str]:
    return layout.arguments(Limits(), layout.binds(None), staged, FDS, "numpy")


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
        "--ro-bind /usr /usr",
        f"--size {Limits().disk} --tmpfs /tmp",
        f"--size {Limits().shared_memory} --tmpfs /dev/shm",
        "--remount-ro /dev",
        "--remount-ro /",
        "--seccomp 10",
    ):
        assert wall in text
    assert not {"--bind", "--share-net", "--cap-add", "--dev"} & set(given())


def test_only_the_system_and_the_interpreter_are_visible() -> None:
    shown = {bind.target for bind in layout.binds(None)}
    interpreter = {sys.prefix, sys.base_prefix, str(Path(sys.executable).resolve().parents[1])}
    interpreter |= {str(Path(root).resolve()) for root in interpreter}
    system = {"/usr", "/etc/ld.so.cache", "/etc/alternatives"}
    assert shown <= system | interpreter | {f"/{name}" for name in layout.ALIASES}
    home = str(Path.home())
    assert not [path for path in shown if path == home or home.startswith(path + "/")]


def test_an_interpreter_that_would_show_a_home_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(Path.home()))
    with pytest.raises(SandboxRefusedError, match="must not hold a home folder"):
        layout.binds(None)


def test_our_own_package_is_covered_where_it_is_visible() -> None:
    own = Path(whybench.__file__).resolve().parent
    installed = [layout.Bind(str(own.parent), "/site-packages")]
    made = " ".join(layout.arguments(Limits(), installed, False, FDS, ""))
    assert "--tmpfs /site-packages/whybench --remount-ro /site-packages/whybench" in made
    elsewhere = [layout.Bind("/usr", "/usr")]
    assert "whybench" not in " ".join(layout.arguments(Limits(), elsewhere, False, FDS, ""))


def test_staged_sources_are_named_by_their_place() -> None:
    plain, staged = given(), given(staged=True)
    changed = [(a, b) for a, b in zip(plain, staged, strict=True) if a != b]
    visible = layout.binds(None)
    assert changed == [(bind.source, f"/tmp/{place}") for place, bind in enumerate(visible)]


def test_no_call_is_listed_twice() -> None:
    counts = Counter(name for names in refused_calls().values() for name in names)
    assert not [name for name, count in counts.items() if count > 1]


def test_the_filter_is_a_program_of_the_kernel() -> None:
    pytest.importorskip("pyseccomp", exc_type=RuntimeError)
    compiled = compiled_filter()
    assert len(compiled) % 8 == 0  # struct sock_filter
    assert 100 < len(compiled) // 8 < 4096  # BPF_MAXINSNS


@pytest.mark.xdist_group("sandbox")
@pytest.mark.usefixtures("confines")
def test_every_listed_call_is_refused() -> None:
    import pyseccomp

    numbers = {}
    for names in refused_calls().values():
        for name in names:
            try:
                number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
            except (OSError, ValueError):
                continue
            if number >= 0:
                numbers[name] = number
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
    with Sandbox.open() as sandbox:
        outcome = sandbox.run(["python", "-c", code], stdin=json.dumps(numbers).encode())
        others = {
            name: pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
            for name in ("clone3", "getpid")
        }
        hidden = sandbox.run(["python", "-c", code], stdin=json.dumps(others).encode())
    assert json.loads(outcome.stdout) == dict.fromkeys(numbers, errno.EPERM)
    assert json.loads(hidden.stdout) == {"clone3": errno.ENOSYS, "getpid": 0}
