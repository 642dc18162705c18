"""Reference agents by name: `reference/judge.noisy-or` of one suite, `reference/careful` of all.

A reference agent answers one suite. A *mind* answers every suite that says which of its agents
stands for it (`Suite.minds`), so that a whole profile can be had of reasoners that are known. It is
one agent in records, profiles and pages, and takes one setting, the seed of its noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, suggest
from whybench.suites.agents import MINDS
from whybench.suites.registry import get_suite, list_suites, own_suites, suite_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.suites.agents import Agent
    from whybench.suites.items import Scalar

REFERENCE = "reference/"
"""What the names of reference agents begin with."""


@dataclass(frozen=True)
class Reference:
    """Who answers under the name of a reference agent.

    Attributes:
        name: The whole name, `reference/careful`.
        parts: Suite to the name of the agent that answers it, with the settings that differ from
            its defaults.
        is_mind: Whether it is a mind.
    """

    name: str
    parts: Mapping[str, tuple[str, Mapping[str, Scalar]]]
    is_mind: bool

    @property
    def suites(self) -> tuple[str, ...]:
        """The suites that it answers."""
        return tuple(self.parts)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The installed suites that it does not answer."""
        return tuple(name for name in own_suites() if name not in self.parts)

    def agent_for(
        self, suite: str, given: Mapping[str, object]
    ) -> tuple[Agent[Any], dict[str, Scalar]]:
        """Return who answers a suite, and all settings, those that the user gave checked.

        Raises:
            UserError: It does not answer this suite, or has no such setting.
        """
        self.check_suites((suite,))
        name, settings = self.parts[suite]
        agent = get_suite(suite).agent(name)
        if self.is_mind and (unknown := [key for key in given if key != "seed"]):
            raise UserError(
                f"{self.name} has no parameter {unknown[0]!r}; it takes only seed, and its agents "
                f"take more: reference/{suite}.{name} {', '.join(agent.parameters)}"
            )
        return agent, agent.settings({**settings, **given})

    def check_suites(self, names: tuple[str, ...]) -> None:
        """Raise an error unless it answers one of these suites."""
        if any(name in self.parts for name in names):
            return
        if self.is_mind:
            raise UserError(
                f"{self.name} must be asked suites that have an agent for it "
                f"({', '.join(self.parts)}), got {', '.join(names)}"
            )
        raise UserError(
            f"{self.name} must be asked its own suite, {', '.join(self.parts)}, "
            f"got {', '.join(names)}"
        )

    def explain(self) -> str:
        """Return one line with the agent for each suite."""
        if not self.is_mind:
            return (
                f"{self.name} is a reference agent of {self.suites[0]}; it is asked only that suite"
            )
        made = ", ".join(f"{suite}.{show_part(*part)}" for suite, part in self.parts.items())
        line = f"{self.name} combines these reference agents: {made}"
        if self.left_out:
            line += f"; it has none for {', '.join(self.left_out)}, so that is not asked"
        return line


def find_reference(model: str) -> Reference:
    """Return the reference agent of a name: `reference/careful` or `reference/judge.noisy-or`.

    Raises:
        UserError: There is no agent of this name; the message lists those that exist.
    """
    name = model.removeprefix(REFERENCE)
    own, dot, agent = name.partition(".")
    if dot:
        get_suite(own).agent(agent)
        return Reference(model, {own: (agent, {})}, is_mind=False)
    if name not in MINDS:
        raise UserError(
            f"a reference agent must be one for all suites ({', '.join(MINDS)}) or one of a suite, "
            f"such as reference/judge.noisy-or, got {model}; installed suites are "
            f"{', '.join(suite_names())} (`whybench list SUITE` shows their agents)"
            f"{suggest(name, MINDS)}"
        )
    parts = {suite: one.minds[name] for suite, one in list_suites().items() if name in one.minds}
    return Reference(model, parts, is_mind=True)


def show_part(agent: str, settings: Mapping[str, Scalar]) -> str:
    """Return an agent with its settings in words.

    >>> show_part("slips", {"error": 0.02})
    'slips[error=0.02]'
    """
    text = ",".join(f"{name}={value}" for name, value in settings.items())
    return f"{agent}[{text}]" if text else agent
