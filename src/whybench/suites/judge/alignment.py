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
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from whybench.stats import Estimate, Measure, draw_counts, resampled_spearman, split_half
from whybench.stats.resampling import IntervalMethod, interval, left_out
from whybench.stats.results import few_units
from whybench.suites.groups import Group, grouped
from whybench.suites.judge.groups import CONDITION, measure_of
from whybench.suites.judge.people import human_cells, people_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa
    from numpy.typing import NDArray

__all__ = ["alignment", "human_ceiling", "pooled_ceiling"]

POOLED = "pooled"
"""What random draws over all stories together are called."""

Unit = Literal["cell", "row"]

WORDS = ("outcome", "story", "polarity", "letter", "cause")
CELL = ("cell", ("story", "polarity", "letter"))


class _Scope(NamedTuple):
    """An agent's scored answers in one scope, in an order that does not depend on the agent."""

    group: Group
    cells: tuple[str, ...]
    target: NDArray[np.float64]

    @property
    def story(self) -> str:
        """The story, or `POOLED`."""
        return str(self.group.at.get("story", POOLED))


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
        A measure for each agent and condition: at each story, then overall. Flags: `small_n`;
        `few_units`; `constant` if an agent always gives the same answer and has no rho;
        `other_stimuli` where people were not asked in these words.
    """
    if unit not in get_args(Unit):
        raise ValueError(f"unit must be cell or row, got {unit!r}")
    scopes = list(_scopes(records, target))
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, scope in enumerate(scopes):
        alike[scope.group.labels["graph"], scope.story, scope.cells].append(place)
    found: dict[int, Measure] = {}
    for places in alike.values():
        first = scopes[places[0]]
        n = len(first.cells)
        clusters = first.cells if unit == "cell" else tuple(map(str, range(n)))
        values = np.array([scopes[place].group["value"] for place in places])
        keys = ("judge", "alignment", first.story)
        estimates, resampled, jackknives = (
            resampled_spearman(values, first.target, counts)
            for counts in (
                np.ones((1, n)),
                draw_counts(n, resamples, keys, clusters),
                left_out(clusters) if method == "bca" else np.ones((0, n)),
            )
        )
        label = f"Spearman's rho; {method} bootstrap, {resamples} resamples of {unit}s"
        units = len(set(clusters))
        for row, place in enumerate(places):
            rho = float(estimates[row, 0])
            ends = interval(resampled[row], rho, jackknives[row] if method == "bca" else None)
            undefined = np.isnan(rho)
            estimate = Estimate(
                None if undefined else rho,
                *((None, None) if undefined else ends),
                n,
                units,
                label,
                (*few_units(units), *(("constant",) if undefined and n > 1 else ())),
            )
            group = scopes[place].group
            found[place] = group.measure(
                "alignment", estimate, *_other_stimuli(group.labels), method=label
            )
    return [found[place] for place in range(len(scopes))]


def _other_stimuli(labels: Mapping[str, str]) -> tuple[str, ...]:
    """Return the flag of answers to what people were not asked in these words."""
    same = labels["stimuli"] == "published" and labels["overload"] == "none"
    return () if same else ("other_stimuli",)


def human_ceiling(people: pa.Table, splits: int = 1000) -> list[Measure]:
    """Compute the noise ceiling of alignment from the judgments of single people.

    Args:
        people: Records with a column `person` (see `people_records`).
        splits: Random splits of the people into halves, within story and polarity.

    Returns:
        A measure `alignment_ceiling` at each story, and overall. Its interval is the spread over
        splits.
    """
    measures = []
    for group in grouped(people, ("graph",), (*WORDS, "person"), ("value",), lambda _: CELL):
        whose = replace(group, labels={name: group.labels[name] for name in ("agent", "graph")})
        for inside in _by_story(whose, dict.fromkeys(group["story"].tolist())):
            found = split_half(
                inside["value"],
                _cells(inside).tolist(),
                inside["person"].tolist(),
                _joined(inside, "story", "polarity").tolist(),
                ("judge", "ceiling", str(inside.at.get("story", POOLED))),
                splits,
            )
            label = f"{found.method}; interval over {splits} splits"
            ends = (found.ceiling, found.low, found.high)
            estimate = Estimate(*ends, found.n, found.units, label, found.flags)
            measures.append(measure_of(inside, "alignment_ceiling", estimate, label))
    return measures


@cache
def pooled_ceiling(graph: str) -> Measure:
    """Return the noise ceiling of alignment over all stories of a graph that people judged."""
    ceilings = human_ceiling(people_records("fork" if graph == "fork" else "collider"))
    return next(measure for measure in ceilings if not measure.at)


def _scopes(
    records: pa.Table, target: Mapping[tuple[str, str, str], float] | None
) -> Iterator[_Scope]:
    """Yield each agent's answers to what people were asked, by condition and scope."""
    for group in grouped(records, CONDITION, WORDS, ("value", "epoch"), lambda _: CELL):
        means = human_cells(group.labels["graph"]) if target is None else target
        people = {"/".join(cell): mean for cell, mean in means.items()}
        asked = group.where(np.isin(_cells(group), list(people)))
        if not asked.units.size:
            continue
        for inside in _by_story(asked, sorted({*asked["story"].tolist()})):
            scored = inside.where(inside["outcome"] == "scored")
            order = np.lexsort([scored["epoch"], scored["cause"], _cells(scored)])
            ordered = scored.where(order)
            cells = tuple(_cells(ordered).tolist())
            yield _Scope(ordered, cells, np.array([people[cell] for cell in cells]))


def _by_story(group: Group, stories: Iterable[str]) -> Iterator[Group]:
    """Yield the answers to each story, and then all, with their outcomes."""
    for story in stories:
        yield group.where(group["story"] == story, story=story).recounted()
    yield group.recounted()


def _cells(group: Group) -> NDArray[np.str_]:
    return _joined(group, "story", "polarity", "letter")


def _joined(group: Group, *names: str) -> NDArray[np.str_]:
    """Return several words of each answer as one, with a slash between."""
    found = group[names[0]]
    for name in names[1:]:
        found = np.char.add(np.char.add(found, "/"), group[name])
    return found
