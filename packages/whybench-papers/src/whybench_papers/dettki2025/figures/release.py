"""Measures against release dates."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from whybench.drawing.charts import Segment, Spot, plot_plane, span_of
from whybench.drawing.figure import is_people, short_names
from whybench.suites.contract import UserError
from whybench.suites.judge.figures.looks import look, measure_name, style_name
from whybench.suites.judge.figures.results import (
    StyledCondition,
    estimated,
    name_place,
    of_people,
    own_agents,
    places_of,
)
from whybench_papers.dettki2025.models import released

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from whybench.drawing.charts import Chart
    from whybench.stats import Measure

MEASURES = ("leak_adjusted_determinacy", "explaining_away", "markov_violation", "heldout_r2")


HEIGHT = 130
"""Height of a panel in pixels, where there are panels of several conditions."""


def measures_by_release(measures: Sequence[Measure], names: Sequence[str] = MEASURES) -> Chart:
    """Return measures against release dates: a panel for each measure, condition and style.

    People are a line. One's own agents among published ones are written beside their points; where
    no date is known, they are a dashed line. Others without one are left out and counted below.

    Args:
        measures: Measures of one or more conditions.
        names: Which measures are drawn.
    """
    known = estimated(measures, *names)
    agents = [m for m in known if not is_people(m.labels["agent"])]
    dated = {m.labels["agent"]: found for m in agents if (found := released(m.labels["agent"]))}
    if not dated:
        raise UserError("measures must hold models with a known release date, got none")
    shown = [m for m in agents if m.labels["agent"] in dated]
    places = places_of(shown)
    several = len({place.condition for place in places}) > 1
    panels = {
        (name, place): name_place(place)
        if several and len(names) == 1
        else f"{measure_name(name)}\n{name_place(place) if several else style_name(place.style)}"
        for place in places
        for name in names
    }
    own = own_agents(m.labels["agent"] for m in agents)
    short = short_names(dated)
    spots = [
        Spot(
            _year(day),
            m.estimate or 0.0,
            panels[m.name, StyledCondition.of(m)],
            provider,
            short[m.labels["agent"]],
            few="small_n" in m.flags,
            label=short[m.labels["agent"]] if m.labels["agent"] in own else "",
        )
        for m in shown
        for provider, day in (dated[m.labels["agent"]],)
    ]
    years = [_year(day) for _, day in dated.values()]
    first, last = min(years) - 0.2, max(years) + 0.2
    people = [
        Segment((first, of.estimate or 0.0), (last, of.estimate or 0.0), "people-line", panel)
        for (name, _), panel in panels.items()
        for of in (of_people(known, name),)
        if of is not None
    ]
    undated = {m.labels["agent"] for m in agents} - {*dated}
    lines = [
        Segment((first, m.estimate or 0.0), (last, m.estimate or 0.0), panel=panel)
        for m in agents
        if m.labels["agent"] in undated.intersection(own)
        and (panel := panels.get((m.name, StyledCondition.of(m))))
    ]
    undrawn = undated.difference(own)
    drawn = ", ".join(short_names(agent for agent in own if agent in undated).values())
    return plot_plane(
        spots,
        list(panels.values()),
        {name: look("providers", name) for name in sorted({spot.series for spot in spots})},
        across="release date",
        up=measure_name(names[0]) if len(names) == 1 else "estimate",
        ends=((first, last), span_of(known)),
        ticks=([half / 2 for half in range(ceil(2 * first), int(2 * last) + 1)], None),
        segments=[*people, *lines],
        columns=4 if several else 3,
        height=HEIGHT if several else 180,
        words=("measure", "agent", "provider"),
        note=(
            "line: people" if people else "",
            "open: fewer than 60 answers" if any(spot.few for spot in spots) else "",
            f"dashed line: {drawn}" if drawn else "",
            f"without a known date: {len(undrawn)} agents" if undrawn else "",
        ),
    )


def _year(day: date) -> float:
    """Return a day as a number of years."""
    return round(day.year + (day.timetuple().tm_yday - 1) / 365.25, 2)
