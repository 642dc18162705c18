"""How well agents agree with people, and how well anything could.

- `alignment`: Spearman's rho of an agent's answers with the mean judgment of people about the
  same story, polarity and letter; for each story and pooled.
- `human_ceiling`: what an agent that knew people's true means would reach, given that the means
  rest on 48 people.

Intervals resample cells (a story, polarity and letter), since the answers of a cell are compared
with one and the same mean. Those of several stories are resampled within each, for these stories;
the second interval, for stories like these, leaves out each story. `unit="row"` resamples answers,
as the source did; its intervals are too short for agents that answered each prompt eleven times.
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
    draw_counts,
    generalize,
    leave_out_covariance,
    resampled_spearman,
    split_half,
    t_quantile,
)
from whybench.stats.resampling import (
    draw_stratified_counts,
    encode_labels,
    interval,
    jackknife_counts,
)
from whybench.stats.results import flag_few_units
from whybench.suites.groups import Group, group_records
from whybench.suites.judge.groups import CONDITION, make_measure
from whybench.suites.judge.published import human_means, people_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["CELL", "alignment", "human_ceiling", "pooled_ceiling"]

POOLED = "pooled"
"""What random draws over all stories together are called."""

LEVEL = 0.95

Unit = Literal["cell", "row"]

WORD_COLUMNS = ("outcome", "story", "polarity", "letter", "cause")
CELL = ("cell", ("story", "polarity", "letter"))


def alignment(
    records: pa.Table,
    target: Mapping[tuple[str, str, str], float] | None = None,
    unit: Unit = "cell",
    resamples: int = 2000,
) -> list[Measure]:
    """Correlate agents' answers with people's means, for each story and pooled.

    Agents that answered the same questions share their resamples, so that they can be compared.
    Answers to stories of which there are no people's means, such as abstract ones, do not count,
    nor do answers to prompts that state independence, since people were not told of it.

    Args:
        records: Records of judge.
        target: (story, polarity, letter) to the mean judgment; None for the people who were asked
            about the same graph.
        unit: What is resampled: `cell` or `row`.
        resamples: Number of resamples.

    Returns:
        A measure for each agent and condition: at each story, then overall. Flags: `small_n`;
        `few_units`; `constant` if an agent always gives the same answer and has no rho;
        `other_stimuli` where people were not asked in these words.
    """
    if unit not in get_args(Unit):
        raise ValueError(f"unit must be cell or row, got {unit!r}")
    groups = list(_judged_groups(records, target))
    same_cells: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for position, group in enumerate(groups):
        key = (group.labels["graph"], _story(group), *group["cell"].tolist())
        same_cells[key].append(position)
    measures: dict[int, Measure] = {}
    for positions in same_cells.values():
        first = groups[positions[0]]
        n = first.units.size
        clusters = first["cell"].tolist() if unit == "cell" else range(n)
        values = np.array([groups[position]["value"] for position in positions])
        keys = ("judge", "alignment", _story(first))
        stories = first["story"]
        within = unit == "cell" and np.unique(stories).size > 1
        drawn = (
            _draw_within(stories, clusters, resamples, keys)
            if within
            else draw_counts(n, resamples, keys, clusters)
        )
        left_out = jackknife_counts(stories.tolist()) if within else np.empty((0, n))
        estimates, resampled, without = (
            resampled_spearman(values, first["target"], counts)
            for counts in (np.ones((1, n)), drawn, left_out)
        )
        label = f"Spearman's rho; percentile bootstrap, {resamples} resamples of {unit}s"
        label += " within stories" if within else ""
        units = len(set(clusters))
        for row, position in enumerate(positions):
            rho, flags = float(estimates[row, 0]), flag_few_units(units)
            if np.isnan(rho):
                flags += ("constant",) if n > 1 else ()
                estimate = Estimate(None, None, None, n, units, label, flags)
            else:
                ends = interval(resampled[row], rho)
                estimate = Estimate(rho, *ends, n, units, label, flags)
                estimate = _generalize(estimate, without[row])
            group = groups[position]
            measures[position] = group.measure(
                "alignment", estimate, *_other_stimuli(group.labels), method=label
            )
    return [measures[position] for position in range(len(groups))]


def _draw_within(
    stories: NDArray[np.str_], cells: Sequence[object], resamples: int, keys: Sequence[object]
) -> NDArray[np.float64]:
    """Draw cells within stories, and return how much each answer counts."""
    codes = encode_labels(cells)
    first = np.unique(codes, return_index=True)[1]
    return draw_stratified_counts(stories[first], resamples, keys)[:, codes]


def _generalize(found: Estimate, without: NDArray[np.float64]) -> Estimate:
    """Add the interval for other stories, from the values without each story."""
    if without.size < 2 or np.isnan(without).any() or found.estimate is None:
        return found
    ((variance,),), degrees = leave_out_covariance(without[:, None])
    half = t_quantile(0.5 + LEVEL / 2, degrees) * float(variance) ** 0.5
    ends = max(-1.0, found.estimate - half), min(1.0, found.estimate + half)
    return generalize(found, replace(found, low=ends[0], high=ends[1], units=without.size))


def _other_stimuli(labels: Mapping[str, str]) -> tuple[str, ...]:
    """Return the flag of answers to what people were not asked in these words."""
    same = labels["stimuli"] == "published" and labels["overload"] == "none"
    return () if same else ("other_stimuli",)


def human_ceiling(records: pa.Table, splits: int = 1000) -> list[Measure]:
    """Compute the noise ceiling of alignment from the judgments of single people.

    Args:
        records: Records with a column `person` (see `people_records`).
        splits: Random splits of the people into halves, within story and polarity.

    Returns:
        A measure `alignment_ceiling` at each story, and overall. Its interval is the spread over
        splits.
    """
    measures = []
    for group in group_records(
        records, ("graph",), (*WORD_COLUMNS, "person"), ("value",), lambda _: CELL
    ):
        people = replace(group, labels={name: group.labels[name] for name in ("agent", "graph")})
        for inside in _by_story(people, dict.fromkeys(group["story"].tolist())):
            ceiling = split_half(
                inside["value"],
                _join_columns(inside, *CELL[1]).tolist(),
                inside["person"].tolist(),
                _join_columns(inside, "story", "polarity").tolist(),
                ("judge", "ceiling", _story(inside)),
                splits,
            )
            label = f"{ceiling.method}; interval over {splits} splits"
            ends = (ceiling.ceiling, ceiling.low, ceiling.high)
            estimate = Estimate(*ends, ceiling.n, ceiling.units, label, ceiling.flags)
            measures.append(make_measure(inside, "alignment_ceiling", estimate, label))
    return measures


@cache
def pooled_ceiling(graph: str) -> Measure:
    """Return the noise ceiling of alignment over all stories of a graph that people judged."""
    ceilings = human_ceiling(people_records("fork" if graph == "fork" else "collider"))
    return next(measure for measure in ceilings if not measure.at)


def _judged_groups(
    records: pa.Table, target: Mapping[tuple[str, str, str], float] | None
) -> Iterator[Group]:
    """Yield each agent's scored answers to what people judged, by condition and story.

    They are in an order that does not depend on the agent; `cell` and `target` are columns.
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
        for inside in _by_story(judged, sorted({*judged["story"].tolist()})):
            scored = inside.where(inside["outcome"] == "scored")
            yield scored.where(np.lexsort([scored["epoch"], scored["cause"], scored["cell"]]))


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
