"""How like people an agent is, and what it would take to be as like them.

The unit of comparison is the cell: a story, polarity and letter. An agent's answers in a cell are
averaged, and so are people's, so that means meet means.

- `human_correlation` is the rank correlation of the means
  (`whybench.suites.judge.human_correlation`). It asks which things are judged likelier than others,
  and not how likely.
- `human_distance` is the mean absolute difference of the means, on the scale from 0 to 100. Its
  interval is Student's t, clustered by vignette.

A number says little without marks beside it:

- the *floor* is what the best of `degenerate.yaml` has on the same cells: agents with a number for
  each task, which know nothing of the story and never let one outer variable matter for the other;
- *people* are what as many other people would have. For the correlation that is the reliability of
  the means. For distance, the people of a vignette are split in every way into halves of h and n -
  h; the mean difference of two halves is larger than that of two samples of n by the root of (1/h +
  1/(n - h)) / (2/n);
- the *ceiling* is what an agent would have that knew people's true means: the root of that
  reliability, and a distance smaller by the root of 2 than that of other people.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np
import yaml

from whybench.stats import (
    Estimate,
    clustered_mean,
    draw_counts,
    resampled_difference,
    resampled_spearman,
)
from whybench.suites.judge.human_correlation import (
    CELL,
    POOLED,
    human_correlations,
    judged_groups,
    other_stimuli,
    split_people,
)
from whybench.suites.judge.published import AGENT, people_records
from whybench.suites.judge.questions import load_structure
from whybench.suites.people import Likeness

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

    from whybench.stats import Measure
    from whybench.suites.groups import Group

    Array = NDArray[np.float64]

RESAMPLES = 2000


@cache
def degenerate_agents(graph: str) -> dict[str, dict[str, float]]:
    """Return agents that do not reason: name to letter to what they say, 0 to 100."""
    text = files(__package__).joinpath("degenerate.yaml").read_text(encoding="utf-8")
    letters = {question.letter: question.task for question in load_structure(graph).questions}
    return {
        name: {letter: float(said[task]) for letter, task in letters.items()}
        for name, said in yaml.safe_load(text).items()
    }


@cache
def list_persons(graph: str) -> dict[tuple[str, str], list[dict[str, float]]]:
    """Return (story, polarity) to its people, each a letter to the mean of the person's answers."""
    answers: dict[tuple[str, str], dict[str, dict[str, list[float]]]] = {}
    for row in people_records("fork" if graph == "fork" else "collider").to_pylist():
        persons = answers.setdefault((row["story"], row["polarity"]), {})
        persons.setdefault(row["person"], {}).setdefault(row["letter"], []).append(row["value"])
    return {
        vignette: [
            {letter: sum(values) / len(values) for letter, values in letters.items()}
            for letters in persons.values()
        ]
        for vignette, persons in answers.items()
    }


@cache
def distance_to_others(graph: str) -> dict[tuple[str, str, str], float]:
    """Return how far, in each cell, the mean of as many other people would be from this one."""
    found = {}
    for (story, polarity), persons in list_persons(graph).items():
        n = len(persons)
        half = n // 2
        smaller = sqrt(2 * half * (n - half)) / n
        for letter in persons[0]:
            said = [person[letter] for person in persons]
            total, gaps = sum(said), []
            for chosen in combinations(said, half):
                part = sum(chosen)
                gaps.append(abs(part / half - (total - part) / (n - half)))
            found[story, polarity, letter] = smaller * sum(gaps) / len(gaps)
    return found


def likeness_measures(records: pa.Table) -> Iterator[Measure]:
    """Yield `human_correlation` with noise ceiling and baseline, and `human_distance`."""
    aligned = {_key(found.labels): found for found in human_correlations(records, by_story=False)}
    for group in judged_groups(records):
        if not group.units.size or _key(group.labels) not in aligned:
            continue
        found = aligned[_key(group.labels)]
        graph, cells = group.labels["graph"], frozenset(group["cell"].tolist())
        people = split_people(graph, POOLED, cells)
        ends = (people.ceiling, people.low, people.high)
        method = f"{people.method}; interval over {people.splits} splits"
        ceiling = Estimate(*ends, people.n, people.units, method, people.flags)
        yield found
        yield group.measure("human_correlation_ceiling", ceiling, method=method, rests_on=found.n)
        name, floor = _best_correlation(group)
        lowest = Estimate(floor, None, None, found.n, people.n, f"of an agent: {name}")
        yield group.measure("human_correlation_baseline", lowest, method=lowest.method)
        distance = _distance(group)
        yield group.measure(
            "human_distance",
            distance,
            *other_stimuli(group.labels, records),
            method=distance.method,
        )


def compare_likeness(records: pa.Table) -> Iterator[Likeness]:
    """Yield correlation and distance of an agent, each with what it is to be held against."""
    aligned = {_key(found.labels): found for found in human_correlations(records, by_story=False)}
    for group in judged_groups(records):
        if not group.units.size or _key(group.labels) not in aligned:
            continue
        m = aligned[_key(group.labels)]
        graph, flags = group.labels["graph"], other_stimuli(group.labels, records)
        people = split_people(graph, POOLED, frozenset(group["cell"].tolist()))
        found = Estimate(m.estimate, m.low, m.high, m.n, m.units, m.method, m.flags)
        name, floor = _best_correlation(group)
        said = _say(group, name)
        yield Likeness(
            "human_correlation", m.labels, found, people.reliability, floor, name, people.ceiling,
            _gain_of_rank(group, said, found, floor),
        )  # fmt: skip
        distance = _distance(group)
        floors = {one: _apart(group, _say(group, one)) for one in degenerate_agents(graph)}
        name = min(floors, key=lambda one: float(floors[one].mean()))
        others = _others(group)
        gain = clustered_mean(floors[name] - _apart(group, group["value"]), _vignettes(group))
        yield Likeness(
            "human_distance", m.labels, replace(distance, flags=(*distance.flags, *flags)),
            others, float(floors[name].mean()), name, others / sqrt(2), gain,
        )  # fmt: skip


def _key(labels: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(labels.values())


def _distance(group: Group) -> Estimate:
    answers = int(group.weights.sum())
    if group.labels["agent"] == AGENT:
        method = "as many other people; mean over all splits in halves"
        return Estimate(_others(group), None, None, answers, group.units.size, method)
    found = clustered_mean(_apart(group, group["value"]), _vignettes(group))
    return replace(found, n=answers, method="mean over cells; t, clustered by story and polarity")


def _apart(group: Group, said: Array) -> Array:
    """Return how far what was said is from people's means, cell by cell."""
    gaps: Array = np.abs(said - group["target"])
    return gaps


def _others(group: Group) -> float:
    gaps = distance_to_others(group.labels["graph"])
    cells = zip(*(group[name].tolist() for name in CELL[1]), strict=True)
    return float(np.mean([gaps[story, polarity, letter] for story, polarity, letter in cells]))


def _say(group: Group, agent: str) -> Array:
    said = degenerate_agents(group.labels["graph"])[agent]
    return np.array([said[letter] for letter in group["letter"].tolist()])


def _vignettes(group: Group) -> list[str]:
    return [f"{s}/{p}" for s, p in zip(group["story"], group["polarity"], strict=True)]


def _best_correlation(group: Group) -> tuple[str, float | None]:
    """Return the degenerate agent that aligns best on these cells, and how well."""
    names = list(degenerate_agents(group.labels["graph"]))
    said = np.array([_say(group, name) for name in names])
    counts = np.ones((1, group.units.size))
    rho = resampled_spearman(said, group["target"], counts)[:, 0]
    if np.isnan(rho).all():
        return names[0], None
    best = int(np.nanargmax(rho))
    return names[best], float(rho[best])


def _gain_of_rank(group: Group, said: Array, found: Estimate, floor: float | None) -> Estimate:
    n = group.units.size
    if found.estimate is None or floor is None:
        return Estimate(None, None, None, n, n, "difference, of which one is not defined")
    counts = draw_counts(n, RESAMPLES, ("judge", "alignment", POOLED), range(n))
    draws = resampled_spearman(np.array([said, group["value"]]), group["target"], counts)
    return resampled_difference(floor, found.estimate, (draws[0], draws[1]), n, n).estimate
