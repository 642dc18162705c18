"""Texts of the protocols: instructions to agents, and requests for the next reply."""

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
        text: The instructions to the agent, in place of the rows.
        tool: Whether the agent runs programs with a tool; otherwise they are in its replies.
        asked: Whether a message requests the answer; otherwise the last message is the answer.
    """

    programs: int
    text: str
    tool: bool = False
    asked: bool = True


_FILE = (
    f"The rows are in the file {ROWS_FILE} in the working directory, as CSV with column names in "
    "the first line. "
)
_ROOM = (
    f" It may run for {SECONDS} seconds and use numpy, pandas, scipy and statsmodels; it has no "
    "network access. You will see what it prints; long output is cut to the first "
    f"{LARGEST_SHOWN['output'][0]:,} and last {LARGEST_SHOWN['output'][1]:,} characters."
)
_BLOCK = (
    "Do not answer yet. First reply with one Python program in one fenced block that begins with "
    "```python and ends with ```; if there are several, only the last one is run."
)
_THEN = " You will then be prompted for your answer."
_REASONS = (
    "First explain in a few sentences how you obtained it, which assumptions it depends on and "
    "what could make it wrong. Then end"
)

PROTOCOLS = {
    "code": Protocol(1, f"{_FILE}{_BLOCK}{_ROOM}{_THEN}"),
    "code-debug": Protocol(
        2,
        f"{_FILE}{_BLOCK}{_ROOM} If the program fails or prints nothing, you may fix it once."
        f"{_THEN}",
    ),
    "agentic": Protocol(
        8,
        f"{_FILE}Do not answer yet. Analyze them with the tool `python`, which runs your program, "
        "at most 8 times. Each run starts a new process: files are kept, variables are not."
        f"{_ROOM} When you are done, reply without calling the tool.{_THEN}",
        tool=True,
    ),
    "free": Protocol(
        8,
        f"{_FILE}Analyze them with your tools. Python has numpy, pandas, scipy and statsmodels, "
        f"and no network access. Your last message is your answer. {_REASONS} it with the complete "
        "JSON object described above.",
        tool=True,
        asked=False,
    ),
}
"""The protocols under which programs are run, by name."""

REPAIR = (
    "You may fix it once: reply with the whole program again, in one fenced block that begins "
    "with ```python and ends with ```."
)
ANSWER = (
    f"Now give your answer; no more programs will be run. {_REASONS} your reply with the complete "
    "JSON object described above, even if you have already given it."
)
NO_RUNS_LEFT = "Not run: you have used all of your runs."
