"""What help is worth: scores by hint level, from everything named to the bare question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whybench.drawing.canvas import styled
from whybench.drawing.marks import add_key
from whybench.drawing.panels import agent_panels
from whybench.drawing.style import SIZE, colour
from whybench.suites.analyze.figures.profiles import SCORES, profiles_of
from whybench.suites.analyze.figures.series import TICKS, series, series_keys
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from whybench.stats import Measure

__all__ = ["at_hint", "score_by_hint"]

COLUMNS = 4
PANEL = 44
"""Height of a row of panels in mm."""
CLOSER = 0.75
"""Points stand this much closer beside a hint level than in rows of their own."""


@styled
def score_by_hint(measures: Sequence[Measure]) -> Figure:
    """Draw scores in traps and controls and the twin score by hint level, a panel for each agent.

    Agents stand in the order of their twin scores. Bars are 95% intervals. Where the curve of
    traps falls and that of controls does not, an agent sees only the traps that it is told of.

    Args:
        measures: Measures `score_trap`, `score_control` and `twin_score` at levels of `hint`;
            others are left out, except that the overall `twin_score` orders the agents.
    """
    every = profiles_of(measures)
    profiles = [profile for profile in every if any(map(at_hint, profile.measures.values()))]
    if not profiles:
        raise UserError("measures must hold scores at levels of hint, got none")
    hints = sorted({hint for p in profiles for m in p.measures.values() if (hint := at_hint(m))})
    labels = [profile.labels for profile in profiles]
    figure, panels = agent_panels(labels, COLUMNS, PANEL)
    drawn = [one._replace(aside=CLOSER * one.aside) for one in series(*SCORES)]
    shown: list[Measure] = []
    for axes, profile in zip(panels, profiles, strict=True):
        axes.grid(axis="y", color=colour("pale"), linewidth=0.5)
        axes.set_axisbelow(True)
        for one in drawn:
            found = [
                (float(hint), measure)
                for hint in hints
                if (measure := profile.find(SCORES[one.kind], hint=hint))
            ]
            across = [hint + one.aside for hint, _ in found]
            up = [measure.estimate or 0.0 for _, measure in found]  # all of them have one
            axes.plot(across, up, color=one.look.colour, linestyle=one.look.line, linewidth=0.9,
                      zorder=2, gid=f"curve-{one.kind}")  # fmt: skip
            one.draw(axes, found)
            shown += [measure for _, measure in found]
    panels[0].set(xlim=(hints[0] - 0.4, hints[-1] + 0.4), ylim=(-0.03, 1.03))
    panels[0].set_xticks(hints)
    panels[0].set_yticks(*TICKS)
    figure.supxlabel(
        "hint level, from 1 (roles, method and warning named) to 5 (the bare question)",
        fontsize=SIZE,
    )
    figure.supylabel("mean score, 95% interval", fontsize=SIZE)
    add_key(figure, series_keys(drawn, shown, line=True))
    return figure


def at_hint(measure: Measure) -> int | None:
    """Return the hint level of a measure that can be drawn, else None."""
    drawn = measure.name in SCORES.values() and {*measure.at} == {"hint"}
    return int(measure.at["hint"]) if drawn else None
