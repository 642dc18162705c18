"""All figures of a run, from its records."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from whybench.drawing.figure import Figure, figures_by_design
from whybench.drawing.grids import pages
from whybench.drawing.style import read_table
from whybench.frames import rows_of
from whybench.stats import MeasureKey
from whybench.suites.analyze.figures.ladders import (
    FLIPS,
    at_hint,
    flip_ladder,
    score_by_hint,
    score_ladder,
)
from whybench.suites.analyze.figures.plane import twin_plane
from whybench.suites.analyze.figures.profiles import FAMILY_OF, profiles_of
from whybench.suites.analyze.measures import analyze_measures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence, Set

    import pyarrow as pa

    from whybench.drawing.charts import Chart
    from whybench.stats import Measure

MOST_AGENTS = 8
"""So many agents are in one figure; more go into further ones."""

CAPTIONS: Mapping[str, str] = read_table(__package__, "style.yaml")["captions"]
"""What one sees in each figure, and what it means."""


def analyze_figures(records: pa.Table) -> Iterator[Figure]:
    """Yield the figures of a run.

    For each design there are the scores by challenge and, where it has several of these, the plane
    of traps and controls, the scores by hint level, and the flips between labels.

    Args:
        records: Records of analyze.
    """
    return figures_by_design(records, _figures)


def families_of(records: pa.Table) -> dict[str, str]:
    """Return the family of each challenge in records, ours in their order, then others."""
    rows = records.select(["challenge", "family"]).group_by(["challenge", "family"]).aggregate([])
    found = {row["challenge"]: row["family"] for row in rows.to_pylist()}
    ours = [challenge for challenge in FAMILY_OF if challenge in found]
    return {challenge: found[challenge] for challenge in [*ours, *sorted({*found} - {*ours})]}


def flips_at(records: pa.Table, factor: str) -> list[Measure]:
    """Return the flips between labels at each level of a factor, if it has several."""
    levels = records[factor].to_pylist()
    found = {
        level: analyze_measures(records.filter([other == level for other in levels]))
        for level in dict.fromkeys(levels)
    }
    if len(found) < 2:
        return []
    return [
        replace(measure, at={factor: level})
        for level, measures in found.items()
        for measure in measures
        if measure.key == MeasureKey(FLIPS)
    ]


def _figures(design: str, records: pa.Table) -> Iterator[Figure]:
    families = families_of(records)
    for page, profiles in pages(profiles_of(_measures(records)), MOST_AGENTS):
        measures = [m for profile in profiles for m in profile.measures.values()]
        names = {measure.name for measure in measures if not measure.at}
        name = "-".join([design, *page])
        for kind, draw in _charts(measures, names, families):
            caption = CAPTIONS[kind]
            yield Figure(f"{kind}-{name}", draw, rows_of(measures), caption=caption)


def _charts(
    measures: Sequence[Measure], names: Set[str], families: Mapping[str, str]
) -> Iterator[tuple[str, Callable[[], Chart]]]:
    """Yield what there is to be seen in measures, each by its name."""
    yield "by-challenge", partial(score_ladder, measures, families)
    if any("challenge" in measure.at for measure in measures):
        yield "plane", partial(twin_plane, measures, families)
    if any(map(at_hint, measures)):
        yield "by-hint", partial(score_by_hint, measures)
    if FLIPS in names:
        yield "label-flips", partial(flip_ladder, measures, families)


def _measures(records: pa.Table) -> list[Measure]:
    """Return all measures, and where labels were compared, flips by family and challenge too."""
    found = analyze_measures(records)
    if not any(measure.key == MeasureKey(FLIPS) for measure in found):
        return found
    return [*found, *flips_at(records, "family"), *flips_at(records, "challenge")]
