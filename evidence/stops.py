"""Drills of stopping: a profile that is interrupted again and again, and killed, and goes on.

The server counts calls, so what a stop costs is told by it and not by the run: which calls began
after the signal, and how many more there were than replies in the finished logs.
"""

from __future__ import annotations

import os
import pty
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evidence.fault_server import MODEL, FaultServer, Plan
from evidence.figures import Figure, Parts
from evidence.processes import command
from whybench.evaluation.engine import FLUSH_SECONDS
from whybench.evaluation.stopping import FIRST_FAILURES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Trouble = Callable[[subprocess.Popen[str], FaultServer], None]

MODELS = (MODEL, f"{MODEL}-two")
CONNECTIONS = 10
PAUSE = 0.1
"""Seconds that a reply takes."""

GRACE = 2.0
"""Seconds after a signal in which calls may still begin."""

MAIN = "from whybench.cli import main; main()"

COMMAND = (
    sys.executable,
    "-c",
    f"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); {MAIN}",
)
"""`whybench`, with its terminal as the one whose Ctrl-C reaches it."""


class Terminal:
    """A command in a terminal of its own, to which keys can be sent.

    Args:
        words: Arguments of `whybench`.
        folder: Where it runs.
        environment: Further variables.
    """

    def __init__(
        self, words: Sequence[str], folder: str | Path, environment: Mapping[str, str]
    ) -> None:
        self.screen, inside = pty.openpty()
        variables = {k: v for k, v in os.environ.items() if k != "INSPECT_DISPLAY"}
        self.process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=folder,
            env={**variables, "TERM": "xterm", "COLUMNS": "120", **environment},
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
        )
        os.close(inside)
        self._shown: list[bytes] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        with suppress(OSError):  # the terminal is gone
            while block := os.read(self.screen, 65536):
                self._shown.append(block)

    @property
    def text(self) -> str:
        """What was shown, without colours and moves of the cursor."""
        shown = b"".join(self._shown).decode(errors="replace")
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown).replace("\r", "\n")

    def press_ctrl_c(self) -> None:
        """Press Ctrl-C."""
        os.write(self.screen, b"\x03")

    def wait(self, seconds: float = 300.0) -> int:
        """Wait for the end, and return the status; after so many seconds it is killed."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            return self.process.wait(10)
        finally:
            self._reading.join(5)
            with suppress(OSError):
                os.close(self.screen)


@dataclass
class Drill:
    """What came of a run that was stopped again and again.

    Attributes:
        statuses: The status after each stop.
        late: Calls that began later than `GRACE` seconds after a stop.
        lost: Answers that a log had at a stop, and that were asked again.
        calls: Calls in all.
        replies: Replies in the finished logs.
        in_flight: The most calls that stops may repeat: samples at once times calls of a sample.
        last: The status of the run that was let be.
        lines: The last line on the screen after each stop.
    """

    statuses: list[int] = field(default_factory=list)
    late: int = 0
    lost: int = 0
    calls: int = 0
    replies: int = 0
    in_flight: int = 0
    last: int = -1
    lines: list[str] = field(default_factory=list)


def count_replies(folder: Path) -> tuple[int, int]:
    """Return how many replies the logs of a folder hold, and the most of one sample."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    counts: dict[tuple[str, str, int], int] = {}
    for log in list_eval_logs(str(folder)):
        for sample in read_eval_log(log).samples or ():
            if sample.error is None:
                replies = sum(message.role == "assistant" for message in sample.messages)
                counts[log.task, str(Path(log.name).parent) + str(sample.id), sample.epoch] = (
                    replies
                )
    return sum(counts.values()), max(counts.values(), default=0)


def _answered(folder: Path) -> set[str]:
    """Return the ids of samples that the logs of a folder hold an answer for."""
    from inspect_ai.log import list_eval_logs, read_eval_log_sample_summaries

    found = set()
    for log in list_eval_logs(str(folder)) if folder.is_dir() else ():
        for sample in read_eval_log_sample_summaries(log):
            if sample.error is None and sample.scores:
                found.add(sample.uuid or "")
    return found


def stop_profile(
    stops: int, suites: Sequence[str], models: Sequence[str], seed: int, kinds: Sequence[int]
) -> Drill:
    """Profile models at the small budget, stopping it at random moments, then to its end.

    Args:
        stops: How often it is stopped.
        suites: Which suites.
        models: Which models.
        seed: Of the moments.
        kinds: The signals, in turn; SIGINT is the key Ctrl-C, others go to the process.
    """
    draw = random.Random(seed)
    found = Drill()
    words = ["profile", *models, "-o", "out", "--max-connections", str(CONNECTIONS)]
    words += [word for suite in suites for word in ("--suite", suite)]
    with FaultServer(Plan(pause=PAUSE)) as server, tempfile.TemporaryDirectory() as place:
        logs = Path(place, "out", "logs")
        held: set[str] = set()
        for number in range(stops):
            before = len(server.calls())
            terminal = Terminal(words, place, server.environment)
            _wait_for_calls(server, before + draw.randrange(1, 60), terminal)
            time.sleep(draw.random() * 0.5)
            kind = kinds[number % len(kinds)]
            moment = time.monotonic()
            if kind == signal.SIGINT:
                terminal.press_ctrl_c()
            else:
                terminal.process.send_signal(kind)
            found.statuses.append(terminal.wait())
            found.late += sum(call["time"] > moment + GRACE for call in server.calls())
            found.lines.append(terminal.text.strip().rpartition("\n")[2])
            now = _answered(logs)
            found.lost, held = found.lost + len(held - now), now
        final = Terminal(words, place, server.environment)
        found.last = final.wait(1200)
        found.lost += len(held - _answered(logs))
        found.calls = len(server.calls())
        found.replies, most = count_replies(logs)
        found.in_flight = stops * CONNECTIONS * most
    return found


def _wait_for_calls(server: FaultServer, count: int, terminal: Terminal) -> None:
    deadline = time.monotonic() + 240
    while len(server.calls()) < count and terminal.process.poll() is None:
        if time.monotonic() > deadline:
            raise RuntimeError(f"there must be {count} calls, got {terminal.text[-2000:]}")
        time.sleep(0.05)


def interrupted(small: bool) -> Iterator[Figure]:
    """Yield what becomes of a profile that is interrupted by Ctrl-C, SIGTERM and SIGHUP."""
    suites: list[str] = []
    models: Sequence[str] = MODELS
    if small:
        suites, models, stops = ["judge"], MODELS[:1], 2
        kinds = [signal.SIGINT, signal.SIGTERM]
    else:
        stops = 20
        kinds = [signal.SIGINT] * 4 + [signal.SIGTERM]
    found = stop_profile(stops, suites, models, 17, kinds)
    wanted = [128 + kinds[number % len(kinds)] for number in range(stops)]
    told = sum("Run the same command again to resume" in line for line in found.lines)
    yield Figure(
        f"a profile stopped at {stops} random moments: status 128 + signal, one line, and the next "
        "run goes on to the end",
        f"statuses {dict.fromkeys(found.statuses)}; {told} lines; last status {found.last}; such "
        f"as: {found.lines[0]!r}",
        found.statuses == wanted and told == stops and found.last == 0,
    )
    yield _no_late_calls("a stopped profile", found.late)
    yield Figure(
        "no logged answer is lost, and none is asked twice but those in flight",
        f"{found.lost} lost; {found.calls} calls for {found.replies} replies; "
        f"{found.calls - found.replies} repeated, {found.in_flight} allowed",
        found.lost == 0 and 0 <= found.calls - found.replies <= found.in_flight,
    )


def _no_late_calls(run: str, late: int) -> Figure:
    return Figure(
        f"{run} begins no call later than {GRACE:.0f} s after the signal",
        f"{late} late calls",
        late == 0,
        timed=True,
    )


RUNS = {"calculate": ("--design", "trivial")}
"""Suites whose single runs are interrupted, and further words of the command."""


def interrupted_run(small: bool) -> Iterator[Figure]:
    """Yield what becomes of a run of one suite in which Ctrl-C is pressed once, then again."""
    for suite, further in RUNS.items():
        stops = 1 if small else 3
        words = ["run", suite, "--model", MODEL, "--log-dir", "logs", *further]
        words += ["--max-connections", str(CONNECTIONS)]
        statuses, lines, lost, late = [], [], 0, 0
        with FaultServer(Plan(pause=PAUSE)) as server, tempfile.TemporaryDirectory() as place:
            logs, held = Path(place, "logs"), set[str]()
            for _ in range(stops):
                terminal = Terminal(words, place, server.environment)
                _wait_for_calls(server, len(server.calls()) + 2 * CONNECTIONS, terminal)
                moment = time.monotonic()
                terminal.press_ctrl_c()
                statuses.append(terminal.wait())
                late += sum(call["time"] > moment + GRACE for call in server.calls())
                lines.append(terminal.text.strip().rpartition("\n")[2])
                now = _answered(logs)
                lost, held = lost + len(held - now), now
            before = len(held)
            last = Terminal(words, place, server.environment).wait()
            lost += len(held - _answered(logs))
            calls, replies = len(server.calls()), count_replies(logs)[0]
        told = sum("Run the same command again to resume" in line for line in lines)
        yield Figure(
            f"Ctrl-C in `whybench run {suite}`: status 130, one line; the same command goes on and "
            "asks only what was in flight again",
            f"statuses {statuses}, then {last}; {before} answers kept, {lost} lost; {calls} calls "
            f"for {replies} replies, {calls - replies} repeated, {stops * CONNECTIONS} allowed; "
            f"such as: {lines[0]!r}",
            (statuses, last, lost) == ([130] * stops, 0, 0)
            and told == stops
            and before > 0
            and 0 <= calls - replies <= stops * CONNECTIONS,
        )
        yield _no_late_calls(f"a stopped run of {suite}", late)


PLAN = """
models: [{model}]
suites:
  - {{suite: judge, design: core, limit: {limit}}}
settings: {{max_connections: 4}}
"""


@dataclass
class Swept:
    """What came of an experiment that was run twice, first under trouble.

    Attributes:
        first: The status of the run in trouble.
        second: That of the run after it.
        before: Calls of the first run.
        repeated: Questions that got an answer in the first run and were asked again in the second.
        answers: Answers in the records.
        line: The last line of the first run.
    """

    first: int
    second: int
    before: int
    repeated: int
    answers: int
    line: str


def workers_in_trouble(
    trouble: Trouble,
    limit: int,
    key: str = "",
    words: Sequence[str] = ("--workers", "2"),
) -> Swept:
    """Run an experiment to which something happens, then run it again, and read the answers.

    Args:
        trouble: What happens, given the driver and the server.
        limit: Samples.
        key: The key that the server lets in after the first run; empty if any is let in always.
        words: Further words of the command.
    """
    with FaultServer(Plan(pause=PAUSE, key=key)) as server, tempfile.TemporaryDirectory() as place:
        plan = PLAN.format(model=MODEL, limit=limit)
        Path(place, "plan.yaml").write_text(plan, encoding="utf-8")
        run = ["experiment", "plan.yaml", "-o", "out", *words]
        environment = {**os.environ, **server.environment}
        first = subprocess.Popen(
            [*COMMAND[:2], MAIN, *run],
            cwd=place,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        trouble(first, server)
        shown, _ = first.communicate(timeout=300)
        calls = server.calls()
        answered = {call["asked"] for call in calls if not call["fault"]}
        if key:
            environment |= {"FAULTY_API_KEY": key}
        second = subprocess.run(
            [command(), *run], cwd=place, env=environment, capture_output=True, check=False
        )
        again = [call["asked"] for call in server.calls()[len(calls) :]]
        from whybench import load

        answers = len(load(f"{place}/out/records")) if second.returncode == 0 else 0
    return Swept(
        first.returncode,
        second.returncode,
        len(calls),
        sum(question in answered for question in again),
        answers,
        shown.strip().rpartition("\n")[2],
    )


def _workers(driver: subprocess.Popen[str]) -> list[int]:
    """Return the processes that a driver has started."""
    listed = Path(f"/proc/{driver.pid}/task/{driver.pid}/children").read_text(encoding="ascii")
    return [int(pid) for pid in listed.split()]


def _signal_after(calls: int, number: int, to_worker: bool = False) -> Trouble:
    """Return what sends a signal to a driver, or to its worker, after so many calls."""

    def trouble(driver: subprocess.Popen[str], server: FaultServer) -> None:
        deadline = time.monotonic() + 240
        while len(server.calls()) < calls and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(_workers(driver)[0] if to_worker else driver.pid, number)

    return trouble


def swept(small: bool) -> Iterator[Figure]:
    """Yield what becomes of workers under a wrong key, and of workers that get a signal."""
    limit = 60 if small else 120
    found = workers_in_trouble(lambda *_: None, limit, key="right")
    yield Figure(
        "workers with a wrong key end with status 1 after a few calls, and those with the right "
        "one ask everything once",
        f"statuses {found.first} and {found.second}; {found.before} calls, then {found.answers} "
        f"answers with {found.repeated} asked twice; it said: {found.line!r}",
        (found.first, found.second) == (1, 0)
        and found.before <= 4 * FIRST_FAILURES
        and found.answers == limit
        and found.repeated == 0,
    )
    drills: dict[str, tuple[Trouble, int, tuple[str, ...]]] = {
        "SIGINT to one worker": (_signal_after(20, signal.SIGINT, to_worker=True), 1, ()),
        "SIGTERM to the driver": (_signal_after(20, signal.SIGTERM), 143, ()),
    }
    if not small:
        drills["SIGINT to the driver"] = (_signal_after(20, signal.SIGINT), 130, ())
        drills["SIGINT to a driver on Ray"] = (
            _signal_after(20, signal.SIGINT),
            130,
            ("--ray",),
        )
        drills["SIGTERM to a driver on Ray"] = (
            _signal_after(20, signal.SIGTERM),
            143,
            ("--ray",),
        )
    for name, (trouble, status, words) in drills.items():
        found = workers_in_trouble(trouble, limit, words=words or ("--workers", "2"))
        yield Figure(
            f"{name}: status {status}, then 0, and only calls in flight are repeated",
            f"statuses {found.first} and {found.second}; {found.answers} answers of {limit}; "
            f"{found.repeated} of {found.before} asked twice; it said: {found.line!r}",
            (found.first, found.second) == (status, 0)
            and found.answers == limit
            and found.repeated <= 4
            and 0 < found.before < limit,
        )


def killed(small: bool) -> Iterator[Figure]:
    """Yield what a profile repeats that is killed by force, again and again."""
    kills, seconds = (1, 40.0) if small else (3, 45.0)
    suites = ["compose"]
    repeated, bound = 0, 0.0
    words = ["profile", MODEL, "-o", "out", "--max-connections", "4", "--suite", suites[0]]
    with FaultServer(Plan(pause=0.8)) as server, tempfile.TemporaryDirectory() as place:
        logs = Path(place, "out", "logs")
        for _ in range(kills):
            before = len(server.calls())
            terminal = Terminal(words, place, server.environment)
            _wait_for_calls(server, before + 1, terminal)
            time.sleep(seconds)
            terminal.process.kill()
            terminal.wait()
            moment = time.monotonic()
            bound += sum(call["time"] > moment - FLUSH_SECONDS for call in server.calls())
        server.change(Plan())
        status = Terminal(words, place, server.environment).wait(600)
        replies, most = count_replies(logs)
        repeated = len(server.calls()) - replies
    allowed = bound + kills * 4 * most
    yield Figure(
        f"a profile killed by force {kills} times goes on to the end, and repeats only some calls",
        f"status {status}; {repeated} calls repeated, {replies} replies",
        status == 0 and 0 <= repeated < replies,
    )
    yield Figure(
        f"it repeats no more calls than those of {FLUSH_SECONDS:.0f} s and of samples in flight",
        f"{repeated} calls repeated, {allowed:.0f} allowed",
        repeated <= allowed,
        timed=True,
    )


PARTS: Parts = {
    "interrupted profile": interrupted,
    "interrupted run": interrupted_run,
    "interrupted workers": swept,
    "killed profile": killed,
}
