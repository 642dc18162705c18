"""What of the machine is visible inside: what is listed, and never a folder of somebody's files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import pytest
from evidence.confinement import PARTS
from evidence.figures import held

from inspect_bubblewrap import allowlist
from inspect_bubblewrap.allowlist import PACKAGES, Bind, check_hidden, list_private, list_visible
from inspect_bubblewrap.check import check_canaries
from inspect_bubblewrap.confinement import Sandbox
from inspect_bubblewrap.outcome import SandboxRefusedError

SITE = sysconfig.get_path("purelib")


def test_no_folder_is_shown_that_may_hold_files_of_a_user() -> None:
    shown = {bind.source for bind in list_visible().binds}
    whole = {"/", "/usr", "/usr/local", "/usr/src", "/etc", sys.prefix, sys.base_prefix, SITE}
    assert not shown & (whole | {f"{sys.prefix}/lib", f"{sys.prefix}/bin", str(Path.home())})
    assert not [path for path in shown if path.startswith(("/usr/local/src", "/usr/share/doc"))]


def test_of_packages_only_those_of_an_analysis_are_shown() -> None:
    names = {Path(bind.target).name for bind in list_visible().packages}
    assert {*PACKAGES, "dateutil", "patsy"} <= names
    assert not names & {"whybench", "inspect_ai", "pytest", "openai", "yaml", "pip"}
    assert {str(Path(bind.target).parent) for bind in list_visible().packages} == {SITE}


def test_a_package_that_is_absent_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> metadata.Distribution:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(allowlist.metadata, "distribution", find)
    assert not list(allowlist._list_packages(PACKAGES, SITE))


def test_a_package_without_a_list_of_files_is_found_by_its_name(tmp_path: Path) -> None:
    for path in ("tool/__init__.py", "tool.libs/lib.so", "Tool-1.egg-info/PKG-INFO"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("Name: tool\nVersion: 1\n", encoding="utf-8")
    [found] = metadata.distributions(name="tool", path=[str(tmp_path)])
    assert {"tool", "tool.libs"} <= allowlist._list_parts(found, "tool")


@pytest.mark.parametrize("count", [3, 60])
def test_of_many_libraries_only_those_in_use_are_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, count: int
) -> None:
    """As beside conda's interpreters, where the libraries of everything lie in one folder."""
    (tmp_path / "lib").mkdir()
    for number in range(count):
        (tmp_path / "lib" / f"lib{number}.so.1").touch()
    (tmp_path / "lib" / "lib0.so").symlink_to("lib0.so.1")
    (tmp_path / "lib" / "libkeys.sock").touch()
    monkeypatch.setattr(allowlist, "_list_roots", lambda: [str(tmp_path)])
    monkeypatch.setattr(allowlist, "_list_loaded", lambda: {str(tmp_path / "lib" / "lib0.so.1")})
    names = [Path(path).name for path in allowlist._list_libraries()]
    assert names[:2] == ["lib0.so", "lib0.so.1"]
    assert len(names) == (count + 1 if count == 3 else 2)


def test_what_an_interpreter_loads_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowlist, "IN_USE", "import no_such_module\nimport numpy\n")
    loaded = allowlist._list_loaded.__wrapped__()
    assert any(re.search(r"libc\.so|libc-", path) for path in loaded)
    assert any("/numpy/" in path for path in loaded)


@pytest.mark.parametrize("place", ["cwd", "logs", "keys", "home"])
def test_nothing_starts_where_something_private_would_be_seen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, place: str
) -> None:
    shown = allowlist.VisibleFiles(system=(allowlist.Bind(str(tmp_path / "shown"), "/shown"),))
    inside = tmp_path / "shown" / "project"
    inside.mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.delenv("INSPECT_LOG_DIR", raising=False)
    monkeypatch.setattr("inspect_bubblewrap.layout.list_visible", lambda packages: shown)
    check_hidden(shown, list_private("s3://bucket/logs", tmp_path / "fine"))
    if place == "cwd":
        monkeypatch.chdir(inside)
    elif place == "logs":
        monkeypatch.setenv("INSPECT_LOG_DIR", str(inside / "logs"))
    elif place == "home":
        monkeypatch.setenv("HOME", str(inside))
    else:
        (inside / ".env").touch()
        (tmp_path / "elsewhere" / ".env").symlink_to(inside / ".env")
    with pytest.raises(
        SandboxRefusedError, match=f"must not lie where programs can read, got {inside}"
    ) as e:
        Sandbox.open()
    assert "\n" not in str(e.value)


def test_what_lies_among_packages_is_hidden_unless_it_is_of_an_analysis(tmp_path: Path) -> None:
    """As where there is no environment, and the folder of packages is one of the library's."""
    library, site = str(tmp_path), tmp_path / "site-packages"
    (site / "numpy").mkdir(parents=True)
    shown = allowlist.VisibleFiles(
        system=(Bind(library, library),),
        emptied=(str(site),),
        packages=(Bind(str(site / "numpy"), str(site / "numpy")),),
    )
    check_hidden(shown, [site / "whybench" / "suites"])
    for seen in (site / "numpy" / "logs", tmp_path / "json"):
        with pytest.raises(SandboxRefusedError, match=f"got {seen}; move it"):
            check_hidden(shown, [seen])


@pytest.mark.slow
@pytest.mark.xdist_group("sandbox")
@pytest.mark.usefixtures("confines")
def test_keys_and_logs_cannot_be_read_as_root_and_as_a_user() -> None:
    assert len(held(PARTS["canaries"])) == (3 if os.geteuid() == 0 else 2)


@pytest.mark.xdist_group("sandbox")
@pytest.mark.usefixtures("confines")
def test_a_key_that_can_be_read_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The look itself: with a folder of somebody's files among what is shown, the check fails."""
    tmp_path.chmod(0o755)
    shown = list_visible()
    more = replace(shown, packages=(*shown.packages, Bind(str(tmp_path), str(tmp_path))))
    monkeypatch.setattr("inspect_bubblewrap.layout.list_visible", lambda packages: more)
    monkeypatch.setattr("inspect_bubblewrap.canaries.list_places", lambda: [tmp_path])
    [finding] = check_canaries()
    assert not finding.holds
    assert finding.seen.startswith("2 of 2 can be read")
    assert not list(tmp_path.iterdir())


OPEN = """
import sys
from inspect_bubblewrap.confinement import Sandbox
with Sandbox.open() as sandbox:
    done = sandbox.run(["python", "-c", "import numpy, sys; print(sys.executable)"])
print("..", ".." in sys.executable, "inside", ".." in done.stdout.decode(), done.status)
"""


@pytest.mark.xdist_group("sandbox")
@pytest.mark.usefixtures("confines")
def test_it_starts_when_python_is_called_by_a_path_that_goes_up(tmp_path: Path) -> None:
    """As `../env/bin/python`, which Python keeps as its own name where it was not looked up."""
    called = os.path.relpath(sys.executable, tmp_path.resolve())
    assert called.startswith("..")
    done = subprocess.run(
        [called, "-c", OPEN],
        cwd=tmp_path.resolve(),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.stdout == ".. True inside False 0\n", done.stderr[-500:]


def test_an_interpreter_outside_its_environment_keeps_its_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib").mkdir()
    (tmp_path / "bin" / "python9").symlink_to(os.path.realpath(sys.executable))
    monkeypatch.setattr(sys, "executable", f"{tmp_path}/lib/../bin/python9")
    assert allowlist.find_interpreter() == str(tmp_path.resolve() / "bin" / "python9")
