"""The chart of a measure on a card: a line for each agent above an axis with reference lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from whybench.numerals import estimate_text, is_determined, measure_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from whybench.page.bars import Scale
    from whybench.stats import Measure
    from whybench.suites.sentences import PeoplesValue

FEW = 4
"""The largest number of agents that have a line and a color each."""

WIDTH, EDGE, LINE, FOOT, SECOND = 320, 12, 12, 18, 12
"""Sizes in pixels: width and margin of a chart, height of a line, height of the labels, and that of
a second line of labels."""
TOP = 5
FIRST = 60
"""Left of this a label begins at its line."""
APART, CLOSE = 28, 100
"""Labels at lines nearer than the first are one below the other; nearer than the second, the left
one ends at its line."""
NUMBERS = 34
"""Width of the numbers on the right, in pixels."""


def draw_chart(
    shown: Mapping[str, Measure | None],
    marks: Mapping[str, float],
    scale: Scale,
    title: str,
    people: PeoplesValue | None = None,
) -> Markup:
    """Draw the agents' estimates and intervals above an axis with labeled reference lines."""
    known = {agent: one for agent, one in shown.items() if one and one.estimate is not None}
    many = len(shown) > FEW
    lines = 2 if many else len(shown)
    base = TOP + LINE * lines + 2
    axis = _Axis(scale, marks)
    left, right = axis.place(scale.low), axis.place(scale.high)
    drawn = [f'<line class="axis" x1="{left}" x2="{right}" y1="{base}" y2="{base}"/>']
    for end, x, anchor in ((scale.low, left, "start"), (scale.high, right, "middle")):
        if all(abs(axis.place(value) - x) > FIRST for value in axis.marks.values()):
            number = f"{end:.2g}".replace("-", "−")
            drawn.append(
                f'<text class="end" x="{x}" y="{base + 15}" text-anchor="{anchor}">{number}</text>'
            )
    if people is not None and people.low is not None and people.high is not None:
        x, width = axis.place(people.low), axis.place(people.high) - axis.place(people.low)
        words = f"the middle half of people: {people.low:.2f} to {people.high:.2f}"
        drawn.append(
            f'<rect class="people-range" x="{x}" y="{TOP - 4}" width="{width:.1f}" '
            f'height="{base - TOP + 4}"><title>{words}</title></rect>'
        )
    for place, (mark, value) in enumerate(axis.marks.items()):
        x, anchor = axis.place(value), axis.anchor(place)
        drawn.append(f'<line class="mark" x1="{x}" x2="{x}" y1="{TOP - 4}" y2="{base + 4}"/>')
        below = base + 15 + (SECOND if axis.is_near(place) else 0)
        label = f"{escape(mark)} {value:.2g}".replace("-", "−")
        drawn.append(f'<text x="{x}" y="{below}" text-anchor="{anchor}">{label}</text>')
    for place, (agent, one) in enumerate(shown.items()):
        y = TOP + LINE / 2 + LINE * (0 if many else place)
        if one is None or one.estimate is None:
            if not many:
                drawn.append(f'<text class="none" x="{left}" y="{y + 4}">no estimate</text>')
            continue
        finding = escape(f"{agent}: {title} {measure_text(one)}")
        kind = "open" if "small_n" in one.flags else "estimate"
        parts = [f"<title>{finding}</title>"]
        if one.low is not None and one.high is not None:
            x1, x2 = axis.place(one.low), axis.place(one.high)
            parts.append(f'<line class="interval" x1="{x1}" x2="{x2}" y1="{y}" y2="{y}"/>')
        x = axis.place(one.estimate)
        number = "?"
        if is_determined(one):
            parts.append(f'<circle class="{kind}" cx="{x}" cy="{y}" r="4.5"/>')
            number = estimate_text(one).replace("-", "−")
        parts.append(f'<text class="number" x="{WIDTH}" y="{y + 4}">{number}</text>')
        color = "one" if many else place
        hidden = " hidden" if many and place else ""
        drawn.append(
            f'<g class="agent color-{color}" data-agent="{place}"{hidden}>{"".join(parts)}</g>'
        )
        if many:
            y = TOP + LINE * 1.5
            drawn.append(
                f'<line class="tick" x1="{x}" x2="{x}" y1="{y - 5}" y2="{y + 5}">'
                f"<title>{finding}</title></line>"
            )
    height = base + FOOT + SECOND * any(map(axis.is_near, range(len(axis.marks))))
    return Markup(  # numbers and escaped words only
        f'<svg class="panel" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(title)} of {len(known)} agents; tables follow below">'
        f"{''.join(drawn)}</svg>"
    )


class _Axis:
    """Places values on a chart's axis, and separates labels that would overlap."""

    def __init__(self, scale: Scale, marks: Mapping[str, float]) -> None:
        self.scale = scale
        ordered = sorted(marks.items(), key=lambda entry: entry[1])
        self.marks = {name: v for name, v in ordered if scale.low <= v <= scale.high}

    def place(self, value: float) -> float:
        return round(EDGE + self.scale.share(value) * (WIDTH - 2 * EDGE - NUMBERS), 1)

    def anchor(self, place: int) -> str:
        """Return which end of a label stands at its line, so that the last two do not overlap."""
        if self._left(place) < FIRST:
            return "start"
        last = place == len(self.marks) - 2 and APART < self._gap(place + 1) < CLOSE
        return "end" if last else "middle"

    def is_near(self, place: int) -> bool:
        """Whether a label must go below the label before it."""
        return place % 2 == 1 and self._gap(place) < CLOSE and self.anchor(place - 1) != "end"

    def _gap(self, place: int) -> float:
        return self._left(place) - self._left(place - 1)

    def _left(self, place: int) -> float:
        return self.place(list(self.marks.values())[place])
