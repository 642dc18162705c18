"""The error that a user's request ends in when it cannot be met."""

from __future__ import annotations

__all__ = ["UserError"]


class UserError(ValueError):
    """A request that cannot be met: says what was expected, what came and what to do."""
