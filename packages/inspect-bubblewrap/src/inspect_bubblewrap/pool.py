"""Interpreters that wait, with their imports done, for one script each.

Importing pandas and statsmodels takes longer than most analyses. So sandboxes are started ahead,
each with an runner that has imported them; one is taken for one script or one sample, never given
back, and ended after use, while the next is being made ready. When none is ready a fresh one is
started without imports: slower for a script that needs them, otherwise the same.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from inspect_bubblewrap.check import require_confinement
from inspect_bubblewrap.confinement import Sandbox
from inspect_bubblewrap.limits import Limits, Settings
from inspect_bubblewrap.outcome import SandboxError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from inspect_bubblewrap.outcome import Outcome

SCRIPT = "script.py"


class Pool:
    """Sandboxes made ready ahead of their use.

    Args:
        size: How many wait.
        settings: Limits of code inside, what it can import, and what is imported ahead.
        inputs: A folder shown inside, read-only, as `/input`.
    """

    def __init__(
        self,
        size: int = 1,
        settings: Settings | None = None,
        inputs: Path | None = None,
    ) -> None:
        if size < 0:
            raise ValueError(f"size must be 0 or more, got {size}")
        require_confinement()
        self.settings = settings or Settings()
        self._size = size
        self._inputs = inputs
        self._ready: deque[Sandbox] = deque()
        self._changed = threading.Condition()
        self._coming = 0
        self._closed = False
        self._fill()

    def take(self) -> Sandbox:
        """Return a sandbox for one use; whoever takes it must close it."""
        with self._changed:
            if self._closed:
                raise ValueError("a closed pool has nothing to take")
            waiting = [sandbox for sandbox in self._ready if sandbox.is_running()]
            spent = [sandbox for sandbox in self._ready if sandbox not in waiting]
            taken = waiting.pop(0) if waiting else None
            self._ready = deque(waiting)
        for sandbox in spent:
            sandbox.close()
        self._fill()
        if taken is None:
            return self._open()
        taken.start_clock()  # what it has waited is no part of its lifetime
        return taken

    def wait(self, seconds: float = 60.0) -> bool:
        """Wait, for so long, until all are ready or none is coming; return whether they are."""
        with self._changed:
            self._changed.wait_for(
                lambda: len(self._ready) >= self._size or not self._coming, seconds
            )
            return len(self._ready) >= self._size

    def close(self) -> None:
        """End the sandboxes that wait, and those still on their way."""
        with self._changed:
            self._closed = True
            left = list(self._ready)
            self._ready.clear()
            self._changed.wait_for(lambda: not self._coming)
        for sandbox in left:
            sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _fill(self) -> None:
        with self._changed:
            wanted = self._size - len(self._ready) - self._coming
            self._coming += max(0, wanted)
        for _ in range(wanted):
            threading.Thread(target=self._make, daemon=True).start()

    def _open(self, *, preload: Sequence[str] = (), waiting: bool = False) -> Sandbox:
        return Sandbox.open(
            self.settings.limits,
            preload=preload,
            packages=self.settings.packages,
            inputs=self._inputs,
            waiting=waiting,
        )

    def _make(self) -> None:
        made = None
        try:
            made = self._open(preload=self.settings.preload, waiting=True)
        except SandboxError:
            pass  # whoever needs one will start it and be told why that fails
        finally:
            with self._changed:
                self._coming -= 1
                if made and not self._closed:
                    self._ready.append(made)
                    made = None
                self._changed.notify_all()
            if made:
                made.close()


@dataclass(frozen=True)
class Finished:
    """How a script ended, and the files it made or changed in its working folder."""

    outcome: Outcome
    files: dict[str, bytes]


def run_script(
    code: str,
    files: Mapping[str, bytes] | None = None,
    *,
    pool: Pool | None = None,
    limits: Limits | None = None,
) -> Finished:
    """Run one script in a sandbox of its own, which then ends.

    Args:
        code: The script.
        files: Files in its working folder, by name.
        pool: Where to take the sandbox from; else one is started for it.
        limits: What the script may use, if there is no pool, which has its own.
    """
    given = {**(files or {}), SCRIPT: code.encode()}
    for name in given:
        if "/" in name:
            raise ValueError(f"a file's name must hold no '/', got {name!r}")
    require_confinement()
    with pool.take() if pool else Sandbox.open(limits) as sandbox:
        for name, contents in given.items():
            sandbox.write(name, contents)
        outcome = sandbox.run(["python", SCRIPT])
        left = sandbox.collect() if sandbox.alive else {}
    made = {name: contents for name, contents in left.items() if contents != given.get(name)}
    return Finished(outcome, made)
