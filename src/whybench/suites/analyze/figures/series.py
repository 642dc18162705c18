"""What is drawn alike in the panels of all agents: points, intervals, and their keys.

What the figures of analyze are drawn from: the measures of each agent, found by key.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from matplotlib.lines import Line2D

from whybench.drawing.marks import draw_points, is_small, small_key
from whybench.drawing.style import MARKER, Look, read_table
from whybench.stats import MeasureKey
from whybench.suites.analyze.challenges import CHALLENGES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes

    from whybench.stats import Level, Measure

__all__ = [
    "FAMILY_OF",
    "SCORES",
    "TICKS",
    "AgentProfile",
    "Series",
    "profiles_of",
    "series",
    "series_keys",
]


TICKS = ([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
"""Ticks of scores and shares."""


class Series(NamedTuple):
    """What is drawn alike in all panels.

    Attributes:
        kind: Its name in tables and in an SVG.
        name: What it is, for the key.
        look: How it looks.
        aside: How far it stands beside its place.
    """

    kind: str
    name: str
    look: Look
    aside: float

    def draw(
        self, axes: Axes, found: Sequence[tuple[float, Measure]], *, upright: bool = True
    ) -> None:
        """Draw measures at their places, with intervals: places across, or if not upright, down."""
        places = [place + self.aside for place, _ in found]
        values = [measure.estimate or 0.0 for _, measure in found]  # all of them have one
        for place, (_, measure) in zip(places, found, strict=True):
            if measure.low is not None and measure.high is not None:
                ends = ([place, place], [measure.low, measure.high])
                axes.plot(*(ends if upright else ends[::-1]), color=self.look.colour,
                          linewidth=1.1, zorder=3, gid=f"interval-{self.kind}")  # fmt: skip
        x, y = (places, values) if upright else (values, places)
        small = [is_small(measure) for _, measure in found]
        draw_points(axes, x, y, self.look, small, self.kind)

    def key(self, *, line: bool = False) -> Line2D:
        """Return its key, with the line if one joins its points."""
        return Line2D(
            [], [], color=self.look.colour, linestyle=self.look.line if line else "none",
            marker=self.look.marker, markersize=MARKER, linewidth=0.9, label=self.name,
        )  # fmt: skip


def series(*kinds: str) -> list[Series]:
    """Return series by name."""
    table = read_table(__package__, "style.yaml")["series"]
    return [
        Series(kind, table[kind]["name"], Look.of(table[kind]), table[kind]["aside"])
        for kind in kinds
    ]


def series_keys(
    drawn: Iterable[Series], measures: Iterable[Measure], *, line: bool = False
) -> list[Line2D]:
    """Return the keys of series, and of open points if any of the measures is drawn so."""
    keys = [one.key(line=line) for one in drawn]
    return [*keys, small_key()] if any(map(is_small, measures)) else keys


SCORES = {"trap": "score_trap", "control": "score_control", "twin": "twin_score"}
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
