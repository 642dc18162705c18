"""Valid or not, consistent or not: every composition as a point in the plane of both differences.

Across stands how far the product of the answered steps is from the true whole, up how far it is
from the answered whole, each as a share of the larger number. The bands of ±delta cut the plane
into the four classes. A composition has one only if both its intervals lie within a band or beyond
it; else its point is open. A composition without any answered effect has no place in the plane and
is counted beside it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.drawing.charts import Segment, Spot, Writing, plot_plane
from whybench.drawing.figure import distinct_names
from whybench.drawing.style import Look, read_table
from whybench.suites.compose.verdicts import CLASSES, DELTA
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.drawing.charts import Chart
    from whybench.suites.compose.comparisons import Composition

TABLE = read_table(__package__, "style.yaml")["classes"]
LOOKS = {name: Look.of(entry) for name, entry in TABLE.items()}
EDGE = 1.1
"""Where the plane ends, if no point lies farther out: differences of positive numbers end at 1."""


@dataclass(frozen=True)
class Classified:
    """The compositions of one agent.

    Attributes:
        labels: Whose they are: the agent, and its condition.
        compositions: The compositions of all worlds.
    """

    labels: Mapping[str, str]
    compositions: tuple[Composition, ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield each composition as a flat row."""
        for found in self.compositions:
            about = {"path": " ".join(map(str, found.path)), "quantity": found.quantity}
            ends = {
                f"{name}_{end}": getattr(compared.ratio, end)
                for name, compared in (("valid", found.valid), ("consistent", found.consistent))
                for end in ("estimate", "low", "high")
            }
            yield {**self.labels, **about, **ends, "class": found.kind}


def class_plane(agents: Sequence[Classified], delta: float = DELTA) -> Chart:
    """Return the compositions of each agent by validity and consistency, a panel for each agent.

    Agents stand in the order of their share of valid and consistent compositions. Thin lines are
    95% intervals.

    Args:
        agents: The compositions of each agent.
        delta: The share that is too small to matter, by which verdicts were given.
    """
    if not any(agent.compositions for agent in agents):
        raise UserError("agents must have compositions to draw, got none")
    ordered = sorted(agents, key=_share, reverse=True)
    names = distinct_names([agent.labels for agent in ordered])
    panels = [f"{name}\n{_counted(agent)}" for name, agent in zip(names, ordered, strict=True)]
    edge = max([EDGE, *(1.1 * end for agent in agents for end in _ends(agent))])
    spots = [
        spot for panel, agent in zip(panels, ordered, strict=True) for spot in _spots(agent, panel)
    ]
    met = {spot.series for spot in spots}
    ticks = [-1, -delta, delta, 1]
    return plot_plane(
        spots,
        panels,
        {TABLE[kind]["name"]: look for kind, look in LOOKS.items() if TABLE[kind]["name"] in met},
        across="validity: product of the answered steps against the true whole",
        up="consistency: against the answered whole",
        ends=((-edge, edge), (-edge, edge)),
        ticks=(ticks, ticks),
        segments=list(_square(delta)),
        bands=[("x", -delta, delta), ("y", -delta, delta)],
        writings=list(_regions(delta, edge)),
        words=("agent", "composition", "class"),
        note=(
            "thin lines: 95% intervals",
            "open: inconclusive" if TABLE["inconclusive"]["name"] in met else "",
        ),
    )


def _spots(agent: Classified, panel: str) -> Iterator[Spot]:
    """Yield the compositions of an agent that have a place in the plane."""
    for found in agent.compositions:
        valid, consistent = found.valid.ratio, found.consistent.ratio
        if found.kind in LOOKS:
            yield Spot(
                valid.estimate or 0.0,
                consistent.estimate or 0.0,
                panel,
                TABLE[found.kind]["name"],
                f"{found.quantity} along {' '.join(map(str, found.path))}",
                (valid.low, valid.high),
                (consistent.low, consistent.high),
                few=found.kind == "inconclusive",
            )


def _share(agent: Classified) -> float:
    kinds = [found.kind for found in agent.compositions]
    return kinds.count("VC") / max(len(kinds), 1)


def _ends(agent: Classified) -> list[float]:
    """Return how far out the ends of all intervals lie."""
    return [
        abs(end)
        for found in agent.compositions
        for side in (found.valid, found.consistent)
        for end in (side.ratio.estimate, side.ratio.low, side.ratio.high)
        if end is not None
    ]


def _counted(agent: Classified) -> str:
    """Return how many compositions there are of each class that was met."""
    met = Counter(found.kind for found in agent.compositions)
    return ", ".join(f"{met[kind]} {kind}" for kind in CLASSES if met[kind]) or "no compositions"


def _square(delta: float) -> Iterator[Segment]:
    """Yield the sides of what is too small to matter both ways."""
    for side in (-delta, delta):
        yield Segment((side, -delta), (side, delta))
        yield Segment((-delta, side), (delta, side))


def _regions(delta: float, edge: float) -> Iterator[Writing]:
    """Yield the names of what the bands cut out, each in the upper left of its region."""
    inside, outside = -delta + 0.03, -edge + 0.04
    for name, x, y in (
        ("VC", inside, delta),
        ("VI", inside, edge),
        ("VI", inside, -delta),
        ("IC", outside, delta),
        ("IC", delta + 0.03, delta),
        *(("II", across, up) for across in (outside, delta + 0.03) for up in (edge, -delta)),
    ):
        yield Writing((x, y - 0.03), name, baseline="top")
