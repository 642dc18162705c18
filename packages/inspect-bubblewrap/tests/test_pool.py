"""Interpreters that wait for one script each."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from inspect_bubblewrap.check import require_confinement
from inspect_bubblewrap.confinement import Sandbox
from inspect_bubblewrap.inside import runner
from inspect_bubblewrap.limits import Limits, Settings
from inspect_bubblewrap.monitor import descendants
from inspect_bubblewrap.outcome import SandboxError
from inspect_bubblewrap.pool import Pool, run_script

pytestmark = [pytest.mark.xdist_group("sandbox"), pytest.mark.usefixtures("confines")]

LIMITS = Limits(seconds=60, lifetime=600)
TOLD = "import sys; print('numpy' in sys.modules)"


def test_a_script_finds_its_imports_done_and_the_next_is_made_ready() -> None:
    with Pool(1, Settings(LIMITS, preload=("numpy", "no_such_module"))) as pool:
        for _ in range(2):
            assert pool.wait()
            with pool.take() as taken:
                assert taken.preloaded == ("numpy",)
                assert taken.run(["python", "-c", TOLD]).stdout == b"True\n"


def test_without_one_ready_a_fresh_one_is_started() -> None:
    with Pool(0, Settings(LIMITS, preload=("numpy",))) as pool:
        finished = run_script(f"{TOLD}\nimport numpy; print(numpy.ones(3).sum())", pool=pool)
    assert finished.outcome.stdout == b"False\n3.0\n"


def test_a_script_gets_its_files_and_leaves_its_own() -> None:
    code = (
        "rows = open('rows.csv').read()\n"
        "open('changed.txt', 'a').write('!')\n"
        "open('made.txt', 'w').write(rows.upper())\n"
    )
    files = {"rows.csv": b"abc", "changed.txt": b"x"}
    finished = run_script(code, files, limits=LIMITS)
    assert finished.outcome.ok
    assert finished.files == {"made.txt": b"ABC", "changed.txt": b"x!"}


def test_no_script_finds_what_another_left() -> None:
    with Pool(1, Settings(LIMITS, preload=("numpy",))) as pool:
        pool.wait()
        run_script("import numpy\nnumpy.left = 1\nopen('/tmp/left', 'w').close()", pool=pool)
        pool.wait()
        look = "import numpy, os; print(hasattr(numpy, 'left'), os.path.exists('/tmp/left'))"
        assert run_script(look, pool=pool).outcome.stdout == b"False False\n"


def test_a_waiting_interpreter_has_one_thread_and_can_be_forked() -> None:
    pytest.importorskip("statsmodels")
    with Pool(1, Settings(LIMITS)) as pool:
        assert pool.wait()
        finished = run_script("import os; print(len(os.listdir('/proc/1/task')))", pool=pool)
    assert finished.outcome.stdout == b"1\n"


def test_one_that_ended_while_it_waited_is_not_handed_out() -> None:
    with Pool(1, Settings(LIMITS, preload=())) as pool:
        assert pool.wait()
        first = pool._ready[0]
        os.kill(first.process, 9)
        assert first._monitor._has_ended(60)
        with pool.take() as taken:
            assert taken is not first
            assert taken.run(["true"]).ok
        assert not first.alive


@pytest.mark.slow
def test_what_one_has_waited_is_no_part_of_its_lifetime() -> None:
    with Pool(1, Settings(Limits(lifetime=3), preload=())) as pool:
        assert pool.wait()
        first = pool._ready[0]
        assert first.run(["sleep", "4"]).ok
        with pool.take() as taken:
            assert taken is first
            assert taken.run(["sleep", "60"]).ended == "lifetime"


@pytest.mark.parametrize("failing", ["raise ValueError('dtype size changed')", "exit(3)", "1 / 0"])
def test_a_module_that_fails_in_any_way_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, failing: str
) -> None:
    (tmp_path / "broken_module.py").write_text(failing, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    before = {name: sys.modules.get(name) for name in runner.THREADED}
    assert runner._imported(["broken_module", "json", "no_such_module"]) == ["json"]
    assert {name: sys.modules.get(name) for name in runner.THREADED} == before


def test_a_library_that_is_there_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "polars", threaded := ModuleType("polars"))
    assert runner._imported(["json"]) == ["json"]
    assert sys.modules["polars"] is threaded


def test_a_pool_that_cannot_make_any_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise SandboxError("the sandbox did not start")

    require_confinement()  # holds, and is remembered: what fails is what comes later
    monkeypatch.setattr(Sandbox, "open", refuse)
    with Pool(1, Settings(LIMITS, preload=())) as pool:
        assert not pool.wait()
        assert not pool._coming  # it was not for its deadline that it returned


def test_a_closed_pool_leaves_nothing() -> None:
    pool = Pool(2, Settings(LIMITS, preload=()))
    assert pool.wait()
    members = [
        number
        for sandbox in pool._ready
        for number in (sandbox.process, *descendants(sandbox.process))
    ]
    assert len(members) == 6
    pool.close()
    assert not [number for number in members if Path(f"/proc/{number}").exists()]
    with pytest.raises(ValueError, match="a closed pool has nothing to take"):
        pool.take()


def test_names_that_lead_elsewhere_are_not_taken() -> None:
    with pytest.raises(ValueError, match="must hold no '/', got '../x'"):
        run_script("pass", {"../x": b""})
    with pytest.raises(ValueError, match="size must be 0 or more, got -1"):
        Pool(-1)
