"""Mean judgment in each task, of people and of a few agents, with what their models predict.

A question as a small graph: what is known, what is asked, what causes what.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from whybench.drawing import graphs
from whybench.drawing.canvas import sheet, styled
from whybench.drawing.figure import distinct_names, is_people
from whybench.drawing.style import MARKER, SERIES, colour
from whybench.stats import clustered_mean
from whybench.suites.contract import UserError
from whybench.suites.judge.figures.looks import TASKS
from whybench.suites.judge.questions import load_structure

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.drawing.style import Look
    from whybench.suites.judge.fitted_models import FittedModel
    from whybench.suites.judge.questions import CausalStructure, JudgeQuestion

SPREAD = 0.46
"""Distance of two nodes side by side, as a share of a task's width."""

KINDS = {"1": "present", "0": "absent", "?": "asked", "": "unknown"}
"""What stands in a node, and what it means."""


def layers(shape: CausalStructure) -> list[list[str]]:
    """Return the nodes from causes to effects: every node lies below all its causes.

    >>> from whybench.suites.judge.questions import structure
    >>> layers(structure("collider"))
    [['C1', 'C2'], ['E']]
    """
    depth: dict[str, int] = {}
    for node in shape.topological_order:
        depth[node] = max((depth[cause] + 1 for cause, effect in shape.edges if effect == node),
                          default=0)  # fmt: skip
    return [
        [node for node in shape.nodes if depth[node] == level]
        for level in range(max(depth.values()) + 1)
    ]


def draw_question(axes: Axes, shape: CausalStructure, question: JudgeQuestion, x: float) -> None:
    """Draw a question's graph around x, over the height from 0 to 1."""
    rows = layers(shape)
    marks = {node: str(state) for node, state in question.given} | {question.target: "?"}
    at: dict[str, graphs.Point] = {
        node: (x + SPREAD * (place - (len(row) - 1) / 2), 1 - level / (len(rows) - 1))
        for level, row in enumerate(rows)
        for place, node in enumerate(row)
    }
    for cause, effect in shape.edges:
        graphs.draw_link(axes, at[cause], at[effect])
    for node, place in at.items():
        draw_node(axes, place, marks.get(node, ""))


def draw_node(axes: Axes, at: graphs.Point, mark: str) -> None:
    """Draw a node: 1 filled, 0 open, ? ringed, unknown pale."""
    graphs.draw_node(
        axes,
        at,
        mark,
        filled=mark == "1",
        rim="black" if mark else "grey",
        width=1.5 if mark == "?" else 0.7,
        bold=mark == "?",
    )


MOST = len(SERIES) - 1
"""So many agents are in one panel, beside people."""
GAP = 0.35
"""Space between two groups of tasks, in widths of a task."""


@styled
def tasks_panel(models: Sequence[FittedModel]) -> Figure:
    """Draw mean judgments per task with 95% intervals, fitted predictions dashed.

    Under each task stands its graph. Intervals are clustered by vignette or person.

    Args:
        models: Up to four agents of one graph, and before them people if they are to be beside.
    """
    people = sum(is_people(model.group.labels["agent"]) for model in models[:1])
    # Black, the first of the looks, is for people.
    looks = SERIES[1 - people :]
    if not 1 <= len(models) <= len(looks):
        raise UserError(
            f"models must be 1 to {MOST} agents, after people if they are among them, "
            f"got {len(models) - people} and {people or 'no'} people"
        )
    graphs = {model.group.labels["graph"] for model in models}
    if len(graphs) > 1:
        raise UserError(f"models must be of one graph, got {', '.join(sorted(graphs))}")
    shape = load_structure(graphs.pop())
    groups = TASKS[shape.name]
    places = _places(groups)

    levels = len(layers(shape))
    figure = sheet(70 + 8 * levels)
    grid = figure.add_gridspec(3, 1, height_ratios=[58, 7.5 * levels, 5])
    axes = figure.add_subplot(grid[0])
    below = figure.add_subplot(grid[1], sharex=axes)
    names = distinct_names([model.group.labels for model in models])
    step = 0.62 / max(len(models), 3)
    for place, model in enumerate(models):
        shift = step * (place - (len(models) - 1) / 2)
        name = names[place] + (" (few answers)" if "small_n" in model.flags else "")
        _draw_agent(axes, model, groups, places, shift, looks[place], name)
    _dress(axes, groups, places)
    first = {question.task: question for question in reversed(shape.questions)}
    for task, x in places.items():
        draw_question(below, shape, first[task], x)
    below.set(ylim=(-0.3, 1.3))
    below.set_axis_off()
    for artist in (*below.lines, *below.texts):
        artist.set_in_layout(False)
    _draw_key(figure.add_subplot(grid[2]))
    figure.legend(loc="outside upper center", ncols=len(models) + 1)
    figure.rows = tuple(row for model in models for row in task_rows(model))
    return figure


def task_rows(model: FittedModel) -> Iterator[dict[str, Any]]:
    """Yield what the panel shows of an agent: a row for each task that it answered."""
    for task, mean, fitted in zip(model.tasks, model.means, model.predictions, strict=True):
        if np.isfinite(mean):
            low, high = _interval(model, task)
            yield {
                **model.group.labels,
                "task": task,
                "mean": 100 * float(mean),
                "low": low,
                "high": high,
                "fitted": 100 * float(fitted) if _is_fitted(model) else None,
                "n": int((model.group["task"] == task).sum()),
            }


def _is_fitted(model: FittedModel) -> bool:
    """Say whether a model says anything: with more parameters than tasks it fits whatever."""
    return "underdetermined" not in model.flags


def _places(groups: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return where each task stands, with a gap between groups."""
    places: dict[str, float] = {}
    start = 0.0
    for tasks in groups.values():
        places |= {task: start + place for place, task in enumerate(tasks)}
        start += len(tasks) + GAP
    return places


def _draw_agent(
    axes: Axes,
    model: FittedModel,
    groups: Mapping[str, Sequence[str]],
    places: Mapping[str, float],
    shift: float,
    drawn: Look,
    name: str,
) -> None:
    fitted = dict(zip(model.tasks, 100 * model.predictions, strict=True))
    for tasks in groups.values() if _is_fitted(model) else ():
        axes.plot(
            [places[task] + shift for task in tasks],
            [fitted[task] for task in tasks],
            color=drawn.colour,
            linestyle=drawn.line,
            linewidth=0.9,
            zorder=2,
            in_layout=False,  # what lies inside the axes needs no room of its own
        )
    means = dict(zip(model.tasks, 100 * model.means, strict=True))
    seen = [task for task in places if np.isfinite(means[task])]
    axes.vlines(
        [places[task] + shift for task in seen],
        *zip(*(_interval(model, task) for task in seen), strict=True),
        color=drawn.colour,
        linewidth=1.1,
        in_layout=False,
    )
    small = "small_n" in model.flags
    axes.plot(
        [places[task] + shift for task in seen],
        [means[task] for task in seen],
        linestyle="none",
        marker=drawn.marker,
        markersize=MARKER,
        markerfacecolor="white" if small else drawn.colour,
        markeredgecolor=drawn.colour,
        markeredgewidth=0.8,
        zorder=4,
        label=name,
        gid=f"points-{name}",
        in_layout=False,
    )


def _interval(model: FittedModel, task: str) -> tuple[float, float]:
    """Return the interval of a task's mean, within the scale; clustered like the measures."""
    mine = model.group.where(model.group["task"] == task)
    found = clustered_mean(mine["value"], mine.units)
    if found.low is None or found.high is None:
        return float("nan"), float("nan")
    return max(found.low, 0.0), min(found.high, 100.0)


def _dress(axes: Axes, groups: Mapping[str, Sequence[str]], places: Mapping[str, float]) -> None:
    axes.set(
        ylim=(-3, 103),
        ylabel="mean judgment, 95% interval",
        xlim=(-0.6, max(places.values()) + 0.6),
    )
    axes.set_yticks([0, 25, 50, 75, 100])
    axes.set_xticks(list(places.values()), list(places))
    axes.tick_params(axis="x", length=0)
    for level in (0, 25, 50, 75, 100):
        axes.axhline(level, color=colour("pale"), linewidth=0.5, zorder=0, in_layout=False)
    for title, tasks in groups.items():
        ends = places[tasks[0]] - 0.45, places[tasks[-1]] + 0.45
        axes.text(sum(ends) / 2, 108, title, ha="center", va="bottom")
        axes.plot(ends, [106, 106], color=colour("grey"), linewidth=0.8, clip_on=False)
    axes.plot([], [], color=colour("grey"), linestyle=(0, (4, 2)), label="fitted model")


def _draw_key(axes: Axes) -> None:
    axes.set(xlim=(0, 100), ylim=(-0.6, 0.6))
    axes.set_axis_off()
    for place, (mark, meaning) in enumerate(KINDS.items()):
        x = 20 + 16 * place
        draw_node(axes, (x, 0), mark)
        axes.text(x + 1.8, 0, meaning, ha="left", va="center_baseline")
