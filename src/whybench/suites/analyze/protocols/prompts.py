"""Texts of the protocols: what agents are told of them, and how the next reply is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from whybench.suites.analyze.protocols.attempts import LARGEST_SHOWN

ROWS_FILE = "rows.csv"
SECONDS = 60
"""How long a program may run."""


@dataclass(frozen=True)
class Protocol:
    """One way to work with programs.

    Attributes:
        programs: How many programs may be run.
        text: What the agent is told of it, in place of the rows.
        tool: Whether programs are given to a tool; else they stand in replies.
        asked: Whether the answer is asked for in the end; else the last message is the answer.
    """

    programs: int
    text: str
    tool: bool = False
    asked: bool = True


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
_REASONS = (
    "Say first, in a few sentences, how you came to it, what it rests on and what could make it "
    "wrong. Then end"
)

PROTOCOLS = {
    "code": Protocol(1, f"{_FILE}{_BLOCK}{_ROOM}{_THEN}"),
    "code-debug": Protocol(
        2,
        f"{_FILE}{_BLOCK}{_ROOM} If the program fails or prints nothing, you may repair it once."
        f"{_THEN}",
    ),
    "agentic": Protocol(
        8,
        f"{_FILE}Do not answer yet. Analyse them with the tool `python`, which runs a program of "
        "yours, at most 8 times. Each run is a new one: files stay, variables do not."
        f"{_ROOM} When you have seen enough, say so without calling the tool.{_THEN}",
        tool=True,
    ),
    "free": Protocol(
        8,
        f"{_FILE}Analyse them with the tools that you have. Python there has numpy, pandas, scipy "
        f"and statsmodels, and no network. Your last message is your answer. {_REASONS} it with "
        "the JSON object that was asked for, in full.",
        tool=True,
        asked=False,
    ),
}
"""The protocols under which programs are run, by name."""

REPAIR = (
    "You may repair it once: reply with the whole program again, in one fenced block that begins "
    "with ```python and ends with ```."
)
ANSWER = (
    f"Now give your answer; no further program is run. {_REASONS} your reply with the JSON "
    "object that was asked for, in full, even if you have given it before."
)
NO_RUNS_LEFT = "Not run: you have used all of your runs."
