"""The first screen: a panel for each suite, with a number, where it lies, and a sentence.

A panel shows the first headline measure of its suite under one condition: every agent's estimate
and interval on one line each, and upright marks for an agent that does not reason, for people and
for an exact agent. Of the agent that the reader chose it has the number in large, a sentence made
by rule (`whybench.suites.sentences`), a typical answer, and badges for what limits the number.
With many agents only the chosen one has a line of its own, above ticks for the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import pyarrow.compute as pc
from markupsafe import Markup, escape

from whybench.page.bars import Scale, in_figures, scale_of
from whybench.page.cautions import MANY_UNANSWERED
from whybench.page.methods import Badge, badges_of, measure_words
from whybench.suites.registry import get_suite, sort_suites
from whybench.suites.sentences import AgentMeasures, PeoplesValue, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.errors import Fence
    from whybench.page.conditions import Condition
    from whybench.page.material import Material
    from whybench.page.pairings import Line
    from whybench.results.among_people import AmongPeople
    from whybench.stats import Measure
    from whybench.suites.sentences import Remark

__all__ = ["FEW", "Panel", "Place", "Reading", "panels", "standing_out"]

FEW = 4
"""Up to so many agents have a line and a colour each."""

WIDTH, EDGE, LINE, FOOT = 320, 12, 15, 30
"""Size of a panel's picture, in pixels: its width and margin, a line, and the room for words."""
TOP = 6
NUMBERS = 34
"""Room for numbers to the right, in pixels."""

MOST_STANDING_OUT = 5
"""So many sentences are said to stand out."""

ALIKE = {"no difference shown", "too small to matter"}
"""Verdicts on two agents that a panel does not tell apart."""

Place = tuple[str, str, str, int]
"""Where an answer is: suite, agent, item and epoch."""


@dataclass(frozen=True)
class Told:
    """A sentence, the measures that it rests on, and a typical answer, if there is one."""

    text: str
    measures: tuple[str, ...]
    answer: Place | None


@dataclass(frozen=True)
class Reading:
    """What a panel says of one agent.

    Attributes:
        agent: The agent.
        estimate: Its estimate in large, or why there is none.
        interval: Its interval; empty if there is none.
        badges: What limits the number.
        sentences: What can be said, the most telling first.
        command: What would measure it, if it was not.
    """

    agent: str
    estimate: str
    interval: str = ""
    badges: tuple[Badge, ...] = ()
    sentences: tuple[Told, ...] = ()
    command: str = ""


@dataclass(frozen=True)
class Panel:
    """One suite under one condition.

    Attributes:
        suite: The suite.
        key: The condition's name within the page.
        condition: The condition in words.
        measure: What is shown.
        meaning: What that says, in a line.
        picture: The drawing.
        readings: What it says of each agent.
    """

    suite: str
    key: str
    condition: str
    measure: str
    meaning: str
    picture: Markup
    readings: tuple[Reading, ...]


def panels(
    material: Material,
    found: Mapping[str, Sequence[Condition]],
    among: Iterable[AmongPeople],
    missing: Mapping[tuple[str, str], str],
    fence: Fence,
) -> dict[str, list[Panel]]:
    """Return the panels of each suite, one for each condition of the sources' agents.

    Args:
        material: What the page is made of.
        found: The conditions of each suite.
        among: The agents beside people, where there are people.
        missing: Suite and agent to the command that would ask, where the suite was not run.
        fence: Takes a note of each panel that cannot be made.
    """
    agents = material.agents()
    people = _people_values(among)
    made: dict[str, list[Panel]] = {}
    for suite in sort_suites(material.suites() | {*found}):
        own = [one for one in found.get(suite, ()) if any(a in one.measures for a in agents)]
        shown = []
        for one in own:
            with fence.around(f"{suite}, its panel"):
                shown.append(_panel(material, one, agents, people, missing))
        made[suite] = shown or [_empty(material, suite, agents, missing)]
    return made


def _empty(
    material: Material, suite: str, agents: Sequence[str], missing: Mapping[tuple[str, str], str]
) -> Panel:
    """Return the panel of a suite of which there is nothing to show."""
    answered = material.outcomes()
    readings = tuple(
        Reading(agent, "no estimate") if (agent, suite) in answered
        else _not_run(suite, agent, missing)
        for agent in agents
    )  # fmt: skip
    return Panel(suite, f"{suite}-none", "", "", get_suite(suite).summary, Markup(), readings)


def standing_out(
    made: Mapping[str, Sequence[Panel]], compared: Mapping[str, Sequence[Line]] | None = None
) -> dict[str, list[tuple[str, Told]]]:
    """Return what else can be said of each agent under the first conditions, suite by suite.

    Args:
        made: The panels of each suite.
        compared: Comparisons of headline measures. Where agents are few, what tells two of them
            apart that look alike in a panel comes first.
    """
    found: dict[str, list[tuple[str, Told]]] = {}
    firsts = [shown[0] for shown in made.values() if shown]
    for agent in dict.fromkeys(reading.agent for panel in firsts for reading in panel.readings):
        further = [
            [(panel.suite, told) for told in reading.sentences[1:]]
            for panel in firsts
            for reading in panel.readings
            if reading.agent == agent
        ]
        mixed = [told for row in zip_longest(*further) for told in row if told is not None]
        unseen = [*_unseen(agent, firsts, compared or {})]
        # With the names of two agents in it, such a sentence takes the room of two.
        found[agent] = [*unseen[:1], *mixed][: MOST_STANDING_OUT - len(unseen[:1])]
    return found


def _unseen(
    agent: str, firsts: Sequence[Panel], compared: Mapping[str, Sequence[Line]]
) -> Iterator[tuple[str, Told]]:
    """Yield the largest difference of an agent to those that look like it in a suite's panel."""
    for panel in firsts:
        mine = [
            line
            for line in compared.get(panel.suite, ())
            if agent in {line.first_agent, line.second_agent}
        ]
        alike = {
            (line.first_agent, line.second_agent)
            for line in mine
            if line.measure == panel.measure and line.verdict in ALIKE
        }
        lines = [
            line for line in mine if line.differs and (line.first_agent, line.second_agent) in alike
        ]
        if lines and len(panel.readings) <= FEW:
            line = max(lines, key=lambda one: abs(float(one.difference)))
            own, others, other = line.first, line.second, line.second_agent
            if agent == line.second_agent:
                own, others, other = line.second, line.first, line.first_agent
            words = line.measure.replace("_", " ")
            text = f"Differs from {other} in {words}: {own} against {others}."
            yield panel.suite, Told(text, (line.measure,), None)


_People = dict[tuple[str, str, tuple[tuple[str, str], ...]], dict[str, PeoplesValue]]


def _people_values(among: Iterable[AmongPeople]) -> _People:
    """Return people's values by suite, agent and condition."""
    found: _People = {}
    for every in among:
        for one in every:
            for change in one.changes:
                if change.first is not None:
                    labels = tuple(change.labels.items())
                    values = found.setdefault((one.suite, one.agent, labels), {})
                    values[change.measure] = PeoplesValue(change.first, change.verdict)
    return found


def _panel(
    material: Material,
    condition: Condition,
    agents: Sequence[str],
    people: _People,
    missing: Mapping[tuple[str, str], str],
) -> Panel:
    suite = get_suite(condition.suite)
    name = next((one for one in suite.headline if one in condition.headline), suite.headline[0])
    shown = {agent: condition.get(agent, name) for agent in agents}
    readings = []
    values: dict[str, PeoplesValue] = {}
    for agent, measure in shown.items():
        if measure is None:
            ran = (agent, condition.suite) in material.outcomes()
            readings.append(
                Reading(agent, "not asked under this condition") if ran
                else _not_run(condition.suite, agent, missing)
            )  # fmt: skip
            continue
        mine = _values_for(people, condition, agent)
        values.update(mine)
        told = find(suite.sentences, AgentMeasures(condition.measures[agent], mine))
        badges = tuple(_badges(material, condition.suite, agent, measure))
        number, _, interval = in_figures(measure).partition(" ")
        sentences = tuple(
            Told(
                one.text,
                tuple(measure.title for measure in one.measures),
                _typical(material, condition, agent, one),
            )
            for one in told
        )
        readings.append(Reading(agent, number, interval, badges, sentences))
    marks = dict(_marks(condition, name, agents, values))
    scale = scale_of([one for one in shown.values() if one is not None])
    return Panel(
        suite=condition.suite,
        key=condition.key,
        condition=condition.words,
        measure=name,
        meaning=measure_words(name),
        picture=_draw(shown, marks, scale, name),
        readings=tuple(readings),
    )


def _values_for(people: _People, condition: Condition, agent: str) -> dict[str, PeoplesValue]:
    """Return people's values for an agent whose labels agree with those of the condition."""
    mine = dict(condition.labels)
    for (suite, who, labels), values in people.items():
        if (suite, who) == (condition.suite, agent) and all(
            mine.get(name) == value for name, value in labels
        ):
            return values
    return {}


def _not_run(suite: str, agent: str, missing: Mapping[tuple[str, str], str]) -> Reading:
    command = missing.get((suite, agent), "")
    return Reading(agent, "not run", command=command)


def _badges(material: Material, suite: str, agent: str, measure: Measure) -> Iterator[Badge]:
    yield from badges_of(measure)
    counts = material.outcomes()[agent, suite]
    for outcome, words in (("no_answer", "without an answer"), ("error", "lost to errors")):
        share = counts[outcome] / counts.total()
        if share > MANY_UNANSWERED:
            full = f"{counts[outcome]:,} of {counts.total():,} replies {words}"
            yield Badge(f"{share:.0%} {words}", full)
    if any(
        run.agent == agent and run.suite == suite and run.status != "success"
        for run in material.runs
    ):
        yield Badge("unfinished", "the run is unfinished; its answers so far are included")


def _marks(
    condition: Condition,
    name: str,
    agents: Iterable[str],
    people: Mapping[str, PeoplesValue],
) -> Iterator[tuple[str, float]]:
    """Yield where an agent that does not reason is, and people, and an exact agent."""
    scale = get_suite(condition.suite).scale
    if scale is None:
        return
    if scale.blind and name == scale.blind_to:
        yield "no reasoning", 0.0
    elif scale.blind:
        # Skill is 0 where such an agent is, and 1 where the headline is 1.
        for agent in agents:
            own, skill = condition.get(agent, name), condition.get(agent, scale.blind_to)
            if own and skill and None not in (own.estimate, skill.estimate):
                headline, share = own.estimate or 0.0, skill.estimate or 0.0
                if share < 0.99:
                    yield "no reasoning", (headline - share) / (1 - share)
                    break
    if name in people:
        yield "people", people[name].value
    yield "exact", 1.0


def _typical(material: Material, condition: Condition, agent: str, remark: Remark) -> Place | None:
    """Return an answer that shows what is said: one that has what is typical, or else is wrong."""
    if not remark.measures:
        return None
    for name, table in material.own():
        if name != condition.suite:
            continue
        wanted = {**dict(condition.labels), "agent": agent, "outcome": "scored", **remark.answer}
        rows = _where(table, wanted)
        if rows.num_rows and not remark.answer:
            wrong = rows.filter(pc.not_equal(rows["value"], rows["truth"]))
            rows = wrong if wrong.num_rows else rows
        if rows.num_rows:
            return name, agent, rows["item"][0].as_py(), rows["epoch"][0].as_py()
    return None


def _where(table: pa.Table, wanted: Mapping[str, object]) -> pa.Table:
    """Return the rows that have these values in the columns that there are."""
    for column, value in wanted.items():
        if column in table.column_names:
            cells = table[column]
            try:
                table = table.filter(pc.equal(cells, pc.cast(value, cells.type)))
            except (TypeError, ValueError):
                table = table.filter(pc.equal(pc.cast(cells, "string"), str(value)))
    return table


def _draw(
    shown: Mapping[str, Measure | None], marks: Mapping[str, float], scale: Scale, name: str
) -> Markup:
    """Draw the agents' estimates and intervals above a line with the marks' words."""
    known = {agent: one for agent, one in shown.items() if one and one.estimate is not None}
    many = len(shown) > FEW
    lines = 2 if many else len(shown)
    base = TOP + LINE * lines + 2
    axis = _Axis(scale, marks)
    left, right = axis.place(scale.low), axis.place(scale.high)
    drawn = [f'<line class="axis" x1="{left}" x2="{right}" y1="{base}" y2="{base}"/>']
    for end, x, anchor in ((scale.low, left, "start"), (scale.high, right, "middle")):
        number = f"{end:.2g}".replace("-", "−")
        drawn.append(
            f'<text class="end" x="{x}" y="{base + 27}" text-anchor="{anchor}">{number}</text>'
        )
    for place, (mark, value) in enumerate(axis.marks.items()):
        x = axis.place(value)
        anchor = "start" if x < 60 else "middle"
        drawn.append(f'<line class="mark" x1="{x}" x2="{x}" y1="{TOP - 4}" y2="{base + 4}"/>')
        below = base + 15 + (12 if axis.is_near(place) else 0)
        drawn.append(f'<text x="{x}" y="{below}" text-anchor="{anchor}">{escape(mark)}</text>')
    for place, (agent, one) in enumerate(shown.items()):
        y = TOP + LINE / 2 + LINE * (0 if many else place)
        if one is None or one.estimate is None:
            if not many:
                drawn.append(f'<text class="none" x="{left}" y="{y + 4}">no estimate</text>')
            continue
        told = escape(f"{agent}: {name} {in_figures(one)}")
        kind = "open" if "small_n" in one.flags else "estimate"
        parts = [f"<title>{told}</title>"]
        if one.low is not None and one.high is not None:
            x1, x2 = axis.place(one.low), axis.place(one.high)
            parts.append(f'<line class="interval" x1="{x1}" x2="{x2}" y1="{y}" y2="{y}"/>')
        x = axis.place(one.estimate)
        parts.append(f'<circle class="{kind}" cx="{x}" cy="{y}" r="4.5"/>')
        number = f"{one.estimate:.2f}".replace("-", "−")
        parts.append(f'<text class="number" x="{WIDTH}" y="{y + 4}">{number}</text>')
        color = "one" if many else place
        hidden = " hidden" if many and place else ""
        drawn.append(
            f'<g class="agent color-{color}" data-agent="{place}"{hidden}>{"".join(parts)}</g>'
        )
        if many:
            y = TOP + LINE * 1.5
            drawn.append(
                f'<line class="tick" x1="{x}" x2="{x}" y1="{y - 5}" y2="{y + 5}">'
                f"<title>{told}</title></line>"
            )
    height = base + FOOT
    return Markup(  # numbers and escaped words only
        f'<svg class="panel" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="{escape(name)} of {len(known)} agents; the numbers are in the tables below">'
        f"{''.join(drawn)}</svg>"
    )


class _Axis:
    """Places values on a panel's line, and knows which words of marks would run together."""

    def __init__(self, scale: Scale, marks: Mapping[str, float]) -> None:
        self.scale = scale
        ordered = sorted(marks.items(), key=lambda entry: entry[1])
        self.marks = {name: v for name, v in ordered if scale.low <= v <= scale.high}

    def place(self, value: float) -> float:
        scale = self.scale
        share = (min(max(value, scale.low), scale.high) - scale.low) / (scale.high - scale.low)
        return round(EDGE + share * (WIDTH - 2 * EDGE - NUMBERS), 1)

    def is_near(self, place: int) -> bool:
        """Whether a mark's words must go below those of the mark before."""
        values = list(self.marks.values())
        return place % 2 == 1 and self.place(values[place]) - self.place(values[place - 1]) < 80
