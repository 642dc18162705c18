"""Answers against truths, a panel for each agent: what lies off the line, and by which mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from whybench.drawing.canvas import styled
from whybench.drawing.panels import agent_panels
from whybench.drawing.style import MARKER, SIZE, colour, read_table
from whybench.suites.calculate.diagnoses import RIGHT, WAYS
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.suites.calculate.figures.results import Diagnosed

__all__ = ["answers_on_truths"]

LOOKS = read_table(__package__, "style.yaml")["diagnoses"]
PLACED = (RIGHT, *WAYS)
EXACT: dict[str, Any] = {"color": colour("grey"), "linewidth": 0.8}
FITTED: dict[str, Any] = {"color": colour("black"), "linewidth": 0.9, "linestyle": (0, (4, 2))}
COLUMNS = 3
PANEL = 56
"""Height of a row of panels in mm."""
MARGIN = 5
"""Room beyond the outermost points, in percentage points."""


@styled
def answers_on_truths(agents: Sequence[Diagnosed]) -> Figure:
    """Draw the numbers that agents gave against the true ones, by diagnosis.

    Agents stand in the order of their shares of right answers. A full line is where answers are
    exact; a dashed one has the slope of answers on truths.

    Args:
        agents: The answers of each agent; those without numbers are left out.
    """
    ordered = sorted(filter(_has_numbers, agents), key=_share_right, reverse=True)
    if not ordered:
        raise UserError("agents must have numbers to draw, got none")
    labels = [agent.labels for agent in ordered]
    figure, panels = agent_panels(labels, COLUMNS, PANEL, "answer (%)")
    every = [end for agent in ordered for x in agent.placed for end in (x.truth, x.value or 0.0)]
    low, high = min(0.0, *every) - MARGIN, max(100.0, *every) + MARGIN
    for axes, agent in zip(panels, ordered, strict=True):
        axes.set_title(f"{axes.get_title()}\n{_slope_text(agent)}")
        axes.plot([low, high], [low, high], **EXACT, zorder=1, gid="exact")
        _draw_slope(axes, agent, low, high)
        _draw_answers(axes, agent)
    panels[0].set(xlim=(low, high), ylim=(low, high))
    ticks = [tick for tick in (-100, -50, 0, 50, 100) if low <= tick <= high]
    names = [str(tick).replace("-", "−") for tick in ticks]
    panels[0].set_xticks(ticks, names)
    panels[0].set_yticks(ticks, names)
    figure.supxlabel("truth (%)", fontsize=SIZE)
    figure.legend(handles=_keys(ordered), loc="outside upper center", ncols=3)
    return figure


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


def _draw_slope(axes: Axes, agent: Diagnosed, low: float, high: float) -> None:
    """Draw the line with the measured slope through the mean of truths and answers."""
    if agent.slope is None or agent.slope.estimate is None:
        return
    truths = [answer.truth for answer in agent.placed]
    values = [answer.value or 0.0 for answer in agent.placed]
    x, y = sum(truths) / len(truths), sum(values) / len(values)
    ends = [y + agent.slope.estimate * (end - x) for end in (low, high)]
    axes.plot([low, high], ends, **FITTED, zorder=2, gid="slope")


def _draw_answers(axes: Axes, agent: Diagnosed) -> None:
    for name in PLACED:
        mine = [answer for answer in agent.placed if answer.diagnosis == name]
        if mine:
            axes.plot(
                [answer.truth for answer in mine],
                [answer.value or 0.0 for answer in mine],
                **_mark(name),
                zorder=3 if name == RIGHT else 4,
                clip_on=False,
                gid=f"points-{name}",
            )


def _mark(diagnosis: str) -> dict[str, Any]:
    look = LOOKS[diagnosis]
    shade = colour(look["colour"])
    thin = look["marker"] == "x"
    return {
        "linestyle": "none",
        "marker": look["marker"],
        "markersize": MARKER * (0.7 if diagnosis == RIGHT else 1.0),
        "color": shade,
        "markeredgecolor": shade if thin else "white",
        "markeredgewidth": 0.9 if thin else 0.3,
    }


def _keys(agents: Sequence[Diagnosed]) -> list[Line2D]:
    met = {answer.diagnosis for agent in agents for answer in agent.placed}
    keys = [
        Line2D([], [], **_mark(name), label=WAYS.get(name, name)) for name in PLACED if name in met
    ]
    keys.append(Line2D([], [], **EXACT, label="exact"))
    if any(agent.slope is not None for agent in agents):
        keys.append(Line2D([], [], **FITTED, label="slope of answers"))
    return keys
