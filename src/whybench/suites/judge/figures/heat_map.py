"""The parameters of agents' models as a heat map: agents by parameter and condition."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from whybench.drawing.charts import MapCell, plot_cells
from whybench.drawing.figure import is_people, short_names
from whybench.suites.judge.figures.looks import measure_name
from whybench.suites.judge.figures.results import (
    StyledCondition,
    by_place,
    estimated,
    own_agents,
    places_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.drawing.charts import Chart
    from whybench.stats import Measure

PARAMETERS = ("prior", "leak", "strength", "leak_adjusted_determinacy")
MOST_NUMBERED = 5
"""In so many columns a parameter's cells have room for numbers, and names for several lines."""

Found = dict[tuple[str, StyledCondition], dict[str, "Measure"]]


def parameter_map(measures: Sequence[Measure], parameters: Sequence[str] = PARAMETERS) -> Chart:
    """Return the parameters of each agent, a column for each condition and style.

    People come first, then agents by LAD in the first column; those with too few answers there
    come last. Small cells rest on few answers, empty ones have no estimate. Numbers are
    hundredths, and are left out where columns are too many for them.

    Args:
        measures: Measures of these names, `leak_adjusted_determinacy` among them.
        parameters: Which are drawn.
    """
    known = estimated(measures, *parameters)
    places = places_of(known)
    found = by_place(known) | _people_everywhere(known, places)
    agents = sorted(
        dict.fromkeys(m.labels["agent"] for m in known),
        key=lambda agent: _rank(agent, found, places),
    )
    names = short_names(agents)
    alone = len({place.style for place in places}) == 1
    columns = {place: place.condition if alone else "\n".join(place) for place in places}
    if crowded := len(places) > MOST_NUMBERED:
        columns = {place: name.replace("\n", " ") for place, name in columns.items()}
    panels = {
        name: "LAD" if name == "leak_adjusted_determinacy" else measure_name(name)
        for name in parameters
    }
    cells = [
        MapCell(measure, names[agent], columns[place], panels[name])
        for (agent, place), mine in found.items()
        if place in columns
        for name, measure in mine.items()
    ]
    return plot_cells(
        cells,
        [names[agent] for agent in agents],
        list(columns.values()),
        list(panels.values()),
        heads=[names[agent] for agent in own_agents(agents)],
        numbered=not crowded,
        words=("agent", "condition", "parameter"),
    )


def _people_everywhere(measures: Sequence[Measure], places: Sequence[StyledCondition]) -> Found:
    """Return people's measures under every style: they were asked in one way."""
    found: Found = {}
    for measure in measures:
        for place in places:
            agent = measure.labels["agent"]
            if is_people(agent) and StyledCondition.of(measure).condition == place.condition:
                found.setdefault((agent, place), {})[measure.name] = measure
    return found


def _rank(agent: str, found: Found, places: Sequence[StyledCondition]) -> tuple[int, float]:
    if is_people(agent):
        return -1, 0.0
    for rank, place in enumerate(places):
        lad = found.get((agent, place), {}).get("leak_adjusted_determinacy")
        if lad is not None and lad.estimate is not None and "small_n" not in lad.flags:
            return rank, -lad.estimate
    return len(places), inf
