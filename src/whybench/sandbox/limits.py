"""What code in the sandbox may use.

Some limits bind one process and are kept by the kernel (address space, processor seconds, the size
of a file, open files); some bind all processes of a sandbox together and are kept by the monitor,
which looks every few milliseconds (memory, number of processes, number of files); the wall clock
is kept by the first process inside and, should that fail, from outside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from whybench.errors import UserError, suggest

MIB = 2**20


@dataclass(frozen=True)
class Limits:
    """Limits of one sandbox; sizes in bytes.

    Attributes:
        seconds: Wall clock of one command.
        lifetime: Wall clock of the sandbox from its first use, in seconds; then it ends whatever
            it is doing.
        processor_seconds: Processor time of one process.
        memory: Memory of all processes together, with what lies in the temporary folders.
        address_space: Address space of one process; larger than `memory`, since numerical
            libraries reserve far more than they touch.
        processes: Processes and threads at one time.
        files: Files and folders in the temporary folders.
        disk: Size of `/tmp`, where the working folder is.
        shared_memory: Size of `/dev/shm`.
        file_size: Size of one file written.
        open_files: Open files of one process.
        output: Size of what one command may write to each of its two output streams.
        collected: Size of all files brought out together.
    """

    seconds: float = 60.0
    lifetime: float = 3600.0
    processor_seconds: int = 60
    memory: int = 2048 * MIB
    address_space: int = 4096 * MIB
    processes: int = 64
    files: int = 10_000
    disk: int = 256 * MIB
    shared_memory: int = 64 * MIB
    file_size: int = 128 * MIB
    open_files: int = 256
    output: int = MIB
    collected: int = 16 * MIB

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0 < value < math.inf:
                raise UserError(
                    f"{field.name} must be positive and finite, got {value}; leave it out for the "
                    "default"
                )
        # The first process inside, its child and one more must fit, or nothing could be run.
        if self.processes < 3:
            raise UserError(f"processes must be at least 3, got {self.processes}")


def read_limits(source: str | Path | None) -> Limits:
    """Return the limits a YAML file states, or the defaults; what it leaves out stays default."""
    if source is None:
        return Limits()
    import yaml  # noqa: PLC0415

    try:
        stated: Any = yaml.safe_load(Path(source).read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        words = " ".join(str(error).split())
        raise UserError(f"limits must be a YAML file, got {source}: {words}") from None
    if not isinstance(stated, dict):
        raise UserError(f"{source} must hold a mapping of limits, got {type(stated).__name__}")
    known = {field.name: type(getattr(Limits(), field.name)) for field in fields(Limits)}
    for name, value in stated.items():
        if name not in known:
            raise UserError(
                f"{source}: a limit must be one of {', '.join(known)}, got {name!r}"
                f"{suggest(name, known)}"
            )
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UserError(f"{source}: {name} must be a number, got {value!r}")
    try:
        return Limits(
            **{name: known[name](x) if math.isfinite(x) else x for name, x in stated.items()}
        )
    except ValueError as error:
        raise UserError(f"{source}: {error}") from None
