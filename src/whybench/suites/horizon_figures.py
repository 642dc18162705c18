"""The figure of a suite with horizons: curves over depth, a panel for each agent.

A suite whose items have the columns `depth` and `query` yields it from its `figures`:

    yield from horizon_figures(records, CONDITION, MEASURES, GUESS, "number of rules")
"""

from __future__ import annotations

from functools import partial
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from whybench.drawing.charts import FittedCurve, ShownEstimate, Threshold, plot_curves
from whybench.drawing.figure import Figure, distinct_names, figures_by_design
from whybench.drawing.grids import pages
from whybench.drawing.style import SERIES
from whybench.numerals import ABOVE, BELOW, BOUNDS
from whybench.stats.horizon import RISES
from whybench.suites.horizon import DO, OBSERVE, fit_horizon, group_by_depth
from whybench.suites.measures import measure_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.charts import Chart
    from whybench.drawing.style import Look
    from whybench.stats import Measure
    from whybench.stats.horizon import CurvePoint
    from whybench.suites.groups import Group
    from whybench.suites.measures import DeclaredMeasure

MOST_PANELS = 12
"""The largest number of agents in one figure; others go into further ones."""
CURVE_POINTS = 49
"""The number of points of a curve."""


class _QueryStyle(NamedTuple):
    """How the answers to a query are shown: series, its look, its row, and measures."""

    series: str
    look: Look
    row: str
    horizon: str
    accuracy: str


STYLES = {
    DO: _QueryStyle(
        "solid: set (do)", SERIES[1]._replace(dashes=()), "horizon", "horizon", "accuracy"
    ),
    OBSERVE: _QueryStyle(
        "dashed: observed (control)", SERIES[2], "of control", "control_horizon",
        "control_accuracy",
    ),
}  # fmt: skip

CAPTION = (
    "The share of correct answers by depth, with the fitted curve. The horizon is the depth at "
    "which the curve is half-way between guessing and 1. Agents are in the order of their horizon. "
    "Only a gap between the solid and the dashed curve is about interventions: the control "
    "takes the same steps without one."
)
RISING_SIGN = "*"
RISING = "* More answers are correct at greater depths, so the curve doesn't describe the agent."


class AgentCurves(NamedTuple):
    """The measures of one agent under one condition, and its curves, by query."""

    measures: tuple[Measure, ...]
    curves: Mapping[str, Sequence[CurvePoint]]

    @property
    def labels(self) -> Mapping[str, str]:
        """The agent and its condition."""
        return self.measures[0].labels

    def overall(self, name: str) -> Measure | None:
        """Return a measure over all depths; None without."""
        return next((one for one in self.measures if one.name == name and not one.at), None)

    def by_depth(self, name: str) -> list[Measure]:
        """Return the estimates of a measure at each depth."""
        return [
            one
            for one in self.measures
            if one.name == name and {*one.at} == {"depth"} and one.estimate is not None
        ]

    def order(self) -> tuple[float, ...]:
        """Return a key by which the farthest agents are first."""
        found = (self.overall(shown.horizon) for shown in STYLES.values())
        return tuple(inf if one is None else -_reach(one) for one in found)


def horizon_figures(
    records: pa.Table,
    condition: Sequence[str],
    declared: Sequence[DeclaredMeasure],
    guess: float,
    across: str,
) -> Iterator[Figure]:
    """Yield the curves of each design.

    Args:
        records: Records of the suite.
        condition: The columns of a condition.
        declared: The suite's measures (`declare_horizon`).
        guess: Its guessing rate.
        across: The unit of depth, such as "number of rules".
    """

    def draw(design: str, mine: pa.Table) -> Iterator[Figure]:
        groups = group_by_depth(mine, condition)
        agents = [one for group in groups if (one := read_curves(group, declared, guess))]
        agents.sort(key=lambda agent: (*agent.order(), agent.labels["agent"]))
        for page, some in pages(agents, MOST_PANELS):
            chart = partial(draw_curves, some, guess, across)
            rows = [one.row() for agent in some for one in _measures_of(agent)]
            rises = any(RISES in one.flags for agent in some for one in agent.measures)
            caption = f"{CAPTION} {RISING}" if rises else CAPTION
            yield Figure("-".join([f"curves-{design}", *page]), chart, rows, caption=caption)

    return figures_by_design(records, draw)


def read_curves(
    group: Group, declared: Sequence[DeclaredMeasure], guess: float
) -> AgentCurves | None:
    """Return measures and fitted curves of a group; None if no query has two depths."""
    curves: dict[str, Sequence[CurvePoint]] = {}
    for query in STYLES:
        fit = group.once(fit_horizon, query, guess)
        depths = np.unique(fit.depths)
        if depths.size > 1:
            curves[query] = fit.curve(np.geomspace(depths[0], depths[-1], CURVE_POINTS).tolist())
    if not curves:
        return None
    return AgentCurves(tuple(measure_groups([group], declared)), curves)


def draw_curves(agents: Sequence[AgentCurves], guess: float, across: str) -> Chart:
    """Return the curves of agents, with the share at each depth and the horizons."""
    panels = distinct_names([agent.labels for agent in agents])
    shown: list[ShownEstimate] = []
    curves: list[FittedCurve] = []
    thresholds: list[Threshold] = []
    for panel, agent in zip(panels, agents, strict=True):
        for query, points in agent.curves.items():
            about = STYLES[query]
            curves.append(FittedCurve(panel, about.series, points))
            shown += [
                ShownEstimate(one, "", panel, about.series, float(depth), str(depth))
                for one in agent.by_depth(about.accuracy)
                for depth in one.at.values()
            ]
            horizon = agent.overall(about.horizon)
            if horizon is not None and horizon.estimate is not None:
                side = {ABOVE: "above", BELOW: "below"}
                at = next((side[flag] for flag in horizon.flags if flag in side), "at")
                text = _text(horizon, points[0].depth, points[-1].depth)
                mark = ShownEstimate(horizon, panel=panel, series=about.series, level=text)
                thresholds.append(Threshold(mark, at))
    met = [about for query, about in STYLES.items() if any(query in a.curves for a in agents)]
    looks = {about.series: (about.look, about.row) for about in met}
    return plot_curves(shown, curves, thresholds, panels, looks, guess=guess, across=across)


def _measures_of(agent: AgentCurves) -> Iterator[Measure]:
    """Yield the horizons and the shares of an agent, as the figure shows them."""
    for query in agent.curves:
        horizon = agent.overall(STYLES[query].horizon)
        if horizon is not None and horizon.estimate is not None:
            yield horizon
        yield from agent.by_depth(STYLES[query].accuracy)


def _reach(horizon: Measure) -> float:
    """Return a number by which horizons sort; beyond the deepest question is the farthest."""
    return inf if ABOVE in horizon.flags else -inf if BELOW in horizon.flags else _value(horizon)


def _value(horizon: Measure) -> float:
    return 0.0 if horizon.estimate is None else horizon.estimate


def _text(horizon: Measure, shallow: float, deep: float) -> str:
    """Return a horizon in two digits, or the bound beyond which it lies or may lie."""
    value = _value(horizon)
    bound = next((sign for flag, sign in BOUNDS.items() if flag in horizon.flags), "")
    bound = bound or ("≥" if value >= deep else "≤" if value <= shallow else "")
    digits = f"{value:g}" if bound else f"{float(f'{value:.2g}'):g}"
    return f"{bound} {digits}".lstrip() + (RISING_SIGN if RISES in horizon.flags else "")
