"""How well agents agree with people, and how well anything could.

- `alignment`: Spearman's rho of an agent's answers with the mean judgment of people about the
  same story, polarity and letter; for each story and pooled.
- `human_ceiling`: what an agent that knew people's true means would reach, given that the means
  rest on 48 people.

Intervals resample cells (a story, polarity and letter), since the answers of a cell are compared
with one and the same mean. `unit="row"` resamples answers, as the source did; its intervals are
too short for agents that answered each prompt eleven times.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from whybench.stats import SMALL_N, Measure, draw_counts, resampled_spearman, split_half
from whybench.stats.resampling import IntervalMethod, interval, left_out
from whybench.stats.results import few_units
from whybench.suites.judge.groups import CONDITION, WHOSE
from whybench.suites.judge.people import human_cells, people_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["POOLED", "alignment", "human_ceiling", "pooled_ceiling"]

POOLED = "pooled"
"""The scope of all stories together."""

Unit = Literal["cell", "row"]


class _Answers(NamedTuple):
    """What an agent answered in one scope, in an order that does not depend on the agent."""

    labels: dict[str, str]
    values: NDArray[np.float64]
    target: NDArray[np.float64]
    cells: tuple[str, ...]
    no_answer: int
    error: int


def alignment(
    records: pa.Table,
    target: Mapping[tuple[str, str, str], float] | None = None,
    unit: Unit = "cell",
    method: IntervalMethod = "percentile",
    resamples: int = 2000,
) -> list[Measure]:
    """Correlate agents' answers with people's means, for each story and pooled.

    Agents that answered the same questions share their resamples, so that they can be compared.
    Answers to stories of which there are no people's means, such as abstract ones, do not count.

    Args:
        records: Records of judge.
        target: (story, polarity, letter) to the mean judgment; None for the people who were asked
            about the same graph.
        unit: What is resampled: `cell` or `row`.
        method: `percentile` or `bca`.
        resamples: Number of resamples.

    Returns:
        A measure for each agent, condition and scope, in order of appearance. Flags: `small_n`;
        `few_units`; `constant` if an agent always gives the same answer and has no rho;
        `other_stimuli` where people were not asked in these words.
    """
    if unit not in get_args(Unit):
        raise ValueError(f"unit must be cell or row, got {unit!r}")
    groups = list(_answers(records, target))
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, group in enumerate(groups):
        alike[group.labels["graph"], group.labels["story"], group.cells].append(place)
    found: dict[int, Measure] = {}
    for places in alike.values():
        first = groups[places[0]]
        n = len(first.cells)
        clusters = first.cells if unit == "cell" else tuple(map(str, range(n)))
        values = np.array([groups[place].values for place in places])
        keys = ("judge", "alignment", first.labels["story"])
        estimates, resampled, jackknives = (
            resampled_spearman(values, first.target, counts)
            for counts in (
                np.ones((1, n)),
                draw_counts(n, resamples, keys, clusters),
                left_out(clusters) if method == "bca" else np.ones((0, n)),
            )
        )
        label = f"Spearman's rho; {method} bootstrap, {resamples} resamples of {unit}s"
        for row, place in enumerate(places):
            ends = interval(
                resampled[row],
                float(estimates[row, 0]),
                jackknives[row] if method == "bca" else None,
            )
            found[place] = _measure(
                groups[place], float(estimates[row, 0]), ends, len(set(clusters)), label
            )
    return [found[place] for place in range(len(groups))]


def human_ceiling(people: pa.Table, splits: int = 1000) -> list[Measure]:
    """Compute the noise ceiling of alignment from the judgments of single people.

    Args:
        people: Records with a column `person` (see `people_records`).
        splits: Random splits of the people into halves, within story and polarity.

    Returns:
        A measure `alignment_ceiling` for each story and pooled. Its interval is the spread over
        splits.
    """
    rows = people.select(["agent", "graph", "story", "polarity", "letter", "person", "value"])
    measures = []
    judged: list[dict[str, Any]] = rows.to_pylist()
    for scope in (*dict.fromkeys(row["story"] for row in judged), POOLED):
        inside = [row for row in judged if scope in (row["story"], POOLED)]
        found = split_half(
            [row["value"] for row in inside],
            [_cell(row) for row in inside],
            [row["person"] for row in inside],
            [f"{row['story']}/{row['polarity']}" for row in inside],
            ("judge", "ceiling", scope),
            splits,
        )
        measures.append(
            Measure(
                name="alignment_ceiling",
                estimate=found.ceiling,
                low=found.low,
                high=found.high,
                n=found.n,
                units=found.units,
                scored=len(inside),
                no_answer=0,
                error=0,
                method=f"{found.method}; interval over {splits} splits",
                flags=found.flags,
                labels={"agent": inside[0]["agent"], "graph": inside[0]["graph"], "story": scope},
            )
        )
    return measures


@cache
def pooled_ceiling(graph: str) -> Measure:
    """Return the noise ceiling of alignment over all stories of a graph that people judged."""
    ceilings = human_ceiling(people_records("fork" if graph == "fork" else "collider"))
    return next(measure for measure in ceilings if measure.labels["story"] == POOLED)


def _answers(
    records: pa.Table, target: Mapping[tuple[str, str, str], float] | None
) -> Iterator[_Answers]:
    """Yield each agent's answers to what people were asked, by condition and scope."""
    labels = (*WHOSE, *CONDITION)
    more = ("story", "polarity", "letter", "cause", "epoch", "outcome", "value")
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in records.select([*labels, *more]).to_pylist():
        people = human_cells(row["graph"]) if target is None else target
        if (row["story"], row["polarity"], row["letter"]) in people:
            groups[tuple(row[name] for name in labels)].append(row)
    for key, every in groups.items():
        people = human_cells(every[0]["graph"]) if target is None else target
        for scope in (*sorted({row["story"] for row in every}), POOLED):
            inside = [row for row in every if scope in (row["story"], POOLED)]
            scored = [row for row in inside if row["outcome"] == "scored"]
            scored.sort(key=lambda row: (_cell(row), row["cause"], row["epoch"]))
            outcomes = [row["outcome"] for row in inside]
            yield _Answers(
                {**dict(zip(labels, key, strict=True)), "story": scope},
                np.array([row["value"] for row in scored], dtype=float),
                np.array([people[r["story"], r["polarity"], r["letter"]] for r in scored]),
                tuple(_cell(row) for row in scored),
                outcomes.count("no_answer"),
                outcomes.count("error"),
            )


def _cell(row: Mapping[str, Any]) -> str:
    return f"{row['story']}/{row['polarity']}/{row['letter']}"


def _measure(
    group: _Answers,
    estimate: float,
    ends: tuple[float | None, float | None],
    units: int,
    method: str,
) -> Measure:
    scored = len(group.cells)
    undefined = bool(np.isnan(estimate))
    flags = (
        *(("small_n",) if scored < SMALL_N else ()),
        *few_units(units),
        *(("constant",) if undefined and scored > 1 else ()),
        *(
            ("other_stimuli",)
            if group.labels["stimuli"] != "published" or group.labels["overload"] != "none"
            else ()
        ),
    )
    return Measure(
        name="alignment",
        estimate=None if undefined else estimate,
        low=None if undefined else ends[0],
        high=None if undefined else ends[1],
        n=scored,
        units=units,
        scored=scored,
        no_answer=group.no_answer,
        error=group.error,
        method=method,
        flags=flags,
        labels=group.labels,
    )
