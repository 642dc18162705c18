"""The source's results, recomputed from its raw data.

People and some thirty models under the four published conditions, read by the published recipe:
everything that the source prints and that we measure, in tables of flat rows. Where the source
pools what we keep apart (the two sources of distracting text), it is pooled here too.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from whybench.suites.judge.alignment import alignment, human_ceiling
from whybench.suites.judge.differences import condition_changes, story_differences
from whybench.suites.judge.fitted_models import FittedModel, fit_agents
from whybench.suites.judge.groups import CONDITION, make_measure
from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.published import mean_records, people_records
from whybench.suites.judge.published_replies import CONDITIONS, printed_name, published_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from whybench.stats import Measure
    from whybench.suites.judge.differences import ConditionChange, Difference

__all__ = ["POOLED", "count_agents", "replicate"]

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
    with_people = pa.concat_tables(
        [printed["published"], _as_printed(means)], promote_options="default"
    )
    tested = [with_people if name == "published" else table for name, table in printed.items()]
    ceilings = [*human_ceiling(people), *human_ceiling(people_records("fork"))]
    measured = [m for records in printed.values() for m in contrast_measures(records, POOLED)]
    human = list(contrast_measures(_as_printed(means), POOLED))
    (human_ea,) = (measure.estimate for measure in human if measure.name == "ea")
    models = [
        model
        for records in (means, people, *answered.values())
        for model in fit_agents(records, resamples, POOLED)
        if WARM not in model.group.labels["agent"]
    ]
    return {
        "people": _rows([*human, *contrast_measures(people, POOLED), *ceilings]),
        "alignment": _rows(alignment(printed["published"], unit="row", resamples=resamples)),
        "story_differences": [
            row for records in tested for row in _rows(story_differences(records))
        ],
        "measures": _rows(measured),
        "fits": [_fit_row(model) for model in models],
        "tallies": list(count_agents(measured, human_ea or 0.0)),
        "changes": _rows(condition_changes([*measured, *_as_measures(models)])),
    }


def _as_printed(records: pa.Table) -> pa.Table:
    """Return records under the names that the source prints.

    The source counts replies at temperature 0.7 with the others of a model, except in fits.
    """
    names = pa.array([printed_name(agent) for agent in records["agent"].to_pylist()])
    return records.set_column(records.column_names.index("agent"), "agent", names)


def count_agents(measures: Iterable[Measure], human_ea: float) -> Iterator[dict[str, Any]]:
    """Count agents by their explaining away and Markov violation, condition by condition.

    Args:
        measures: Measures `ea` and `mv`, such as `judge_measures` computes. People among them do
            not count as agents.
        human_ea: People's explaining away.

    Yields:
        Three rows for each condition: the criterion, the number of agents that meet it, how many
        agents were counted (`n`), and who was not, for being flagged `small_n` (`left_out`).
    """
    conditions: dict[tuple[tuple[str, str], ...], dict[str, list[Measure]]] = {}
    for measure in measures:
        if not measure.labels["agent"].startswith("human/"):
            key = tuple(item for item in measure.labels.items() if item[0] in CONDITION)
            conditions.setdefault(key, defaultdict(list))[measure.name].append(measure)
    criteria: list[tuple[str, str, Callable[[float], bool]]] = [
        ("ea above people's", "ea", lambda ea: ea > human_ea),
        ("ea > 0.3", "ea", lambda ea: ea > 0.3),
        ("|mv| <= 0.05", "mv", lambda mv: abs(mv) <= 0.05),
    ]
    for condition, by_name in conditions.items():
        for criterion, name, is_met in criteria:
            small = [measure for measure in by_name[name] if "small_n" in measure.flags]
            counted = [m for m in by_name[name] if "small_n" not in m.flags]
            values = [m.estimate for m in counted if m.estimate is not None]
            yield {
                **dict(condition),
                "criterion": criterion,
                "number": sum(map(is_met, values)),
                "n": len(values),
                "left_out": " ".join(measure.labels["agent"] for measure in small),
            }


def _rows(results: Iterable[Measure | Difference | ConditionChange]) -> list[dict[str, Any]]:
    return [result.row() for result in results]


def _fit_row(model: FittedModel) -> dict[str, Any]:
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
    for name, found in model.estimates.items():
        row |= {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
    return row


def _as_measures(models: Iterable[FittedModel]) -> Iterator[Measure]:
    for model in models:
        labels = {**model.group.labels, "agent": printed_name(model.group.labels["agent"])}
        for name, estimate in (("lad", model.estimates["lad"]), ("consistency", model.consistency)):
            yield replace(make_measure(model.group, name, estimate, estimate.method), labels=labels)
