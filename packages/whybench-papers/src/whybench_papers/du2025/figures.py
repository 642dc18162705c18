"""The figure of published data: scores by the rows and by the printed keys."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from whybench.drawing.figure import Figure, figures_by_design
from whybench.drawing.grids import pages
from whybench.frames import rows_of
from whybench.suites.analyze.figures.ladders import challenge_rungs, name_panels, plot_ladder
from whybench.suites.analyze.figures.profiles import profiles_of
from whybench.suites.analyze.figures.run import MOST_AGENTS, analyze_figures, families_of
from whybench_papers.du2025.forms import DATA_SETS
from whybench_papers.du2025.measures import du2025_measures, select_marked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.charts import Chart
    from whybench.stats import Measure

LOOKS: Mapping[str, Mapping[str, Any]] = {
    "rows": {"name": "by the rows", "colour": "green", "marker": "o"},
    "key": {"name": "by the printed keys", "colour": "vermilion", "marker": "s"},
}

CAPTION = (
    "Scores on published data by the rows and by the printed keys. An agent that is low by the "
    "rows and high by the keys may know the keys."
)


def du2025_figures(records: pa.Table) -> Iterator[Figure]:
    """Yield the figures of a run: of data sets by both keys, of illustrations those of analyze."""
    on_sets = [variant == DATA_SETS for variant in records["variant"].to_pylist()]
    if any(on_sets):
        yield from figures_by_design(records.filter(on_sets), _figures)
    if not all(on_sets):
        yield from analyze_figures(select_marked(records.filter([not one for one in on_sets])))


def key_ladder(measures: Sequence[Measure], families: Mapping[str, str]) -> Chart:
    """Return scores by the rows and by the printed keys, a row for each challenge.

    Args:
        measures: Measures `score` and `key_score`, also at families and challenges.
        families: Challenges in order, and the family of each.
    """
    drawn = {"rows": "score", "key": "key_score"}
    panels = name_panels(measures)
    return plot_ladder(panels, challenge_rungs(families), drawn, LOOKS, "mean score")


def _figures(design: str, records: pa.Table) -> Iterator[Figure]:
    families = families_of(records)
    for page, profiles in pages(profiles_of(du2025_measures(records)), MOST_AGENTS):
        measures = [m for profile in profiles for m in profile.measures.values()]
        name = "-".join([design, *page])
        draw = partial(key_ladder, measures, families)
        yield Figure(f"keys-{name}", draw, rows_of(measures), caption=CAPTION)
