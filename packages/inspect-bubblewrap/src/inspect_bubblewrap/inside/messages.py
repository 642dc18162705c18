"""Messages on two pipes: a count, and then as many byte strings, each after its length."""

from __future__ import annotations

import os

MOST_AT_ONCE = 1 << 20


class Pipes:
    """Requests come up one pipe, replies go down the other."""

    def __init__(self, requests: int, replies: int) -> None:
        self._requests = requests
        self._replies = replies

    def received(self) -> list[bytes]:
        """Return the next request; nothing, when there will be no more."""
        count = int.from_bytes(self._exactly(4), "big")
        return [self._exactly(int.from_bytes(self._exactly(8), "big")) for _ in range(count)]

    def send(self, *fields: bytes) -> None:
        """Send a reply."""
        message = [len(fields).to_bytes(4, "big")]
        for field in fields:
            message += [len(field).to_bytes(8, "big"), field]
        left = memoryview(b"".join(message))
        while left:
            left = left[os.write(self._replies, left) :]

    def _exactly(self, size: int) -> bytes:
        parts = []
        while size:
            part = os.read(self._requests, min(size, MOST_AT_ONCE))
            if not part:
                return b""
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
