"""Which mistake: the wrong answers of each agent, by the way in which they are wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from matplotlib.patches import Patch

from whybench.drawing.canvas import sheet, styled
from whybench.drawing.figure import distinct_names
from whybench.drawing.style import colour, read_table
from whybench.suites.calculate.diagnoses import WAYS
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.suites.calculate.figures.results import Diagnosed

__all__ = ["mistake_bars"]

LOOKS = read_table(__package__, "style.yaml")["diagnoses"]
ROW = 5.5
"""Height of a row in mm."""
AROUND = 34
"""Room for keys and the axis, in mm."""
HEAD = -0.9
"""Where the head of the counts stands, in rows."""
BAR = 0.72
"""Thickness of a bar, as a share of its row."""
LETTERS = 7
"""A part that is so wide, in per cent, has room for its share."""


@styled
def mistake_bars(agents: Sequence[Diagnosed]) -> Figure:
    """Draw the wrong answers of each agent as a bar, cut by the way in which they are wrong.

    Agents stand in the order of their wrong answers, those with the fewest first; beside each bar
    stands how many there are.

    Args:
        agents: The answers of each agent.
    """
    if not agents:
        raise UserError("agents must have answers to draw, got none")
    ordered = sorted(agents, key=lambda agent: agent.wrong / len(agent.answers))
    figure = sheet(ROW * len(ordered) + AROUND)
    names = distinct_names([agent.labels for agent in ordered])
    figure.rows = tuple(row for agent in ordered for row in _rows(agent))
    axes, counts = figure.subplots(1, 2, sharey=True, width_ratios=[10, 1.5])
    for place, agent in enumerate(ordered):
        _draw_bar(axes, place, agent)
        told = f"{agent.wrong} of {len(agent.answers)}"
        counts.text(0, place, told, va="center_baseline")
    counts.text(0, HEAD, "wrong", va="center_baseline")
    counts.set_axis_off()
    axes.set_yticks(range(len(ordered)), names)
    axes.set(
        xlim=(0, 100), ylim=(len(ordered) - 0.4, HEAD - 0.5), xlabel="share of wrong answers (%)"
    )
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    met = [way for way in WAYS if any(agent.counts[way] for agent in ordered)]
    keys = [Patch(**_look(way), label=WAYS[way]) for way in met]
    if keys:
        figure.legend(handles=keys, loc="outside upper center", ncols=3, handleheight=1.1)
    return figure


def _rows(agent: Diagnosed) -> list[Mapping[str, Any]]:
    """Return what a bar shows: for each way to be wrong, how many answers and which share."""
    whole = {"wrong": agent.wrong, "all": len(agent.answers)}
    return [
        {
            **agent.labels,
            "way": way,
            "answers": agent.counts[way],
            **{end: getattr(share, end) for end in ("estimate", "low", "high")},
            **whole,
        }
        for way, share in agent.shares.items()
    ] or [{**agent.labels, **whole}]


def _look(way: str) -> dict[str, Any]:
    look = LOOKS[way]
    plain = look["colour"] == "white"
    shade = "white" if plain else colour(look["colour"])
    return {
        "facecolor": shade,
        "hatch": look["hatch"],
        "edgecolor": colour("grey") if plain else "white" if look["hatch"] else shade,
        "linewidth": 0.5 if plain else 0,
    }


def _draw_bar(axes: Axes, place: int, agent: Diagnosed) -> None:
    start = 0.0
    for way in agent.shares:
        length = 100 * agent.counts[way] / agent.wrong
        axes.barh(place, length, BAR, left=start, **_look(way), gid=f"points-{way}-{place}")
        # The outline is drawn apart, since a bar's own has the colour of its hatch.
        axes.barh(place, length, BAR, left=start, facecolor="none", edgecolor=colour("black"),
                  linewidth=0.5)  # fmt: skip
        if length >= LETTERS:
            _write_share(axes, place, start + length / 2, length)
        start += length
    if not agent.wrong:
        axes.text(1, place, "no wrong answers", va="center_baseline", color=colour("grey"))


def _write_share(axes: Axes, place: int, middle: float, length: float) -> None:
    """Write a share on its part of a bar, on a light ground that hatches do not reach."""
    axes.text(
        middle, place, f"{length:.0f}%", ha="center", va="center_baseline", zorder=5,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )  # fmt: skip
