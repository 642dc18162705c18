"""Ending in order: what is asked of a command that waits for people when it is told to stop.

Ctrl-C, the end of a session and a closed terminal are three signals (SIGINT, SIGTERM, SIGHUP) that
mean the same here: finish what is being written, say what there is, and leave with the status that
tells which signal it was. A shell that starts something in its background lets it ignore Ctrl-C, so
that handlers are set whatever was set before. SIGHUP is the exception: where it is ignored,
somebody asked for that (`nohup`).
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from whybench.errors import SIGNALS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def leave_in_order(farewell: Callable[[], str]) -> Iterator[None]:
    """Do something until it is done or a signal ends it.

    Every signal is passed on as `KeyboardInterrupt`, in the way Ctrl-C is at that moment. Further
    ones are passed over while the farewell is said.

    Args:
        farewell: What is printed at the end, if a signal ends it.

    Raises:
        SystemExit: A signal ended it; the status is 128 and the signal's number.
    """
    heard: list[int] = []

    def pass_on(number: int, _frame: Any) -> None:
        heard.append(number)
        signal.raise_signal(signal.SIGINT)

    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        if number == signal.SIGINT:
            signal.signal(number, signal.default_int_handler)
        elif number == signal.SIGTERM or before[number] != signal.SIG_IGN:
            signal.signal(number, pass_on)
    try:
        yield
    except (KeyboardInterrupt, OSError) as error:
        hung_up = isinstance(error, OSError) and error.errno == errno.EIO  # the terminal is gone
        if isinstance(error, OSError) and not hung_up:
            raise
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        _print_last(farewell())
        number = heard[0] if heard else signal.SIGHUP if hung_up else signal.SIGINT
        raise SystemExit(128 + number) from None
    finally:
        for number, handler in before.items():
            if handler is not None:  # else it was not set by Python, and cannot be set again
                signal.signal(number, handler)


def _print_last(text: str) -> None:
    """Print the last line, if there is still a terminal to print it on."""
    try:
        print(text, flush=True)
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # or the interpreter would fail on it once more
        os.close(nowhere)
