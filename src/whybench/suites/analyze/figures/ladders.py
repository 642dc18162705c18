"""Ladders: a row for each challenge under its family, a panel for each agent, and in it points.

Rows are the same in all panels, so that agents are compared along a row and challenges down a
column. A family's own row, and that of everything, is in bold on a pale band.

What help is worth: scores by hint level, from everything named to the bare question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from whybench.drawing.charts import ShownEstimate, plot_lines, plot_points
from whybench.drawing.figure import distinct_names
from whybench.drawing.style import Look, read_table
from whybench.suites.analyze.figures.profiles import FAMILY_OF, SCORES, profiles_of
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from whybench.drawing.charts import Chart
    from whybench.stats import Level, Measure
    from whybench.suites.analyze.figures.profiles import AgentProfile

LOOKS = read_table(__package__, "style.yaml")["series"]
FLIPS = "label_flips"
ENDS = (0.0, 1.0)
"""The ends of scores and shares."""


class Rung(NamedTuple):
    """A row: its name, the levels of its measures, and whether it is a head."""

    name: str
    at: Mapping[str, Level]
    head: bool = False


def score_ladder(measures: Sequence[Measure], families: Mapping[str, str] = FAMILY_OF) -> Chart:
    """Return scores in traps and in controls side by side, by challenge, a panel for each agent.

    Agents stand in the order of their twin scores, which are told above. A trap's score left of its
    control's is a trap that works; a control's left of its trap's is an agent that cries trap.
    Points and not a radar, for the reasons in `whybench.suites.analyze.figures`.

    Args:
        measures: Measures `score_trap`, `score_control`, `paired_score`, and both scores at
            families and challenges; others are left out.
        families: Challenges in order, and the family of each.
    """
    profiles = profiles_of(measures)
    names = distinct_names([profile.labels for profile in profiles])
    panels = [
        f"{name}\n{_told(twin)}" if (twin := profile.find(SCORES["twin"])) else name
        for name, profile in zip(names, profiles, strict=True)
    ]
    drawn = {kind: SCORES[kind] for kind in ("trap", "control")}
    across = "mean score; twin: mean of the lesser of trap and control"
    rungs = challenge_rungs(families)
    return plot_ladder(dict(zip(panels, profiles, strict=True)), rungs, drawn, LOOKS, across)


def flip_ladder(measures: Sequence[Measure], families: Mapping[str, str] = FAMILY_OF) -> Chart:
    """Return how often conclusions from the same rows change with labels, a panel for each agent.

    The rows of numbers are identical, byte for byte; only names are neutral, flattering or damning.
    So every flip is an answer that did not follow from the data alone: it followed from a name, or
    from chance in an agent that does not always say the same.

    Args:
        measures: Measures `label_flips`, overall, at two `labels`, at families and at challenges;
            others are left out.
        families: Challenges in order, and the family of each.
    """
    profiles = name_panels(measures)
    pairs = dict.fromkeys(
        str(measure.at["labels"])
        for profile in profiles.values()
        for measure in profile.measures.values()
        if measure.name == FLIPS and "labels" in measure.at
    )
    rungs = [
        Rung("all labels", {}, head=True),
        *(Rung(pair.replace("/", " / "), {"labels": pair}) for pair in pairs),
        *_challenges(families),
    ]
    across = "share of pairs of answers to the same rows that contradict each other"
    return plot_ladder(profiles, rungs, {"flips": FLIPS}, LOOKS, across)


def name_panels(measures: Sequence[Measure]) -> dict[str, AgentProfile]:
    """Return the measures of each agent by the name of its panel."""
    profiles = profiles_of(measures)
    return dict(zip(distinct_names([one.labels for one in profiles]), profiles, strict=True))


def challenge_rungs(families: Mapping[str, str]) -> list[Rung]:
    """Return the row of all challenges, then those of families and challenges."""
    return [Rung("all challenges", {}, head=True), *_challenges(families)]


def _challenges(families: Mapping[str, str]) -> Iterator[Rung]:
    """Yield a row for each family, and one for each of its challenges below."""
    for family in dict.fromkeys(families.values()):
        yield Rung(family, {"family": family}, head=True)
        for challenge, mine in families.items():
            if mine == family:
                name = challenge.replace("_", " ")
                # A row has no name but its own.
                name += " (challenge)" if name in families.values() else ""
                yield Rung(name, {"challenge": challenge})


def plot_ladder(
    panels: Mapping[str, AgentProfile],
    rungs: Sequence[Rung],
    drawn: Mapping[str, str],
    looks: Mapping[str, Mapping[str, Any]],
    across: str,
) -> Chart:
    """Draw the rows for which there are measures.

    Args:
        panels: The measures of each agent by the name of its panel.
        rungs: The rows.
        drawn: The measure of each series.
        looks: The look of each series.
        across: The label of the axis.
    """
    rows = [
        rung
        for rung in rungs
        if any(
            profile.find(name, **rung.at) for profile in panels.values() for name in drawn.values()
        )
    ]
    if not rows:
        met = {key for profile in panels.values() for key in profile.measures}
        wanted = " or ".join(drawn.values())
        raise UserError(f"measures must hold {wanted}, got {len(met)} others and none of them")
    shown = [
        ShownEstimate(measure, rung.name, panel, looks[kind]["name"])
        for panel, profile in panels.items()
        for rung in rows
        for kind, name in drawn.items()
        if (measure := profile.find(name, **rung.at))
    ]
    return plot_points(
        shown,
        [rung.name for rung in rows],
        list(panels),
        looks=_looks(drawn, looks),
        heads=[rung.name for rung in rows if rung.head],
        across=across,
        words=("row", "agent", "series"),
        ends=ENDS,
    )


def _looks(kinds: Iterable[str], looks: Mapping[str, Mapping[str, Any]]) -> dict[str, Look]:
    return {looks[kind]["name"]: Look.of(looks[kind]) for kind in kinds}


def _told(twin: Measure) -> str:
    """Return a twin score with its interval in words."""
    if twin.low is None or twin.high is None:
        return f"twin {twin.estimate:.2f}"
    return f"twin {twin.estimate:.2f} ({twin.low:.2f}–{twin.high:.2f})"


def score_by_hint(measures: Sequence[Measure]) -> Chart:
    """Return scores in traps and controls and the twin score by hint level, a panel for each agent.

    Agents stand in the order of their twin scores. Bars are 95% intervals. Where the curve of
    traps falls and that of controls does not, an agent sees only the traps that it is told of.

    Args:
        measures: Measures `score_trap`, `score_control` and `paired_score` at levels of `hint`;
            others are left out, except that the overall `paired_score` orders the agents.
    """
    panels = {
        name: profile
        for name, profile in name_panels(measures).items()
        if any(map(at_hint, profile.measures.values()))
    }
    if not panels:
        raise UserError("measures must hold scores at levels of hint, got none")
    every = [m for profile in panels.values() for m in profile.measures.values()]
    hints = sorted({hint for measure in every if (hint := at_hint(measure))})
    shown = [
        ShownEstimate(
            measure, panel=panel, series=LOOKS[kind]["name"], at=float(hint), level=str(hint)
        )
        for panel, profile in panels.items()
        for kind, name in SCORES.items()
        for hint in hints
        if (measure := profile.find(name, hint=hint))
    ]
    return plot_lines(
        shown,
        list(panels),
        _looks(SCORES, LOOKS),
        {float(hint): str(hint) for hint in hints},
        across="hint level, from 1 (roles, method and warning named) to 5 (the bare question)",
        up="mean score",
        ends=ENDS,
        words=("agent", "series", "hint level"),
    )


def at_hint(measure: Measure) -> int | None:
    """Return the hint level of a measure that can be drawn, else None."""
    drawn = measure.name in SCORES.values() and {*measure.at} == {"hint"}
    return int(measure.at["hint"]) if drawn else None
