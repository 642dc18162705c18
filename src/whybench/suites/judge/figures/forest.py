"""Forests: measures of each agent with intervals, beside people's and what could be reached.

Several measures stand side by side (`measures_forest`), one measure under several conditions
(`human_correlation_forest`, `measure_by_condition`), or some measures before and after
(`change_forest`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from whybench.drawing.charts import Guide, ShownEstimate, plot_points, span_of
from whybench.drawing.estimates import rank
from whybench.drawing.figure import distinct_names, is_people, short_names
from whybench.drawing.style import SERIES
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

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.drawing.charts import Chart
    from whybench.drawing.style import Look
    from whybench.stats import Measure

MEASURES = ("heldout_r2", "explaining_away", "markov_violation")
DISTANCES = ("rmse", "mae")
"""Measures from 0 on, whose axis goes as far as they do."""
MOST_CONDITIONS = 4
"""So many panels of conditions are in a row; five, if there are no more."""


def human_correlation_forest(measures: Sequence[Measure], ceiling: Measure | None = None) -> Chart:
    """Return each agent's correlation with people, a panel for each condition and style.

    Agents stand in the order of this correlation in the first panel; last those that have none
    there, or too few answers to be ranked. A cross is an agent without a rho.

    Args:
        measures: Measures `human_correlation`; those of single stories and of people are left out.
        ceiling: People's `human_correlation_ceiling`, drawn as a band.
    """
    pooled = [
        measure
        for measure in measures
        if measure.name == "human_correlation"
        and not measure.at
        and not is_people(measure.labels["agent"])
    ]
    if not pooled:
        raise UserError("measures must hold pooled alignments, got none")
    other = any("other_stimuli" in measure.flags for measure in pooled)
    across = measure_name("human_correlation") + ("; people read other words" if other else "")
    return _by_place(pooled, across, _guide(ceiling, "ceiling: what people's noise allows"))


def measure_by_condition(
    measures: Sequence[Measure],
    name: str = "heldout_r2",
    below: Mapping[str, str] | None = None,
) -> Chart:
    """Return one measure of each agent, a panel for each condition, with all styles in a row.

    Agents stand in the order of the first condition and style; people are a line.

    Args:
        measures: Measures, those of this name among them.
        name: The measure.
        below: By condition, what stands below its name.
    """
    known = estimated(measures, name)
    mine = [m for m in known if not is_people(m.labels["agent"])]
    guide = _guide(of_people(known, name), "people", people=True)
    places = places_of(mine)
    found = {(m.labels["agent"], StyledCondition.of(m)): m for m in mine}
    agents = sorted(
        dict.fromkeys(m.labels["agent"] for m in mine),
        key=lambda agent: rank([found.get((agent, place)) for place in places]),
    )
    names = short_names(agents)
    notes = below or {}
    panels = {
        place.condition: f"{place.condition.replace(chr(10), ' ')}\n{notes[place.condition]}"
        if place.condition in notes
        else place.condition.replace("\n", " ")
        for place in places
    }
    ends = span_of(known)
    if name in DISTANCES:
        ends = (0.0, max(m.estimate or 0.0 for m in known))
    return plot_points(
        [
            ShownEstimate(m, names[agent], panels[place.condition], style_name(place.style))
            for (agent, place), m in found.items()
        ],
        [names[agent] for agent in agents],
        list(panels.values()),
        looks=_styles(places),
        guides=dict.fromkeys(panels.values(), guide) if guide else {},
        heads=[names[agent] for agent in own_agents(agents)],
        columns=MOST_CONDITIONS if len(panels) > MOST_CONDITIONS + 1 else len(panels),
        across=measure_name(name),
        words=("agent", "condition", "style"),
        ends=ends,
    )


def _by_place(measures: Sequence[Measure], across: str, guide: Guide | None) -> Chart:
    """Return one measure, a row for each agent and a panel for each condition and style."""
    places = places_of(measures)
    found = {(m.labels["agent"], StyledCondition.of(m)): m for m in measures}
    agents = sorted(
        dict.fromkeys(m.labels["agent"] for m in measures),
        key=lambda agent: rank([found.get((agent, place)) for place in places]),
    )
    names = short_names(agents)
    panels = {place: name_place(place) for place in places}
    shown = [
        ShownEstimate(m, names[agent], panels[place], style_name(place.style))
        for (agent, place), m in found.items()
    ]
    return plot_points(
        shown,
        [names[agent] for agent in agents],
        list(panels.values()),
        looks=_styles(places),
        guides=dict.fromkeys(panels.values(), guide) if guide else {},
        across=across,
        heads=[names[agent] for agent in own_agents(agents)],
        words=("agent", "condition", "style"),
        ends=span_of(measures, guide),
    )


def measures_forest(measures: Sequence[Measure], names: Sequence[str] = MEASURES) -> Chart:
    """Return measures of each agent under each condition with 95% intervals, a panel for each.

    Rows stand in the order of the first measure; last those that have none, or too few answers to
    be ranked. A cross is a measure without an estimate. People are a line.

    Args:
        measures: Measures of one graph, people's among them if they are to be beside.
        names: Which measures are drawn, where there are any.
    """
    known = estimated(measures, *names)
    drawn = [name for name in names if any(m.name == name for m in known)]
    found: dict[tuple[tuple[str, str], ...], dict[str, Measure]] = {}
    for measure in measures:
        if measure.name in drawn and not is_people(measure.labels["agent"]):
            found.setdefault(tuple(measure.labels.items()), {})[measure.name] = measure
    rows = sorted(found, key=lambda row: rank([found[row].get(drawn[0])]))
    labels = [dict(row) for row in rows]
    shown = [
        ShownEstimate(measure, title, measure_name(name), style_name(label["style"]))
        for row, label, title in zip(rows, labels, distinct_names(labels), strict=True)
        for name, measure in found[row].items()
    ]
    people = {name: _guide(of_people(known, name), "people", people=True) for name in drawn}
    own = own_agents(label["agent"] for label in labels)
    titles = distinct_names(labels)
    return plot_points(
        shown,
        titles,
        [measure_name(name) for name in drawn],
        heads=[t for t, label in zip(titles, labels, strict=True) if label["agent"] in own],
        looks=_styles(places_of(known)),
        guides={measure_name(name): guide for name, guide in people.items() if guide},
        words=("agent", "measure", "style"),
    )


def human_correlation_by_story(measures: Sequence[Measure]) -> Chart:
    """Return each agent's correlation with people in each story and in all, by style.

    Args:
        measures: Measures `human_correlation` of one condition; those of people are left out.
    """
    known = [
        m for m in estimated(measures, "human_correlation") if not is_people(m.labels["agent"])
    ]
    places = places_of(known)
    pooled = {(m.labels["agent"], StyledCondition.of(m)): m for m in known if not m.at}
    agents = sorted(
        dict.fromkeys(m.labels["agent"] for m in known),
        key=lambda agent: rank([pooled.get((agent, place)) for place in places]),
    )
    names = short_names(agents)
    stories = list(dict.fromkeys(str(m.at["story"]) for m in known if m.at))
    return plot_points(
        [
            ShownEstimate(
                replace(m, general_low=None, general_high=None),
                names[m.labels["agent"]],
                name_place(StyledCondition.of(m)),
                str(m.at.get("story", "all stories")),
            )
            for m in known
        ],
        [names[agent] for agent in agents],
        [name_place(place) for place in places],
        looks=dict(zip(["all stories", *stories], SERIES, strict=False)),
        heads=[names[agent] for agent in own_agents(agents)],
        columns=2,
        across=measure_name("human_correlation"),
        words=("agent", "condition", "story"),
        ends=span_of(known),
    )


def change_forest(before: Sequence[Measure], after: Sequence[Measure]) -> Chart:
    """Return measures of each agent at two places, in one row, a panel for each measure.

    Agents that rise most in the first measure come first. Agents found at one place only are left
    out; people, who were asked once, are a line.

    Args:
        before: Measures of one condition and style.
        after: The same measures of another.
    """
    names = [name for name in dict.fromkeys(m.name for m in before) if _pairs(before, after, name)]
    if not names:
        raise UserError("before and after must share agents and measures, got none in common")
    pairs = {name: _pairs(before, after, name) for name in names}
    agents = list(dict.fromkeys(agent for name in names for agent in pairs[name]))
    agents.sort(key=lambda agent: -_change(*pairs[names[0]].get(agent, (None, None))))
    short = short_names(agents)
    sides = [name_place(_place(side)) for side in (before, after)]
    shown = [
        ShownEstimate(measure, short[agent], measure_name(name), side)
        for name in names
        for agent, both in pairs[name].items()
        for side, measure in zip(sides, both, strict=True)
    ]
    people = {name: _guide(of_people(before, name), "people", people=True) for name in names}
    return plot_points(
        shown,
        [short[agent] for agent in agents],
        [measure_name(name) for name in names],
        looks=dict(zip(sides, SERIES[1:], strict=False)),
        heads=[short[agent] for agent in own_agents(agents)],
        guides={measure_name(name): guide for name, guide in people.items() if guide},
        words=("agent", "measure", "place"),
    )


def _pairs(
    before: Sequence[Measure], after: Sequence[Measure], name: str
) -> dict[str, tuple[Measure, Measure]]:
    """Return, by agent, the estimates of a measure on both sides."""
    sides = [
        {m.labels["agent"]: m for m in side if m.name == name and m.estimate is not None}
        for side in (before, after)
    ]
    return {
        agent: (m, sides[1][agent])
        for agent, m in sides[0].items()
        if agent in sides[1] and not is_people(agent)
    }


def _change(before: Measure | None, after: Measure | None) -> float:
    if before is None or after is None:
        return float("-inf")
    return (after.estimate or 0.0) - (before.estimate or 0.0)


def _place(measures: Sequence[Measure]) -> StyledCondition:
    return StyledCondition.of(next(m for m in measures if not is_people(m.labels["agent"])))


def _styles(places: Sequence[StyledCondition]) -> dict[str, Look]:
    styles = dict.fromkeys(place.style for place in places)
    return {style_name(style): look("styles", style) for style in styles}


def _guide(measure: Measure | None, name: str, *, people: bool = False) -> Guide | None:
    if measure is None or measure.estimate is None:
        return None
    return Guide(name, measure.estimate, measure.low, measure.high, people)
