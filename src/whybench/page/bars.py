"""An estimate and its interval as a small picture in a row of a table.

All bars of a measure share one scale, so that you can compare them down the page. It runs from 0 to
1, or farther if an interval does, within limits: a very long interval is cut off so that the others
remain readable. The text next to the bar has the same content, so screen readers skip the bar.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log
from typing import TYPE_CHECKING

from markupsafe import Markup

from whybench.numerals import is_determined

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whybench.stats import Measure

WIDTH, HEIGHT, EDGE = 180, 20, 6
"""Size of a bar, and the margin in which marks at its ends have room, in pixels."""

FARTHEST = (-1.0, 1.5)
"""No scale goes beyond these values."""


@dataclass(frozen=True)
class Scale:
    """The values at both ends of a bar, and whether the scale is logarithmic."""

    low: float
    high: float
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """Return where a value lies between the ends, from 0 to 1; at an end if it lies beyond."""
        value = min(max(value, self.low), self.high)
        if self.logarithmic:
            return log(value / self.low) / log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def place(self, value: float) -> float:
        """Return where a value is drawn, in pixels from the left."""
        return round(EDGE + self.share(value) * (WIDTH - 2 * EDGE), 1)

    @property
    def ticks(self) -> tuple[float, ...]:
        """The values with a tick."""
        return (self.low, self.high) if self.logarithmic else (0.0, 0.5, 1.0)


def scale_of(measures: Iterable[Measure]) -> Scale:
    """Return a scale on which all of these measures have room, from 0 to 1 at least.

    The scale of measures that have any positive value is logarithmic, from 1 to 10 at least.
    """
    found = list(measures)
    ends = [
        value
        for measure in found
        for value in (measure.estimate, *_ends(measure), *_general_ends(measure))
        if value is not None
    ]
    if any(measure.range == (0.0, inf) for measure in found):
        return Scale(min(1.0, *ends, 1.0), max(10.0, *ends, 10.0), logarithmic=True)
    low, high = FARTHEST
    return Scale(max(min(0.0, *ends, 0.0), low), min(max(1.0, *ends, 1.0), high))


def _ends(measure: Measure) -> tuple[float, ...]:
    """Return both ends of the interval, if there is one."""
    return () if measure.low is None or measure.high is None else (measure.low, measure.high)


def _general_ends(measure: Measure) -> tuple[float, ...]:
    """Return both ends of the interval for others like what was seen, if there is one."""
    low, high = measure.general_low, measure.general_high
    return () if low is None or high is None else (low, high)


def bar(measure: Measure, scale: Scale) -> Markup:
    """Draw a measure: its interval as a band, its estimate as a point, open if it is unsure.

    A lighter band behind is the interval for others like what was seen.
    """
    middle = HEIGHT / 2
    drawn = [
        f'<line class="axis" x1="{scale.place(scale.low)}" x2="{scale.place(scale.high)}" '
        f'y1="{middle:g}" y2="{middle:g}"/>'
    ]
    for tick in scale.ticks:
        x = scale.place(tick)
        drawn.append(
            f'<line class="axis" x1="{x}" x2="{x}" y1="{middle - 4:g}" y2="{middle + 4:g}"/>'
        )
    bands = {"interval general": _general_ends(measure), "interval": _ends(measure)}
    for kind, ends in bands.items():
        if ends:
            left, right = map(scale.place, ends)
            drawn.append(
                f'<rect class="{kind}" x="{left}" y="{middle - 3:g}" '
                f'width="{max(right - left, 1):.1f}" height="6" rx="1"/>'
            )
    if measure.estimate is not None and is_determined(measure):
        kind = "open" if "small_n" in measure.flags else "estimate"
        drawn.append(
            f'<circle class="{kind}" cx="{scale.place(measure.estimate)}" cy="{middle:g}" r="4"/>'
        )
    return Markup(  # numbers and our own words only
        f'<svg class="bar" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'aria-hidden="true" focusable="false">{"".join(drawn)}</svg>'
    )
