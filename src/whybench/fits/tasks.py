"""What was asked: a causal graph and the questions put about it.

A *question* asks how likely one node is to be present, given what is known of others. Questions
that count as one task in the data carry the same task name; they are held out together in
cross-validation. Two conventions are common for a task that exists once for each of two
interchangeable causes:

- one question a task, about the first cause, whose mean pools the answers to both versions. This
  is the convention of the published fits. It lets m1 and m2 differ though no answer tells the
  causes apart, so the two then describe tasks rather than causes;
- both versions as questions of their own with a common task name. Here m1 and m2 mean what they
  say.

A table is plain data, so that suites, users and tests can bring their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whybench.scm import Graph

__all__ = ["Question", "TaskTable"]


@dataclass(frozen=True)
class Question:
    """How likely is `asked` to be present, given what is known?

    Attributes:
        name: What the answers are filed under, unique in a table.
        asked: The node whose presence is judged.
        given: Pairs of a node and 1 (present) or 0 (absent).
        task: The task this is a version of; the name itself unless stated.
    """

    name: str
    asked: str
    given: tuple[tuple[str, int], ...] = ()
    task: str = ""

    def __post_init__(self) -> None:
        if not self.task:
            object.__setattr__(self, "task", self.name)
        known = dict(self.given)
        if len(known) < len(self.given):
            raise ValueError(f"given must name each node once, got {self.given}")
        if self.asked in known:
            raise ValueError(f"asked must not be among the given, got {self.asked!r}")
        if not set(known.values()) <= {0, 1}:
            raise ValueError(f"given values must be 0 or 1, got {self.given}")


@dataclass(frozen=True)
class TaskTable:
    """A graph and the questions asked about it, in the order of the columns of the data."""

    graph: Graph
    questions: tuple[Question, ...]

    def __post_init__(self) -> None:
        if not self.questions:
            raise ValueError("questions must be at least one, got none")
        names = self.names
        if len(set(names)) < len(names):
            raise ValueError(f"names of questions must be unique, got {names}")
        for question in self.questions:
            self.graph.check(question.asked, *dict(question.given))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the questions, in order."""
        return tuple(question.name for question in self.questions)

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, each once, in order of appearance."""
        return tuple(dict.fromkeys(question.task for question in self.questions))

    def __len__(self) -> int:
        return len(self.questions)
