"""Traps against controls: every challenge as a point in the plane of both scores.

Who is right in traps and in controls stands at the upper right. Who falls for traps is right only
where there is none, at the upper left; who cries trap is right only where there is one, at the
lower right. The mean of the two scores cannot tell these two from one who is half right everywhere;
the lesser of them can. Its contours are the light lines, and the twin score of a challenge is at
most that of the line it stands on, since the mean of lesser scores is at most the lesser mean.

Points of a plane that would cover each other, moved apart by as little as it takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke

from whybench.drawing.canvas import even_grid, settle, styled
from whybench.drawing.labels import label_points
from whybench.drawing.marks import add_key, draw_points, is_small, key_of, small_key
from whybench.drawing.panels import agent_panels
from whybench.drawing.style import SMALL, WIDTH, Look, colour, read_table
from whybench.suites.analyze.figures.series import FAMILY_OF, SCORES, profiles_of
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from whybench.stats import Measure
    from whybench.suites.analyze.figures.series import AgentProfile

__all__ = [
    "spread",
    "twin_plane",
]


ROOM = 1.5
"""Room of a point in mm."""
RINGS = 6
"""How many points' widths a point may be moved."""


def spread(at: NDArray[np.float64], room: float = ROOM) -> NDArray[np.float64]:
    """Return where points stand so that no two are nearer than `room`; all in mm.

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


STYLE = read_table(__package__, "style.yaml")
LOOKS = {family: Look.of(entry) for family, entry in STYLE["families"].items()}
TWINS = ("trap", "control")
CONTOURS = (0.2, 0.4, 0.6, 0.8)
CONTOUR: dict[str, Any] = {"color": colour("pale"), "linewidth": 0.7}
OVERALL: dict[str, Any] = {"color": colour("black"), "linewidth": 1.0}
MARGIN = 0.2
"""How far the plane goes on beyond 0 and 1, with room for the names of its corners."""
COLUMNS = 3
LARGEST = 76
"""The most height of a row of panels in mm; panels are square, and less if three stand in a row."""
DENSE = 40
"""How many points make up an arm of the cross."""
NAMES = 8
"""How many challenges are named in a panel, those standing apart first."""


class _Point(NamedTuple):
    """A challenge in the plane."""

    challenge: str
    family: str
    trap: Measure
    control: Measure

    @property
    def at(self) -> tuple[float, float]:
        """Both scores; measures without an estimate were left out."""
        return self.trap.estimate or 0.0, self.control.estimate or 0.0

    @property
    def small(self) -> bool:
        """Whether one of the scores rests on few answers."""
        return is_small(self.trap) or is_small(self.control)


@styled
def twin_plane(measures: Sequence[Measure], families: Mapping[str, str] = FAMILY_OF) -> Figure:
    """Draw each challenge by its scores in traps and in controls, a panel for each agent.

    Agents stand in the order of their twin scores. A cross is the mean over all challenges with
    both 95% intervals. Points that would cover each other are moved apart by as little as it takes.

    Args:
        measures: Measures `score_trap` and `score_control`, overall and at challenges, and
            `twin_score`; others are left out.
        families: Challenges in order, and the family of each.
    """
    placed = [(profile, _points(profile, families)) for profile in profiles_of(measures)]
    placed = [(profile, points) for profile, points in placed if points]
    if not placed:
        raise UserError(
            "measures must hold scores of traps and of controls at challenges, got none"
        )
    _, columns = even_grid(len(placed), COLUMNS)
    height = min(LARGEST, WIDTH / columns + 2)
    figure, panels = agent_panels([profile.labels for profile, _ in placed], COLUMNS, height)
    for axes in panels:
        _draw_plane(axes)
    for axes in panels[-columns:]:
        axes.set_xlabel("mean score in traps")
    for axes in panels[::columns]:
        axes.set_ylabel("mean score in controls")
    drawn = [point for _, points in placed for point in points]
    add_key(figure, _family_keys(drawn))
    add_key(figure, _other_keys(drawn), where="outside lower center")
    settle(figure)  # Where there is room is known only then.
    for axes, (profile, points) in zip(panels, placed, strict=True):
        _draw_profile(axes, profile, points)
    return figure


def _points(profile: AgentProfile, families: Mapping[str, str]) -> list[_Point]:
    found = []
    for challenge, family in families.items():
        trap, control = (profile.find(SCORES[twin], challenge=challenge) for twin in TWINS)
        if trap is not None and control is not None:
            known = family if family in LOOKS else "other"
            found.append(_Point(challenge, known, trap, control))
    return found


def _draw_plane(axes: Axes) -> None:
    """Draw the contours of the twin score, and name the corners."""
    axes.set(xlim=(-MARGIN, 1 + MARGIN), ylim=(-MARGIN, 1 + MARGIN), aspect="equal")
    ticks = [0, *CONTOURS, 1]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
    for height in CONTOURS:
        axes.plot([height, height, 1], [1, height, height], **CONTOUR, zorder=1, gid="contour")
    for corner in STYLE["corners"]:
        right, top = corner["trap"] == 1, corner["control"] == 1
        axes.annotate(
            corner["name"], (float(right), float(top)), (-2 if right else 2, -1 if top else 2),
            xycoords="axes fraction", textcoords="offset points", fontsize=SMALL,
            fontstyle="italic", ha="right" if right else "left", va="top" if top else "bottom",
        )  # fmt: skip


def _overall(profile: AgentProfile) -> list[NDArray[np.float64]]:
    """Return the arms of the cross, each as points close together."""
    trap, control = (profile.find(SCORES[twin]) for twin in TWINS)
    if trap is None or control is None:
        return []
    middle = np.array([trap.estimate, control.estimate], dtype=float)
    arms = []
    for axis, measure in enumerate((trap, control)):
        if measure.low is not None and measure.high is not None:
            arm = np.tile(middle, (DENSE, 1))
            arm[:, axis] = np.linspace(measure.low, measure.high, DENSE)
            arms.append(arm)
    return arms


def _draw_profile(axes: Axes, profile: AgentProfile, points: Sequence[_Point]) -> None:
    at = _apart(axes, np.array([point.at for point in points]))
    for family, look in LOOKS.items():
        mine = [place for place, point in enumerate(points) if point.family == family]
        small = [points[place].small for place in mine]
        draw_points(axes, at[mine, 0].tolist(), at[mine, 1].tolist(), look, small, family)
    arms = _overall(profile)
    for arm in arms:
        axes.plot(*arm.T, **OVERALL, zorder=2, gid="overall")
    # Names keep clear of points without a name too, and so of the cross.
    x, y = np.concatenate([at, *arms]).T.tolist()
    names = [point.challenge.replace("_", " ") for point in points]
    label_points(axes, x, y, [*names, *[""] * (len(x) - len(names))], NAMES)
    for text in axes.texts:
        text.set_path_effects([withStroke(linewidth=1.5, foreground="white")])


def _apart(axes: Axes, at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return where points are drawn so that they do not cover each other."""
    unit = axes.figure.dpi / 25.4
    pixels = spread(axes.transData.transform(at) / unit) * unit
    return np.asarray(axes.transData.inverted().transform(pixels))


def _family_keys(points: Iterable[_Point]) -> list[Line2D]:
    met = {point.family for point in points}
    return [key_of(look, family) for family, look in LOOKS.items() if family in met]


def _other_keys(points: Iterable[_Point]) -> list[Line2D]:
    levels = ", ".join(f"{height:g}" for height in CONTOURS)
    keys = [
        Line2D([], [], **OVERALL, marker="|", markersize=6, label="all challenges, 95% intervals"),
        Line2D([], [], **CONTOUR, label=f"twin score at most {levels}"),
    ]
    return [*keys, small_key()] if any(point.small for point in points) else keys
