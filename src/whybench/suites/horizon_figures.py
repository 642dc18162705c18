"""The figure of a suite with horizons: curves over depth, a panel for each agent.

A suite whose items have the columns `depth` and `query` yields it from its `figures`:

    yield from horizon_figures(records, CONDITION, MEASURES, fit, "number of rules")

where `fit` returns the `HorizonFit` of a group and a query.
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
from whybench.numerals import ABOVE, BELOW, BOUNDS, estimate_text
from whybench.stats.horizon import RISES
from whybench.suites.horizon import DO, OBSERVE, group_by_depth
from whybench.suites.measures import measure_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.charts import Chart
    from whybench.drawing.style import Look
    from whybench.stats import Measure
    from whybench.stats.horizon import CurvePoint, HorizonFit
    from whybench.suites.groups import Group
    from whybench.suites.measures import DeclaredMeasure

MOST_PANELS = 12
"""The largest number of agents in one figure; others go into further ones."""
CURVE_POINTS = 49
"""The number of points of a curve."""


class QueryStyle(NamedTuple):
    """How the answers to a query are shown.

    Attributes:
        query: The query.
        series: The name of the series in the legend.
        look: Its look.
        row: The name of the row with the horizon.
        horizon: The measure of the horizon.
        accuracy: The measure of the share at each depth.
    """

    query: str
    series: str
    look: Look
    row: str
    horizon: str
    accuracy: str


SET_STYLE = QueryStyle(
    DO, "solid: set (do)", SERIES[1]._replace(dashes=()), "horizon", "horizon", "accuracy"
)
CONTROL_STYLE = QueryStyle(
    OBSERVE, "dashed: observed (control)", SERIES[2], "of control", "control_horizon",
    "control_accuracy",
)  # fmt: skip
"""The style of a control that observes the cause. Another control has its own query and series."""

CAPTION = (
    "The share of correct answers by depth, with the fitted curve. The horizon is the depth at "
    "which the curve is half-way between guessing and 1. Agents are in the order of their horizon. "
    "Only a gap between the solid and the dashed curve is about interventions: the control "
    "takes the same steps without one."
)
RISING_SIGN = "*"
RISING = "* More answers are correct at greater depths, so the curve doesn't describe the agent."


class AgentCurves(NamedTuple):
    """The measures of one agent under one condition, its curves, and its guessing rate."""

    measures: tuple[Measure, ...]
    curves: Mapping[QueryStyle, Sequence[CurvePoint]]
    guess: float

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
        found = (self.overall(style.horizon) for style in (SET_STYLE, CONTROL_STYLE))
        return tuple(inf if one is None else -_reach(one) for one in found)


def horizon_figures(
    records: pa.Table,
    condition: Sequence[str],
    declared: Sequence[DeclaredMeasure],
    fit: Callable[[Group, str], HorizonFit],
    across: str,
    control: QueryStyle = CONTROL_STYLE,
) -> Iterator[Figure]:
    """Yield the curves of each design.

    Args:
        records: Records of the suite.
        condition: The columns of a condition.
        declared: The suite's measures (`declare_horizon`).
        fit: Fits the curve of a query to the answers of a group.
        across: The unit of depth, such as "number of rules".
        control: The style of the control.
    """

    def draw(design: str, mine: pa.Table) -> Iterator[Figure]:
        groups = group_by_depth(mine, condition)
        agents = [one for group in groups if (one := read_curves(group, declared, fit, control))]
        agents.sort(key=lambda agent: (*agent.order(), agent.labels["agent"]))
        for page, some in pages(agents, MOST_PANELS):
            rows = [one.row() for agent in some for one in _measures_of(agent)]
            rises = any(RISES in one.flags for agent in some for one in agent.measures)
            caption = f"{CAPTION} {RISING}" if rises else CAPTION
            name = "-".join([f"curves-{design}", *page])
            yield Figure(name, partial(draw_curves, some, across), rows, caption=caption)

    return figures_by_design(records, draw)


def read_curves(
    group: Group,
    declared: Sequence[DeclaredMeasure],
    fit: Callable[[Group, str], HorizonFit],
    control: QueryStyle = CONTROL_STYLE,
) -> AgentCurves | None:
    """Return measures and fitted curves of a group; None if no query has two depths."""
    curves: dict[QueryStyle, Sequence[CurvePoint]] = {}
    guess = 0.0
    for style in (SET_STYLE, control):
        fitted = fit(group, style.query)
        depths = np.unique(fitted.depths)
        if depths.size > 1:
            guess = fitted.guess
            ends = float(depths[0]), float(depths[-1])
            curves[style] = fitted.curve(np.geomspace(*ends, num=CURVE_POINTS).tolist())
    if not curves:
        return None
    return AgentCurves(tuple(measure_groups([group], declared)), curves, guess)


def draw_curves(agents: Sequence[AgentCurves], across: str) -> Chart:
    """Return the curves of agents, with the share at each depth and the horizons."""
    panels = distinct_names([agent.labels for agent in agents])
    shown: list[ShownEstimate] = []
    curves: list[FittedCurve] = []
    thresholds: list[Threshold] = []
    sides = {ABOVE: "above", BELOW: "below"}
    for panel, agent in zip(panels, agents, strict=True):
        for style, points in agent.curves.items():
            curves.append(FittedCurve(panel, style.series, points))
            shown += [
                ShownEstimate(one, "", panel, style.series, float(depth), str(depth))
                for one in agent.by_depth(style.accuracy)
                for depth in one.at.values()
            ]
            horizon = agent.overall(style.horizon)
            if horizon is not None and horizon.estimate is not None:
                side = next((sides[flag] for flag in horizon.flags if flag in sides), "at")
                mark = ShownEstimate(horizon, "", panel, style.series, level=_text(horizon))
                thresholds.append(Threshold(mark, side))
    met = dict.fromkeys(style for agent in agents for style in agent.curves)
    looks = {style.series: (style.look, style.row) for style in sorted(met, key=_is_control)}
    guess = agents[0].guess
    return plot_curves(shown, curves, thresholds, panels, looks, guess=guess, across=across)


def _is_control(style: QueryStyle) -> bool:
    return style is not SET_STYLE


def _measures_of(agent: AgentCurves) -> Iterator[Measure]:
    """Yield the horizons and the shares of an agent, as the figure shows them."""
    for style in agent.curves:
        horizon = agent.overall(style.horizon)
        if horizon is not None and horizon.estimate is not None:
            yield horizon
        yield from agent.by_depth(style.accuracy)


def _reach(horizon: Measure) -> float:
    """Return a number by which horizons sort; beyond the deepest question is the farthest."""
    return inf if ABOVE in horizon.flags else -inf if BELOW in horizon.flags else _value(horizon)


def _value(horizon: Measure) -> float:
    return 0.0 if horizon.estimate is None else horizon.estimate


def _text(horizon: Measure) -> str:
    """Return a horizon in two digits, or the bound beyond which it lies."""
    is_bound = BOUNDS.keys() & {*horizon.flags}
    text = estimate_text(horizon) if is_bound else f"{float(f'{_value(horizon):.2g}'):g}"
    return text + (RISING_SIGN if RISES in horizon.flags else "")
