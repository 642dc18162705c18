"""The errors a user meets, and two ways to keep them small.

Every module may raise `UserError` and `DataError`. A `Fence` stands around a part of a whole, such
as one figure of a page: where the part fails, a note says so and the rest goes on. `atomic_write`
makes a file whole or not at all.
"""

from __future__ import annotations

import logging
import signal as signals
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

SIGNALS = tuple(
    getattr(signals, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signals, name)
)
"""What asks a process to end; a signal that was ignored when it came to life stays ignored."""

LONGEST_CAUSE = 240
"""Characters of a cause in a note."""

INTERRUPTED = "left by Ctrl-C"
"""What the log of an episode says if somebody left so, and not by the end of the input."""


class UserError(ValueError):
    """A request that cannot be met: says what was expected, what came and what to do."""


class RefusedError(UserError, click.ClickException):
    """A request that is refused inside of Inspect, whose command prints it as one line.

    That command is made with click, which does so with every error of its own kind.
    """

    def __init__(self, message: str) -> None:
        click.ClickException.__init__(self, message)


class DataError(RuntimeError):
    """Data that cannot be had, or that is not what it should be."""


class StoppedError(RuntimeError):
    """Asking ended before its end: says why, how far it is, and how to go on."""


class Interrupted(KeyboardInterrupt):
    """A signal ended what was going on, in order.

    Attributes:
        signal: Its number; the status of a command that it ends is 128 more.
    """

    def __init__(self, signal: int = signals.SIGINT, message: str = "") -> None:
        super().__init__(message)
        self.signal = int(signal)


class Fence:
    """Keeps the failure of one part from ending the others.

    The traceback of what failed goes to the logger `whybench`, at level DEBUG.

    Attributes:
        failures: What failed, and why.
    """

    def __init__(self) -> None:
        self.failures: list[tuple[str, str]] = []

    @property
    def notes(self) -> tuple[str, ...]:
        """What failed and why, a line each."""
        return tuple(f"{part}: {cause}" for part, cause in self.failures)

    @contextmanager
    def around(self, part: str) -> Iterator[None]:
        """Go on after the block if it fails, with a note that names the part.

        Args:
            part: What the block makes, in words.

        >>> fence = Fence()
        >>> with fence.around("the plane of judge"):
        ...     1 / 0
        >>> fence.notes
        ('the plane of judge: ZeroDivisionError: division by zero',)
        """
        try:
            yield
        except Exception as error:
            logging.getLogger("whybench").debug("%s failed", part, exc_info=True)
            self.failures.append((part, format_cause(error)))


def format_cause(error: BaseException) -> str:
    """Return why something failed, in one line: what is meant for users as it is."""
    lines = str(error).strip().splitlines() or [""]
    meant = isinstance(error, UserError | DataError | ImportError) and lines[0]
    told = lines[0] if meant else f"{type(error).__name__}: {lines[0]}".removesuffix(": ")
    return told if len(told) <= LONGEST_CAUSE else f"{told[: LONGEST_CAUSE - 1]}…"


@contextmanager
def atomic_write(target: Path) -> Iterator[Path]:
    """Yield a temporary path beside a file, which in the end replaces the file or is removed.

    Raises:
        UserError: It cannot be written; what was there before is still there.
    """
    from uuid import uuid4  # noqa: PLC0415  (kept out of the start-up path)

    part = target.with_name(f"{target.name}.{uuid4().hex}.part")  # two may write at once
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield part
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(
            f"{target} must be a file that can be written, got {reason}; what was there before is "
            "unchanged. Make room, or write elsewhere"
        ) from error


def suggest(word: object, known: Iterable[object]) -> str:
    """Return the end of a message about a word that is not known: the one that may be meant.

    >>> suggest("noisyor", ["random", "noisy-or"])
    "; did you mean 'noisy-or'?"
    >>> suggest("xyz", ["random", "noisy-or"])
    ''
    """
    by_lower = {str(name).lower(): str(name) for name in known}
    close = get_close_matches(str(word).lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {by_lower[close[0]]!r}?" if close else ""
