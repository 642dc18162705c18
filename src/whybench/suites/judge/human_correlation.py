"""How well agents agree with people, and how well anything could.

- `human_correlation`: Spearman's rho of an agent's mean answers with the mean judgments of people
  about the same story, polarity and letter, a cell; for each story and pooled. Means meet means: an
  agent is not held to be less like people for answering several times, or for differing between the
  two versions of a question.
- `human_ceiling`: what an agent that knew people's true means would reach, given that the means
  rest on 48 people.

People's own correlation is what as many other people would have, since with their own means they
agree by construction: the reliability of the means, the square of the ceiling.

Intervals resample cells, those of several stories within each, for these stories; the second
interval, for stories like these, leaves out each story. `unit="row"` correlates and resamples
single answers, as the source did; its intervals are too short for agents that answered each prompt
eleven times.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from whybench.stats import (
    Estimate,
    Measure,
    NoiseCeiling,
    draw_counts,
    generalize,
    leave_out_covariance,
    resampled_spearman,
    split_half,
    t_quantile,
)
from whybench.stats.resampling import draw_stratified_counts, interval, jackknife_counts
from whybench.stats.results import flag_few_units
from whybench.suites.groups import Group, group_records
from whybench.suites.judge.groups import CONDITION, make_measure
from whybench.suites.judge.published import AGENT, human_means, people_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

POOLED = "pooled"
"""What random draws over all stories together are called."""

LEVEL = 0.95

Unit = Literal["cell", "row"]

WORD_COLUMNS = ("outcome", "story", "polarity", "letter", "cause")
CELL = ("cell", ("story", "polarity", "letter"))


def human_correlations(
    records: pa.Table,
    target: Mapping[tuple[str, str, str], float] | None = None,
    unit: Unit = "cell",
    resamples: int = 2000,
    by_story: bool = True,
) -> list[Measure]:
    """Correlate agents' answers with people's means, for each story and pooled.

    Agents that answered the same questions share their resamples, so that they can be compared.
    Answers to stories of which there are no people's means, such as abstract ones, do not count,
    nor do answers to prompts that state independence, since people were not told of it.

    Args:
        records: Records of judge.
        target: (story, polarity, letter) to the mean judgment; None for the people who were asked
            about the same graph.
        unit: What is correlated and resampled: the means of a `cell`, or each `row`.
        resamples: Number of resamples.
        by_story: Whether to correlate within each story too, or pooled alone.

    Returns:
        A measure for each agent and condition: at each story, then overall. Flags: `small_n`;
        `few_units`; `constant` if an agent always gives the same answer and has no rho;
        `other_stimuli` where people were not asked in these words.
    """
    if unit not in get_args(Unit):
        raise ValueError(f"unit must be cell or row, got {unit!r}")
    groups = list(_judged_groups(records, target, unit, by_story))
    same_cells: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for position, group in enumerate(groups):
        key = (group.labels["graph"], _story(group), *group["cell"].tolist())
        same_cells[key].append(position)
    measures: dict[int, Measure] = {}
    for positions in same_cells.values():
        first = groups[positions[0]]
        rows = first.units.size
        values = np.array([groups[position]["value"] for position in positions])
        keys = ("judge", "alignment", _story(first))
        stories = first["story"]
        within = unit == "cell" and np.unique(stories).size > 1
        drawn = (
            draw_stratified_counts(stories, resamples, keys)
            if within
            else draw_counts(rows, resamples, keys, range(rows))
        )
        left_out = jackknife_counts(stories.tolist()) if within else np.empty((0, rows))
        estimates, resampled, without = (
            resampled_spearman(values, first["target"], counts)
            for counts in (np.ones((1, rows)), drawn, left_out)
        )
        of = " of cell means" if unit == "cell" else ""
        label = f"Spearman's rho{of}; percentile bootstrap, {resamples} resamples of {unit}s"
        label += " within stories" if within else ""
        for row, position in enumerate(positions):
            group = groups[position]
            rho, flags = float(estimates[row, 0]), flag_few_units(rows)
            n = int(group.weights.sum())
            if target is None and unit == "cell" and group.labels["agent"] == AGENT:
                estimate = _other_people(group, n)
            elif np.isnan(rho):
                flags += ("constant",) if rows > 1 else ()
                estimate = Estimate(None, None, None, n, rows, label, flags)
            else:
                ends = interval(resampled[row], rho)
                estimate = Estimate(rho, *ends, n, rows, label, flags)
                estimate = _generalize(estimate, without[row])
            measures[position] = group.measure(
                "human_correlation",
                estimate,
                *other_stimuli(group.labels, records),
                method=estimate.method,
            )
    return [measures[position] for position in range(len(groups))]


def _generalize(found: Estimate, without: NDArray[np.float64]) -> Estimate:
    """Add the interval for other stories, from the values without each story."""
    if without.size < 2 or np.isnan(without).any() or found.estimate is None:
        return found
    ((variance,),), degrees = leave_out_covariance(without[:, None])
    half = t_quantile(0.5 + LEVEL / 2, degrees) * float(variance) ** 0.5
    ends = max(-1.0, found.estimate - half), min(1.0, found.estimate + half)
    return generalize(found, replace(found, low=ends[0], high=ends[1], units=without.size))


def _other_people(group: Group, n: int) -> Estimate:
    """Return how well as many other people would agree with these."""
    found = split_people(group.labels["graph"], _story(group), frozenset(group["cell"].tolist()))
    low, high = (None if end is None else end**2 for end in (found.low, found.high))
    label = f"as many other people; {found.method}; interval over {found.splits} splits"
    return Estimate(found.reliability, low, high, n, found.units, label, found.flags)


@cache
def split_people(graph: str, story: str, cells: frozenset[str], splits: int = 1000) -> NoiseCeiling:
    """Return how well people agree with each other on some cells of a graph.

    Args:
        graph: What they were asked about.
        story: One story, or `pooled`; it names the random splits.
        cells: The cells, a story, polarity and letter with slashes between.
        splits: Random splits of the people into halves, within story and polarity.
    """
    (group,) = _group_people(people_records("fork" if graph == "fork" else "collider"))
    chosen = np.isin(_join_columns(group, *CELL[1]), sorted(cells))
    return _split(group.where(chosen), story, splits)


def other_stimuli(labels: Mapping[str, str], records: pa.Table) -> tuple[str, ...]:
    """Return the flag of answers to stimuli that people did not see.

    People saw the stimuli of Dettki (2025), whose suite has the measures of judge.

    Args:
        labels: The agent and the condition.
        records: The records of one suite, which include the answers.
    """
    paper = labels["agent"].startswith(AGENT) or records["suite"][0].as_py() != "judge"
    return () if paper and labels["overload"] == "none" else ("other_stimuli",)


def human_ceiling(records: pa.Table, splits: int = 1000) -> list[Measure]:
    """Compute the noise ceiling of the correlation from the judgments of single people.

    Args:
        records: Records with a column `person` (see `people_records`).
        splits: Random splits of the people into halves, within story and polarity.

    Returns:
        A measure `human_correlation_ceiling` at each story, and overall. Its interval is the spread
        over splits.
    """
    measures = []
    for group in _group_people(records):
        people = replace(group, labels={name: group.labels[name] for name in ("agent", "graph")})
        for inside in _by_story(people, dict.fromkeys(group["story"].tolist())):
            ceiling = _split(inside, _story(inside), splits)
            label = f"{ceiling.method}; interval over {splits} splits"
            ends = (ceiling.ceiling, ceiling.low, ceiling.high)
            estimate = Estimate(*ends, ceiling.n, ceiling.units, label, ceiling.flags)
            measures.append(make_measure(inside, "human_correlation_ceiling", estimate, label))
    return measures


def _group_people(records: pa.Table) -> list[Group]:
    words = (*WORD_COLUMNS, "person")
    return group_records(records, ("graph",), words, ("value",), lambda _: CELL)


def _split(group: Group, story: str, splits: int) -> NoiseCeiling:
    return split_half(
        group["value"],
        _join_columns(group, *CELL[1]).tolist(),
        group["person"].tolist(),
        _join_columns(group, "story", "polarity").tolist(),
        ("judge", "ceiling", story),
        splits,
    )


@cache
def pooled_ceiling(graph: str) -> Measure:
    """Return the noise ceiling of the correlation over all stories of a graph."""
    ceilings = human_ceiling(people_records("fork" if graph == "fork" else "collider"))
    return next(measure for measure in ceilings if not measure.at)


def judged_groups(records: pa.Table) -> Iterator[Group]:
    """Return each agent's mean answers, a cell a row, under each condition that people judged.

    Columns are `cell`, `target` (people's mean), `value`, `story`, `polarity` and `letter`; weights
    are numbers of answers.
    """
    return _judged_groups(records, None, "cell", by_story=False)


def _judged_groups(
    records: pa.Table,
    target: Mapping[tuple[str, str, str], float] | None,
    unit: Unit,
    by_story: bool,
) -> Iterator[Group]:
    """Yield each agent's scored answers to what people judged, by condition and maybe story.

    They are in an order that does not depend on the agent; `cell` and `target` are columns.
    By cell they are means.
    """
    for group in group_records(
        records, CONDITION, WORD_COLUMNS, ("value", "epoch"), lambda _: CELL
    ):
        if group.labels["independence"] == "stated":
            continue
        means = human_means(group.labels["graph"]) if target is None else target
        people = {"/".join(cell): mean for cell, mean in means.items()}
        cells = _join_columns(group, *CELL[1])
        targets = np.array([people.get(cell, np.nan) for cell in cells.tolist()])
        columns = {**group.columns, "cell": cells, "target": targets}
        judged = replace(group, columns=columns).where(~np.isnan(targets))
        if not judged.units.size:
            continue
        stories = sorted({*judged["story"].tolist()}) if by_story else ()
        for inside in _by_story(judged, stories):
            scored = inside.where(inside["outcome"] == "scored")
            if unit == "cell":
                yield average_cells(scored)
            else:
                yield scored.where(np.lexsort([scored["epoch"], scored["cause"], scored["cell"]]))


def average_cells(group: Group) -> Group:
    """Return the mean answer in each cell, in the order of the cells' names.

    Weights are the numbers of answers; other columns are those of one answer of the cell.
    """
    _, first, cell = np.unique(group["cell"], return_index=True, return_inverse=True)
    answers = np.bincount(cell, group.weights).astype(float)
    means = np.bincount(cell, group["value"] * group.weights) / answers
    chosen = group.where(first)
    return replace(chosen, columns={**chosen.columns, "value": means}, weights=answers)


def _story(group: Group) -> str:
    """Return the story to which a group is restricted, or `POOLED`."""
    return str(group.at.get("story", POOLED))


def _by_story(group: Group, stories: Iterable[str]) -> Iterator[Group]:
    """Yield the answers to each story, and then all, with their outcomes."""
    for story in stories:
        yield group.where(group["story"] == story, story=story).recount()
    yield group.recount()


def _join_columns(group: Group, *names: str) -> NDArray[np.str_]:
    """Return several words of each answer as one, with a slash between."""
    joined = group[names[0]]
    for name in names[1:]:
        joined = np.char.add(np.char.add(joined, "/"), group[name])
    return joined
