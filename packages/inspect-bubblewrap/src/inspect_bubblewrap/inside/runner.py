"""The runner: imports what was asked for, then serves requests until there are no more."""

from __future__ import annotations

import _signal  # the part of `signal` that is there anyway, without its enumerations
import errno
import gc
import os
import sys

from inspect_bubblewrap.inside.commands import INTERRUPT, run
from inspect_bubblewrap.inside.files import names, read, write
from inspect_bubblewrap.inside.messages import Pipes
from inspect_bubblewrap.inside.processes import set_dumpable, sweep

THREADED = ("polars",)
"""Libraries that start threads when they are imported; what is forked must have none."""


def main() -> None:
    """Serve; the arguments are the modules to import, and the limits of a process."""
    pipes = Pipes(os.dup(0), os.dup(1))
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    # Process 1 is deaf to signals from inside, save those it has a handler for, as Python has.
    _signal.signal(INTERRUPT, _signal.SIG_IGN)
    set_dumpable(0)
    preload, *stated = sys.argv[1:]
    limits = {name: int(value) for name, value in (limit.split("=") for limit in stated)}
    pipes.send(b"ready", ",".join(_imported(preload.split(","))).encode())
    while request := pipes.received():
        kind, *fields = request
        try:
            pipes.send(kind, *_answer(kind, fields, limits))
        except OSError as error:
            pipes.send(kind, str(error.errno or errno.EIO).encode())
        except ValueError:  # a path with a zero byte in it
            pipes.send(kind, str(errno.EINVAL).encode())
    sweep()


def _imported(wanted: list[str]) -> list[str]:
    ready = []
    # Some libraries import others that happen to be installed.
    kept_out = [name for name in THREADED if name not in (*wanted, *sys.modules)]
    for name in kept_out:
        sys.modules[name] = None  # type: ignore[assignment]  # importing it fails then
    for name in filter(None, wanted):
        try:
            __import__(name)
            ready.append(name)
        except BaseException:  # whatever it is, a program that imports it will be told
            continue
    for name in kept_out:
        del sys.modules[name]
    if ready:
        gc.collect()
        gc.freeze()  # so that collecting in a fork does not copy what is shared
    return ready


def _answer(kind: bytes, fields: list[bytes], limits: dict[str, int]) -> tuple[bytes, ...]:
    if kind == b"run":
        return run(fields, limits)
    if kind == b"read":
        return b"0", read(fields[0], int(fields[1]))
    if kind == b"write":
        write(fields[0], fields[1])
        return (b"0",)
    return b"0", *names(int(fields[0]))
