"""The errors that a user's request may end in; every module may raise them."""

from __future__ import annotations

import signal as signals

__all__ = ["DataError", "Interrupted", "StoppedError", "UserError"]


class UserError(ValueError):
    """A request that cannot be met: says what was expected, what came and what to do."""


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
