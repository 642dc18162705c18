"""Calls a second for each provider, shared by all workers.

A call waits for its slot, and slots lie evenly in time, a little farther apart than the quota asks
for: a worker that was held up makes its late calls at once, and these must still fit into the
quota. Retries wait for slots as first calls do. Slots are kept in a locked file on one machine
(`FileRateLimiter`), and by an actor of Ray's on several (`cluster`).
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from inspect_ai.hooks import BeforeModelGenerate

MARGIN = 1.03
"""By how much slots are farther apart than the quota asks for."""


MOST_WAITING = 10_000
"""More calls than can wait for slots at once, all workers together."""


class RateLimiter:
    """Reserves the slots of one provider.

    Args:
        rate: Calls a second.
    """

    def __init__(self, rate: float) -> None:
        self.interval = MARGIN / rate
        self.free = 0.0

    def reserve(self, now: float | None = None) -> float:
        """Take the next slot, and return how many seconds from now it is."""
        now = time.time() if now is None else now
        if self.free > now + MOST_WAITING * self.interval:
            self.free = now  # the clock was set back: no such number of calls can be waiting
        slot = max(now, self.free)
        self.free = slot + self.interval
        return slot - now


class FileRateLimiter:
    """Reserves slots for the processes of one machine, through a locked file.

    Args:
        path: The file; its content is the time of the next slot.
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
            limiter = RateLimiter(self.rate)
            limiter.free = float(file.read() or 0)
            wait = limiter.reserve()
            file.seek(0)
            file.write(f"{limiter.free:.6f}")
            file.truncate()
        return wait


_reserves: dict[str, Callable[[], Awaitable[float]]] = {}
_listening: list[type] = []
"""The hook, once it is registered; Inspect keeps it for the life of a process."""


def enforce_quotas(reserves: Mapping[str, Callable[[], Awaitable[float]]]) -> None:
    """Make every model call of this process wait for its slot.

    Args:
        reserves: Provider to what takes a slot and returns how long to wait for it.
    """
    _reserves.clear()
    _reserves.update(reserves)
    if _listening or not reserves:
        return
    from inspect_ai.hooks import Hooks, hooks  # noqa: PLC0415  (importing Inspect takes seconds)

    @hooks(name="whybench_quotas", description="Waits before calls, to stay within quotas")
    class _Quotas(Hooks):  # Inspect registers the class when it is defined
        async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
            reserve = _reserves.get(data.model_name.partition("/")[0])
            if reserve is not None:
                await asyncio.sleep(await reserve())

    _listening.append(_Quotas)


def enforce_file_quotas(folder: Path, quotas: Mapping[str, float]) -> None:
    """Make calls of this process wait for slots that processes of this machine share.

    Args:
        folder: The folder for the files of slots.
        quotas: Calls a second by provider.
    """
    enforce_quotas(
        {
            provider: FileRateLimiter(folder / f".{provider}.limiter", rate).reserve
            for provider, rate in quotas.items()
        }
    )
