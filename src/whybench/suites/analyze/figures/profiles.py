"""What the figures of analyze are drawn from: the measures of each agent, found by key."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from whybench.stats import MeasureKey
from whybench.suites.analyze.challenges import CHALLENGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from whybench.stats import Level, Measure

SCORES = {"trap": "score_trap", "control": "score_control", "twin": "paired_score"}
"""What is drawn of scores, and the measure that it is."""

FAMILY_OF: Mapping[str, str] = MappingProxyType(
    {name: challenge.family for name, challenge in CHALLENGES.items()}
)
"""The family of each challenge of ours, in the order in which they are listed everywhere."""


@dataclass(frozen=True)
class AgentProfile:
    """The measures of one agent under one condition.

    Attributes:
        labels: Whose they are: agent, design and condition.
        measures: Those with an estimate, by name and levels.
    """

    labels: Mapping[str, str]
    measures: Mapping[MeasureKey, Measure]

    def find(self, name: str, **at: Level) -> Measure | None:
        """Return a measure that has an estimate, if there is one: at these levels, or overall."""
        return self.measures.get(MeasureKey(name, tuple(at.items())))


def profiles_of(measures: Iterable[Measure]) -> list[AgentProfile]:
    """Return the measures of each agent, in the order of their twin scores, the best first."""
    found: dict[tuple[tuple[str, str], ...], dict[MeasureKey, Measure]] = {}
    for measure in measures:
        if measure.estimate is not None:
            found.setdefault(tuple(measure.labels.items()), {})[measure.key] = measure
    profiles = [AgentProfile(dict(labels), mine) for labels, mine in found.items()]
    return sorted(profiles, key=_merit, reverse=True)


def _merit(profile: AgentProfile) -> float:
    twin = profile.find(SCORES["twin"])
    return -1.0 if twin is None or twin.estimate is None else twin.estimate
