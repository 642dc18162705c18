"""All figures of a run, from its records; people stand beside it if they are among them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from whybench.datasets import state
from whybench.drawing.canvas import save
from whybench.drawing.names import file_name, is_people
from whybench.drawing.panels import pages
from whybench.suites.judge.alignment import POOLED, alignment, pooled_ceiling
from whybench.suites.judge.figures.by_condition import consistency_by_condition
from whybench.suites.judge.figures.forest import alignment_forest
from whybench.suites.judge.figures.heat_map import PARAMETERS, parameter_map
from whybench.suites.judge.figures.measures_forest import MEASURES, measures_forest
from whybench.suites.judge.figures.results import Place, places_of
from whybench.suites.judge.figures.sheets import sheets_of
from whybench.suites.judge.figures.slopes import slope_chart
from whybench.suites.judge.figures.tasks_panel import MOST, tasks_panel
from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.modelled import model_agents
from whybench.suites.judge.published import PEOPLE, SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    from matplotlib.figure import Figure

    from whybench.stats import Measure
    from whybench.suites.judge.modelled import Modelled

__all__ = ["judge_figures"]

MOST_SHOWN = 3 * MOST
"""So many agents are in the panels of tasks under one condition, from the first on."""
MOST_BESIDE = 6
"""So many conditions and styles are in one map of parameters."""
CHANGES = ("ea", "mv", "lad", "consistency")

Named = tuple[tuple[str, ...], "Figure"]
"""A figure under the parts of its name: its kind, then what tells it from others of the kind."""


def judge_figures(folder: Path | str, records: pa.Table) -> Iterator[Path]:
    """Compute and write the figures of a run, and yield each file as soon as it is there.

    For each design there are mean judgments by task with what the fitted models predict, the
    measures with intervals, agreement with people where their judgments have been fetched, and
    the parameters of the models. Where a design has several conditions, there are consistency
    under each, and the changes from the first to the others. If only some prompts are
    overloaded, these count in the figures of parameters and of consistency alone.

    Args:
        folder: Where to; it is made if need be.
        records: Records of judge.
    """
    for design, mine in sheets_of(records):
        for (kind, *which), figure in _figures(mine):
            yield from save(figure, folder, "-".join([kind, file_name(design), *which]))


def _figures(records: pa.Table) -> Iterator[Named]:
    models = model_agents(records, resamples=0)  # No figure shows the intervals of parameters.
    measures = [*contrast_measures(records), *(m for model in models for m in model.measures())]
    places = places_of(measures)
    plain = _without_overload(measures, places)
    yield from _tasks(models, plain)
    shown = _chosen(measures, plain, MEASURES)
    if _drawable(shown):
        yield ("measures",), measures_forest(shown)
    if aligned := _aligned(records, plain):
        yield ("alignment",), alignment_forest(aligned, pooled_ceiling(aligned[0].labels["graph"]))
    for style, beside in _maps(places):
        shown = _chosen(measures, beside, PARAMETERS)
        if _drawable(shown):
            yield ("parameters", *style), parameter_map(shown)
    shown = _chosen(measures, places, ("consistency",))
    if len(places) > 1 and _drawable(shown):
        yield ("consistency",), consistency_by_condition(shown)
    before = _chosen(measures, plain[:1], CHANGES)
    for place in plain[1:]:
        after = _chosen(measures, [place], CHANGES)
        if _drawable(before) & _drawable(after):
            yield ("changes", _slug(place)), slope_chart(before, after)


def _drawable(measures: Iterable[Measure]) -> set[tuple[str, str]]:
    """Return which agents have an estimate of which measures."""
    return {
        (measure.labels["agent"], measure.name)
        for measure in measures
        if measure.estimate is not None and not is_people(measure.labels["agent"])
    }


def _without_overload(measures: Iterable[Measure], places: Sequence[Place]) -> Sequence[Place]:
    """Return the places whose prompts are not overloaded, or all if every prompt is."""
    overloaded = {Place.of(m) for m in measures if m.labels["overload"] != "none"}
    return [place for place in places if place not in overloaded] or places


def _chosen(
    measures: Iterable[Measure], places: Sequence[Place], names: Sequence[str]
) -> list[Measure]:
    """Return some measures of agents at some places, and of people, who were asked in one way."""
    return [
        measure
        for measure in measures
        if measure.name in names
        and (is_people(measure.labels["agent"]) or Place.of(measure) in places)
    ]


def _maps(places: Sequence[Place]) -> Iterator[tuple[tuple[str, ...], Sequence[Place]]]:
    """Yield the places of a map of parameters: all, or those of each style if they are many."""
    if len(places) <= MOST_BESIDE:
        yield (), places
        return
    for style in dict.fromkeys(place.style for place in places):
        yield (style,), [place for place in places if place.style == style]


def _tasks(models: Sequence[Modelled], places: Sequence[Place]) -> Iterator[Named]:
    """Yield panels of tasks: people, if they judged this, and so many agents as there is room."""
    people = [model for model in models if is_people(model.group.labels["agent"])]
    for place in places:
        mine = [model for model in models if Place.of(model.group) == place]
        agents = [model for model in mine if model not in people][:MOST_SHOWN]
        beside = [m for m in people if Place.of(m.group).condition == place.condition]
        where = [_slug(place)] if len(places) > 1 else []
        for page, shown in pages(agents, MOST) if agents else [((), [])]:
            yield ("tasks", *where, *page), tasks_panel([*beside[:1], *shown])


def _aligned(records: pa.Table, places: Sequence[Place]) -> list[Measure]:
    """Return the agreement of agents with people, if people's judgments are at hand."""
    if state(SOURCE, PEOPLE) == "not fetched":
        return []
    agents = records.filter([not is_people(agent) for agent in records["agent"].to_pylist()])
    found = (m for m in alignment(agents) if m.labels["story"] == POOLED)
    return [measure for measure in found if Place.of(measure) in places]


def _slug(place: Place) -> str:
    """Return a place as part of a file's name."""
    return re.sub(r"[^a-z]+", "-", f"{place.condition} {place.style}".lower()).strip("-")
