"""Reference agents: known strategies that answer the items of a suite.

An agent whose measures are known beforehand is what `whybench validate` holds measures against.
Agents of several suites that reason alike are a mind under one name (`references`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from whybench.errors import UserError, suggest
from whybench.seeds import generator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from whybench.suites.items import Scalar

ContextT = TypeVar("ContextT")

MINDS = {
    "careful": "reasons correctly; 1 answer in 50 is a guess",
    "associative": "confuses correlation with causation, and conditions instead of intervening",
    "hasty": "reasons correctly; 1 answer in 5 is a guess",
    "guesser": "guesses every answer",
}
"""The minds and what each does. A guess is random: half of yes and no guesses are right."""


@dataclass(frozen=True)
class Parameter:
    """One setting of a reference agent: its default, its range and its meaning."""

    default: Scalar
    meaning: str
    low: float | None = None
    high: float | None = None

    def read(self, agent: str, name: str, value: Any) -> Scalar:
        """Return the value as the type of the default, or say what is wrong with it."""
        try:
            result: Any = type(self.default)(value)
            valid = (
                (self.low is None or self.low <= result)
                and (self.high is None or result <= self.high)
                and (not isinstance(self.default, int) or result == float(value))
            )
        except (TypeError, ValueError):
            valid = False
        if not valid:
            kind = {float: "a number", int: "a whole number"}.get(type(self.default), "a word")
            bounds = "" if self.low is None else f" from {self.low} to {self.high}"
            raise UserError(
                f"{agent}: {name} ({self.meaning}) must be {kind}{bounds}, got {value!r}"
            )
        scalar: Scalar = result
        return scalar


@dataclass(frozen=True)
class Agent(Generic[ContextT]):
    """A reference agent: a known strategy that answers items of one suite.

    Its context is the item, or, where a conversation goes on, the episode so far.

    Attributes:
        name: The name after the suite's, as in `reference/judge.noisy-or`.
        summary: What it does, in one line.
        reply: Writes its next reply, given its context, its settings and a generator of its own.
        parameters: Its settings by name. `seed` is there for every agent and need not be named.
        expected: The values that its measures are expected to have on a design, where these are
            known, from its settings and the design.
        noisy: Whether its answers depend on the generator at these parameters.
        conservative: Measures whose intervals are known to be too wide for it: where its chances
            differ from case to case, a complete set of cases is less uncertain than a sample.
        calibrate_at: The settings at which it is calibrated.
        answers: Whether its replies are answers; one that gives none shows what
            silence is worth.
    """

    name: str
    summary: str
    reply: Callable[[ContextT, Mapping[str, Any], np.random.Generator], str]
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    expected: Callable[[Mapping[str, Any], Any], Mapping[str, float]] | None = None
    noisy: Callable[[Mapping[str, Any]], bool] = lambda _: False
    conservative: frozenset[str] = frozenset()
    calibrate_at: tuple[Mapping[str, Scalar], ...] = ({},)
    answers: bool = True

    def settings(self, given: Mapping[str, object]) -> dict[str, Scalar]:
        """Return all parameters, the given ones checked, the others at their defaults."""
        parameters = {**self.parameters, "seed": Parameter(0, "seed of its noise", 0, 2**63)}
        if unknown := [name for name in given if name not in parameters]:
            raise UserError(
                f"{self.name} has no parameter {unknown[0]!r}; it takes {', '.join(parameters)}"
                f"{suggest(unknown[0], parameters)}"
            )
        return {
            name: parameter.read(self.name, name, given.get(name, parameter.default))
            for name, parameter in parameters.items()
        }


def reply_generator(
    agent: str, settings: Mapping[str, Scalar], item_digest: str, epoch: int, turn: int = 0
) -> np.random.Generator:
    """Return the generator of an agent's noise for one turn of one item in one epoch."""
    return generator(
        "agent", agent, settings["seed"], item_digest, epoch, *([turn] if turn else [])
    )
