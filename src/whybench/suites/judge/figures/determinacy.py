"""Leak-adjusted determinacy against consistency, explaining away and the Markov violation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.drawing.charts import Segment, Spot, plot_plane
from whybench.drawing.charts.parts import span
from whybench.drawing.figure import is_people, short_names
from whybench.drawing.style import PEOPLE
from whybench.suites.judge.figures.looks import look, measure_name, style_name
from whybench.suites.judge.figures.results import by_place, estimated, places_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.drawing.charts import Chart
    from whybench.stats import Measure

__all__ = ["determinacy_panels"]

AGAINST = ("consistency", "ea", "mv")
MARGIN = 0.06


def determinacy_panels(measures: Sequence[Measure]) -> Chart:
    """Return LAD against the three other measures, a point for each agent and style.

    Args:
        measures: Measures `lad`, `consistency`, `ea` and `mv` of one condition, people among them.
            Points need both measures of a panel.
    """
    known = estimated(measures, "lad", *AGAINST)
    found = by_place(known)
    names = short_names({agent for agent, _ in found})
    spots = [
        Spot(
            of["lad"].estimate or 0.0,
            of[name].estimate or 0.0,
            measure_name(name),
            "people" if is_people(agent) else style_name(place.style),
            names[agent],
            few=any("small_n" in of[one].flags for one in ("lad", name)),
        )
        for name in AGAINST
        for (agent, place), of in found.items()
        if "lad" in of and name in of
    ]
    styles = dict.fromkeys(place.style for place in places_of(known))
    looks = {style_name(style): look("styles", style) for style in styles}
    if any(spot.series == "people" for spot in spots):
        looks["people"] = PEOPLE
    across, up = span(spot.x for spot in spots), span(spot.y for spot in spots)
    ends = [(low - MARGIN, high + MARGIN) for low, high in (across, up)]
    return plot_plane(
        spots,
        [name for name in map(measure_name, AGAINST) if any(s.panel == name for s in spots)],
        looks,
        across=measure_name("lad"),
        up="estimate",
        ends=(ends[0], ends[1]),
        segments=[
            Segment((0, ends[1][0]), (0, ends[1][1])),
            Segment((ends[0][0], 0), (ends[0][1], 0)),
        ],
        words=("measure", "agent", "style"),
        note=("open: fewer than 60 answers" if any(spot.few for spot in spots) else "",),
    )
