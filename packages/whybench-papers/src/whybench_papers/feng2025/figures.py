"""The source's results as pictures, with one's own agents in them.

`published` has the printed accuracies of all models under two prompts; `structures` and `sizes` are
drawn as the source's figures 2 and 3, of which no numbers are printed, so that they hold one's own
agents alone.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from whybench.drawing.charts import Guide, ShownEstimate, plot_lines, plot_points
from whybench.drawing.figure import Figure, distinct_names
from whybench.drawing.style import SERIES
from whybench.frames import rows_of
from whybench.suites.intervene.figures.by_size import CHANCE
from whybench_papers.feng2025.replication import (
    OWN,
    core_results,
    measure_sizes,
    measure_structures,
    printed_results,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.charts import Chart
    from whybench.drawing.style import Look
    from whybench.stats import Measure
    from whybench_papers.feng2025.replication import Result

PANELS = ("accuracy", "answer is no", "answer is yes")
STYLES = ("direct", "fewest-steps")
"""The styles in which all printed models were asked."""

PUBLISHED_CAPTION = (
    "Accuracy on the 84 core cases, of the printed models and, in bold, of your own agents. An "
    "episode without an answer is not right."
)
STRUCTURES_CAPTION = (
    "Accuracy by causal structure, as in the source's figure 2. Its models are not in it, since "
    "it prints no numbers of them."
)
SIZES_CAPTION = (
    "Accuracy by the number of entities, all moving at first, as in the source's figure 3. Its "
    "models are not in it, since it prints no numbers of them."
)


def replication_figures(records: pa.Table | None = None) -> Iterator[Figure]:
    """Yield the figures of the replication.

    Args:
        records: Records of intervene; without them there are the printed results alone.
    """
    own = [] if records is None else list(core_results(records))
    results = [one for one in [*printed_results(), *own] if one.labels["style"] in STYLES]
    draw = partial(published_points, results)
    yield Figure("published", draw, rows_of(results), caption=PUBLISHED_CAPTION)
    if records is None:
        return
    if structures := list(measure_structures(records)):
        chart = partial(accuracy_by_structure, structures)
        yield Figure("structures", chart, rows_of(structures), caption=STRUCTURES_CAPTION)
    if sizes := list(measure_sizes(records)):
        chart = partial(accuracy_by_entities, sizes)
        yield Figure("sizes", chart, rows_of(sizes), caption=SIZES_CAPTION)


def published_points(results: Sequence[Result]) -> Chart:
    """Return the accuracies of printed models and of one's own, a row each, the best first.

    Args:
        results: Results on the core set, see `printed_results` and `core_results`.
    """
    names = _name_rows([result.labels for result in results])
    best: dict[str, float] = {}
    for name, result in zip(names, results, strict=True):
        best[name] = max(best.get(name, 0.0), result.accuracy.estimate or 0.0)
    shown = [
        ShownEstimate(found, row=name, panel=panel, series=result.labels["style"])
        for name, result in zip(names, results, strict=True)
        for panel, found in zip(PANELS, (result.accuracy, result.no, result.yes), strict=True)
        if found is not None and found.estimate is not None
    ]
    own = {name for name, result in zip(names, results, strict=True) if result.source == OWN}
    rows = sorted(best, key=lambda name: -best[name])
    return plot_points(
        shown,
        rows,
        PANELS,
        looks=_looks([result.labels["style"] for result in results]),
        heads=[name for name in rows if name in own],
        columns=3,
        ends=(0.0, 1.0),
        words=("agent", "accuracy", "style"),
    )


def accuracy_by_structure(measures: Sequence[Measure]) -> Chart:
    """Return accuracy by causal structure, a row for each agent and a panel for each structure.

    Args:
        measures: `accuracy` at levels of `structure`, see `measure_structures`.
    """
    names = _name_rows([measure.labels for measure in measures])
    panels = list(dict.fromkeys(str(measure.at["structure"]) for measure in measures))
    shown = [
        ShownEstimate(
            measure, row=name, panel=str(measure.at["structure"]), series=measure.labels["style"]
        )
        for name, measure in zip(names, measures, strict=True)
    ]
    return plot_points(
        shown,
        list(dict.fromkeys(names)),
        panels,
        looks=_looks([measure.labels["style"] for measure in measures]),
        columns=3,
        ends=(0.0, 1.0),
        words=("agent", "structure", "style"),
    )


def accuracy_by_entities(measures: Sequence[Measure]) -> Chart:
    """Return accuracy over the number of entities, a panel for each agent.

    Args:
        measures: `accuracy` at numbers of `entities`, see `measure_sizes`.
    """
    names = _name_rows([measure.labels for measure in measures])
    shown = [
        ShownEstimate(
            measure,
            panel=name,
            series=measure.labels["style"],
            at=float(measure.at["entities"]),
            level=str(measure.at["entities"]),
        )
        for name, measure in zip(names, measures, strict=True)
    ]
    sizes = sorted({int(measure.at["entities"]) for measure in measures})
    return plot_lines(
        shown,
        list(dict.fromkeys(names)),
        _looks([measure.labels["style"] for measure in measures]),
        {float(size): str(size) for size in sizes},
        across="number of entities",
        up="accuracy",
        ends=(0.0, 1.0),
        guides=[Guide("guessing", CHANCE)],
        words=("agent", "style", "entities"),
    )


def _looks(styles: Sequence[str]) -> dict[str, Look]:
    return dict(zip(dict.fromkeys(styles), SERIES[1:], strict=False))


def _name_rows(labels: Sequence[Mapping[str, str]]) -> list[str]:
    """Name agents by what tells them apart; styles are series, and worlds of a line differ."""
    left_out = {"style", "worlds"}
    keys = [tuple((k, v) for k, v in one.items() if k not in left_out) for one in labels]
    different = list(dict.fromkeys(keys))
    kept = {name for key in different for name, _ in key}
    groups = [{name: dict(key).get(name, "") for name in sorted(kept)} for key in different]
    names = dict(zip(different, distinct_names(groups), strict=True))
    return [names[key] for key in keys]
