"""A reply to the program in it; never raises, never guesses.

A program stands in a fenced block that is closed: marked as Python or, where no block is so marked,
not marked at all. Of several the last one counts, since drafts come first; the agent is told so
beforehand, and again when it happened. Blocks of thinking do not count, nor does a reply that the
token limit cut off, whatever it holds.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.suites.thinking import THINKING, final_channel, without_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LARGEST", "Program", "find_program", "given_program"]

LARGEST = 50_000
"""How many bytes a program may have."""

PYTHON = frozenset({"python", "python3", "py"})
_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})([^`]*)")


@dataclass(frozen=True)
class Program:
    """What is to be run, or the outcome that stands for there being nothing to run.

    Attributes:
        code: The program; empty where there is none.
        outcome: Why there is none, as named in `attempts`; empty where there is one.
        blocks: How many blocks of the reply might have been meant.
    """

    code: str = ""
    outcome: str = ""
    blocks: int = 0


def find_program(reply: str, truncated: bool = False) -> Program:
    """Return the program of a reply, which the token limit may have cut off."""
    if truncated:
        return Program(outcome="cut_off")
    text, thinking = without_blocks(final_channel(reply), THINKING)
    if thinking:
        return Program(outcome="no_code")
    blocks = [(mark, code) for mark, code in _blocks(text) if code is None or code.strip()]
    marked = [code for mark, code in blocks if mark in PYTHON]
    meant = marked or [code for mark, code in blocks if not mark]
    closed = [code for code in meant if code is not None]
    if not closed:
        return Program(outcome="unclosed" if meant else "no_code")
    return given_program(closed[-1], len(closed))


def given_program(code: str, blocks: int = 1) -> Program:
    """Return a program that was given as such, unless it is empty or too large."""
    if not code.strip():
        return Program(outcome="no_code")
    if len(code.encode("utf-8", "replace")) > LARGEST:
        return Program(outcome="too_large", blocks=blocks)
    return Program(code, blocks=blocks)


def _blocks(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield the mark and the text of each fenced block; None if it is never closed."""
    lines: list[str] = []
    opened: re.Match[str] | None = None
    # Split at line ends only: a string in a program may hold any other separator.
    for line in text.replace("\r\n", "\n").split("\n"):
        if opened is None:
            opened = _FENCE.fullmatch(line)
            lines = []
        elif _closes(line.strip(), opened[2]):
            code = "\n".join(lines) + "\n"
            yield _mark(opened), textwrap.dedent(code) if opened[1] else code
            opened = None
        else:
            lines.append(line)
    if opened is not None:
        yield _mark(opened), None


def _closes(line: str, fence: str) -> bool:
    return len(line) >= len(fence) and not line.strip(fence[0])


def _mark(opened: re.Match[str]) -> str:
    """Return the language that a block is marked with, as in `python`, `{.python}` or `Py`."""
    words = opened[3].strip(" \t{}.").lower().split()
    return words[0] if words else ""
