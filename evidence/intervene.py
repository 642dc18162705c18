"""The figures of intervene: worlds, what is entailed, episodes, soundness, calibration, play."""

from __future__ import annotations

import os
import pty
import sys
import tempfile
import time
from functools import partial
from typing import TYPE_CHECKING

from evidence import entailment, episodes, links, worlds
from evidence.calibration import calibrated, checked
from evidence.figures import Figure, Parts, figures_of
from whybench.suites.intervene import SUITE

if TYPE_CHECKING:
    from collections.abc import Iterator


def soundness(small: bool) -> Iterator[Figure]:
    """Yield the checks of every design."""
    designs = [SUITE.designs["core"]] if small else list(SUITE.designs.values())
    yield from checked(SUITE, designs)


def calibration(small: bool) -> Iterator[Figure]:
    """Yield the calibration of every measure with an agent of known value."""
    yield from calibrated(SUITE, SUITE.designs["core"], 40 if small else 1000, small)
    if not small:
        yield from calibrated(SUITE, SUITE.designs["advanced"], 1000, small)


def play(_: bool) -> Iterator[Figure]:
    """Yield a session of `whybench play` at a terminal, to its verdict."""
    shown = _session(["help", "jump", "yes"])
    wanted = (
        "Type `move NAME`",
        "You may act",
        "is not clear",
        "What your observations settled:",
        "Logs: ",
    )
    missing = [text for text in wanted if text not in shown]
    yield Figure(
        "a person at a terminal is shown the rules, told of mistakes, judged and recorded",
        f"{len(shown.splitlines())} lines shown; missing: {', '.join(missing) or 'nothing'}",
        not missing and "Traceback" not in shown,
    )


def _session(typed: list[str], seconds: float = 300) -> str:
    """Type lines at a terminal in which `whybench play` runs, each after a prompt; return all."""
    with tempfile.TemporaryDirectory() as folder:
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            code = "from whybench.cli import main; main()"
            os.execv(sys.executable, [sys.executable, "-c", code, "play", "intervene"])
        shown, waiting = b"", list(typed)
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                shown += os.read(terminal, 4096)
            except OSError:  # the program has ended
                break
            if waiting and shown.endswith(b"> "):
                os.write(terminal, f"{waiting.pop(0)}\n".encode())
        os.close(terminal)
        os.waitpid(child, 0)
    return shown.decode(errors="replace")


PARTS: Parts = {
    "worlds": worlds.figures,
    "entailment": entailment.figures,
    **episodes.PARTS,
    **links.PARTS,
    "soundness": soundness,
    "calibration": calibration,
    "play": play,
}

figures = partial(figures_of, PARTS)
