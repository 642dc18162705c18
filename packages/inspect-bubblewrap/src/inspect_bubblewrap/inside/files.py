"""Files in and out: regular ones only, no link followed, nothing waited for, none too large."""

from __future__ import annotations

import errno
import os
import stat

MOST_AT_ONCE = 1 << 20


def _opened(path: bytes, flags: int) -> int:
    made = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY, 0o644)
    mode = os.fstat(made).st_mode
    if not stat.S_ISREG(mode):
        os.close(made)
        raise OSError(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, "not a regular file")
    return made


def read(path: bytes, most: int) -> bytes:
    """Return a file's contents; "file too large" if there are more than `most` bytes."""
    file = _opened(path, os.O_RDONLY)
    try:
        # The size on paper counts for sparse files; what is read counts for files without a size.
        size = os.fstat(file).st_size
        parts: list[bytes] = []
        while size <= most:
            part = os.read(file, MOST_AT_ONCE)
            if not part:
                return b"".join(parts)
            parts.append(part)
            size = max(size, sum(map(len, parts)))
        raise OSError(errno.EFBIG, "too large")
    finally:
        os.close(file)


def write(path: bytes, contents: bytes) -> None:
    """Write a file, making the folders it lies in."""
    os.makedirs(os.path.dirname(path) or b".", exist_ok=True)
    file = _opened(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        left = memoryview(contents)
        while left:
            left = left[os.write(file, left) :]
    finally:
        os.close(file)


def names(most: int) -> list[bytes]:
    """Return the names in the working folder, in order, `most` of them."""
    return sorted(os.listdir(b"."))[:most]
