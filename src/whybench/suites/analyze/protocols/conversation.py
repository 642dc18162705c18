"""What comes next where programs stand in replies.

    program -> (what came of it) -> [repair -> (what came of it)] -> answer

A state machine of two steps: `hear` takes in a reply and gives the program to be run, `see` takes
in what came of it and gives what is said to the agent. It ends after at most one reply more than
there may be programs, whatever the replies are and whatever becomes of the programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from whybench.suites.analyze.protocols.attempts import told
from whybench.suites.analyze.protocols.programs import find_program
from whybench.suites.analyze.protocols.wording import ANSWER, REPAIR, SECONDS

if TYPE_CHECKING:
    from whybench.suites.analyze.protocols.attempts import Attempt
    from whybench.suites.analyze.protocols.programs import Program
    from whybench.suites.analyze.protocols.wording import Protocol

__all__ = ["Conversation"]

Wanted = Literal["program", "outcome", "answer", "nothing"]


class Conversation:
    """One conversation under one protocol.

    Attributes:
        wants: What has to come next: a reply with a program, what came of it, or a reply with the
            answer; nothing when it is over.
        attempts: What came of the programs so far.
    """

    def __init__(self, protocol: Protocol, seconds: int = SECONDS) -> None:
        if protocol.tool:
            raise ValueError(f"protocol must be one of programs in replies, got {protocol.name!r}")
        self.wants: Wanted = "program"
        self.attempts: list[Attempt] = []
        self._most = protocol.programs
        self._seconds = seconds

    @property
    def over(self) -> bool:
        """Whether the answer has been given."""
        return self.wants == "nothing"

    def hear(self, reply: str, truncated: bool = False) -> Program | None:
        """Take in a reply; return the program that it gives, or None if it is the answer."""
        if self.wants not in ("program", "answer"):
            raise ValueError(f"a reply must come when one is wanted, which was {self.wants}")
        if self.wants == "answer":
            self.wants = "nothing"
            return None
        self.wants = "outcome"
        return find_program(reply, truncated)

    def see(self, attempt: Attempt) -> str:
        """Take in what came of a program; return what is said to the agent."""
        if self.wants != "outcome":
            raise ValueError(f"an outcome must come after a program, wanted was {self.wants}")
        self.attempts.append(attempt)
        repair = attempt.failed and len(self.attempts) < self._most
        self.wants = "program" if repair else "answer"
        return f"{told(attempt, self._seconds)}\n\n{REPAIR if repair else ANSWER}"
