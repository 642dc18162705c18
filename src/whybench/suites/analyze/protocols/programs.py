"""The program in a reply, and what is said after it was run; never raises, never guesses.

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

from whybench.replies.shown import remove_thinking
from whybench.suites.analyze.protocols.attempts import describe_attempt
from whybench.suites.analyze.protocols.prompts import ANSWER, REPAIR, SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.analyze.protocols.attempts import Attempt

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
    text, thinking = remove_thinking(reply)
    if thinking:
        return Program(outcome="no_code")
    blocks = [(name, code) for name, code in _find_blocks(text) if code is None or code.strip()]
    marked = [code for name, code in blocks if name in PYTHON]
    meant = marked or [code for name, code in blocks if not name]
    closed = [code for code in meant if code is not None]
    if not closed:
        return Program(outcome="unclosed" if meant else "no_code")
    return check_program(closed[-1], len(closed))


def check_program(code: str, blocks: int = 1) -> Program:
    """Return a program that was given as such, unless it is empty or too large."""
    if not code.strip():
        return Program(outcome="no_code")
    if len(code.encode("utf-8", "replace")) > LARGEST:
        return Program(outcome="too_large", blocks=blocks)
    return Program(code, blocks=blocks)


def _find_blocks(text: str) -> Iterator[tuple[str, str | None]]:
    """Yield the language and the text of each fenced block; None if it is never closed."""
    lines: list[str] = []
    opening: re.Match[str] | None = None
    # Split at line ends only: a string in a program may hold any other separator.
    for line in text.replace("\r\n", "\n").split("\n"):
        if opening is None:
            opening = _FENCE.fullmatch(line)
            lines = []
        elif len(line.strip()) >= len(opening[2]) and not line.strip().strip(opening[2][0]):
            code = "\n".join(lines) + "\n"
            yield _language(opening), textwrap.dedent(code) if opening[1] else code
            opening = None
        else:
            lines.append(line)
    if opening is not None:
        yield _language(opening), None


def _language(opening: re.Match[str]) -> str:
    """Return the language that a block is marked with, as in `python`, `{.python}` or `Py`."""
    words = opening[3].strip(" \t{}.").lower().split()
    return words[0] if words else ""


def follow_up(
    attempt: Attempt, programs_left: int, seconds: int = SECONDS, answer: str = ANSWER
) -> tuple[str, bool]:
    """Return what is said to the agent after an attempt, and whether it asks for a repair.

    Args:
        attempt: What came of the program.
        programs_left: How many more may be run.
        seconds: How long a program may run.
        answer: How the answer is asked for.
    """
    repair = attempt.failed and programs_left > 0
    return f"{describe_attempt(attempt, seconds)}\n\n{REPAIR if repair else answer}", repair
