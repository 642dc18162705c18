"""Where code cannot be confined it is not run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inspect_bubblewrap import check, monitor_handle
from inspect_bubblewrap.check import SandboxFinding, check_confinement, require_confinement
from inspect_bubblewrap.outcome import SandboxError, SandboxRefusedError
from inspect_bubblewrap.pool import Pool, run_script

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _forgetful() -> Iterator[None]:
    require_confinement.cache_clear()
    yield
    require_confinement.cache_clear()


def last() -> SandboxFinding:
    return list(check_confinement())[-1]


@pytest.mark.xdist_group("sandbox")
@pytest.mark.usefixtures("confines")
def test_each_wall_is_tried() -> None:
    found = list(check_confinement())
    assert not [finding for finding in found if not finding.holds]
    assert [finding.name for finding in found] == [
        *("Linux", "bubblewrap", "seccomp filter", "namespaces", "user outside", "user inside"),
        *("calls refused", "network off", "files", "secrets", "environment", "other processes"),
        *("number of processes", "memory", "address space", "wall clock", "output"),
        "nothing left behind",
    ]


def test_without_bubblewrap_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(monitor_handle.shutil, "which", lambda _: None)
    assert last() == SandboxFinding(
        "bubblewrap", False, "bubblewrap is not installed: no bwrap on the path"
    )
    for untrusted in (lambda: run_script("print('ran')"), lambda: Pool(1)):
        with pytest.raises(
            SandboxRefusedError, match="no bwrap on the path.*, so none is run; install"
        ):
            untrusted()


def test_without_the_filter_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> bytes:
        raise SandboxRefusedError("the seccomp filter cannot be made")

    monkeypatch.setattr(check, "_bubblewrap", lambda name: SandboxFinding(name, True, ""))
    monkeypatch.setattr(check, "compile_filter", missing)
    assert last() == SandboxFinding("seccomp filter", False, "the seccomp filter cannot be made")
    with pytest.raises(SandboxRefusedError, match="the seccomp filter cannot be made"):
        run_script("print('ran')")


def test_where_users_may_not_make_namespaces_the_switch_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def closed(*_: object) -> None:
        raise SandboxError("the sandbox did not start: bwrap: No permissions to create a namespace")

    switch = tmp_path / "max_user_namespaces"
    switch.write_text("0\n", encoding="utf-8")
    monkeypatch.setattr(check, "_bubblewrap", lambda name: SandboxFinding(name, True, ""))
    monkeypatch.setattr(check, "_filter", lambda name: SandboxFinding(name, True, ""))
    monkeypatch.setattr(check.Sandbox, "open", closed)
    monkeypatch.setattr(check, "SWITCHES", {str(switch): "0"})
    finding = last()
    assert (finding.name, finding.holds) == ("namespaces", False)
    assert finding.seen.endswith(
        "create a namespace; max_user_namespaces is 0, which keeps users from making namespaces"
    )


def test_an_old_bubblewrap_will_not_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old = tmp_path / "bwrap"
    old.write_text("#!/bin/sh\necho bubblewrap 0.4.1\n", encoding="utf-8")
    old.chmod(0o755)
    monkeypatch.setattr(check, "find_bwrap", lambda: str(old))
    assert last() == SandboxFinding(
        "bubblewrap", False, "bubblewrap 0.4.1 (0.8 or later is needed)"
    )
