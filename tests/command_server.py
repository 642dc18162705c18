"""Commands without the wait for imports: one process has done them, and each command is its fork.

A command that asks a model imports Inspect and its providers, which takes more time than all else
that most tests have it do. So pytest starts this file as a process, for all its workers, and it
imports when the first test starts a command. The commands that tests start, in a shell or not, are
the script `command_client.py`, which hands over what makes a process: arguments, variables, folder,
umask, descriptors, signals that are ignored. The server forks, and the fork becomes the command. It
gets the signals that the script gets, and its status is the script's.

What differs from a process of its own: modules are there before they are asked for, sets of words
have one order for all commands, linear algebra has one thread, and namespaces, limits and terminals
are not handed over. So tests of these start a real one, and so do tests of what is imported, of
starting, of memory, and of processes that are found and killed. The script itself starts a real one
if a variable is set that an interpreter or a library reads as it starts, or for a terminal.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import marshal
import os
import selectors
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import types
from contextlib import suppress
from pathlib import Path

COMMANDS = {"whybench": "whybench.cli", "inspect": "inspect_ai._cli.main"}
"""The commands, and the modules that have their function `main`."""

PRELOADED = (
    *COMMANDS.values(),
    *(f"whybench.cli.{name}" for name in ("authors", "catalog", "compare", "data", "people")),
    *(f"whybench.cli.{name}" for name in ("experiment", "results", "run", "training", "validate")),
    *(f"whybench.suites.{name}.task" for name in ("analyze", "intervene")),
    "whybench._registry",
    "whybench.drawing.canvas",
    "whybench.page",
    "whybench.results",
    "IPython",
    "anyio._backends._asyncio",
    "inspect_ai.agent._acp.server",
    "inspect_ai.model._openai_responses",
    "inspect_ai.model._providers.anthropic",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "matplotlib.backends.backend_svg",
    "openai",
    "pandas",
    "pyarrow.dataset",
    "pyarrow.parquet",
    "pysat.solvers",
    "rich.markdown",
    "scipy.optimize",
    "scipy.stats",
)
"""What commands import and takes time. Nothing that starts threads, as polars does."""

ONE_THREAD = {
    "OPENBLAS_NUM_THREADS": "1",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
"""What keeps libraries from starting threads, which a fork would not have."""

APPLIED = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX"}
READ_AT_START = ("PYTHON", "LANG", "LC_", "LD_", "MPL", "OMP_")
"""Beginnings of variables that come too late for a fork, but for those that are applied to it."""

VARIABLE = "COMMANDS_OF_TESTS"
"""Names the folder of the commands to the workers of pytest."""

SPENT = "spent"
"""Names the file in that folder with the CPU time of each command and the test that started it."""

HERE = Path(__file__).parent
REFUSED = 256

_variables = dict(os.environ)  # before any test changes them


def command(name: str = "whybench") -> str:
    """Return the path of a command, for tests to start as they would the installed one."""
    return str(commands() / name)


@functools.cache
def commands() -> Path:
    """Return the folder with the commands; who makes it has the server, which ends with it."""
    if VARIABLE in os.environ:
        return Path(os.environ[VARIABLE])
    if not hasattr(os, "pidfd_open") or not hasattr(socket, "send_fds"):
        return Path(sys.executable).parent
    folder = Path(tempfile.mkdtemp(prefix="commands-"))
    client = (HERE / "command_client.py").read_text(encoding="utf-8")
    for name in COMMANDS:
        script = folder / name
        script.write_text(f"#!{sys.executable} -IS\n{client}", encoding="utf-8")
        script.chmod(0o755)
    with socket.socket(socket.AF_UNIX) as door, (folder / "errors").open("w") as errors:
        door.bind(str(folder / "door"))
        door.listen(32)
        process = subprocess.Popen(
            [sys.executable, __file__, str(door.fileno()), folder],
            env={**_variables, **ONE_THREAD},
            cwd="/",
            stdin=subprocess.PIPE,  # it ends when nobody holds the other end
            stdout=subprocess.DEVNULL,
            stderr=errors,
            pass_fds=[door.fileno()],
            start_new_session=True,  # Ctrl-C is for pytest, and for commands through their scripts
        )
    atexit.register(_end, process)
    return folder


def _end(process: subprocess.Popen[bytes]) -> None:
    process.stdin.close()
    process.wait()


@functools.cache
def preload() -> None:
    for name in PRELOADED:
        # Not every environment has all of what may be installed; what is ours must be there.
        with suppress(() if name.startswith("whybench") else ModuleNotFoundError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # else a fork would copy all of it as soon as it collects garbage


class Server:
    """What waits at the door, and the commands that it runs."""

    def __init__(self, door: socket.socket, folder: Path):
        self.door = door
        self.folder = folder
        self.events = selectors.DefaultSelector()
        self.events.register(door, selectors.EVENT_READ)
        self.events.register(0, selectors.EVENT_READ)
        self.running: dict[int, tuple[int, socket.socket]] = {}  # what tells of its end: a command
        self.tests: dict[int, str] = {}  # which test started a command

    def serve(self) -> dict | None:
        """Wait; return in a fork, with what it is to be, and at the end with nothing."""
        while True:
            for key, _ in self.events.select():
                if key.fd == 0:  # whoever started this has ended
                    for child, _ in self.running.values():
                        os.kill(child, signal.SIGKILL)
                    return None
                if key.fileobj is self.door:
                    if asked := self._admit():
                        return asked
                elif key.fd in self.running:
                    self._reply(key.fd)
                elif key.data in self.running:
                    self._signal(key.data)

    def _admit(self) -> dict | None:
        """Start a command; return what it is to be, if this is its process."""
        preload()
        client, _ = self.door.accept()
        asked, descriptors = _received(client)
        if asked is None or any(map(os.isatty, descriptors)):
            _tell(client, REFUSED)
        elif child := os.fork():
            ending = os.pidfd_open(child)
            self.running[ending] = child, client
            self.tests[child] = asked["variables"].get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
            self.events.register(ending, selectors.EVENT_READ)
            self.events.register(client, selectors.EVENT_READ, ending)
        else:
            self.events.close()
            for ending, (_, other) in self.running.items():
                os.close(ending)
                other.close()
            client.close()
            self.door.close()
            for place, descriptor in enumerate(descriptors):
                os.dup2(descriptor, place)
                os.close(descriptor)
            return asked
        for descriptor in descriptors:
            os.close(descriptor)
        return None

    def _reply(self, ending: int) -> None:
        """Tell a script how its command has ended."""
        child, client = self.running.pop(ending)
        self.events.unregister(ending)
        os.close(ending)
        if client in self.events.get_map():
            self.events.unregister(client)
        _, status, used = os.wait4(child, 0)
        with (self.folder / SPENT).open("a", encoding="utf-8") as record:
            record.write(f"{used.ru_utime + used.ru_stime:.3f} {self.tests.pop(child)}\n")
        _tell(client, os.waitstatus_to_exitcode(status))

    def _signal(self, ending: int) -> None:
        """Send a command the signal that its script got, or end it with its script."""
        child, client = self.running[ending]
        told = client.recv(1)
        os.kill(child, told[0] if told else signal.SIGKILL)
        if not told:
            self.events.unregister(client)


def _received(client: socket.socket) -> tuple[dict | None, list[int]]:
    """Return what a script hands over, unless it must be a process, and its descriptors."""
    size, descriptors, _, _ = socket.recv_fds(client, 4, 3)
    length = struct.unpack("=I", size)[0] if len(size) == 4 else 0
    message = client.recv(length, socket.MSG_WAITALL)
    asked = marshal.loads(message) if length and len(message) == length else None
    return (asked if asked and _alike(asked["variables"]) else None), descriptors


def _tell(client: socket.socket, status: int) -> None:
    with suppress(OSError), client:  # perhaps nobody waits for it
        client.sendall(struct.pack("=i", status))


def _alike(variables: dict[str, str]) -> bool:
    """Say whether an interpreter with these variables would have started as this one did."""
    mine, theirs = (
        {
            name: value
            for name, value in one.items()
            if name.startswith(READ_AT_START) and name not in APPLIED
        }
        for one in (_variables, variables)
    )
    return mine == theirs


def become(asked: dict) -> None:
    """Make of this process what a new one would be, and run the command."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN if number in asked["ignored"] else signal.SIG_DFL)
    ignored = signal.SIGINT in asked["ignored"]
    signal.signal(signal.SIGINT, signal.SIG_IGN if ignored else signal.default_int_handler)
    os.umask(asked["umask"])
    os.chdir(asked["folder"])
    variables = asked["variables"]
    mine = sys.path[1:]  # without the folder of this file
    for entry in _path(_variables):
        mine.remove(entry) if entry in mine else None
    sys.path[:] = [str(Path(asked["words"][0]).parent), *_path(variables), *mine]
    sys.dont_write_bytecode = bool(variables.get("PYTHONDONTWRITEBYTECODE"))
    sys.pycache_prefix = variables.get("PYTHONPYCACHEPREFIX") or None
    os.environ.clear()
    os.environ.update(variables)
    importlib.invalidate_caches()
    sys.argv[:] = asked["words"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    sys.modules["__main__"].__file__ = sys.argv[0]
    sys.modules["numpy"].random.seed()
    sys.exit(sys.modules[COMMANDS[Path(sys.argv[0]).name]].main())


def leave(status: object) -> None:
    """End as an interpreter does, but that modules are not taken apart, which takes longest."""
    if status is not None and not isinstance(status, int):
        return
    threading._shutdown()
    atexit._run_exitfuncs()
    with suppress(OSError, ValueError):  # the interpreter has words and a status for it
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit((status or 0) & 0xFF)


def _path(variables: dict[str, str]) -> list[str]:
    """Return the folders of PYTHONPATH as an interpreter takes them."""
    given = variables.get("PYTHONPATH")
    if not given:
        return []
    return [os.path.abspath(entry) for entry in given.split(os.pathsep)]  # noqa: PTH100


if __name__ == "__main__":
    if asked := Server(socket.socket(fileno=int(sys.argv[1])), Path(sys.argv[2])).serve():
        try:
            become(asked)
        except SystemExit as ended:
            leave(ended.code)
            raise
    else:
        shutil.rmtree(sys.argv[2], ignore_errors=True)
