"""The command server of the tests: what it runs is what a process of its own would be."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_server import VARIABLE, command, commands
from tests.waiting import wait_until

from evidence import processes

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="commands are processes here"),
]

INSTALLED = Path(sys.executable).parent


def found_in(place: Path, **variables: str) -> dict[str, str]:
    """Return variables with which a shell finds commands in a folder."""
    return {**os.environ, "PATH": f"{place}{os.pathsep}{os.environ['PATH']}", **variables}


def test_evidence_takes_its_commands_from_here_and_else_the_installed_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert processes.command("inspect") == command("inspect")
    monkeypatch.delenv(VARIABLE)
    assert Path(processes.command()) == INSTALLED / "whybench"


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("whybench show judge --count 3 --format ids", 0, "judge-"),
        ("whybench shwo judge 5", 2, "Did you mean 'show'?"),
        ("whybench show judge --all -T style=loud", 2, "style must be among"),
        ("whybench play intervene --as $RANDOM", 0, "'fly' is not clear"),
        ("whybench show judge --format ids | head -1; echo ${PIPESTATUS[@]}", 0, "judge-"),
        ("umask 027; whybench new story mine -o $RANDOM >&2; stat -c %a */mine.yaml", 0, "640"),
        ("inspect nonsense", 2, "No such command"),
    ],
)
def test_it_prints_and_ends_like_a_process(
    line: str, status: int, said: str, tmp_path: Path
) -> None:
    made = []
    for place in (commands(), INSTALLED):
        folder = tmp_path / place.name
        folder.mkdir()
        done = subprocess.run(
            ["bash", "-c", f"RANDOM=7; {line}"],
            cwd=folder,
            env=found_in(place),
            input="fly\nyes\n",
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        made.append((done.returncode, done.stdout, done.stderr))
    served, installed = made
    assert served == installed
    assert served[0] == status
    assert said in served[1] + served[2]


SEEN = """
import json, os, signal, sys
umask = os.umask(0)
os.umask(umask)
print(json.dumps({
    "words": sys.argv[1:],
    "path": sys.path[1:],
    "folder": os.getcwd(),
    "umask": umask,
    "variables": dict(os.environ),
    "descriptors": sorted(os.listdir("/proc/self/fd")),
    "handlers": [
        getattr(handler, "__name__", str(handler))
        for handler in map(signal.getsignal, sorted(signal.valid_signals()))
    ],
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "streams": [(one.encoding, one.errors, one.line_buffering) for one in (
        sys.stdin, sys.stdout, sys.stderr)],
    "main": sorted(vars(sys.modules["__main__"]).keys() & {"__file__", "__package__", "__name__"}),
    "bytecode": [sys.dont_write_bytecode, sys.pycache_prefix],
}))
"""
SLEEPS = """
import os, sys, time
print(os.getpid(), flush=True)
time.sleep(600)
"""


def package(folder: Path, code: str) -> str:
    """Return PYTHONPATH with a package whose suite runs some code when suites are listed."""
    about = folder / "probe-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: probe\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[whybench.suites]\nprobe = probe:SUITE\n")
    (folder / "probe.py").write_text(f"{code}\nos._exit(3)\n")
    return os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))


def test_a_fork_is_made_what_a_process_would_be(tmp_path: Path) -> None:
    where = package(tmp_path, SEEN)
    seen = []
    for place in (commands(), INSTALLED):
        done = subprocess.run(
            ["sh", "-c", "trap '' HUP; umask 027; exec whybench list"],
            cwd=tmp_path,
            env={**found_in(INSTALLED, PYTHONPATH=where, ADDED="ü"), "PATH": f"{place}:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 3, done.stderr
        seen.append(json.loads(done.stdout))
        del seen[-1]["variables"]["PATH"]
    served, installed = seen
    assert served == installed
    assert served["variables"]["ADDED"] == "ü"
    assert served["path"][0] == str(tmp_path)
    assert served["umask"] == 0o027


def test_what_must_be_known_at_the_start_is_left_to_a_process(tmp_path: Path) -> None:
    where = package(tmp_path, "import os, sys; print(sys.flags.hash_randomization, os.getpid())")
    for variables, told in (({}, 1), ({"PYTHONHASHSEED": "0"}, 0)):
        with subprocess.Popen(
            [command(), "list"],
            env={**os.environ, "PYTHONPATH": where, **variables},
            stdout=subprocess.PIPE,
            text=True,
        ) as started:
            randomised, process = map(int, started.stdout.read().split())
        assert randomised == told
        assert (process == started.pid) == bool(variables)


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("number", "status", "told"),
    [
        (signal.SIGINT, 130, "Stopped."),
        (signal.SIGTERM, 143, "Stopped"),
        (signal.SIGKILL, -9, ""),
    ],
)
@pytest.mark.parametrize("place", [None, INSTALLED], ids=["served", "installed"])
def test_signals_reach_the_command(
    place: Path | None, number: int, status: int, told: str, tmp_path: Path
) -> None:
    with subprocess.Popen(
        [(place or commands()) / "whybench", "list"],
        env={**os.environ, "PYTHONPATH": package(tmp_path, SLEEPS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        process = int(started.stdout.readline())
        assert (process == started.pid) == (place is not None)
        started.send_signal(number)
        assert told in started.stderr.read()
    assert started.returncode == status
    wait_until(lambda: not alive(process))


def test_a_command_that_is_killed_ends_its_script_likewise(tmp_path: Path) -> None:
    with subprocess.Popen(
        [command(), "list"],
        env={**os.environ, "PYTHONPATH": package(tmp_path, SLEEPS)},
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        os.kill(int(started.stdout.readline()), signal.SIGKILL)
    assert started.returncode == -signal.SIGKILL


USER = """
import subprocess
from tests.command_server import command
print(command(), flush=True)
subprocess.run([command(), "list"])
"""


def test_server_and_commands_end_with_whoever_started_them(tmp_path: Path) -> None:
    where = os.pathsep.join([package(tmp_path, SLEEPS), str(Path(__file__).parents[1])])
    variables = {name: value for name, value in os.environ.items() if name != VARIABLE}
    with subprocess.Popen(
        [sys.executable, "-c", USER],
        env={**variables, "PYTHONPATH": where},
        stdout=subprocess.PIPE,
        text=True,
    ) as user:
        folder = Path(user.stdout.readline()).parent
        assert folder not in (commands(), INSTALLED)
        process = int(user.stdout.readline())
        server = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
        assert alive(server)
        user.kill()
        wait_until(lambda: not alive(server))
        wait_until(lambda: not alive(process))
        assert not folder.exists()
