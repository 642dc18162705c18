"""The chart of a style: each agent as a point in the plane of two measures, with people's values.

A style has no better end, so there is no baseline and no exact value: lines mark 0 on both axes. A
shaded box is the middle half of people in each measure, with a cross at people's mean judgments.
With many agents only the chosen one has intervals and a name, among points for the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup, escape

from whybench.numerals import is_determined, measure_text
from whybench.page.card_charts import FEW

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from whybench.page.bars import Scale
    from whybench.stats import Measure
    from whybench.suites.sentences import PeoplesValue

WIDTH, HEIGHT = 320, 148
LEFT, RIGHT, TOP, BOTTOM = 30, 308, 18, 114
"""Ends of both axes in pixels."""

LINE = 12
"""The least distance of two names, in pixels."""
LONGEST = 22
"""The length of a name on the plane; longer ones are cut."""


@dataclass(frozen=True)
class Axis:
    """One measure of the plane.

    Attributes:
        title: Its name for people to read.
        shown: The measure of each agent; None if it was not measured.
        scale: The values at both ends.
        ends: Where these values lie, in pixels.
        people: People's value, if it is known.
    """

    title: str
    shown: Mapping[str, Measure | None]
    scale: Scale
    ends: tuple[int, int]
    people: PeoplesValue | None = None

    def place(self, value: float) -> float:
        """Return where a value lies, in pixels; at an end if it lies beyond."""
        return round(self.ends[0] + self.scale.share(value) * (self.ends[1] - self.ends[0]), 1)


class _AgentPoint(NamedTuple):
    """An agent with an estimate of both measures, and where it lies."""

    place: int
    agent: str
    across: Measure
    up: Measure
    x: float
    y: float


def draw_plane(across: Axis, up: Axis) -> Markup:
    """Draw the agents' estimates and intervals in the plane of two measures."""
    points = list(_points(across, up))
    many = len(across.shown) > FEW
    heights = [point.y for point in points] if many else _spread([point.y for point in points])
    drawn = [*_frame(across, up), *_people(across, up)]
    for point, height in zip(points, heights, strict=True):
        if many:
            drawn.append(
                f'<circle class="other" cx="{point.x}" cy="{point.y}" r="2.5">'
                f"<title>{escape(point.agent)}</title></circle>"
            )
        color, hidden = ("one", " hidden" if point.place else "") if many else (point.place, "")
        drawn.append(
            f'<g class="agent color-{color}" data-agent="{point.place}"{hidden}>'
            f"{_draw_point(across, up, point)}{_draw_name(point, height)}</g>"
        )
    words = f"{across.title} by {up.title} of {len(points)} agents; tables follow below"
    return Markup(  # numbers and escaped words only
        f'<svg class="panel" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(words)}">{"".join(drawn)}</svg>'
    )


def _points(across: Axis, up: Axis) -> Iterator[_AgentPoint]:
    for place, (agent, one) in enumerate(across.shown.items()):
        two = up.shown[agent]
        if one and two and one.estimate is not None and two.estimate is not None:
            x, y = across.place(one.estimate), up.place(two.estimate)
            yield _AgentPoint(place, agent, one, two, x, y)


def _frame(across: Axis, up: Axis) -> Iterator[str]:
    """Yield both axes with their ends and titles, and the lines at 0."""
    x, y = across.place(0.0), up.place(0.0)
    for kind, x1, x2, y1, y2 in (
        ("axis", LEFT, RIGHT, BOTTOM, BOTTOM),
        ("axis", LEFT, LEFT, TOP, BOTTOM),
        ("mark", x, x, TOP, BOTTOM),
        ("mark", LEFT, RIGHT, y, y),
    ):
        yield f'<line class="{kind}" x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}"/>'
    for axis, anchor in ((across, "middle"), (up, "end")):
        for value in (axis.scale.low, 0.0, axis.scale.high):
            place = axis.place(value)
            left, below = (place, BOTTOM + 13) if axis is across else (LEFT - 4, place + 4)
            number = f"{value:.2g}".replace("-", "−")
            yield f'<text class="end" x="{left}" y="{below}" text-anchor="{anchor}">{number}</text>'
    yield f'<text x="{RIGHT}" y="{BOTTOM + 29}" text-anchor="end">{escape(across.title)} →</text>'
    yield f'<text x="{LEFT - 22}" y="10">↑ {escape(up.title)}</text>'


def _people(across: Axis, up: Axis) -> Iterator[str]:
    """Yield the middle half of people as a box, and the value of people's means as a cross."""
    one, two = across.people, up.people
    if one is None or two is None:
        return
    if (
        one.low is not None
        and one.high is not None
        and two.low is not None
        and two.high is not None
    ):
        left, right = across.place(one.low), across.place(one.high)
        above, below = up.place(two.high), up.place(two.low)
        words = "; ".join(
            f"{axis.title} {value.low:.2f} to {value.high:.2f}"
            for axis, value in ((across, one), (up, two))
        )
        yield (
            f'<rect class="people-range" x="{left}" y="{above}" width="{right - left:.1f}" '
            f'height="{below - above:.1f}">'
            f"<title>the middle half of people: {escape(words)}</title></rect>"
        )
    x, y = across.place(one.value), up.place(two.value)
    yield f'<path class="axis" d="M{x - 4} {y}h8M{x} {y - 4}v8"/>'
    yield f'<text x="{x - 6}" y="{y - 3}" text-anchor="end">people</text>'


def _draw_point(across: Axis, up: Axis, point: _AgentPoint) -> str:
    """Return an agent's two intervals, and its point if both measures can be determined."""
    parts = []
    for axis, one in ((across, point.across), (up, point.up)):
        words = escape(f"{point.agent}: {axis.title} {measure_text(one)}")
        line = ""
        if one.low is not None and one.high is not None:
            low, high = axis.place(one.low), axis.place(one.high)
            x1, x2, y1, y2 = (low, high, point.y, point.y)
            if axis is up:
                x1, x2, y1, y2 = (point.x, point.x, low, high)
            line = f'<line class="interval" x1="{x1}" x2="{x2}" y1="{y1}" y2="{y2}"/>'
        parts.append(f"<g><title>{words}</title>{line}</g>")
    if is_determined(point.across) and is_determined(point.up):
        few = "small_n" in (*point.across.flags, *point.up.flags)
        kind = "open" if few else "estimate"
        parts.append(f'<circle class="{kind}" cx="{point.x}" cy="{point.y}" r="4.5"/>')
    return "".join(parts)


def _draw_name(point: _AgentPoint, height: float) -> str:
    """Return an agent's name next to its point, on the side with more space."""
    short = point.agent.rpartition("/")[2]
    short = short if len(short) <= LONGEST else f"{short[: LONGEST - 1]}…"
    x, anchor = (point.x - 8, "end") if point.x > (LEFT + RIGHT) / 2 else (point.x + 8, "start")
    return (
        f'<text class="name" x="{x:.1f}" y="{height - 5:.1f}" text-anchor="{anchor}">'
        f"{escape(short)}</text>"
    )


def _spread(heights: Sequence[float]) -> list[float]:
    """Return heights that are at least a line apart, in the same order from the top."""
    found, last = [0.0] * len(heights), -float(LINE)
    for place in sorted(range(len(heights)), key=heights.__getitem__):
        found[place] = last = max(heights[place], last + LINE)
    return found
