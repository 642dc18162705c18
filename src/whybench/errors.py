"""The errors that a user's request may end in; every module may raise them."""

from __future__ import annotations

__all__ = ["INTERRUPTED", "DataError", "UserError"]

INTERRUPTED = "left by Ctrl-C"
"""What the log of an episode says if somebody left so, and not by the end of the input."""


class UserError(ValueError):
    """A request that cannot be met: says what was expected, what came and what to do."""


class DataError(RuntimeError):
    """Data that cannot be had, or that is not what it should be."""
