"""Ladders: a row for each challenge under its family, a panel for each agent, dots with intervals.

Rows are the same in all panels, so that agents are compared along a row and challenges down a
column. A family's own row, and that of everything, is in bold on a pale band.

What help is worth: scores by hint level, from everything named to the bare question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from whybench.drawing.canvas import styled
from whybench.drawing.marks import add_key
from whybench.drawing.panels import agent_panels
from whybench.drawing.style import SIZE, colour
from whybench.suites.analyze.figures.series import (
    FAMILY_OF,
    SCORES,
    TICKS,
    profiles_of,
    series,
    series_keys,
)
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from whybench.stats import Level, Measure
    from whybench.suites.analyze.figures.series import AgentProfile, Series

__all__ = [
    "at_hint",
    "flip_ladder",
    "key_ladder",
    "score_by_hint",
    "score_ladder",
]


FLIPS = "label_flips"
KEYED = "key_score"
COLUMNS = 4
ROW = 4.4
"""Height of a row in mm."""
TITLE = 8
"""Room for the title of a panel, in mm."""


class _Rung(NamedTuple):
    """A row: its name, the levels of its measures, and whether it is a head."""

    name: str
    at: Mapping[str, Level]
    head: bool = False


@styled
def score_ladder(measures: Sequence[Measure], families: Mapping[str, str] = FAMILY_OF) -> Figure:
    """Draw scores in traps and in controls side by side, by challenge, a panel for each agent.

    Agents stand in the order of their twin scores, which are told above. A trap's score left of its
    control's is a trap that works; a control's left of its trap's is an agent that cries trap. Dots
    and not a radar, for the reasons in `whybench.suites.analyze.figures`.

    Args:
        measures: Measures `score_trap`, `score_control`, `twin_score`, and both scores at families
            and challenges; others are left out.
        families: Challenges in order, and the family of each.
    """
    profiles = profiles_of(measures)
    drawn = {one: SCORES[one.kind] for one in series("trap", "control")}
    rungs = [_Rung("all challenges", {}, head=True), *_challenges(families)]
    across = "mean score, 95% interval; twin: mean of the lesser of trap and control"
    figure, panels = _ladder(profiles, rungs, drawn, across)
    for axes, profile in zip(panels, profiles, strict=True):
        twin = profile.find(SCORES["twin"])
        axes.set_title(f"{axes.get_title()}\n{_told(twin)}" if twin else axes.get_title())
    return figure


@styled
def key_ladder(measures: Sequence[Measure], families: Mapping[str, str] = FAMILY_OF) -> Figure:
    """Draw scores on published data by what rows settle and by the printed keys, side by side.

    Where both lie apart the keys do. An agent far to the left in both does not do what is asked;
    one that is left by the rows and right by the keys may know the keys.

    Args:
        measures: Measures `score` and `key_score`, also at families and challenges; others are left
            out.
        families: Challenges in order, and the family of each.
    """
    drawn = dict(zip(series("rows", "key"), ("score", KEYED), strict=True))
    rungs = [_Rung("all challenges", {}, head=True), *_challenges(families)]
    figure, _ = _ladder(profiles_of(measures), rungs, drawn, "mean score, 95% interval")
    return figure


@styled
def flip_ladder(measures: Sequence[Measure], families: Mapping[str, str] = FAMILY_OF) -> Figure:
    """Draw how often conclusions from the same rows change with labels, a panel for each agent.

    The rows of numbers are identical, byte for byte; only names are neutral, flattering or damning.
    So every flip is an answer that did not follow from the data alone: it followed from a name, or
    from chance in an agent that does not always say the same.

    Args:
        measures: Measures `label_flips`, overall, at two `labels`, at families and at challenges;
            others are left out.
        families: Challenges in order, and the family of each.
    """
    profiles = profiles_of(measures)
    pairs = dict.fromkeys(
        str(measure.at["labels"])
        for profile in profiles
        for measure in profile.measures.values()
        if measure.name == FLIPS and "labels" in measure.at
    )
    rungs = [
        _Rung("all labels", {}, head=True),
        *(_Rung(pair.replace("/", " / "), {"labels": pair}) for pair in pairs),
        *_challenges(families),
    ]
    across = "share of pairs of answers to the same rows that contradict each other, 95% interval"
    figure, _ = _ladder(profiles, rungs, dict.fromkeys(series("flips"), FLIPS), across)
    return figure


def _challenges(families: Mapping[str, str]) -> Iterator[_Rung]:
    """Yield a row for each family, and one for each of its challenges below."""
    for family in dict.fromkeys(families.values()):
        yield _Rung(family, {"family": family}, head=True)
        for challenge, mine in families.items():
            if mine == family:
                yield _Rung(challenge.replace("_", " "), {"challenge": challenge})


def _ladder(
    profiles: Sequence[AgentProfile],
    rungs: Sequence[_Rung],
    drawn: Mapping[Series, str],
    across: str,
) -> tuple[Figure, list[Axes]]:
    """Draw the rows of which anybody has a measure; `drawn` says which measure each series is."""
    met = {key for profile in profiles for key in profile.measures}
    rows = [
        rung
        for rung in rungs
        if any(profile.find(name, **rung.at) for profile in profiles for name in drawn.values())
    ]
    if not rows:
        wanted = " or ".join(drawn.values())
        raise UserError(f"measures must hold {wanted}, got {len(met)} others and none of them")
    labels = [profile.labels for profile in profiles]
    figure, panels = agent_panels(labels, COLUMNS, ROW * len(rows) + TITLE)
    shown: list[Measure] = []
    for axes, profile in zip(panels, profiles, strict=True):
        _draw_rungs(axes, rows)
        axes.tick_params(labelbottom=True)  # Panels are high, and those below far away.
        for one, name in drawn.items():
            found = [
                (float(place), measure)
                for place, rung in enumerate(rows)
                if (measure := profile.find(name, **rung.at))
            ]
            one.draw(axes, found, upright=False)
            shown += [measure for _, measure in found]
    panels[0].set(xlim=(-0.03, 1.03), ylim=(len(rows) - 0.5, -0.5))
    panels[0].set_xticks(*TICKS)
    figure.supxlabel(across, fontsize=SIZE)
    # What stands alone is named by its axis.
    add_key(figure, series_keys(drawn if len(drawn) > 1 else (), shown))
    return figure, panels


def _draw_rungs(axes: Axes, rows: Sequence[_Rung]) -> None:
    axes.set_yticks(range(len(rows)), [rung.name for rung in rows])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x", color=colour("pale"), linewidth=0.5)
    axes.set_axisbelow(True)
    for place, (rung, tick) in enumerate(zip(rows, axes.yaxis.get_major_ticks(), strict=True)):
        if rung.head:
            tick.label1.set_fontweight("bold")
            axes.axhspan(place - 0.46, place + 0.46, color=colour("pale"), alpha=0.45, linewidth=0,
                         zorder=0, gid="head")  # fmt: skip


def _told(twin: Measure) -> str:
    """Return a twin score with its interval in words."""
    if twin.low is None or twin.high is None:
        return f"twin {twin.estimate:.2f}"
    return f"twin {twin.estimate:.2f} ({twin.low:.2f}–{twin.high:.2f})"


HINT_COLUMNS = 4
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
    figure, panels = agent_panels(labels, HINT_COLUMNS, PANEL)
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
