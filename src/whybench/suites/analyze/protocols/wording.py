"""What agents are told about a protocol, and how they are asked for what is wanted next."""

from __future__ import annotations

from dataclasses import dataclass

from whybench.suites.analyze.protocols.attempts import LARGEST_SHOWN

__all__ = [
    "ANSWER",
    "NO_RUNS_LEFT",
    "PROTOCOLS",
    "REPAIR",
    "ROWS_FILE",
    "SECONDS",
    "Protocol",
    "instructions",
]

ROWS_FILE = "rows.csv"
SECONDS = 60
"""How long a program may run."""


@dataclass(frozen=True)
class Protocol:
    """One way to work with programs.

    Attributes:
        name: Its name.
        summary: What it is, in one line.
        programs: How many programs may be run.
        tool: Whether they are given to a tool; else they stand in replies.
        text: What the agent is told of it.
    """

    name: str
    summary: str
    programs: int
    tool: bool
    text: str


_FILE = (
    f"The rows are in the file {ROWS_FILE} in the working folder: one line of column names, then "
    "one line for each row, separated by commas. "
)
_ROOM = (
    f" It may run for {SECONDS} seconds, and has Python with numpy, pandas, scipy and statsmodels "
    "and no network. What it prints comes back to you; if that is long, the first "
    f"{LARGEST_SHOWN['output'][0]} and the last {LARGEST_SHOWN['output'][1]} characters of it."
)
_BLOCK = (
    "Do not answer yet. Reply first with one Python program in one fenced block that begins with "
    "```python and ends with ```; if there are several, only the last one is run."
)
_THEN = " After that you are asked for your answer."

PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol(
            "code",
            "writes one program, sees what came of it, answers",
            programs=1,
            tool=False,
            text=f"{_FILE}{_BLOCK}{_ROOM}{_THEN}",
        ),
        Protocol(
            "code-debug",
            "the same, with one more program where the first gave nothing to work with",
            programs=2,
            tool=False,
            text=f"{_FILE}{_BLOCK}{_ROOM} If the program fails or prints nothing, you may repair "
            f"it once.{_THEN}",
        ),
        Protocol(
            "agentic",
            "runs programs with a tool, up to eight, answers",
            programs=8,
            tool=True,
            text=f"{_FILE}Do not answer yet. Analyse them with the tool `python`, which runs a "
            "program of yours, at most 8 times. Each run is a new one: files stay, variables do "
            f"not.{_ROOM} When you have seen enough, say so without calling the tool.{_THEN}",
        ),
    )
}
"""The protocols under which programs are run, by name."""

REPAIR = (
    "You may repair it once: reply with the whole program again, in one fenced block that begins "
    "with ```python and ends with ```."
)
ANSWER = (
    "Now give your answer; no further program is run. Say first, in a few sentences, how you came "
    "to it, what it rests on and what could make it wrong. Then end your reply with the JSON "
    "object that was asked for, in full, even if you have given it before."
)
NO_RUNS_LEFT = "Not run: you have used all of your runs."


def instructions(protocol: str) -> str:
    """Return what stands in a prompt in place of the rows."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol must be one of {', '.join(PROTOCOLS)}, got {protocol!r}")
    return PROTOCOLS[protocol].text
