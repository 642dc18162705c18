"""Attacks: agents that don't reason causally.

An attack sees only what a model sees: the messages of a conversation, and the files. One that
learns is also given items of the training stream with their ground truths. `attack_runs` asks
attacks, and the best one sets the zero of a design (`zeros`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError

if TYPE_CHECKING:
    import numpy as np

    from whybench.suites.agents import Agent
    from whybench.suites.items import Scalar

LESSONS = 2000
"""Items of the training stream that an attack learns from by default."""


@dataclass(frozen=True)
class Seen:
    """The view that an agent has of an item before its next reply.

    Attributes:
        messages: The prompt, then each reply followed by the response to it.
        files: The files of the working folder by name.
    """

    messages: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def prompt(self) -> str:
        """The first message."""
        return self.messages[0]

    @property
    def responses(self) -> tuple[str, ...]:
        """The messages to the agent after the prompt."""
        return self.messages[2::2]


Reply = Callable[[Seen, "np.random.Generator"], str]
"""Returns the next reply, given what the agent sees and a generator for its noise."""


@dataclass(frozen=True)
class TrainingExample:
    """An item of the training stream to learn from.

    Attributes:
        seen: The view of an agent at first.
        truth: The ground truth.
        score: Holds the conversation about this item with an attack, and returns the reward.
    """

    seen: Seen
    truth: Scalar
    score: Callable[[Reply], float]


Lessons = Callable[[Any, Any, int], Sequence[TrainingExample]]
"""Returns items of the training stream, given the suite, the design and their number."""


@dataclass(frozen=True)
class Attack:
    """An agent that doesn't reason causally.

    Attributes:
        name: The name in tables.
        summary: The strategy, in one line.
        reply: Returns its next reply; None for an attack that learns, or a reference agent.
        fit: Returns its `reply`, given items of the training stream.
        lessons: The number of items that it learns from.
        agent: The settings of the reference agent of the same name, which is the attack.
    """

    name: str
    summary: str
    reply: Reply | None = None
    fit: Callable[[Sequence[TrainingExample]], Reply] | None = None
    lessons: int = LESSONS
    agent: Mapping[str, Scalar] | None = None

    def __post_init__(self) -> None:
        if sum(way is not None for way in (self.reply, self.fit, self.agent)) != 1:
            raise UserError(f"{self.name} must have one of reply, fit and agent")


def of_agents(agents: Mapping[str, Agent[Any]], *names: str) -> tuple[Attack, ...]:
    """Return the attacks that these reference agents make, with their default settings."""
    return tuple(Attack(name, agents[name].summary, agent={}) for name in names)


SILENT_REPLY = "I would rather not answer that."

SILENT = Attack("silent", "declines to answer", reply=lambda _seen, _rng: SILENT_REPLY)
"""The attack that gives no answer, for every suite."""
