"""The only clock of the tests: wait for a condition, with a deadline for a busy machine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

DEADLINE = 300.0
"""Seconds after which a condition is given up. No claim depends on it."""


def wait_until(condition: Callable[[], object]) -> None:
    """Return as soon as a condition is true.

    Raises:
        AssertionError: If it is still false at the deadline.
    """
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, f"{condition} must become true in {DEADLINE:.0f} s"
        time.sleep(0.02)
