"""Traps against controls: every challenge as a point in the plane of both scores.

Who is right in traps and in controls stands at the upper right. Who falls for traps is right only
where there is none, at the upper left; who cries trap is right only where there is one, at the
lower right. The mean of the two scores cannot tell these two from one who is half right everywhere;
the lesser of them can. Its contours are the light lines, and the twin score of a challenge is at
most that of the line it stands on, since the mean of lesser scores is at most the lesser mean.

Points of a plane that would cover each other are moved apart by as little as it takes, and those
that have room are named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whybench.drawing.charts import Segment, Spot, Writing, plot_plane
from whybench.drawing.figure import distinct_names
from whybench.drawing.grids import even_grid
from whybench.drawing.style import Look, read_table
from whybench.stats import SMALL_N
from whybench.suites.analyze.figures.profiles import FAMILY_OF, SCORES, profiles_of
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from whybench.drawing.charts import Chart
    from whybench.stats import Measure
    from whybench.suites.analyze.figures.profiles import AgentProfile

STYLE = read_table(__package__, "style.yaml")
LOOKS = {family: Look.of(entry) for family, entry in STYLE["families"].items()}
OVERALL = "all challenges"
TWINS = ("trap", "control")
CONTOURS = (0.2, 0.4, 0.6, 0.8)
MARGIN = 0.2
"""How far the plane goes on beyond 0 and 1, with room for the names of its corners."""
COLUMNS = 3
SIZES = {1: (590, 260), 2: (290, 260), 3: (188, 188)}
"""Width and height of a panel on paper in pixels, by the number of panels in a row."""
ROOM = 7.5
"""Room of a point in pixels."""
RINGS = 6
"""How many points' widths a point may be moved."""
NAMES = 8
"""How many challenges are named in a panel, those standing apart first."""
LETTER, LINE = 5.8, 11.0
"""Width of a letter and height of a line in pixels."""


def twin_plane(measures: Sequence[Measure], families: Mapping[str, str] = FAMILY_OF) -> Chart:
    """Return each challenge by its scores in traps and in controls, a panel for each agent.

    Agents stand in the order of their twin scores. A cross is the mean over all challenges with
    both 95% intervals.

    Args:
        measures: Measures `score_trap` and `score_control`, overall and at challenges, and
            `paired_score`; others are left out.
        families: Challenges in order, and the family of each.
    """
    placed = [(profile, _points(profile, families)) for profile in profiles_of(measures)]
    placed = [(profile, points) for profile, points in placed if points]
    if not placed:
        raise UserError(
            "measures must hold scores of traps and of controls at challenges, got none"
        )
    _, columns = even_grid(len(placed), COLUMNS)
    size = SIZES[columns]
    panels = distinct_names([profile.labels for profile, _ in placed])
    spots = [
        spot
        for panel, (_, points) in zip(panels, placed, strict=True)
        for spot in _spots(panel, points, size)
    ]
    met = {spot.series for spot in spots}
    levels = ", ".join(f"{height:g}" for height in CONTOURS)
    ends, ticks = (-MARGIN, 1 + MARGIN), (0, *CONTOURS, 1)
    return plot_plane(
        spots,
        panels,
        {name: look for name, look in LOOKS.items() if name in met},
        across="mean score in traps",
        up="mean score in controls",
        ends=(ends, ends),
        ticks=(ticks, ticks),
        segments=[
            Segment((height, height), end, "contour")
            for height in CONTOURS
            for end in ((height, 1.0), (1.0, height))
        ],
        writings=_corners(),
        words=("agent", "challenge", "family"),
        note=[
            f"light lines: twin score at most {levels}",
            "bars: 95% intervals" if OVERALL in met else "",
            f"open: fewer than {SMALL_N} answers" if any(spot.few for spot in spots) else "",
            "points that would cover each other stand a little aside",
        ],
        columns=COLUMNS,
        height=size[1],
    )


class _Point(NamedTuple):
    """A challenge in the plane, or all of them."""

    name: str
    family: str
    trap: Measure
    control: Measure

    @property
    def at(self) -> tuple[float, float]:
        """Both scores; measures without an estimate were left out."""
        return self.trap.estimate or 0.0, self.control.estimate or 0.0


def _points(profile: AgentProfile, families: Mapping[str, str]) -> list[_Point]:
    """Return the challenges of which both scores are known, and where there are any, their mean."""
    found = []
    for challenge, family in families.items():
        trap, control = (profile.find(SCORES[twin], challenge=challenge) for twin in TWINS)
        if trap is not None and control is not None:
            known = family if family in LOOKS else "other"
            found.append(_Point(challenge.replace("_", " "), known, trap, control))
    trap, control = (profile.find(SCORES[twin]) for twin in TWINS)
    if found and trap is not None and control is not None:
        found.insert(0, _Point(OVERALL, OVERALL, trap, control))
    return found


def _spots(panel: str, points: Sequence[_Point], size: tuple[int, int]) -> list[Spot]:
    """Return points apart from each other, with names beside those that have room for them."""
    unit = np.array(size) / (1 + 2 * MARGIN)
    # What stays is the first: the mean over all, whose intervals cross in it.
    at = spread(np.array([point.at for point in points]) * unit, ROOM)
    sides = _name_sides(points, at, size)
    spots = []
    for place, (point, side) in enumerate(zip(points, sides, strict=True)):
        whole = point.family == OVERALL
        x, y = (at[place] / unit).tolist()
        spots.append(
            Spot(
                *point.at, panel, point.family, point.name,
                across=(point.trap.low, point.trap.high) if whole else (None, None),
                up=(point.control.low, point.control.high) if whole else (None, None),
                few="small_n" in {*point.trap.flags, *point.control.flags},
                label=point.name if side else "", left=side < 0, moved=(x, y),
            )
        )  # fmt: skip
    return spots


def _name_sides(
    points: Sequence[_Point], at: NDArray[np.float64], size: tuple[int, int]
) -> list[int]:
    """Return on which side each point is named: 1 right, -1 left, 0 where there is no room."""
    unit = np.array(size) / (1 + 2 * MARGIN)
    low, high = -MARGIN * unit, (1 + MARGIN) * unit
    half = ROOM / 2
    taken = [(x - half, y - half, x + half, y + half) for x, y in at]
    for point in points[:1]:
        if point.family == OVERALL:  # Its arms are in the way of names too.
            (x, y), trap, control = at[0], point.trap, point.control
            if None not in (trap.low, trap.high):
                taken.append((trap.low * unit[0], y - 1, trap.high * unit[0], y + 1))
            if None not in (control.low, control.high):
                taken.append((x - 1, control.low * unit[1], x + 1, control.high * unit[1]))
    gaps = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    np.fill_diagonal(gaps, np.inf)
    sides = [0] * len(points)
    for place in np.argsort(-gaps.min(axis=1), kind="stable"):
        if points[place].family == OVERALL or sum(map(abs, sides)) == NAMES:
            continue
        x, y = at[place]
        wide = 6 + LETTER * len(points[place].name)
        for side in (1, -1):
            ends = sorted((x + side * 5, x + side * wide))
            box = (ends[0], y - LINE / 2, ends[1], y + LINE / 2)
            # The uppermost and the lowest line are those of the corners' names.
            inside = box[0] >= low[0] and box[2] <= high[0]
            inside &= box[1] >= low[1] + LINE + 2 and box[3] <= high[1] - LINE - 2
            if inside and not any(_overlap(box, other) for other in taken):
                taken.append(box)
                sides[place] = side
                break
    return sides


Box = tuple[float, float, float, float]


def _overlap(one: Box, two: Box) -> bool:
    return one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]


def _corners() -> list[Writing]:
    """Name the corners: who stands there."""
    return [
        Writing(
            (1 + MARGIN if corner["trap"] else -MARGIN + 0.02,
             1 + MARGIN if corner["control"] else -MARGIN + 0.02),
            corner["name"],
            align="right" if corner["trap"] else "left",
            baseline="top" if corner["control"] else "bottom",
        )
        for corner in STYLE["corners"]
    ]  # fmt: skip


def spread(at: NDArray[np.float64], room: float = ROOM) -> NDArray[np.float64]:
    """Return where points stand so that no two are nearer than `room`; all in pixels.

    The first point stays; each further one goes to the free place nearest its own, so that points
    of one place lie like coins pushed together around it.

    >>> spread(np.array([[0, 0], [9, 9], [0, 0]]), 2.0).tolist()
    [[0.0, 0.0], [9.0, 9.0], [2.0, 0.0]]
    """
    found = np.array(at, dtype=float)
    for place in range(len(found)):
        spots = found[place] + room * _LATTICE
        gaps = np.hypot(*(spots[:, None] - found[None, :place]).transpose(2, 0, 1))
        free = np.flatnonzero(gaps.min(axis=1, initial=np.inf) >= room * 0.999)
        if free.size:
            found[place] = spots[free[0]]
    return found


def _lattice() -> NDArray[np.float64]:
    """Return the places of a triangular lattice of unit width, from the middle outwards."""
    steps = np.arange(-RINGS, RINGS + 1)
    one, two = (grid.ravel() for grid in np.meshgrid(steps, steps))
    spots = np.column_stack([one + two / 2, two * 3**0.5 / 2])
    far = np.hypot(*spots.T).round(9)
    around = np.arctan2(spots[:, 1], spots[:, 0]).round(9) % (2 * np.pi)
    order = np.lexsort([around, far])
    return np.asarray(spots[order[far[order] <= RINGS]])


_LATTICE = _lattice()
