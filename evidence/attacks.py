"""Hostile scripts, and whether the host feels anything of them.

`attacks.yaml` lists them. Each runs in a sandbox of small limits while bystanders are watched on
the host: a secret file, a folder, a variable of the environment, a server on loopback, a process
of the same user. `python -m evidence.attacks` runs all and prints one JSON object a line, which is
how the list is run as another user.
"""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import yaml

from inspect_bubblewrap.canaries import Canaries
from inspect_bubblewrap.confinement import Sandbox
from inspect_bubblewrap.limits import MIB, Limits
from inspect_bubblewrap.monitor import descendants, proportional_bytes
from inspect_bubblewrap.outcome import SandboxError

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALL = Limits(
    seconds=1.5,
    lifetime=300,
    processor_seconds=1,
    memory=256 * MIB,
    address_space=1024 * MIB,
    processes=32,
    files=2000,
    disk=32 * MIB,
    shared_memory=4 * MIB,
    file_size=16 * MIB,
    output=100_000,
    collected=8 * MIB,
)

PATIENCE = 60.0
"""Seconds that an attack may take which is not to be stopped by time, on however busy a machine."""

CANARY = "WHYBENCH_CANARY"
PUT, MARK = "WHYBENCH_CANARIES", "WHYBENCH_CANARY_MARK"
"""Where root put canaries before it became somebody who could not, and what their names hold."""

ORDINARY = 1_950_000_001
"""A user that owns nothing, for running the list as an ordinary user where we are root."""


@dataclass(frozen=True)
class Attack:
    """One hostile script; see `attacks.yaml` for the fields."""

    name: str
    tries: str
    code: str
    stopped: str
    ended: tuple[str, ...] = ("exit",)
    says: tuple[str, ...] = ()
    status: int | None = None
    only: str = ""


@dataclass(frozen=True)
class Repelled:
    """What came of an attack.

    Attributes:
        name: The attack.
        ended: How its run ended.
        seen: The last line it printed, or what a limit found.
        harm: What the host felt of it, and every way in which it ended otherwise than expected.
        processes: The most processes seen at one time.
        memory: The most bytes seen at one time, pages that forks share counted for each of them.
    """

    name: str
    ended: str
    seen: str
    harm: tuple[str, ...]
    processes: int
    memory: int


@cache
def attacks() -> dict[str, Attack]:
    """Return the attacks that concern this machine's processor."""
    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    stated: dict[str, dict[str, Any]] = yaml.safe_load(text)
    found = {}
    for name, entry in stated.items():
        for key in {"ended", "says"} & set(entry):
            entry[key] = tuple(entry[key])
        found[name] = Attack(name=name, **entry)
    return {
        name: attack
        for name, attack in found.items()
        if not attack.only or attack.only == platform.machine()
    }


@dataclass
class Bystanders:
    """What on the host must feel nothing."""

    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="bystander-")))

    def __enter__(self) -> Self:
        self.canaries = Canaries()
        self.canaries.__enter__()
        self._put = os.environ.setdefault(PUT, json.dumps([*map(str, self.canaries.paths)]))
        self._mark = os.environ.setdefault(MARK, self.canaries.mark)
        self.word = os.urandom(12).hex()
        self.secret = self.folder / "secret"
        self.secret.write_text(self.word, encoding="utf-8")
        os.environ[CANARY] = self.word
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self._victim = subprocess.Popen(["sleep", "600"])
        return self

    def __exit__(self, *_: object) -> None:
        self._victim.kill()
        self._victim.wait()
        self._server.close()
        for name in (CANARY, PUT, MARK):
            os.environ.pop(name, None)
        self.canaries.__exit__()
        self.secret.unlink()
        self.folder.rmdir()

    def filled(self, code: str) -> str:
        """Return a script with the bystanders' names put in."""
        names = {
            "$secret": str(self.secret),
            "$folder": str(self.folder),
            "$port": str(self._server.getsockname()[1]),
            "$victim": str(self._victim.pid),
            "$canaries": self._put,
            "$mark": self._mark,
        }
        for name, value in names.items():
            code = code.replace(name, value)
        return code

    def harm(self) -> Iterator[str]:
        """Yield what was done to them."""
        if [entry.name for entry in self.folder.iterdir()] != ["secret"]:
            yield "a file was left on the host"
        if self.secret.read_text(encoding="utf-8") != self.word:
            yield "a file of the host was changed"
        if self._victim.poll() is not None:
            yield "a process of the host was ended"
        try:
            self._server.accept()[0].close()
            yield "a server of the host was reached"
        except BlockingIOError:
            pass


class Peak(threading.Thread):
    """Looks how many processes a sandbox has at the most, and how much they hold.

    Pages that forks share are counted once.

    Args:
        monitor: The process of which those inside are descendants.
    """

    def __init__(self, monitor: int) -> None:
        super().__init__(daemon=True)
        self.monitor, self.processes, self.memory, self.members = monitor, 0, 0, set[int]()
        self.done = threading.Event()

    def run(self) -> None:
        """Look until told that it is over."""
        while True:
            found = descendants(self.monitor)
            self.members |= set(found)
            self.processes = max(self.processes, len(found))
            self.memory = max(self.memory, sum(map(proportional_bytes, found)))
            if self.done.wait(0.02):
                return


def repel(attack: Attack, bystanders: Bystanders) -> Repelled:
    """Run one attack and look for what it did."""
    harm = []
    left: dict[str, bytes] = {}
    with Sandbox.open(SMALL) as sandbox:
        peak = Peak(sandbox.process)
        peak.start()
        outcome = sandbox.run(
            ["python", "-c", bystanders.filled(attack.code)],
            seconds=SMALL.seconds if "time" in attack.ended else PATIENCE,
        )
        peak.done.set()
        peak.join()
        if outcome.ended == "exit":
            try:
                inside = len(descendants(sandbox.process))
                if inside != 2:  # bubblewrap and the runner
                    harm.append(f"{inside - 2} processes ran on after the end")
                left = sandbox.collect()
                if sandbox.run(["true"]).status:
                    harm.append("the sandbox was not fit for use afterwards")
            except SandboxError as error:
                harm.append(f"the sandbox was gone afterwards: {error}")
    output = (outcome.stdout + outcome.stderr).decode("utf-8", "replace")
    harm += _surprises(attack, outcome.ended, outcome.status, output)
    harm += bystanders.harm()
    if any(bystanders.word.encode() in text for text in (outcome.stdout, *left.values())):
        harm.append("the secret came out")
    if sum(map(len, left.values())) > SMALL.collected or not all(map(str.isprintable, left)):
        harm.append("more or other files were collected than may be")
    alive = [number for number in peak.members if Path(f"/proc/{number}").exists()]
    if alive:
        harm.append(f"{len(alive)} processes outlived their sandbox")
    if peak.processes > SMALL.processes + 2:
        harm.append(f"{peak.processes} processes ran at one time")
    lines = outcome.stdout.decode("utf-8", "replace").strip().splitlines()
    seen = outcome.note or (lines[-1][:80] if lines else f"status {outcome.status}")
    return Repelled(attack.name, outcome.ended, seen, tuple(harm), peak.processes, peak.memory)


def _surprises(attack: Attack, ended: str, status: int, output: str) -> Iterator[str]:
    if ended not in attack.ended:
        yield f"ended by {ended} with status {status}: {output[-200:]}"
    if attack.status not in {None, status}:
        yield f"ended with status {status}, not {attack.status}"
    if "ESCAPED" in output:
        yield f"it claims success: {output[:200]}"
    rest = output
    for words in attack.says:
        if words not in rest:
            yield f"it should have said {words!r}, and said {output[:200]!r}"
        rest = rest.partition(words)[2]


def repel_as_user() -> list[Repelled]:
    """Run all attacks as an ordinary user, though we are root, and return what came of them."""
    command = [sys.executable, "-m", "evidence.attacks", "--drop"]
    with Canaries() as canaries:
        done = subprocess.run(
            command,
            cwd=Path(__file__).parents[1],
            env={
                **os.environ,
                PUT: json.dumps([*map(str, canaries.paths)]),
                MARK: canaries.mark,
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=1800,
        )
    if done.returncode:
        raise RuntimeError(f"the attacks could not be run as a user: {done.stderr[-500:]}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [Repelled(**{**row, "harm": tuple(row["harm"])}) for row in rows]


def become_ordinary() -> None:
    """Become an ordinary user to whom this program stays readable, wherever it lies.

    What lies below a folder closed to others, such as root's home, is mounted anew at its place, in
    a mount namespace of our own.
    """
    import ctypes

    libc = ctypes.CDLL(None)
    needed = {sys.prefix, sys.base_prefix, str(Path(__file__).parents[1])}
    closed = {}
    for path in needed:
        above = [folder for folder in Path(path).parents if not folder.stat().st_mode & 0o001]
        if above:
            closed[path] = (str(above[-1]), os.open(path, os.O_PATH))
    if closed:
        if libc.unshare(0x20000) or libc.mount(b"none", b"/", b"none", 16384 | (1 << 18), b""):
            raise OSError("cannot make a mount namespace")
        held = {path: os.open(path, os.O_PATH) for path in closed}
        for folder in {folder for folder, _ in closed.values()}:
            libc.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, b"mode=755")
        for path, descriptor in held.items():
            Path(path).mkdir(parents=True)
            source = f"/proc/self/fd/{descriptor}".encode()
            if libc.mount(source, path.encode(), b"none", 4096 | 16384, b""):
                raise OSError(f"cannot mount {path}")
    os.setgroups([])
    os.setresgid(ORDINARY, ORDINARY, ORDINARY)
    os.setresuid(ORDINARY, ORDINARY, ORDINARY)


def main() -> None:
    """Run all attacks; with --drop, as an ordinary user."""
    if "--drop" in sys.argv:
        become_ordinary()
        os.environ["HOME"] = "/"
        os.execv(sys.executable, [sys.executable, "-m", "evidence.attacks"])
    with Bystanders() as bystanders:
        for attack in attacks().values():
            print(json.dumps(asdict(repel(attack, bystanders))), flush=True)


if __name__ == "__main__":
    main()
