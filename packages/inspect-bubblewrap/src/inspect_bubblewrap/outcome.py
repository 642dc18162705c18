"""How a command in the sandbox ended, and what can go wrong with a sandbox."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import click

End = Literal["exit", "time", "output", "memory", "processes", "files", "lifetime", "gone"]
"""Why a command is over: it ended by itself, a limit ended it, or its sandbox is gone."""


OWN_ENDS = frozenset({"exit", "time", "output", "memory", "processes", "files"})
"""Ends that a program brings about; any other is none of its doing."""


class SettingsError(click.ClickException, ValueError):
    """Settings that cannot be used; Inspect's command prints the message as one line."""

    def __str__(self) -> str:
        return self.message


class SandboxError(RuntimeError):
    """A sandbox could not be started or does not answer.

    Attributes:
        cause: What ended it; one of `OWN_ENDS` if a program inside did.
    """

    def __init__(self, message: str, cause: End = "gone") -> None:
        super().__init__(message)
        self.cause = cause


class SandboxRefusedError(SandboxError, ValueError):
    """Untrusted code cannot be confined here, so none is run."""


@dataclass(frozen=True)
class Outcome:
    """How one command ended.

    Attributes:
        ended: Why it is over.
        status: Its exit status, 128 plus the signal where one ended it, as shells count.
        stdout: What it wrote, up to the limit.
        stderr: What it wrote as errors, up to the limit.
        seconds: How long it took, seen from outside.
        note: What a limit found, such as the number of bytes in use; else empty.
    """

    ended: End
    status: int
    stdout: bytes
    stderr: bytes
    seconds: float
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether the command ended by itself with status 0."""
        return self.ended == "exit" and self.status == 0
