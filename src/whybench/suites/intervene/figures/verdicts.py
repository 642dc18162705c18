"""How many answers were justified, lucky, premature or against the evidence: a bar an agent."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from matplotlib.patches import Patch

from whybench.drawing.canvas import sheet, styled
from whybench.drawing.figure import distinct_names
from whybench.drawing.style import colour, read_table
from whybench.suites.contract import UserError
from whybench.suites.intervene.measures import intervene_groups
from whybench.suites.intervene.verdicts import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import pyarrow as pa
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["verdict_bars"]

LOOKS = read_table(__package__, "style.yaml")["verdicts"]
ROW = 5.5
"""Height of a row in mm."""
HEAD = -1.1
"""Where the head of the table stands, in rows."""
BAR = 0.72
"""Thickness of a bar, as a share of its row."""


@styled
def verdict_bars(records: pa.Table) -> Figure:
    """Draw the verdicts on each agent's episodes as shares of a bar, with their counts beside it.

    Agents stand in the order of what they justified. Episodes that a technical error ended have no
    verdict and are not counted.

    Args:
        records: Records of intervene.
    """
    counts = _counts(records)
    names = distinct_names([labels for labels, _ in counts])
    figure = sheet(ROW * len(counts) + 26)
    figure.rows = tuple(
        {**labels, **{name: found[name] for name in VERDICTS}, "all": found.total()}
        for labels, found in counts
    )
    bars, table = figure.subplots(1, 2, sharey=True, width_ratios=[5, 3])
    for row, (_, found) in enumerate(counts):
        _draw_bar(bars, row, found)
        _write_counts(table, row, found)
    bars.set_yticks(range(len(counts)), names)
    bars.set(xlim=(0, 100), ylim=(len(counts) - 0.4, HEAD - 0.5), xlabel="share of episodes (%)")
    bars.tick_params(axis="y", length=0)
    bars.spines["left"].set_visible(False)
    _head_table(table)
    keys = [Patch(**_look(name), label=LOOKS[name]["name"]) for name in VERDICTS]
    # Filled column by column: right, wrong, and no answer.
    figure.legend(handles=keys, loc="outside upper center", ncols=3, handleheight=1.1)
    return figure


def _counts(records: pa.Table) -> list[tuple[Mapping[str, str], Counter[str]]]:
    """Return the verdicts of each agent under each condition, the most justified first."""
    found = [
        (group.labels, Counter(filter(None, group["verdict"])))
        for group in intervene_groups(records)
    ]
    met = [(labels, counts) for labels, counts in found if counts]
    if not met:
        raise UserError("records must hold episodes with a verdict, got none")
    return sorted(met, key=lambda entry: _merit(entry[1]), reverse=True)


def _merit(found: Counter[str]) -> tuple[float, ...]:
    return tuple(found[name] / found.total() for name in VERDICTS)


def _look(verdict: str) -> dict[str, Any]:
    entry = LOOKS[verdict]
    return {
        "facecolor": colour(entry["colour"]),
        "hatch": entry["hatch"],
        "edgecolor": "white" if entry["hatch"] else colour(entry["colour"]),
        "linewidth": 0,
    }


def _draw_bar(axes: Axes, row: int, found: Counter[str]) -> None:
    start = 0.0
    for name in VERDICTS:
        share = 100 * found[name] / found.total()
        if share:
            _draw_part(axes, row, start, share, name, f"points-{name}-{row}")
        start += share


def _draw_part(
    axes: Axes, row: float, start: float, length: float, verdict: str, gid: str | None = None
) -> None:
    axes.barh(row, length, BAR, left=start, **_look(verdict), gid=gid)
    # The outline is drawn apart, since a bar's own has the colour of its hatch.
    axes.barh(row, length, BAR, left=start, facecolor="none", edgecolor=colour("black"),
              linewidth=0.5)  # fmt: skip


def _write_counts(axes: Axes, row: int, found: Counter[str]) -> None:
    for column, number in enumerate([*(found[name] for name in VERDICTS), found.total()]):
        shade = colour("black" if number else "grey")
        axes.text(column, row, str(number), ha="center", va="center_baseline", color=shade)


def _head_table(axes: Axes) -> None:
    """Head each column of counts with the look of its verdict."""
    axes.set_xlim(-0.5, len(VERDICTS) + 0.5)
    for column, name in enumerate(VERDICTS):
        _draw_part(axes, HEAD, column - 0.25, 0.5, name)
    axes.text(len(VERDICTS), HEAD, "all", ha="center", va="center_baseline")
    axes.set_axis_off()
