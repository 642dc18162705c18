"""What came of a program: an outcome with a name, and its description for the agent.

The outcome follows from how the program ended, never from what it wrote: a table with a column
called "standard error", or the word Traceback in a heading, is no failure. What it wrote is shown
within a fence that it cannot close, its middle left out where it is long.

What comes next where programs stand in replies.

    program -> (what came of it) -> [repair -> (what came of it)] -> answer

A state machine of two steps: `hear` takes in a reply and gives the program to be run, `see` takes
in what came of it and gives what is said to the agent. It ends after at most one reply more than
there may be programs, whatever the replies are and whatever becomes of the programs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


OUTCOMES = {
    "ok": "ended by itself with status 0 and wrote something",
    "long": "like ok, but wrote more than is shown to the agent",
    "silent": "ended by itself with status 0 and wrote nothing",
    "error": "ended by itself with another status",
    "signal": "was ended by a signal, as a limit on memory or processes does",
    "time": "ran out of time",
    "flood": "wrote more than the sandbox takes",
    "not_text": "wrote what is no text",
    "gone": "was not run, since an earlier program left the sandbox unusable",
    "no_code": "was not run: there is none in the reply",
    "unclosed": "was not run: its block is never closed",
    "cut_off": "was not run: the reply hit the token limit",
    "too_large": "was not run: it is too large",
}
"""Every outcome of an attempt, and what it says of the program."""

NOT_RUN = frozenset({"gone", "no_code", "unclosed", "cut_off", "too_large"})
FAILED = frozenset(OUTCOMES) - {"ok", "long"}
"""Outcomes that gave the agent nothing to work with, so that a repair is called for."""

LARGEST_SHOWN = {"output": (4000, 2000), "errors": (500, 1500)}
"""How many characters of a stream are shown, from its beginning and from its end."""

SIGNALS = range(129, 193)
"""Statuses by which shells say that a signal ended a program: 128 and its number, 1 to 64."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

_DESCRIPTIONS = {
    "ok": "Your program ended with status 0.",
    "silent": "Your program ended with status 0 and printed nothing.",
    "error": "Your program ended with an error (status {status}).",
    "signal": "Your program was ended by a signal (status {status}), perhaps because it exceeded "
    "the limit on memory or processes.",
    "time": "Your program ran for more than {seconds} seconds and was stopped; its output is lost.",
    "flood": "Your program printed too much and was stopped.",
    "not_text": "Your program printed bytes that are not text.",
    "gone": "Your program was not run: an earlier one left the sandbox unusable.",
    "no_code": "There was no program to run: your reply has no fenced block of Python code.",
    "unclosed": "There was no program to run: the fenced block of your reply is never closed.",
    "cut_off": "Nothing was run: your reply was cut off at the token limit.",
    "too_large": "Your program was not run: it is too large.",
}


@dataclass(frozen=True)
class Attempt:
    """What came of a program.

    Attributes:
        outcome: One of `OUTCOMES`.
        status: The exit status; None where there is none.
        output: What it wrote.
        errors: What it wrote as errors and warnings.
        blocks: How many blocks of the reply might have been meant.
    """

    outcome: str
    status: int | None = None
    output: str = ""
    errors: str = ""
    blocks: int = 1

    def __post_init__(self) -> None:
        if self.outcome not in OUTCOMES:
            raise ValueError(f"outcome must be one of {', '.join(OUTCOMES)}, got {self.outcome!r}")

    @property
    def failed(self) -> bool:
        """Whether it gave the agent nothing to work with."""
        return self.outcome in FAILED


def classify_exit(status: int, output: str, errors: str, blocks: int = 1) -> Attempt:
    """Return what came of a program that ended, by its status."""
    if status < 0 or status in SIGNALS:
        outcome = "signal"
    elif status:
        outcome = "error"
    elif not output.strip():
        outcome = "silent"
    else:
        outcome = "long" if len(output) > sum(LARGEST_SHOWN["output"]) else "ok"
    return Attempt(outcome, status, output, errors, blocks)


def describe_attempt(attempt: Attempt, seconds: int) -> str:
    """Return what came of a program, in words; its time was limited to n seconds."""
    text = _DESCRIPTIONS["ok" if attempt.outcome == "long" else attempt.outcome]
    parts = [text.format(status=attempt.status, seconds=seconds)]
    if attempt.blocks > 1 and attempt.outcome not in NOT_RUN:
        parts.append(f"Your reply had {attempt.blocks} programs; only the last one was run.")
    for stream, heading in (("output", "It printed:"), ("errors", "Errors and warnings:")):
        text = _clean(getattr(attempt, stream))
        if text.strip():
            parts.append(f"{heading}\n{fence_text(_shorten(text, *LARGEST_SHOWN[stream]))}")
    return "\n\n".join(parts)


def code_columns(outcomes: Sequence[str]) -> dict[str, str | int]:
    """Return the columns that attempts, by their outcomes, add to a record."""
    run = [outcome for outcome in outcomes if outcome not in NOT_RUN]
    return {
        "runs": len(run),
        "failed_runs": sum(outcome in FAILED for outcome in run),
        "code_outcome": outcomes[-1] if outcomes else "no_code",
    }


def fence_text(text: str) -> str:
    """Return a text within a fence that no line of it closes."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    end = "" if text.endswith("\n") else "\n"
    return f"{fence}\n{text}{end}{fence}"


def _clean(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", lines)


def _shorten(text: str, first: int, last: int) -> str:
    left_out = len(text) - first - last
    if left_out <= 0:
        return text
    return f"{text[:first]}\n[... {left_out} characters left out ...]\n{text[-last:]}"
