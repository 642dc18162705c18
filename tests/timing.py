"""Whether the time that reading takes grows as the text does: a ratio, and a bound far above."""

from __future__ import annotations

import time
from functools import partial
from timeit import repeat
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Text = TypeVar("Text", str, bytes)


def assert_linear(read: Callable[[Text], object], text: Text, within: float = 5) -> None:
    """See that a text does not take much longer than eight times what an eighth of it takes.

    Args:
        read: What reads.
        text: What is hard to read.
        within: So many seconds may it take at the most; far more than it does.
    """
    short, long = (_seconds(read, text[:size]) for size in (len(text) // 8, len(text)))
    # What goes through the whole text again for each place would take 64 times as long.
    assert long < min(24 * max(short, 0.005), within), (text[:20], short, long)


def _seconds(read: Callable[[Text], object], text: Text) -> float:
    """Return the CPU time of this thread, without its garbage: the least of three times."""
    return min(repeat(partial(read, text), timer=time.thread_time, repeat=3, number=1))
