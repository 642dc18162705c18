"""Ending a whole evaluation in order, from within.

What ends it is the signal that Ctrl-C sends: Inspect writes what is done, cancels what is not, and
the same request goes on from there. The reason is kept, so that whoever began the evaluation can
tell it.
"""

from __future__ import annotations

import signal

__all__ = ["forget_stop", "stop", "why_stopped"]


class _Stop:
    """The reason for the stop that was asked for, if any."""

    reason: str | None = None


def stop(reason: str) -> None:
    """End the evaluation that runs in this process, as Ctrl-C would.

    It returns before the end has come: whoever calls it waits to be cancelled.

    Args:
        reason: Why, in words for the user; the first one that is given is kept.
    """
    if _Stop.reason is None:
        _Stop.reason = reason
        signal.raise_signal(signal.SIGINT)


def why_stopped() -> str | None:
    """Return why the evaluation was ended; None if it was not."""
    return _Stop.reason


def forget_stop() -> None:
    """Begin anew, before the next evaluation."""
    _Stop.reason = None
