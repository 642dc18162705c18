"""Messages to and from the runner inside, each within a time and a size.

A message is a count and then as many byte strings, each after its length. The far end is not
trusted: a reply that is late, too large or cut short is an error, never a wait or a large
allocation.
"""

from __future__ import annotations

import os
import select
import time
from typing import TYPE_CHECKING

from inspect_bubblewrap.outcome import SandboxError

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_FIELDS = 4096


class LateReplyError(SandboxError):
    """The far end did not answer in time."""


class Channel:
    """Two pipes to an runner: requests go down one, replies come up the other."""

    def __init__(self, requests: int, replies: int) -> None:
        self._requests = requests
        self._replies = replies
        for descriptor in (requests, replies):
            os.set_blocking(descriptor, False)

    def send(self, fields: Sequence[bytes], deadline: float) -> None:
        """Send a request."""
        message = [len(fields).to_bytes(4, "big")]
        for field in fields:
            message += [len(field).to_bytes(8, "big"), field]
        left = memoryview(b"".join(message))
        while left:
            _wait(self._requests, select.POLLOUT, deadline)
            try:
                left = left[os.write(self._requests, left[: 1 << 20]) :]
            except BlockingIOError:
                continue
            except BrokenPipeError as error:
                raise SandboxError("the sandbox is gone") from error

    def receive(self, most: int, deadline: float) -> list[bytes]:
        """Return the next reply, of at most `most` bytes."""
        count = int.from_bytes(self._exactly(4, deadline), "big")
        if count > MOST_FIELDS:
            raise SandboxError(f"a reply must have at most {MOST_FIELDS} parts, got {count}")
        fields = []
        for _ in range(count):
            size = int.from_bytes(self._exactly(8, deadline), "big")
            most -= size
            if most < 0:
                raise SandboxError(f"a reply is larger than was asked for, by {-most} bytes")
            fields.append(self._exactly(size, deadline))
        return fields

    def _exactly(self, size: int, deadline: float) -> bytes:
        parts = []
        while size:
            _wait(self._replies, select.POLLIN, deadline)
            try:
                part = os.read(self._replies, min(size, 1 << 20))
            except BlockingIOError:
                continue
            if not part:
                raise SandboxError("the sandbox is gone")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def close(self) -> None:
        """Let both pipes go."""
        os.close(self._requests)
        os.close(self._replies)


def _wait(descriptor: int, event: int, deadline: float) -> None:
    waiting = select.poll()
    waiting.register(descriptor, event)
    if not waiting.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise LateReplyError("the sandbox did not answer in time")
