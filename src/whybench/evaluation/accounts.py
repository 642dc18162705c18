"""The account of what calls cost: what was spent, what is reserved, what may have been billed.

Its state is a table of plain values, so that a file can hold it: `spent`, dollars, calls and tokens
by model and suite; `open`, the reservations of calls under way, by name; `lost`, those of calls
that brought no reply and may have been billed; `dearest`, the most that a call to a model did cost;
`excess`, how many times what such calls should cost at most.

A file is changed under a lock, by one process at a time, and replaced as a whole, so that no crash
leaves half of it. A reservation carries its process: those of a process that died are lost.
"""

from __future__ import annotations

import json
import os
import socket
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

ACCOUNT = "spending.yaml"
"""The file of the account; its text is JSON, which is YAML, since Inspect takes .json for logs."""

STATE = ("spent", "open", "lost", "dearest", "excess")

ENOUGH = 20
"""The number of calls to a model after which the dearest of them says something of others."""


class Account:
    """What was spent and what is reserved, by model and suite.

    Args:
        path: The file that processes share; None to keep it in memory.
    """

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self.state: dict[str, Any] = {name: {} for name in STATE}

    @contextmanager
    def open(self) -> Iterator[dict[str, Any]]:
        """Yield the state to read and change; nobody else has it meanwhile."""
        if self.path is None:
            yield self.state
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(self.path.with_name(f".{self.path.name}.lock")):
            if self.path.exists():
                self.state = self._read()
            before = json.dumps(self.state)
            yield self.state
            after = json.dumps(self.state)
            if after != before:
                # A file that is half written would lose the account of a run that is killed.
                fresh = self.path.with_name(f".{self.path.name}.new")
                fresh.write_text(after, encoding="utf-8")
                fresh.replace(self.path)

    def _read(self) -> dict[str, Any]:
        assert self.path is not None
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
            return {name: dict(found[name]) for name in self.state}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(
                f"{self.path} must be the spending account of this folder, got {error!r}; remove "
                "it to count spending from the logs instead"
            ) from None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file, where the system has such locks."""
    try:
        import fcntl  # noqa: PLC0415  (not on every system)
    except ImportError:
        yield
        return
    with path.open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def enter(
    state: dict[str, Any],
    model: str,
    suite: str,
    dollars: float,
    sent: int,
    received: int,
) -> None:
    """Add a call to what was spent."""
    entry = (
        state["spent"]
        .setdefault(model, {})
        .setdefault(suite, {"dollars": 0.0, "calls": 0, "sent": 0, "received": 0})
    )
    for name, more in (("dollars", dollars), ("calls", 1), ("sent", sent), ("received", received)):
        entry[name] += more
    state["dearest"][model] = max(state["dearest"].get(model, 0.0), dollars)


def lose(state: dict[str, Any], name: str, *, cancelled: bool = False) -> None:
    """Count a call under way as one that may have been billed, and brought no reply.

    Args:
        state: The account.
        name: The reservation.
        cancelled: Whether we ended it ourselves. Then it is a call like others, and counts as the
            dearest of them; else it may be just the one that went on and on, and counts in full.
    """
    if (entry := state["open"].pop(name, None)) is None:
        return
    model, dollars = entry["model"], entry["dollars"]
    calls = sum(suite["calls"] for suite in state["spent"].get(model, {}).values())
    if cancelled and calls >= ENOUGH:
        dollars = min(dollars, state["dearest"][model])
    state["lost"][name] = {"model": model, "suite": entry["suite"], "dollars": dollars}


def this_process() -> list[str | int]:
    """Return what tells this process from others, for its reservations."""
    return [socket.gethostname(), os.getpid()]


def give_up_dead(state: dict[str, Any]) -> None:
    """Count calls as lost that cannot be under way any more: too old, or of a process that died."""
    here, now = socket.gethostname(), time.time()
    for name, entry in list(state["open"].items()):
        host, process = entry["process"]
        if host == here and not _is_alive(process):
            lose(state, name, cancelled=True)
        elif now > entry["until"]:
            lose(state, name)


def _is_alive(process: int) -> bool:
    if os.name != "posix":
        return True  # elsewhere to ask would be to end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def sum_by_suite(state: Mapping[str, Any]) -> dict[str, float]:
    """Return the dollars of each suite, those that may have been billed among them."""
    dollars: dict[str, float] = {}
    for suites in state["spent"].values():
        for suite, entry in suites.items():
            dollars[suite] = dollars.get(suite, 0.0) + entry["dollars"]
    for entry in state["lost"].values():
        dollars[entry["suite"]] = dollars.get(entry["suite"], 0.0) + entry["dollars"]
    return dollars


def sum_up(state: Mapping[str, Any]) -> float:
    """Return the dollars spent, those that may have been billed among them."""
    return sum(sum_by_suite(state).values())


def say_spent(state: Mapping[str, Any]) -> str:
    """Say what was spent by suite, and how much of it is not certain."""
    by_suite = ", ".join(f"{name} ${dollars:.2f}" for name, dollars in sum_by_suite(state).items())
    lost = sum(entry["dollars"] for entry in state["lost"].values())
    maybe = (
        f", up to ${lost:.2f} of it for {len(state['lost'])} calls without a reply" if lost else ""
    )
    return f"${sum_up(state):.2f} spent" + (f" ({by_suite}{maybe})" if by_suite else "")
