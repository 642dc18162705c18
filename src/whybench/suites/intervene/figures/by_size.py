"""How often agents are right, and right for a reason, as worlds grow."""

from __future__ import annotations

from statistics import fmean
from types import MappingProxyType
from typing import TYPE_CHECKING

from whybench.drawing.charts import Guide, ShownEstimate, plot_lines
from whybench.drawing.figure import distinct_names
from whybench.drawing.style import Look, read_table
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from whybench.drawing.charts import Chart
    from whybench.stats import Measure

SHARES = read_table(__package__, "style.yaml")["shares"]
CHANCE = 0.5


def accuracy_by_size(
    measures: Sequence[Measure], entailed: Mapping[int, float] = MappingProxyType({})
) -> Chart:
    """Return accuracy and justified accuracy by the number of entities, a panel for each agent.

    Agents stand in the order of their justified accuracy, where it is known. Bars are 95%
    intervals; a dashed line is what guessing yields.

    Args:
        measures: `accuracy` and `justified_accuracy` at numbers of `entities`; others are left out.
        entailed: By number of entities, the share of questions that the first state alone settles:
            what an agent could justify without acting. Drawn as a line of long dashes.
    """
    groups = _groups(measures)
    panels = distinct_names([group[0].labels for group in groups])
    sizes = sorted({_size(measure) for group in groups for measure in group})
    known = {float(n): entailed[n] for n in sizes if n in entailed}
    shown = [
        ShownEstimate(
            measure,
            panel=panel,
            series=SHARES[measure.name]["name"],
            at=float(_size(measure)),
            level=str(_size(measure)),
        )
        for panel, group in zip(panels, groups, strict=True)
        for measure in sorted(group, key=_size)
    ]
    met = {one.series for one in shown}
    return plot_lines(
        shown,
        panels,
        {share["name"]: Look.of(share) for share in SHARES.values() if share["name"] in met},
        {float(n): str(n) for n in sizes},
        across="number of entities",
        up="share of questions",
        ends=(0.0, 1.0),
        guides=[Guide("guessing", CHANCE)],
        curve=("settled before any action", known) if known else None,
        words=("agent", "measure", "entities"),
    )


def is_sized(measure: Measure) -> bool:
    """Say whether a measure is an accuracy at one size that can be drawn."""
    return measure.estimate is not None and measure.name in SHARES and {*measure.at} == {"entities"}


def _size(measure: Measure) -> int:
    return int(measure.at["entities"])


def _groups(measures: Iterable[Measure]) -> list[list[Measure]]:
    """Return the shares of each agent under each condition, the most justified first."""
    found: dict[tuple[tuple[str, str], ...], list[Measure]] = {}
    for measure in filter(is_sized, measures):
        found.setdefault(tuple(measure.labels.items()), []).append(measure)
    if not found:
        raise UserError("measures must hold an accuracy at numbers of entities, got none")
    return sorted(found.values(), key=_justified, reverse=True)


def _justified(group: Iterable[Measure]) -> float:
    mine = [measure.estimate for measure in group if measure.name == "justified_accuracy"]
    return fmean([value for value in mine if value is not None] or [-1.0])
