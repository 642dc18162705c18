"""Leak-adjusted determinacy against held-out R², explaining away and the Markov violation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.drawing.charts import Segment, Spot, plot_plane
from whybench.drawing.charts.parts import span
from whybench.drawing.figure import is_people, short_names
from whybench.drawing.style import PEOPLE, SERIES, Look
from whybench.suites.judge.figures.looks import look, measure_name, style_name
from whybench.suites.judge.figures.results import (
    by_place,
    estimated,
    name_place,
    own_agents,
    places_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.drawing.charts import Chart
    from whybench.stats import Measure

AGAINST = ("heldout_r2", "explaining_away", "markov_violation")
MARGIN = 0.06
OWN = 4
"""The first look of one's own agents; those before are of styles and people."""
MARKERS = ("s", "D", "^", "v", "o", "P")
"""The shapes of conditions, in order."""


def determinacy_panels(measures: Sequence[Measure]) -> Chart:
    """Return LAD against the three other measures, a point for each agent and style.

    One's own agents among published ones have looks of their own.

    Args:
        measures: Measures `leak_adjusted_determinacy`, `heldout_r2`, `explaining_away` and
            `markov_violation` of one condition, people among them. Points need both measures of a
            panel.
    """
    known = estimated(measures, "leak_adjusted_determinacy", *AGAINST)
    found = by_place(known)
    names = short_names({agent for agent, _ in found})
    own = own_agents(agent for agent, _ in found)
    series = {agent: "people" for agent in names if is_people(agent)}
    series |= {agent: names[agent] for agent in own}
    spots = [
        Spot(
            of["leak_adjusted_determinacy"].estimate or 0.0,
            of[name].estimate or 0.0,
            measure_name(name),
            series.get(agent, style_name(place.style)),
            names[agent],
            few=any("small_n" in of[one].flags for one in ("leak_adjusted_determinacy", name)),
        )
        for name in AGAINST
        for (agent, place), of in sorted(found.items(), key=lambda one: one[0][0] in own)
        if "leak_adjusted_determinacy" in of and name in of
    ]
    styles = dict.fromkeys(place.style for place in places_of(known))
    looks = {style_name(style): look("styles", style) for style in styles}
    if any(spot.series == "people" for spot in spots):
        looks["people"] = PEOPLE
    looks |= {names[agent]: SERIES[OWN + at % (len(SERIES) - OWN)] for at, agent in enumerate(own)}
    panels = [name for name in map(measure_name, AGAINST) if any(s.panel == name for s in spots)]
    return _plane(spots, panels, looks, ("measure", "agent", "style"))


def determinacy_by_condition(measures: Sequence[Measure]) -> Chart:
    """Return LAD against the three other measures, three panels for each agent.

    A point is a condition and style; points near each other are an agent that reasons alike under
    all. Colours tell styles, and shapes tell conditions.

    Args:
        measures: Measures `leak_adjusted_determinacy`, `heldout_r2`, `explaining_away` and
            `markov_violation` of a few agents, own ones first.
    """
    known = estimated(measures, "leak_adjusted_determinacy", *AGAINST)
    found = by_place(known)
    names = short_names(dict.fromkeys(agent for agent, _ in found))
    own = own_agents(names)
    places = places_of(known)
    shapes = dict(zip(dict.fromkeys(place.condition for place in places), MARKERS, strict=False))
    looks = {
        name_place(place): Look(look("styles", place.style).ink, shapes.get(place.condition, "o"))
        for place in places
    }
    spots = [
        Spot(
            of["leak_adjusted_determinacy"].estimate or 0.0,
            of[name].estimate or 0.0,
            f"{names[agent]}\n{measure_name(name)}",
            name_place(place),
            names[agent],
            few=any("small_n" in of[one].flags for one in ("leak_adjusted_determinacy", name)),
        )
        for agent in [*own, *(agent for agent in names if agent not in own)]
        for (who, place), of in found.items()
        for name in AGAINST
        if who == agent and "leak_adjusted_determinacy" in of and name in of
    ]
    return _plane(spots, list(dict.fromkeys(s.panel for s in spots)), looks,
                  ("measure", "agent", "condition"))  # fmt: skip


def _plane(
    spots: Sequence[Spot],
    panels: Sequence[str],
    looks: Mapping[str, Look],
    words: tuple[str, str, str],
) -> Chart:
    """Return points over LAD, with lines where both measures are 0."""
    across, up = span(spot.x for spot in spots), span(spot.y for spot in spots)
    ends = [(low - MARGIN, high + MARGIN) for low, high in (across, up)]
    return plot_plane(
        spots,
        panels,
        looks,
        across=measure_name("leak_adjusted_determinacy"),
        up="estimate",
        ends=(ends[0], ends[1]),
        segments=[
            Segment((0, ends[1][0]), (0, ends[1][1])),
            Segment((ends[0][0], 0), (ends[0][1], 0)),
        ],
        words=words,
        note=("open: fewer than 60 answers" if any(spot.few for spot in spots) else "",),
    )
