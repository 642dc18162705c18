"""What code in the sandbox may use.

Some limits bind one process and are kept by the kernel (address space, processor seconds, the size
of a file, open files); some bind all processes of a sandbox together and are kept by the monitor,
which looks every few milliseconds (memory, number of processes, number of files); the wall clock
is kept by the first process inside and, should that fail, from outside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from inspect_bubblewrap.outcome import SettingsError

MIB = 2**20

PACKAGES = ("numpy", "pandas", "scipy", "statsmodels")
PRELOAD = ("numpy", "pandas", "scipy.stats", "statsmodels.api", "statsmodels.formula.api")
"""Distributions that code inside can import by default, and modules that are imported ahead."""

NAMES = ("packages", "preload")
"""Settings that are lists of names; the others are limits."""


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
                raise SettingsError(
                    f"{field.name} must be positive and finite, got {value}; leave it out for the "
                    "default"
                )
        # The first process inside, its child and one more must fit, or nothing could be run.
        if self.processes < 3:
            raise SettingsError(f"processes must be at least 3, got {self.processes}")


@dataclass(frozen=True)
class Settings:
    """Settings of a sandbox.

    Attributes:
        limits: Limits on time, memory, processes and files.
        packages: Installed distributions that code inside can import; their dependencies follow.
        preload: Modules that are imported before a sample needs them.
    """

    limits: Limits = Limits()
    packages: tuple[str, ...] = PACKAGES
    preload: tuple[str, ...] = PRELOAD


def read_settings(source: str | Path | None) -> Settings:
    """Return the settings that a YAML file states; the others keep their defaults.

    Raises:
        SettingsError: The file cannot be read, or a setting is unknown or not possible.
    """
    if source is None:
        return Settings()
    import yaml  # noqa: PLC0415

    try:
        stated: Any = yaml.safe_load(Path(source).read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, ValueError, RecursionError) as error:
        words = " ".join(str(error).split())
        raise SettingsError(f"settings must be a YAML file, got {source}: {words}") from None
    if not isinstance(stated, dict):
        raise SettingsError(
            f"{source} must hold a mapping of settings, got {type(stated).__name__}"
        )
    types = {field.name: type(getattr(Limits(), field.name)) for field in fields(Limits)}
    limits: dict[str, float] = {}
    names: dict[str, tuple[str, ...]] = {}
    for name, value in stated.items():
        if name in NAMES:
            if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
                raise SettingsError(f"{source}: {name} must be a list of names, got {value!r}")
            names[name] = tuple(value)
            continue
        if name not in types:
            known = (*types, *NAMES)
            close = get_close_matches(str(name), known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise SettingsError(
                f"{source}: a setting must be one of {', '.join(known)}, got {name!r}{hint}"
            )
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise SettingsError(f"{source}: {name} must be a number, got {value!r}")
        limits[name] = types[name](value) if math.isfinite(value) else value
    try:
        return Settings(limits=Limits(**limits), **names)  # type: ignore[arg-type]
    except ValueError as error:
        raise SettingsError(f"{source}: {error}") from None
