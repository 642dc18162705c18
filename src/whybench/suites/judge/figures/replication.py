"""All figures of the published replies: people and some thirty models under four conditions.

Models at temperature 0 only: the few that were also asked at 0.7 would count twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.drawing.figure import is_people
from whybench.suites.contract import UserError
from whybench.suites.judge.alignment import alignment, pooled_ceiling
from whybench.suites.judge.figures.determinacy import determinacy_panels
from whybench.suites.judge.figures.forest import (
    alignment_forest,
    change_forest,
    consistency_by_condition,
)
from whybench.suites.judge.figures.heat_map import parameter_map
from whybench.suites.judge.figures.release import measures_by_release
from whybench.suites.judge.figures.run import make_figure
from whybench.suites.judge.figures.tasks_panel import tasks_panel
from whybench.suites.judge.fitted_models import fit_agents, model_measures
from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.published import mean_records
from whybench.suites.judge.published_replies import CONDITIONS, printed_name, published_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.stats import Measure
    from whybench.suites.judge.published_replies import ReplyParser

__all__ = ["replication_figures"]

STYLES = ("direct", "cot")
SHOWN = ("gemini-2.5-pro", "gpt-4o", "claude-3-haiku-20240307")
"""Models beside people in the tasks panel: near the normative answers, between, and far off."""
CHANGES = ("ea", "mv", "lad", "consistency")


def replication_figures(
    parser: ReplyParser = "recipe", shown: Sequence[str] = SHOWN
) -> Iterator[Figure]:
    """Yield the figures.

    Args:
        parser: How the published replies are read, `recipe` or `own`.
        shown: Models of the tasks panel, by their printed names.
    """
    people = mean_records()
    first = _at_zero(published_records("published", STYLES, parser))
    models = fit_agents(_chosen(people, first, shown), resamples=0)
    yield make_figure("tasks", tasks_panel, models)

    ceiling = pooled_ceiling("collider")
    yield make_figure("alignment", alignment_forest, alignment(first), ceiling)

    measures = [*_measures(people), *_measures(first)]
    for design in [design for design in CONDITIONS if design != "published"]:
        measures += _measures(_at_zero(published_records(design, STYLES, parser)))
    for style in STYLES:
        mine = [m for m in measures if m.labels["style"] == style or is_people(m.labels["agent"])]
        yield make_figure(f"parameters-{style}", parameter_map, mine)
    yield make_figure("consistency", consistency_by_condition, measures)

    plain = [m for m in measures if m.labels["design"] in ("people", "published")]
    yield make_figure("determinacy", determinacy_panels, plain)
    direct, cot = ([m for m in plain if m.labels["style"] == style] for style in STYLES)
    before = _of(direct, CHANGES)
    yield make_figure("changes-style", change_forest, before, _of(cot, CHANGES))
    abstract = [m for m in measures if m.labels["design"] == "published-abstract"]
    other = [m for m in abstract if m.labels["style"] == "direct"]
    yield make_figure("changes-content", change_forest, before, _of(other, CHANGES))
    yield make_figure("release", measures_by_release, plain)


def _measures(records: pa.Table) -> list[Measure]:
    """Compute measures without intervals of parameters, which no figure shows."""
    return [*contrast_measures(records), *model_measures(records, resamples=0)]


def _of(measures: Sequence[Measure], names: Sequence[str]) -> list[Measure]:
    return [m for name in names for m in measures if m.name == name]


def _at_zero(records: pa.Table) -> pa.Table:
    return records.filter([not agent.endswith("]") for agent in records["agent"].to_pylist()])


def _chosen(people: pa.Table, records: pa.Table, shown: Sequence[str]) -> pa.Table:
    """Return people and the shown models, who reply with a number, in this order."""
    import pyarrow as pa  # noqa: PLC0415  (not for every use)

    agents = [printed_name(agent) for agent in records["agent"].to_pylist()]
    if unknown := [name for name in shown if name not in agents]:
        raise UserError(f"shown must be published models, got {', '.join(unknown)}")
    direct = [style == "direct" for style in records["style"].to_pylist()]
    parts = [
        records.filter(
            [agent == name and number for agent, number in zip(agents, direct, strict=True)]
        )
        for name in shown
    ]
    return pa.concat_tables([people.drop_columns(["person"]), *parts], promote_options="default")
