"""Answers against truths, a panel for each agent: what lies off the line, and by which mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.drawing.charts import Segment, Spot, plot_plane
from whybench.drawing.figure import distinct_names
from whybench.drawing.style import Look, read_table
from whybench.suites.calculate.diagnoses import RIGHT, WAYS
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from whybench.drawing.charts import Chart
    from whybench.suites.calculate.figures.results import Diagnosed

LOOKS = read_table(__package__, "style.yaml")["diagnoses"]
PLACED = (RIGHT, *WAYS)
MARGIN = 5
"""Room beyond the outermost points, in percentage points."""


def answers_on_truths(agents: Sequence[Diagnosed]) -> Chart:
    """Return the numbers that agents gave against the true ones, by diagnosis.

    Agents stand in the order of their shares of right answers. A dashed line is where answers are
    exact; a full one has the slope of answers on truths.

    Args:
        agents: The answers of each agent; those without numbers are left out.
    """
    ordered = sorted(filter(_has_numbers, agents), key=_share_right, reverse=True)
    if not ordered:
        raise UserError("agents must have numbers to draw, got none")
    names = distinct_names([agent.labels for agent in ordered])
    panels = [f"{name}\n{_slope_text(agent)}" for name, agent in zip(names, ordered, strict=True)]
    every = [end for agent in ordered for x in agent.placed for end in (x.truth, x.value or 0.0)]
    low, high = min(0.0, *every) - MARGIN, max(100.0, *every) + MARGIN
    ticks = [tick for tick in (-100, -50, 0, 50, 100) if low <= tick <= high]
    met = {answer.diagnosis for agent in ordered for answer in agent.placed}
    looks = {WAYS.get(name, name): Look.of(LOOKS[name]) for name in PLACED if name in met}
    spots = [
        Spot(answer.truth, answer.value or 0.0, panel, WAYS.get(answer.diagnosis, answer.diagnosis))
        for panel, agent in zip(panels, ordered, strict=True)
        for answer in agent.placed
    ]
    slopes = [
        segment
        for panel, agent in zip(panels, ordered, strict=True)
        for segment in _slope(agent, panel, low, high)
    ]
    return plot_plane(
        spots,
        panels,
        looks,
        across="truth (%)",
        up="answer (%)",
        ends=((low, high), (low, high)),
        ticks=(ticks, ticks),
        segments=[Segment((low, low), (high, high)), *slopes],
        words=("agent", "what", "diagnosis"),
        note=("dashed line: exact", "full line: slope of answers" if slopes else ""),
    )


def _has_numbers(agent: Diagnosed) -> bool:
    return bool(agent.placed)


def _share_right(agent: Diagnosed) -> float:
    return agent.counts[RIGHT] / len(agent.answers)


def _slope_text(agent: Diagnosed) -> str:
    slope = agent.slope
    if slope is None or slope.estimate is None:
        return "no slope"
    told = f"slope {slope.estimate:.2f}"
    if slope.low is not None and slope.high is not None:
        told += f" [{slope.low:.2f}, {slope.high:.2f}]"
    return told.replace("-", "−")


def _slope(agent: Diagnosed, panel: str, low: float, high: float) -> Iterator[Segment]:
    """Yield the line with the measured slope through the mean of truths and answers."""
    if agent.slope is None or agent.slope.estimate is None:
        return
    truths = [answer.truth for answer in agent.placed]
    values = [answer.value or 0.0 for answer in agent.placed]
    x, y = sum(truths) / len(truths), sum(values) / len(values)
    start, end = ((at, y + agent.slope.estimate * (at - x)) for at in (low, high))
    yield Segment(start, end, "people-line", panel)
