"""One sandbox: commands, files and ends."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.waiting import wait_until

from inspect_bubblewrap import fork_server, monitor_handle
from inspect_bubblewrap.confinement import Sandbox
from inspect_bubblewrap.limits import MIB, Limits
from inspect_bubblewrap.monitor import descendants
from inspect_bubblewrap.outcome import SandboxError

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.xdist_group("sandbox"), pytest.mark.usefixtures("confines")]

LIMITS = Limits(seconds=60, lifetime=3600, memory=192 * MIB, disk=32 * MIB, processes=24)


@pytest.fixture(scope="module")
def sandbox(confines: None) -> Iterator[Sandbox]:
    with Sandbox.open(LIMITS) as opened:
        yield opened


def python(sandbox: Sandbox, code: str) -> str:
    outcome = sandbox.run(["python", "-c", code])
    assert outcome.ok, outcome
    return outcome.stdout.decode()


def test_streams_status_and_input_are_a_commands_own(sandbox: Sandbox) -> None:
    outcome = sandbox.run(["sh", "-c", "cat; echo two >&2; exit 3"], stdin=b"one")
    assert (outcome.ended, outcome.status) == ("exit", 3)
    assert (outcome.stdout, outcome.stderr) == (b"one", b"two\n")
    assert not outcome.ok


@pytest.mark.parametrize("call", [["python"], ["python", "-I"]], ids=["forked", "fresh"])
def test_a_forked_python_behaves_as_a_fresh_one(sandbox: Sandbox, call: list[str]) -> None:
    code = "import sys; print(__name__, sys.argv, len(sys.stdin.read())); sys.exit('bye')"
    outcome = sandbox.run([*call, "-c", code, "a", "b"], stdin=b"12345")
    assert outcome.stdout == b"__main__ ['-c', 'a', 'b'] 5\n"
    assert (outcome.stderr, outcome.status) == (b"bye\n", 1)


@pytest.mark.parametrize(
    ("code", "status"),
    [("pass", 0), ("raise SystemExit", 0), ("import sys; sys.exit(7)", 7), ("1 / 0", 1), ("(", 1)],
)
def test_exit_statuses_are_pythons(sandbox: Sandbox, code: str, status: int) -> None:
    outcomes = [sandbox.run([*call, "-c", code]) for call in (["python"], ["python", "-I"])]
    assert [outcome.status for outcome in outcomes] == [status, status]


def test_a_traceback_begins_at_the_script(sandbox: Sandbox) -> None:
    sandbox.write("fails.py", b"def f():\n    raise ValueError('x')\nf()\n")
    forked, fresh = (
        sandbox.run([*call, "fails.py"]).stderr.decode() for call in (["python"], ["python", "-I"])
    )
    assert forked.splitlines()[0] == "Traceback (most recent call last):"
    # A fresh interpreter names the script by its full path since 3.9, a fork as it was called.
    assert forked.replace("fails.py", "") == fresh.replace("/tmp/work/fails.py", "")


def test_what_runs_at_exit_runs_and_threads_are_waited_for(sandbox: Sandbox) -> None:
    code = (
        "import atexit, threading, time\n"
        "atexit.register(print, 'last')\n"
        "threading.Thread(target=lambda: (time.sleep(0.1), print('thread'))).start()\n"
    )
    assert python(sandbox, code) == "thread\nlast\n"


def test_the_environment_is_given_and_nothing_else(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    outcome = sandbox.run(["env"], env={"GIVEN": "a=b"})
    names = {line.split("=")[0] for line in outcome.stdout.decode().splitlines()}
    assert "GIVEN=a=b" in outcome.stdout.decode().splitlines()
    assert "API_KEY" not in names
    assert b"secret" not in sandbox.run(["env"]).stdout
    assert b"GIVEN" not in sandbox.run(["env"]).stdout


def test_files_go_in_and_come_out(sandbox: Sandbox) -> None:
    everything = bytes(range(256))
    sandbox.write("deep/er/bytes", everything)
    assert sandbox.read("deep/er/bytes") == everything
    assert python(sandbox, "print(len(open('deep/er/bytes','rb').read()))") == "256\n"


@pytest.mark.parametrize(
    ("path", "number"),
    [
        ("nowhere", errno.ENOENT),
        ("/usr", errno.EISDIR),
        ("/dev/urandom", errno.EINVAL),
        ("a\0b", errno.EINVAL),
        ("link", errno.ELOOP),
        ("large", errno.EFBIG),
        ("/proc/self/mem", errno.EACCES),
    ],
)
def test_what_is_no_regular_small_file_is_not_read(
    sandbox: Sandbox, path: str, number: int
) -> None:
    sandbox.run(["sh", "-c", "ln -sf /etc/passwd link; head -c 2000 /dev/urandom > large"])
    with pytest.raises(OSError, match="Errno") as caught:
        sandbox.read(path, 1000)
    assert caught.value.errno == number


@pytest.mark.parametrize(("size", "ended"), [(5000, "exit"), (5001, "output")])
def test_output_is_whole_up_to_its_limit(sandbox: Sandbox, size: int, ended: str) -> None:
    outcome = sandbox.run(["python", "-c", f"print('x' * {size}, end='')"], output=5000)
    assert outcome.ended == ended
    assert outcome.stdout == b"x" * 5000


def test_only_plain_files_are_collected() -> None:
    with Sandbox.open(Limits(collected=1000)) as fresh:
        fresh.run(
            ["sh", "-c", "echo 1 > a.txt; mkdir b; ln -s a.txt c; head -c 999 /dev/urandom > d"]
        )
        fresh.run(["python", "-c", "open('e\\nf', 'w').write('x')"])
        assert fresh.collect() == {"a.txt": b"1\n"}  # d would be the 1,001st byte


def test_inputs_are_read_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "rows.csv").write_text("x\n1\n", encoding="utf-8")
    with Sandbox.open(LIMITS, inputs=tmp_path) as fresh:
        assert fresh.run(["cat", "/input/rows.csv"]).stdout == b"x\n1\n"
        assert fresh.run(["sh", "-c", "echo 2 >> /input/rows.csv"]).status == 2
        assert fresh.run(["touch", "/input/new"]).status == 1
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8") == "x\n1\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["rows.csv"]


def test_a_command_that_cannot_start_says_why(sandbox: Sandbox) -> None:
    with pytest.raises(FileNotFoundError):
        sandbox.run(["no-such-program"])
    with pytest.raises(PermissionError):
        sandbox.run(["/etc/passwd"])
    with pytest.raises(ValueError, match="argv must hold a command, got none"):
        sandbox.run([])
    with pytest.raises(ValueError, match="zero byte"):
        sandbox.run(["echo", "a\0b"])


def test_a_limit_ends_the_command_and_not_the_sandbox(sandbox: Sandbox) -> None:
    sandbox.write("kept", b"here")
    greedy = "x = []\nwhile True: x.append(bytearray(b'x' * 2**20))"
    outcome = sandbox.run(["python", "-c", greedy])
    assert (outcome.ended, outcome.status) == ("memory", 137)
    assert int(outcome.note.split()[-1]) > LIMITS.memory
    # What explained one end must not explain another.
    assert sandbox.run(["sh", "-c", "kill -9 $$"]).ended == "exit"
    assert sandbox.run(["sleep", "60"], seconds=0.1).ended == "time"
    assert sandbox.read("kept") == b"here"
    assert python(sandbox, "print('well')") == "well\n"


BEFORE, AFTER = 0.0, 1e12
"""Moments before and after all that can happen here, by the monotonic clock."""


def test_what_was_seen_before_a_command_does_not_explain_its_end(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The monitor may be held up between seeing and saying, and say it during the next command."""
    late = f"memory 999 {BEFORE}\n"
    monkeypatch.setattr(monitor_handle, "_drained", lambda _: late)
    assert sandbox.run(["sh", "-c", "kill -9 $$"]).ended == "exit"
    late += f"memory 1000 {AFTER}\n"
    outcome = sandbox.run(["sh", "-c", "kill -9 $$"])
    assert (outcome.ended, outcome.note) == ("memory", "memory reached 1000")


def test_forks_that_share_memory_are_not_counted_over_and_over(sandbox: Sandbox) -> None:
    # 20 forks of 60 MiB, of which they change nothing, are 60 MiB.
    code = (
        "import os, time\n"
        "held = bytearray(b'x' * (60 * 2**20))\n"
        "for _ in range(19):\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(0.3); os._exit(0)\n"
        "time.sleep(0.4); print(len(held) >> 20)\n"
    )
    assert python(sandbox, code) == "60\n"


def test_a_command_takes_along_what_it_started(sandbox: Sandbox) -> None:
    outcome = sandbox.run(["sh", "-c", "setsid sleep 600 & setsid sleep 600 & echo started"])
    assert outcome.stdout == b"started\n"
    assert outcome.ended == "exit"  # and not by time, though the sleepers hold the output open
    assert len(descendants(sandbox.process)) == 2  # bubblewrap and the runner


def test_a_kill_from_within_is_no_limit(sandbox: Sandbox) -> None:
    outcome = sandbox.run(["sh", "-c", "kill -9 $$"])
    assert (outcome.ended, outcome.status, outcome.note) == ("exit", 137, "")


@pytest.mark.slow
def test_a_lifetime_ends_the_sandbox() -> None:
    with Sandbox.open(Limits(seconds=60, lifetime=3)) as brief:
        outcome = brief.run(["sleep", "60"])
        assert outcome.ended == "lifetime"
        assert not brief.alive
        for ask in (lambda: brief.run(["true"]), lambda: brief.read("x")):
            with pytest.raises(SandboxError, match="has ended") as caught:
                ask()
            assert caught.value.cause == "lifetime"


@pytest.mark.slow
def test_a_lifetime_begins_with_the_first_use() -> None:
    with Sandbox.open(Limits(seconds=60, lifetime=3), waiting=True) as kept:
        assert kept.run(["sleep", "4"]).ok
        kept.start_clock()
        assert kept.run(["sleep", "60"]).ended == "lifetime"


def test_what_ended_a_sandbox_is_remembered() -> None:
    many = "for n in range(900): open(f'/tmp/{n}', 'w').close()\nimport time; time.sleep(60)"
    with Sandbox.open(Limits(files=500)) as spent:
        assert spent.run(["python", "-c", many]).ended == "files"
        wait_until(lambda: not spent.is_running())
        with pytest.raises(SandboxError) as caught:
            spent.write("x", b"")
        assert caught.value.cause == "files"


def test_a_sandbox_that_nothing_watches_is_not_asked() -> None:
    # Killed, the monitor takes along what runs inside, but a moment later: each round is a chance.
    for _ in range(20):
        with Sandbox.open(LIMITS) as killed:
            os.kill(killed.process, 9)
            while killed.is_running():
                pass
            with pytest.raises(SandboxError) as caught:
                killed.write("x", b"")
            assert caught.value.cause == "gone"


def test_short_of_memory_the_kernel_takes_the_sandbox_first(sandbox: Sandbox) -> None:
    assert python(sandbox, "print(open('/proc/self/oom_score_adj').read())") == "1000\n\n"


def test_it_can_be_ended_while_it_runs() -> None:
    with Sandbox.open(LIMITS) as opened:
        members = [opened.process, *descendants(opened.process)]

        def end_while_it_sleeps() -> None:
            wait_until(lambda: len(descendants(opened.process)) == len(members))
            opened.end()

        threading.Thread(target=end_while_it_sleeps).start()
        assert opened.run(["sleep", "60"]).ended == "gone"
    assert not [number for number in members if Path(f"/proc/{number}").exists()]


def test_nothing_outlives_the_program_that_started_it() -> None:
    code = (
        "import os, threading, time\n"
        "from inspect_bubblewrap.confinement import Sandbox\n"
        "from inspect_bubblewrap.monitor import descendants\n"
        "opened = Sandbox.open()\n"
        "threading.Thread(target=opened.run, args=(['sleep', '60'],), daemon=True).start()\n"
        "while len(descendants(opened.process)) < 3: time.sleep(0.01)\n"
        "print(opened.process, *descendants(opened.process), flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    members = [int(number) for number in done.stdout.split()]
    assert done.returncode == -9
    assert len(members) == 4  # monitor, bubblewrap, runner, sleep
    wait_until(lambda: not any(Path(f"/proc/{number}").exists() for number in members))


def test_sandboxes_at_work_together_are_strangers_to_each_other() -> None:
    with ExitStack() as stack:
        opened = [stack.enter_context(Sandbox.open(LIMITS)) for _ in range(4)]
        for number, each in enumerate(opened):
            each.write("own", str(number).encode())
        with ThreadPoolExecutor(4) as threads:
            outcomes = list(threads.map(lambda each: each.run(["cat", "own"]), opened))
        status = [Path(f"/proc/{each.process}/status").read_text("utf-8") for each in opened]
    assert [outcome.stdout for outcome in outcomes] == [b"0", b"1", b"2", b"3"]
    outside = {re.findall(r"^Uid:\s+(\d+)", text, re.MULTILINE)[0] for text in status}
    # Started as root each has a user of its own; else all have ours.
    assert len(outside) == (4 if os.geteuid() == 0 else 1)
    assert "0" not in outside


def test_descriptors_are_given_back() -> None:
    Sandbox.open(LIMITS).close()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(3):
        with Sandbox.open(LIMITS) as opened:
            opened.run(["true"])
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_fork_server_that_was_killed_is_replaced() -> None:
    with Sandbox.open(LIMITS) as first:
        server = fork_server._open[os.getpid()].process
        server.kill()
        server.wait()
        assert first.run(["sleep", "60"]).ended == "gone"  # a monitor ends with its fork server
    with Sandbox.open(LIMITS) as second:
        assert second.run(["true"]).ok
        assert fork_server._open[os.getpid()].process.pid != server.pid
