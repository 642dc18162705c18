"""The source's results, recomputed from its raw data.

People and some thirty models under the four published conditions, read by the published recipe:
everything that the source prints and that we measure, in tables of flat rows. Where the source
pools what we keep apart (the two sources of distracting text), it is pooled here too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from whybench.suites.judge.alignment import alignment, human_ceiling
from whybench.suites.judge.differences import story_differences
from whybench.suites.judge.groups import CONDITION, measure_of
from whybench.suites.judge.imported import CONDITIONS, printed_name, published_records
from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.modelled import Modelled, model_agents
from whybench.suites.judge.people import mean_records, people_records
from whybench.suites.judge.robustness import changes
from whybench.suites.judge.tallies import tallies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from whybench.stats import Measure

__all__ = ["POOLED", "replicate"]

POOLED = tuple(name for name in CONDITION if name != "overload_source")

WARM = "[temperature=0.7]"

Tables = dict[str, list[dict[str, Any]]]


def replicate(resamples: int = 2000) -> Tables:
    """Recompute the published results: name of a table to its rows.

    Args:
        resamples: Resamples of every bootstrap interval.
    """
    people, means = people_records("collider"), mean_records()
    answered = {design: published_records(design) for design in CONDITIONS}
    printed = {design: _as_printed(records) for design, records in answered.items()}
    tested = {**printed, "published": _stacked(printed["published"], _as_printed(means))}
    measured = [m for records in printed.values() for m in contrast_measures(records, POOLED)]
    human = list(contrast_measures(_as_printed(means), POOLED))
    (human_ea,) = (measure.estimate for measure in human if measure.name == "ea")
    models = [
        model
        for records in (means, people, *answered.values())
        for model in model_agents(records, resamples, POOLED)
        if WARM not in model.group.labels["agent"]
    ]
    return {
        "people": [*_rows([*human, *contrast_measures(people, POOLED)]), *_ceilings(people)],
        "alignment": list(_rows(alignment(printed["published"], unit="row", resamples=resamples))),
        "story_differences": [
            difference.row()
            for records in tested.values()
            for difference in story_differences(records)
        ],
        "measures": list(_rows(measured)),
        "fits": [_fit_row(model) for model in models],
        "tallies": [tally.row() for tally in tallies(measured, human_ea or 0.0)],
        "changes": [change.row() for change in changes([*measured, *_as_measures(models)])],
    }


def _as_printed(records: pa.Table) -> pa.Table:
    """Return records under the names that the source prints.

    The source counts replies at temperature 0.7 with the others of a model, except in fits.
    """
    import pyarrow as pa  # noqa: PLC0415

    names = pa.array([printed_name(agent) for agent in records["agent"].to_pylist()])
    return records.set_column(records.column_names.index("agent"), "agent", names)


def _stacked(*tables: pa.Table) -> pa.Table:
    import pyarrow as pa  # noqa: PLC0415

    return pa.concat_tables(tables, promote_options="default")


def _ceilings(people: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield the noise ceilings of alignment: the collider's people and the fork's."""
    for table in (people, people_records("fork")):
        yield from _rows(human_ceiling(table))


def _rows(measures: Iterable[Measure]) -> Iterator[dict[str, Any]]:
    for measure in measures:
        yield measure.row()


def _fit_row(model: Modelled) -> dict[str, Any]:
    labels = model.group.labels
    row: dict[str, Any] = {
        **labels,
        "agent": printed_name(labels["agent"]),
        "parameters": len(model.scheme.parameters),
        "n": model.group.units.size,
        "consistency": model.consistency.estimate,
        "class_consistency": model.class_consistency.estimate,
        "rmse": model.rmse,
        "r2": model.r2,
        "mae": model.mae,
        "flags": " ".join(model.flags),
    }
    for name, estimate in model.estimates.items():
        row |= {
            name: estimate.estimate,
            f"{name}_low": estimate.low,
            f"{name}_high": estimate.high,
        }
    return row


def _as_measures(models: Iterable[Modelled]) -> Iterator[Measure]:
    for model in models:
        labels = {**model.group.labels, "agent": printed_name(model.group.labels["agent"])}
        for name, estimate in (("lad", model.estimates["lad"]), ("consistency", model.consistency)):
            yield replace(measure_of(model.group, name, estimate, estimate.method), labels=labels)
