"""What was asked, and what was answered: the data of a fit.

A *question* asks how likely one node is to be present, given what is known of others; a `TaskTable`
holds a causal graph and the questions about it. Questions that count as one task in the data carry
the same task name; they are held out together in cross-validation. Two conventions are common for a
task that exists once for each of two interchangeable causes:

- one question a task, about the first cause, whose mean pools the answers to both versions. This
  is the convention of the published fits. It lets m1 and m2 differ though no answer tells the
  causes apart, so the two then describe tasks rather than causes;
- both versions as questions of their own with a common task name. Here m1 and m2 mean what they
  say.

The answers, between 0 and 1, are `Judgments`, summed up by question: a fit by least squares sees
its rows only through the number, the mean and the mean square of the answers to each question, so a
thousand agents are three small arrays. Rows are kept beside them where they are needed: for mean
absolute errors and for resampling. A row is a single answer, or the mean of several that agree in
agent, question and sampled unit: resampling whole units sees no difference.

All of it is plain data, so that suites, users and tests can bring their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence, Sized

    from numpy.typing import ArrayLike

    from whybench.scm import Graph

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class TaskQuestion:
    """How likely is `target` to be present, given what is known?

    Attributes:
        name: What the answers are filed under, unique in a table.
        target: The node whose presence is judged.
        given: Pairs of a node and 1 (present) or 0 (absent).
        task: The task this is a version of; the name itself unless stated.
    """

    name: str
    target: str
    given: tuple[tuple[str, int], ...] = ()
    task: str = ""

    def __post_init__(self) -> None:
        if not self.task:
            object.__setattr__(self, "task", self.name)
        known = dict(self.given)
        if len(known) < len(self.given):
            raise ValueError(f"given must name each node once, got {self.given}")
        if self.target in known:
            raise ValueError(f"target must not be among the given, got {self.target!r}")
        if not set(known.values()) <= {0, 1}:
            raise ValueError(f"given values must be 0 or 1, got {self.given}")


@dataclass(frozen=True)
class TaskTable:
    """A graph and the questions asked about it, in the order of the columns of the data."""

    graph: Graph
    questions: tuple[TaskQuestion, ...]

    def __post_init__(self) -> None:
        if not self.questions:
            raise ValueError("questions must be at least one, got none")
        names = self.names
        if len(set(names)) < len(names):
            raise ValueError(f"names of questions must be unique, got {names}")
        for question in self.questions:
            self.graph.check(question.target, *dict(question.given))

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


@dataclass(frozen=True, eq=False)
class Rows:
    """Single answers, or means of several.

    Attributes:
        problem: For each row the position of its agent.
        question: For each row the position of its question in the table.
        value: The answers, 0 to 1.
        cluster: For each row its sampled unit (a vignette, a person), numbered from 0; unit 3 of
            one agent and unit 3 of another are different units.
        answers: For each row how many answers its value is the mean of; None where each is one.
    """

    problem: NDArray[np.intp]
    question: NDArray[np.intp]
    value: Floats
    cluster: NDArray[np.intp] | None = None
    answers: Floats | None = None


@dataclass(frozen=True, eq=False)
class Judgments:
    """Answers of one or many agents to the questions of a table.

    Attributes:
        labels: Whose answers they are, one label a problem.
        counts: How many answers, (problems, questions).
        means: Their means; zero where there are none.
        squares: The means of their squares.
        rows: The answers themselves, if they are known.
    """

    labels: tuple[str, ...]
    counts: Floats
    means: Floats
    squares: Floats
    rows: Rows | None = None

    def __post_init__(self) -> None:
        shape = (len(self.labels), self.counts.shape[-1])
        for name in ("counts", "means", "squares"):
            array = getattr(self, name)
            if array.shape != shape:
                raise ValueError(f"{name} must have shape {shape}, got {array.shape}")
            most = np.inf if name == "counts" else 1.0
            if not np.all((array >= 0) & (array <= most)):
                raise ValueError(
                    f"{name} must be between 0 and {most}, got {array.min()} to {array.max()}"
                )

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def n(self) -> NDArray[np.intp]:
        """Answers of each problem."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.intp)

    def select(self, problems: Sequence[int]) -> Judgments:
        """Return the data of these problems alone, in this order."""
        chosen = np.asarray(problems, dtype=np.intp)
        rows = self.rows
        if rows is not None:
            position = np.full(len(self), -1, dtype=np.intp)
            position[chosen] = np.arange(chosen.size)
            kept = position[rows.problem] >= 0
            cluster = None if rows.cluster is None else rows.cluster[kept]
            answers = None if rows.answers is None else rows.answers[kept]
            problem = position[rows.problem[kept]]
            rows = Rows(problem, rows.question[kept], rows.value[kept], cluster, answers)
        return Judgments(
            tuple(self.labels[k] for k in chosen),
            self.counts[chosen],
            self.means[chosen],
            self.squares[chosen],
            rows,
        )

    @classmethod
    def from_rows(
        cls,
        table: TaskTable,
        values: ArrayLike,
        questions: Sequence[str],
        agents: Sequence[str] | None = None,
        clusters: Sequence[object] | None = None,
        answers: ArrayLike | None = None,
        squares: ArrayLike | None = None,
    ) -> Judgments:
        """Gather single answers, or means of several.

        Args:
            table: The questions.
            values: Answers, 0 to 1.
            questions: For each answer the name of its question.
            agents: For each answer whose it is; one agent if not stated.
            clusters: For each answer its sampled unit, by any label that can be printed; units of
                different agents are never confused.
            answers: For each value how many answers it is the mean of; one if not stated. Such
                means can be resampled only with their clusters.
            squares: For each value the mean of the squares of these answers.

        Raises:
            ValueError: A value is not between 0 and 1, a question is not in the table, the
                columns differ in length, or means of several answers lack clusters or squares.
        """
        value = np.asarray(values, dtype=np.float64)
        if answers is not None and (clusters is None or squares is None):
            raise ValueError("means of several answers must have clusters and squares, got none")
        weight = np.ones(value.size) if answers is None else np.asarray(answers, dtype=np.float64)
        square = value**2 if squares is None else np.asarray(squares, dtype=np.float64)
        agent = ["all"] * len(value) if agents is None else list(agents)
        columns: list[Sized] = [questions, agent, weight, square]
        columns += [] if clusters is None else [clusters]
        if not value.size or any(len(column) != len(value) for column in columns):
            lengths = [len(value), *map(len, columns)]
            raise ValueError(f"columns must have one length of at least 1, got {lengths}")
        if not np.all((value >= 0) & (value <= 1)):
            raise ValueError(f"values must be between 0 and 1, got {value.min()} to {value.max()}")
        positions = {name: position for position, name in enumerate(table.names)}
        unknown = sorted(set(questions) - set(positions))
        if unknown:
            raise ValueError(f"questions must be among {table.names}, got {unknown}")
        labels = tuple(dict.fromkeys(agent))
        number = {label: position for position, label in enumerate(labels)}
        problem = np.array([number[label] for label in agent], dtype=np.intp)
        question = np.array([positions[name] for name in questions], dtype=np.intp)
        unit = None
        if clusters is not None:
            # In the order of their names, so that resamples do not depend on the order of rows.
            names, name = np.unique([str(c) for c in clusters], return_inverse=True)
            pairs, pair = np.unique(problem * len(names) + name, return_inverse=True)
            unit = pair - np.searchsorted(pairs, problem * len(names))
        cell, shape = problem * len(table) + question, (len(labels), len(table))
        counts, sums, squared = (
            np.bincount(cell, weights, shape[0] * shape[1]).reshape(shape).astype(np.float64)
            for weights in (weight, weight * value, weight * square)
        )
        # The last bits of a sum may put a mean of legal answers above 1.
        mean, mean_square = (np.clip(s / np.maximum(counts, 1), 0.0, 1.0) for s in (sums, squared))
        rows = Rows(problem, question, value, unit, None if answers is None else weight)
        return cls(labels, counts, mean, mean_square, rows)
