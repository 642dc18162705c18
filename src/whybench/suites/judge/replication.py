"""The source's results, recomputed from its raw data, with or without agents of one's own.

People and some thirty models under the four published conditions, read by the published recipe:
everything that the source prints and that we measure, in tables of flat rows. Where the source
pools what we keep apart (the two sources of distracting text), it is pooled here too.

An agent that was asked the published prompts (`--design thesis`, or a part of it) may stand among
the published models. All tables are then made of both by the same functions, and rows of one's own
are marked (`own`) and come first. Mean changes between conditions remain those of the published
models; what one's own changed is a table beside it.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from whybench.suites.contract import UserError
from whybench.suites.judge.alignment import alignment, human_ceiling
from whybench.suites.judge.design import DESIGNS
from whybench.suites.judge.differences import (
    agent_differences,
    agent_pairs,
    condition_changes,
    story_differences,
    story_pairs,
)
from whybench.suites.judge.fitted_models import FittedModel, fit_agents, fit_row
from whybench.suites.judge.groups import CONDITION, make_measure
from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.published import (
    CATEGORY,
    mean_records,
    people_records,
    published_prompts,
)
from whybench.suites.judge.published_models import read_models
from whybench.suites.judge.published_replies import CONDITIONS, printed_name, published_records

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from whybench.stats import Measure
    from whybench.suites.judge.differences import ConditionChange, Difference

__all__ = ["POOLED", "count_agents", "count_words", "match_conditions", "replicate"]

POOLED = tuple(name for name in CONDITION if name != "overload_source")

WARM = "[temperature=0.7]"

FITTED = ("lad", "consistency")
PARAMETERS = ("p", "b", "m1", "m2")
"""What changes of a fit: with the other measures, and the parameters as a family of their own."""

Tables = dict[str, list[dict[str, Any]]]


def replicate(resamples: int = 2000, beside: pa.Table | None = None) -> Tables:
    """Recompute the published results: name of a table to its rows.

    Args:
        resamples: Resamples of every bootstrap interval, one more than of permutations.
        beside: Records of one's own agents, to stand among the published models.
    """
    people, means = people_records("collider"), mean_records()
    answered = {design: published_records(design) for design in CONDITIONS}
    printed = {design: _as_printed(records) for design, records in answered.items()}
    own: frozenset[str] = frozenset()
    if beside is not None:
        matched = match_conditions(beside)
        own = frozenset(matched["agent"].to_pylist())
        for design in CONDITIONS:
            mine = matched.filter([name == design for name in matched["design"].to_pylist()])
            answered[design] = _stack(answered[design], mine)
            printed[design] = _stack(printed[design], mine)
    with_people = _stack(printed["published"], _as_printed(means))
    tested = [with_people if name == "published" else table for name, table in printed.items()]
    ceilings = [*human_ceiling(people), *human_ceiling(people_records("fork"))]
    measured = [m for records in printed.values() for m in contrast_measures(records, POOLED)]
    human = list(contrast_measures(_as_printed(means), POOLED))
    (human_ea,) = (measure.estimate for measure in human if measure.name == "ea")
    models = [
        model
        for records in (means, people, *answered.values())
        for model in fit_agents(records, resamples, POOLED)
        if WARM not in model.group.labels["agent"] or model.group.labels["agent"] in own
    ]
    every = [*measured, *_as_measures(models, own, FITTED)]
    parameters = list(_as_measures(models, own, PARAMETERS))
    tables = {
        "people": _rows([*human, *contrast_measures(people, POOLED), *ceilings]),
        "alignment": _rows(alignment(printed["published"], unit="row", resamples=resamples)),
        "story_differences": _rows(d for table in tested for d in story_differences(table)),
        "story_permutations": _rows(
            d for table in tested for d in story_differences(table, "permutation", resamples - 1)
        ),
        "story_pairs": _rows(d for table in tested for d in story_pairs(table)),
        "agent_differences": _rows(d for table in tested for d in agent_differences(table)),
        "agent_pairs": _rows(d for table in tested for d in agent_pairs(table, own)),
        "measures": _rows(measured),
        "fits": [{**fit_row(model), "agent": _print_agent(model, own)} for model in models],
        "tallies": list(count_agents(measured, human_ea or 0.0, own)),
        "changes": _rows(
            change
            for family in (every, parameters)
            for change in condition_changes(m for m in family if m.labels["agent"] not in own)
        ),
        "models": list(read_models()),
        "prompts": list(count_words()),
    }
    if own:
        tables["own_changes"] = [
            row
            for family in (every, parameters)
            for row in _own_changes(condition_changes(family), own)
        ]
        for rows in tables.values():
            for row in rows:
                if "agent" in row:
                    row["own"] = row["agent"] in own
            rows.sort(key=lambda row: not row.get("own", True))
    return tables


def match_conditions(records: pa.Table) -> pa.Table:
    """Return the answers to published prompts, each once, under the designs of the source.

    A run of `thesis` or of a changed design has the names of the designs that the published
    replies have, so that all are grouped alike.
    """
    designs = {}
    for name in CONDITIONS:
        (content,) = {story.content for story in DESIGNS[name].stories}
        designs[content, DESIGNS[name].overload[0]] = name
    names = ("agent", "item", "epoch", "stimuli", "style", "content", "overload")
    met: set[tuple[object, ...]] = set()
    rows: list[bool] = []
    found: list[str] = []
    for agent, item, epoch, stimuli, style, content, overload in zip(
        *(records[name].to_pylist() for name in names), strict=True
    ):
        chosen = stimuli == "published" and style in CATEGORY and (agent, item, epoch) not in met
        rows.append(chosen)
        if chosen:
            met.add((agent, item, epoch))
            found.append(designs[content, overload])
    if not found:
        raise UserError(
            "`beside` must hold answers to the published prompts, got none; ask them with "
            "`whybench run judge --design thesis`"
        )
    matched = records.filter(rows)
    for name, values in (("design", found), ("design_hash", [""] * len(found))):
        column = matched.column_names.index(name)
        matched = matched.set_column(column, name, pa.array(values, pa.string()))
    return matched


def _stack(first: pa.Table, second: pa.Table) -> pa.Table:
    return pa.concat_tables([first, second], promote_options="permissive")


def _as_printed(records: pa.Table) -> pa.Table:
    """Return records under the names that the source prints.

    The source counts replies at temperature 0.7 with the others of a model, except in fits.
    """
    names = pa.array([printed_name(agent) for agent in records["agent"].to_pylist()])
    return records.set_column(records.column_names.index("agent"), "agent", names)


def _print_agent(model: FittedModel, own: Collection[str]) -> str:
    agent = model.group.labels["agent"]
    return agent if agent in own else printed_name(agent)


def _own_changes(
    changes: Iterable[ConditionChange], own: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Yield how each measure of one's own agents changed, and among how many it rose most."""
    for change in changes:
        moves = {agent: after - before for agent, (before, after) in change.agents.items()}
        others = [move for agent, move in moves.items() if agent not in own]
        for agent in (agent for agent in change.agents if agent in own):
            before, after = change.agents[agent]
            yield {
                "agent": agent,
                "manipulation": change.manipulation,
                "measure": change.measure,
                **change.condition,
                "before": before,
                "after": after,
                "change": moves[agent],
                "rank": 1 + sum(move > moves[agent] for move in others),
                "n": len(others) + 1,
            }


def count_agents(
    measures: Iterable[Measure], human_ea: float, own: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Count agents by their explaining away and Markov violation, condition by condition.

    Args:
        measures: Measures `ea` and `mv`, such as `judge_measures` computes. People among them do
            not count as agents.
        human_ea: People's explaining away.
        own: Agents of one's own, named where they meet a criterion.

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
            mine = [m.labels["agent"] for m in counted if m.labels["agent"] in own]
            met = {
                m.labels["agent"] for m in counted if m.estimate is not None and is_met(m.estimate)
            }
            yield {
                **dict(condition),
                "criterion": criterion,
                "number": sum(map(is_met, values)),
                "n": len(values),
                "left_out": " ".join(measure.labels["agent"] for measure in small),
                **({"own_among_them": " ".join(a for a in mine if a in met)} if own else {}),
            }


def count_words() -> Iterator[dict[str, Any]]:
    """Yield how many words the prompts of each condition and style have."""
    for design, style in product(CONDITIONS, CATEGORY):
        (content,) = {story.content for story in DESIGNS[design].stories}
        overload = DESIGNS[design].overload[0]
        prompts = published_prompts(content == "abstract", overload, style)
        words = [len(prompt.split()) for versions in prompts.values() for prompt in versions]
        yield {
            **{"content": content, "overload": overload, "style": style, "n": len(words)},
            **{"words": fmean(words), "shortest": min(words), "longest": max(words)},
        }


def _rows(results: Iterable[Measure | Difference | ConditionChange]) -> list[dict[str, Any]]:
    return [result.row() for result in results]


def _as_measures(
    models: Iterable[FittedModel], own: Collection[str], names: Sequence[str]
) -> Iterator[Measure]:
    for model in models:
        labels = {**model.group.labels, "agent": _print_agent(model, own)}
        known = {**model.estimates, "consistency": model.consistency}
        for name in names:
            estimate = known[name]
            yield replace(make_measure(model.group, name, estimate, estimate.method), labels=labels)
