"""Headline measures by suite and condition: what a table of the page has in its rows.

A condition is what the labels of a measure say beside its agent. Every table and every panel shows
one; the reader switches between them. The first is the one under which most agents have a value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.page.methods import companions
from whybench.stats import MeasureKey
from whybench.suites.references import REFERENCE
from whybench.suites.registry import get_suite, sort_suites, suite_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whybench.page.material import Material, Measured
    from whybench.stats import Measure

NOT_A_CONDITION = ("agent", "design_hash")
"""Labels that do not tell conditions apart: of one agent, and for machines."""

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Condition:
    """All measures of a suite under one condition.

    Attributes:
        suite: The suite.
        key: Its name within the page.
        words: What tells it from the other conditions of the suite.
        labels: Its labels.
        measures: Agent to measures, overall and at levels.
    """

    suite: str
    key: str
    words: str
    labels: Labels
    measures: dict[str, list[Measure]]

    @property
    def headline(self) -> list[str]:
        """The headline measures that some agent has here, and what must stand beside them."""
        own = get_suite(self.suite).headline
        names = dict.fromkeys(
            name for shown in own for name in (shown, *companions(shown)) if self._has(name)
        )
        return list(names)

    def get(self, agent: str, name: str) -> Measure | None:
        """Return an agent's measure, overall."""
        key = MeasureKey(name)
        return next((one for one in self.measures.get(agent, ()) if one.key == key), None)

    def _has(self, name: str) -> bool:
        return any(self.get(agent, name) is not None for agent in self.measures)


def is_headline(found: Measured) -> bool:
    """Say whether a measure stands for its suite: one of its headlines, overall."""
    return not found.measure.at and found.measure.name in get_suite(found.suite).headline


def conditions(measured: Sequence[Measured], beside: frozenset[str]) -> dict[str, list[Condition]]:
    """Return the conditions of each suite that has headline measures, the first shown first.

    Args:
        measured: Every measure of the page.
        beside: Agents that come from downloaded data.
    """
    by_suite: dict[str, dict[Labels, dict[str, list[Measure]]]] = {}
    for one in measured:
        agent = one.measure.labels.get("agent", "")
        groups = by_suite.setdefault(one.suite, {})
        groups.setdefault(_labels(one.measure), {}).setdefault(agent, []).append(one.measure)
    found = {}
    for suite, groups in by_suite.items():
        telling = _telling(groups)
        own = {
            labels: sum(agent not in beside for agent in agents)
            for labels, agents in groups.items()
        }
        ranked = sorted(groups, key=lambda labels: (-own[labels], -len(groups[labels])))
        found[suite] = [
            Condition(suite, f"{suite}-{place}", _words(labels, telling), labels, groups[labels])
            for place, labels in enumerate(ranked)
            if any(_has_values(suite, groups[labels]))
        ]
    return {suite: shown for suite, shown in found.items() if shown}


def _has_values(suite: str, agents: dict[str, list[Measure]]) -> Iterable[bool]:
    """Yield for each headline measure of an agent whether it has a value."""
    names = get_suite(suite).headline
    for measures in agents.values():
        for one in measures:
            if one.name in names and not one.at:
                yield one.estimate is not None or bool(one.flags)


def _labels(measure: Measure) -> Labels:
    return tuple(
        (name, value) for name, value in measure.labels.items() if name not in NOT_A_CONDITION
    )


def _telling(every: Iterable[Labels]) -> list[str]:
    """Return the labels that tell conditions apart; the design always does."""
    values: dict[str, set[str]] = {}
    for labels in every:
        for name, value in labels:
            values.setdefault(name, set()).add(value)
    return [name for name, met in values.items() if name == "design" or len(met) > 1]


def _words(labels: Labels, telling: Sequence[str]) -> str:
    """Return what tells a condition apart.

    >>> _words((("design", "core"), ("overload", "none"), ("style", "cot")), ["design", "style"])
    'design core, style cot'
    """
    told = [(name, value) for name, value in labels if name in telling]
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in told)


def commands(material: Material, agents: Sequence[str]) -> dict[tuple[str, str], str]:
    """Return the command that would ask, for each suite and agent that were not run."""
    return {(name, agent): command for agent, name, _, command in _missing(material, agents)}


def not_measured(material: Material, agents: Sequence[str]) -> list[tuple[str, str]]:
    """Return what was not measured, in words, and the command for it; empty if there is none."""
    missing = _missing(material, agents)
    alone = [
        (f"{agent}, {name}: {why}", command) for agent, name, why, command in missing if command
    ]
    reasons = dict.fromkeys((agent, why) for agent, _, why, command in missing if not command)
    together = [
        (
            f"{agent}, {', '.join(n for a, n, w, _ in missing if (a, w) == (agent, why))}: {why}",
            "",
        )
        for agent, why in reasons
    ]
    return [*alone, *together]


def _missing(material: Material, agents: Sequence[str]) -> list[tuple[str, str, str, str]]:
    """Return agent and suite where there are no answers, why, and the command for them."""
    outcomes = material.outcomes()
    names = sort_suites(material.suites())
    return [
        (agent, name, *_why_not(name, agent))
        for agent in agents
        for name in names
        if (agent, name) not in outcomes
    ]


def _why_not(name: str, agent: str) -> tuple[str, str]:
    """Return why there is nothing of an agent in a suite, and the command that would change it."""
    reference = re.match(r"reference/(\w+)\.", agent)
    if reference:
        return f"not run: this reference agent answers only {reference[1]}", ""
    if agent.startswith(REFERENCE) and not _stands_for(name, agent):
        return "not run: the suite has no agent of this name", ""
    if agent.startswith(("human/", "person/")):
        return "not asked", ""
    if agent.startswith("published/"):
        return "no published answers", ""
    model = agent.partition("[")[0]
    return "not run", f"whybench run {name} --model {model}"


def _stands_for(name: str, agent: str) -> bool:
    """Whether a suite, if it is installed, says who stands for a mind."""
    mind = agent.removeprefix(REFERENCE).partition("[")[0]
    return name not in suite_names() or mind in get_suite(name).minds
