"""Calls a second for a provider, shared by all workers of a sweep.

A call waits for its slot, and slots of a provider lie evenly in time, a little farther apart than
the quota asks for: a worker that was held up makes its late calls at once, and these must still fit
into the quota. Retries wait for slots as first calls do. Who keeps the slots depends on where
workers are: a locked file on one machine (`FilePace`), an actor of Ray's on several (`cluster`).
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from inspect_ai.hooks import BeforeModelGenerate

__all__ = ["MARGIN", "FilePace", "Pace", "keep_quotas"]

MARGIN = 1.03
"""By how much slots are farther apart than the quota asks for."""


class Pace:
    """Deals out the slots of one provider.

    Args:
        rate: Calls a second.
    """

    def __init__(self, rate: float) -> None:
        self.interval = MARGIN / rate
        self.free = 0.0

    def reserve(self, now: float | None = None) -> float:
        """Take the next slot, and return how many seconds from now it is."""
        here = time.time() if now is None else now
        slot = max(here, self.free)
        self.free = slot + self.interval
        return slot - here


class FilePace:
    """Deals out slots to the processes of one machine, through a locked file.

    Args:
        path: The file; what it holds is when the next slot is.
        rate: Calls a second.
    """

    def __init__(self, path: Path, rate: float) -> None:
        self.path, self.rate = path, rate
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    async def reserve(self) -> float:
        """Take the next slot, and return how many seconds from now it is."""
        import fcntl  # noqa: PLC0415  (not on every system)

        with self.path.open("r+", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            pace = Pace(self.rate)
            pace.free = float(file.read() or 0)
            wait = pace.reserve()
            file.seek(0)
            file.write(f"{pace.free:.6f}")
            file.truncate()
        return wait


def keep_quotas(reserves: Mapping[str, Callable[[], Awaitable[float]]]) -> None:
    """Make every model call of this process wait for its slot.

    Args:
        reserves: Provider to what takes a slot and tells how long to wait for it.
    """
    if not reserves:
        return
    from inspect_ai.hooks import Hooks, hooks  # noqa: PLC0415  (importing Inspect takes seconds)

    @hooks(name="whybench_quotas", description="Waits before calls, to stay within quotas")
    class _Quotas(Hooks):  # Inspect registers the class when it is defined
        async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
            reserve = reserves.get(data.model_name.partition("/")[0])
            if reserve is not None:
                await asyncio.sleep(await reserve())
