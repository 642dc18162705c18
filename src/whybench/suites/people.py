"""An agent and people who judged the same: what differs, how like them it is, where it lies.

- A `Difference` (`whybench.stats`) is the agent's value of a measure minus people's.
- A `Likeness` says how far the agent is from people as they are, and what that means: the *floor*
  is what the best agent has that does not reason, the *ceiling* what one would have that knew
  people's true means, and `people` what as many other people would have.
- A `Place` says where the agent lies among single people: the share of them with a lower value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.stats import Difference, Estimate

FloorVerdict = Literal[
    "closer than the baseline",
    "farther than the baseline",
    "no significant difference from the baseline",
]


@dataclass(frozen=True)
class Likeness:
    """How like people an agent is.

    Attributes:
        measure: `human_correlation`, where more is nearer, or `human_distance`, where less is.
        labels: The condition.
        estimate: The agent's value, with its interval.
        people: What as many other people would have.
        floor: What the best agent has that does not reason, on the same cells.
        floor_agent: Which one that is.
        ceiling: What an agent would have that knew people's true means.
        gain: How much nearer to people the agent is than the floor, with its interval.
        agent: The agent.
        suite: The suite.
    """

    measure: str
    labels: Mapping[str, str]
    estimate: Estimate
    people: float | None
    floor: float | None
    floor_agent: str
    ceiling: float | None
    gain: Estimate
    agent: str = ""
    suite: str = ""

    @property
    def verdict(self) -> FloorVerdict:
        """Whether the interval of the gain lies beyond 0."""
        if self.gain.low is not None and self.gain.low > 0:
            return "closer than the baseline"
        if self.gain.high is not None and self.gain.high < 0:
            return "farther than the baseline"
        return "no significant difference from the baseline"

    def row(self) -> dict[str, object]:
        """Return it as one flat row, the condition first."""
        found, gain = self.estimate, self.gain
        return {
            "suite": self.suite,
            "agent": self.agent,
            **self.labels,
            "measure": self.measure,
            "agent_value": found.estimate,
            "low": found.low,
            "high": found.high,
            "people": self.people,
            "floor": self.floor,
            "floor_agent": self.floor_agent,
            "ceiling": self.ceiling,
            "gain": gain.estimate,
            "gain_low": gain.low,
            "gain_high": gain.high,
            "verdict": self.verdict,
            "n": found.n,
            "units": found.units,
            "method": found.method,
            "flags": " ".join(found.flags),
        }


@dataclass(frozen=True)
class Place:
    """Where an agent lies among single people.

    Attributes:
        measure: What each person has a value of.
        labels: The condition.
        value: The agent's value.
        share: The share of people with a lower one, ties by halves, with its interval.
        quartiles: The quartiles of the people's values.
        reliability: How much of the spread between people is not noise; None where it is not known.
        agent: The agent.
        suite: The suite.
    """

    measure: str
    labels: Mapping[str, str]
    value: float
    share: Estimate
    quartiles: tuple[float, float, float]
    reliability: float | None
    agent: str = ""
    suite: str = ""

    def row(self) -> dict[str, object]:
        """Return it as one flat row, the condition first."""
        return {
            "suite": self.suite,
            "agent": self.agent,
            **self.labels,
            "measure": self.measure,
            "agent_value": self.value,
            "place": self.share.estimate,
            "place_low": self.share.low,
            "place_high": self.share.high,
            **dict(zip(("quarter", "median", "three_quarters"), self.quartiles, strict=True)),
            "reliability": self.reliability,
            "n": self.share.n,
            "units": self.share.units,
            "method": self.share.method,
            "flags": " ".join(self.share.flags),
        }


@dataclass(frozen=True)
class AgentAmongPeople:
    """What a suite finds about one agent beside people, under all conditions that people judged.

    Attributes:
        differences: The agent minus people, measure by measure.
        likeness: How like people it is.
        places: Where it lies among single people.
        lost: The share of shared cells that the agent lost to errors.
        notes: What was compared and what was not, in words.
    """

    differences: Sequence[Difference]
    likeness: Sequence[Likeness]
    places: Sequence[Place]
    lost: float = 0.0
    notes: Sequence[str] = field(default_factory=tuple)
