"""Do an agent's measures stay what they are when the content changes?

Each measure is compared between two conditions, agent by agent: with abstract names instead of a
story, with distracting text, with step-by-step reasoning. What agents differ in cancels, so the
mean change over agents has an interval of its own, Student's t over agents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from whybench.stats import Estimate, adjust, paired_difference, sign_flip_test

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from whybench.stats import Finding, Measure

__all__ = ["COMPARISONS", "Change", "changes"]

COMPARISONS: tuple[tuple[str, Mapping[str, str], Mapping[str, str]], ...] = (
    (
        "abstract",
        {"content": "story", "overload": "none"},
        {"content": "abstract", "overload": "none"},
    ),
    ("overload", {"content": "story", "overload": "none"}, {"content": "story", "overload": "e"}),
    (
        "abstract overload",
        {"content": "abstract", "overload": "none"},
        {"content": "abstract", "overload": "de"},
    ),
    ("reasoning", {"style": "numeric"}, {"style": "cot"}),
)
"""Name of a manipulation, and the levels before and after it; all else must be equal."""

HELD = ("graph", "stimuli", "content", "overload", "style")


@dataclass(frozen=True)
class Change:
    """How a measure changed between two conditions.

    Attributes:
        manipulation: What was changed.
        measure: The measure.
        condition: What was held.
        agents: Agent to its values before and after.
        mean: The mean change over agents, with its interval.
        test: A sign-flip test of no change, corrected within the manipulation.
    """

    manipulation: str
    measure: str
    condition: Mapping[str, str]
    agents: Mapping[str, tuple[float, float]]
    mean: Estimate
    test: Finding

    def row(self) -> dict[str, object]:
        """Return it as one flat row."""
        return {
            "manipulation": self.manipulation,
            "measure": self.measure,
            **self.condition,
            "agents": len(self.agents),
            "change": self.mean.estimate,
            "low": self.mean.low,
            "high": self.mean.high,
            "p": self.test.p,
            "p_adjusted": self.test.adjusted,
            "flags": " ".join(self.mean.flags),
        }


def changes(measures: Iterable[Measure]) -> list[Change]:
    """Compare every measure before and after every manipulation, over the agents that have both.

    Measures flagged `small_n` do not count.
    """
    values: dict[tuple[str, tuple[str, ...]], dict[str, float]] = {}
    for measure in measures:
        if measure.estimate is None or "small_n" in measure.flags:
            continue
        condition = tuple(str(measure.labels[name]) for name in HELD)
        agents = values.setdefault((measure.name, condition), {})
        agents[str(measure.labels["agent"])] = measure.estimate
    found = []
    for manipulation, before, after in COMPARISONS:
        family = []
        for (name, condition), first in values.items():
            held = dict(zip(HELD, condition, strict=True))
            if any(held[factor] != level for factor, level in before.items()):
                continue
            second = values.get((name, tuple({**held, **after}[factor] for factor in HELD)), {})
            both = [agent for agent in first if agent in second]
            if len(both) < 2:
                continue
            later, earlier = ([side[agent] for agent in both] for side in (second, first))
            family.append(
                Change(
                    manipulation,
                    name,
                    {factor: level for factor, level in held.items() if factor not in before},
                    {agent: (first[agent], second[agent]) for agent in both},
                    paired_difference(later, earlier),
                    sign_flip_test(later, earlier, ("judge", manipulation, name)),
                )
            )
        tests = adjust([change.test for change in family])
        found += [
            Change(c.manipulation, c.measure, c.condition, c.agents, c.mean, test)
            for c, test in zip(family, tests, strict=True)
        ]
    return found
