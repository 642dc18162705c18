"""All figures of a run, from its records; people stand beside it if they are among them.

Which records are drawn together: those of one family of designs (a design and what was changed from
it), and beside them people who judged such stories and published models that were asked the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from whybench.drawing.figure import Figure, figures_by_design, is_people, is_published
from whybench.drawing.grids import pages
from whybench.drawing.style import read_table
from whybench.frames import rows_of
from whybench.suites.designs import design_family
from whybench.suites.groups import GROUP_KEYS
from whybench.suites.judge.figures.forest import (
    MEASURES,
    change_forest,
    human_correlation_forest,
    measure_by_condition,
    measures_forest,
)
from whybench.suites.judge.figures.heat_map import PARAMETERS, parameter_map
from whybench.suites.judge.figures.results import StyledCondition, own_agents, places_of
from whybench.suites.judge.figures.tasks_panel import MOST, tasks_panel
from whybench.suites.judge.fitted_models import fit_agents
from whybench.suites.judge.groups import CONDITION
from whybench.suites.judge.human_correlation import human_correlations, pooled_ceiling
from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.published import people_are_fetched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.stats import Measure
    from whybench.suites.judge.fitted_models import FittedModel


@dataclass
class _Sheet:
    """Designs of one family that are drawn together: no agent met a condition in two of them."""

    name: str
    hashes: set[tuple[str, str]] = field(default_factory=set)
    met: set[tuple[str, ...]] = field(default_factory=set)
    conditions: set[tuple[str, ...]] = field(default_factory=set)

    def has(self, row: Mapping[str, str], alone: bool) -> bool:
        """Say whether answers of such an agent, design and condition are drawn here."""
        if is_people(row["agent"]):
            return any(_world(row) == _world_of(condition) for condition in self.conditions)
        if is_published(row["agent"]) and not alone:
            return _condition(row) in self.conditions
        return (row["design"], row["design_hash"]) in self.hashes


def sheets_of(records: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield the records of each family of designs under its name, and who stands beside them.

    People stand beside designs about such stories as they judged, published models where they were
    asked the same; where nobody else was asked, these have sheets of their own. Where an agent met
    one condition in two designs of a family, as in two changed ones, the second is drawn apart and
    has a number after the name. Records of nobody but people are one sheet.
    """
    keys = [*GROUP_KEYS, *CONDITION]
    rows = records.group_by(keys, use_threads=False).aggregate([]).to_pylist()
    agents = [row for row in rows if not is_people(row["agent"])]
    own = [row for row in agents if not is_published(row["agent"])]
    sheets = _sheets(own or agents)
    whose = list(zip(*(records[name].to_pylist() for name in keys), strict=True))
    for place, sheet in enumerate(sheets):
        drawn = {tuple(row[key] for key in keys) for row in rows if sheet.has(row, not own)}
        again = sum(other.name == sheet.name for other in sheets[:place])
        name = f"{sheet.name}-{again + 1}" if again else sheet.name
        yield name, records.filter([one in drawn for one in whose])
    if not sheets:
        yield "people", records


def _sheets(rows: Sequence[Mapping[str, str]]) -> list[_Sheet]:
    runs: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for row in rows:
        runs.setdefault((row["design"], row["design_hash"]), []).append(row)
    sheets: list[_Sheet] = []
    for run, mine in runs.items():
        name = design_family(run[0])
        met = {(row["agent"], *_condition(row)) for row in mine}
        fitting = [sheet for sheet in sheets if sheet.name == name and not sheet.met & met]
        if not fitting:
            sheets.append(_Sheet(name))
        sheet = fitting[0] if fitting else sheets[-1]
        sheet.hashes.add(run)
        sheet.met |= met
        sheet.conditions |= {_condition(row) for row in mine}
    return sheets


def _condition(row: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(row[name] for name in CONDITION)


def _world(row: Mapping[str, str]) -> tuple[str, str]:
    """Return what people were asked about: a graph, and the content of stories."""
    return row["graph"], row["content"]


def _world_of(condition: tuple[str, ...]) -> tuple[str, str]:
    return _world(dict(zip(CONDITION, condition, strict=True)))


CAPTIONS: Mapping[str, str] = read_table(__package__, "style.yaml")["captions"]
"""What one sees in each kind of figure and what that means."""
MOST_SHOWN = 3 * MOST
"""So many agents are in the panels of tasks, from the first on, where there is one condition."""
MOST_ROWS = 48
"""Where measures would have more rows, each has a figure of its own, with conditions as panels."""
MOST_BESIDE = 6
"""So many conditions and styles are in one map of parameters."""
CHANGES = ("explaining_away", "markov_violation", "leak_adjusted_determinacy", "heldout_r2")


def judge_figures(records: pa.Table) -> Iterator[Figure]:
    """Yield the figures of a run.

    For each design there are mean judgments by task with what the fitted models predict, the
    measures with intervals, agreement with people where their judgments have been fetched, and
    the parameters of the models. Where a design has several conditions, there are held-out R²
    under each, and the changes from the first to the others. If only some prompts are
    overloaded, these count in the figures of parameters and of held-out R² alone.

    Args:
        records: Records of judge.
    """
    return figures_by_design(records, _figures, sheets_of)


def _figures(design: str, records: pa.Table) -> Iterator[Figure]:
    models = fit_agents(records, resamples=0)  # No figure shows the intervals of parameters.
    measures = [*contrast_measures(records), *(m for model in models for m in model.measures())]
    places = places_of(measures)
    plain = _without_overload(measures, places)
    yield from _tasks(design, models, plain)
    shown = _chosen(measures, plain, MEASURES)
    drawable = _drawable(shown)
    if len({agent for agent, _ in drawable}) * len(plain) <= MOST_ROWS and drawable:
        yield make_figure(f"measures-{design}", measures_forest, shown)
    elif drawable:
        for name in sorted({name for _, name in drawable} - {"heldout_r2"}):  # drawn below
            every = _chosen(measures, places, (name,))
            yield make_figure(f"measures-{design}-{name}", measure_by_condition, every, name)
    if aligned := _aligned(records, plain):
        ceiling = pooled_ceiling(aligned[0].labels["graph"])
        yield make_figure(f"human_correlation-{design}", human_correlation_forest, aligned, ceiling)
    for style, beside in _maps(places):
        shown = _chosen(measures, beside, PARAMETERS)
        if _drawable(shown):
            yield make_figure("-".join(["parameters", design, *style]), parameter_map, shown)
    shown = _chosen(measures, places, ("heldout_r2",))
    if len(places) > 1 and _drawable(shown):
        yield make_figure(f"heldout_r2-{design}", measure_by_condition, shown, "heldout_r2")
    before = _chosen(measures, plain[:1], CHANGES)
    for place in plain[1:]:
        after = _chosen(measures, [place], CHANGES)
        if _drawable(before) & _drawable(after):
            yield make_figure(f"changes-{design}-{_slug(place)}", change_forest, before, after)


def make_figure(name: str, plot: Callable[..., Any], *given: Any) -> Figure:
    """Return a figure of what is given, with the caption of its kind, the first word of its name.

    Args:
        name: The stem of its files.
        plot: Makes a chart, or a drawing that knows its rows.
        *given: What the figure is made from, and its rows.
    """
    rows = tuple(rows_of(*given)) or None
    kind = name.split("-", maxsplit=1)[0]
    return Figure(name, partial(plot, *given), rows, caption=CAPTIONS[kind])


def _drawable(measures: Iterable[Measure]) -> set[tuple[str, str]]:
    """Return which agents have an estimate of which measures."""
    return {
        (measure.labels["agent"], measure.name)
        for measure in measures
        if measure.estimate is not None and not is_people(measure.labels["agent"])
    }


def _without_overload(
    measures: Iterable[Measure], places: Sequence[StyledCondition]
) -> Sequence[StyledCondition]:
    """Return the places whose prompts are not overloaded, or all if every prompt is."""
    overloaded = {StyledCondition.of(m) for m in measures if m.labels["overload"] != "none"}
    return [place for place in places if place not in overloaded] or places


def _chosen(
    measures: Iterable[Measure], places: Sequence[StyledCondition], names: Sequence[str]
) -> list[Measure]:
    """Return some measures of agents at some places, and of people, who were asked in one way."""
    return [
        measure
        for measure in measures
        if measure.name in names
        and (is_people(measure.labels["agent"]) or StyledCondition.of(measure) in places)
    ]


def _maps(
    places: Sequence[StyledCondition],
) -> Iterator[tuple[tuple[str, ...], Sequence[StyledCondition]]]:
    """Yield the places of a map of parameters: all, or those of each style if they are many."""
    if len(places) <= MOST_BESIDE:
        yield (), places
        return
    for style in dict.fromkeys(place.style for place in places):
        yield (style,), [place for place in places if place.style == style]


def _tasks(
    design: str, models: Sequence[FittedModel], places: Sequence[StyledCondition]
) -> Iterator[Figure]:
    """Yield panels of tasks: people, if they judged this, and so many agents as there is room.

    Published models beside one's own agents are left out. Under several conditions there is one
    panel for each, with the first agents.
    """
    most = MOST_SHOWN if len(places) == 1 else MOST
    own = own_agents(model.group.labels["agent"] for model in models)
    people = [model for model in models if is_people(model.group.labels["agent"])]
    for place in places:
        mine = [model for model in models if StyledCondition.of(model.group) == place]
        agents = [
            model
            for model in mine
            if model not in people and (not own or model.group.labels["agent"] in own)
        ][:most]
        beside = [m for m in people if StyledCondition.of(m.group).condition == place.condition]
        where = [_slug(place)] if len(places) > 1 else []
        alone: list[tuple[tuple[str, ...], Sequence[FittedModel]]] = [((), [])] if beside else []
        for page, shown in pages(agents, MOST) if agents else alone:
            name = "-".join(["tasks", design, *where, *page])
            yield make_figure(name, tasks_panel, [*beside[:1], *shown])


def _aligned(records: pa.Table, places: Sequence[StyledCondition]) -> list[Measure]:
    """Return the agreement of agents with people, if people's judgments are at hand."""
    if not people_are_fetched():
        return []
    agents = records.filter([not is_people(agent) for agent in records["agent"].to_pylist()])
    found = human_correlations(agents, by_story=False)
    return [measure for measure in found if StyledCondition.of(measure) in places]


def _slug(place: StyledCondition) -> str:
    """Return a place as part of a file's name."""
    return re.sub(r"[^a-z]+", "-", f"{place.condition} {place.style}".lower()).strip("-")
