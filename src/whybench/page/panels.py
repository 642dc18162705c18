"""The first screen: a card for each suite, with its main measures and a finding.

A card shows the measures that its suite puts there (`Suite.card`) under one condition. Each chart
has a line with estimate and interval for every agent, and reference lines: the baseline and the
exact agent where the measure has them, and people's value and range. The first two measures of a
style are shown in their plane instead, and the others as numbers. For the agent that the reader
chose, the card shows the number in large, badges for its limits, a finding
(`whybench.suites.sentences`) and a link to a typical answer. With many agents only the chosen one
has a line, above ticks for the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

import pyarrow.compute as pc
from markupsafe import Markup

from whybench.numerals import UNDETERMINED, estimate_text, is_determined, measure_text
from whybench.page.bars import Scale, scale_of
from whybench.page.card_charts import FEW, draw_chart
from whybench.page.cautions import MANY_UNANSWERED
from whybench.page.methods import Badge, badges_of, measure_title, measure_words
from whybench.page.plane import BOTTOM, LEFT, RIGHT, TOP, Axis, draw_plane
from whybench.stats.differences import (
    AFTER_CORRECTION,
    NO_DIFFERENCE,
    NOT_SIGNIFICANT,
    TOO_SMALL,
)
from whybench.suites.registry import get_suite, sort_suites
from whybench.suites.sentences import AgentMeasures, PeoplesValue, find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.errors import Fence
    from whybench.page.conditions import Condition
    from whybench.page.material import Material
    from whybench.results.comparison import Comparison
    from whybench.stats import Difference, Measure
    from whybench.suites.sentences import Remark

MOST_STANDING_OUT = 4
"""The largest number of further findings."""

ALIKE = (NOT_SIGNIFICANT, AFTER_CORRECTION, NO_DIFFERENCE, TOO_SMALL)
"""How verdicts on two agents begin that a card does not separate."""

STYLE_SCALE = (-0.5, 0.5)
"""The least scale of a measure without a best value, such as explaining away."""

Place = tuple[str, str, str, int]
"""Where an answer is: suite, agent, item and epoch."""


@dataclass(frozen=True)
class ShownFinding:
    """A finding, the measures that support it, and a typical answer, if there is one."""

    text: str
    measures: tuple[str, ...]
    answer: Place | None


@dataclass(frozen=True)
class Value:
    """One agent's value of a measure.

    Attributes:
        estimate: The estimate as text, or the reason why there is none.
        interval: The interval as text; empty if there is none.
        badges: Limits of the number.
    """

    estimate: str
    interval: str = ""
    badges: tuple[Badge, ...] = ()


@dataclass(frozen=True)
class Chart:
    """One measure on a card.

    Attributes:
        measure: The measure; empty if nothing was measured.
        title: Its name for people to read.
        meaning: Its meaning, in one sentence.
        picture: The drawing; empty if the panel has a plane.
        values: The value of each agent.
    """

    measure: str
    title: str
    meaning: str
    picture: Markup
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Reading:
    """Findings about one agent.

    Attributes:
        agent: The agent.
        sentences: The findings, the most informative first.
        command: The command that measures it, if it was not measured.
    """

    agent: str
    sentences: tuple[ShownFinding, ...] = ()
    command: str = ""


@dataclass(frozen=True)
class Panel:
    """One suite under one condition.

    Attributes:
        suite: The suite.
        key: The condition's name within the page.
        condition: The condition in words.
        charts: The measures of the card; at least one.
        readings: The findings about each agent.
        plane: The drawing of the first two measures of a style.
    """

    suite: str
    key: str
    condition: str
    charts: tuple[Chart, ...]
    readings: tuple[Reading, ...]
    plane: Markup | None = None


def panels(
    material: Material,
    found: Mapping[str, Sequence[Condition]],
    among: Iterable[Comparison],
    missing: Mapping[tuple[str, str], str],
    fence: Fence,
) -> dict[str, list[Panel]]:
    """Return the cards of each suite, one for each condition of the sources' agents.

    Args:
        material: The records and runs of the page.
        found: The conditions of each suite.
        among: Comparisons of the agents with people, if there are any.
        missing: Suite and agent to the command that runs it, if the suite was not run.
        fence: Collects a note for each card that cannot be made.
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
    """Return the card of a suite without estimates."""
    answered = material.outcomes()
    values = tuple(
        Value("no estimate" if (agent, suite) in answered else "not run") for agent in agents
    )
    readings = tuple(Reading(agent, (), missing.get((suite, agent), "")) for agent in agents)
    chart = Chart("", "", get_suite(suite).summary, Markup(), values)
    return Panel(suite, f"{suite}-none", "", (chart,), readings)


def standing_out(
    made: Mapping[str, Sequence[Panel]], compared: Mapping[str, Sequence[Difference]] | None = None
) -> dict[str, list[tuple[str, ShownFinding]]]:
    """Return further findings about each agent under the first conditions, suite by suite.

    Args:
        made: The cards of each suite.
        compared: Comparisons of headline measures. With few agents, the largest difference
            between two agents that no card separates comes first.
    """
    found: dict[str, list[tuple[str, ShownFinding]]] = {}
    firsts = [shown[0] for shown in made.values() if shown]
    for agent in dict.fromkeys(reading.agent for panel in firsts for reading in panel.readings):
        further = [
            [(panel.suite, finding) for finding in reading.sentences[1:]]
            for panel in firsts
            for reading in panel.readings
            if reading.agent == agent
        ]
        mixed = [finding for row in zip_longest(*further) for finding in row if finding is not None]
        unseen = [*_unseen(agent, firsts, compared or {})]
        # A sentence with the names of two agents takes the space of two.
        found[agent] = [*unseen[:1], *mixed][: MOST_STANDING_OUT - len(unseen[:1])]
    return found


def _unseen(
    agent: str, firsts: Sequence[Panel], compared: Mapping[str, Sequence[Difference]]
) -> Iterator[tuple[str, ShownFinding]]:
    """Yield the largest difference from each agent that no chart of a card separates from it."""
    for panel in firsts:
        shown = {chart.measure for chart in panel.charts}
        apart: set[tuple[str, str]] = set()
        hidden: list[Difference] = []
        for one in compared.get(panel.suite, ()):
            if agent not in one.sides:
                continue
            if one.measure in shown and not one.verdict.startswith(ALIKE):
                apart.add(one.sides)
            elif one.measure not in shown and one.is_significant:
                hidden.append(one)
        found = [one for one in hidden if one.sides not in apart]
        if found and len(panel.readings) <= FEW:
            one = max(found, key=lambda each: abs(each.difference or 0.0))
            (own, _), (others, other) = sorted(
                zip((one.a, one.b), one.sides, strict=True), key=lambda side: side[1] != agent
            )
            values = f"{estimate_text(own)} and {estimate_text(others)}"
            text = f"Differs from {other} in {measure_title(panel.suite, one.measure)}: {values}."
            yield panel.suite, ShownFinding(text, (one.measure,), None)


_People = dict[tuple[str, str, tuple[tuple[str, str], ...]], dict[str, PeoplesValue]]


def _people_values(among: Iterable[Comparison]) -> _People:
    """Return people's values by suite, agent and condition."""
    found: _People = {}
    for every in among:
        ranges = {
            (one.agent, one.measure, tuple(one.labels.items())): one.quartiles
            for one in every.places
        }
        for one in every:
            if one.b.estimate is not None:
                labels = tuple(one.labels.items())
                low, _, high = ranges.get((one.agent, one.measure, labels), (None, None, None))
                values = found.setdefault((one.suite, one.agent, labels), {})
                values[one.measure] = PeoplesValue(one.b.estimate, one.verdict, low, high)
    return found


def _panel(
    material: Material,
    condition: Condition,
    agents: Sequence[str],
    people: _People,
    missing: Mapping[tuple[str, str], str],
) -> Panel:
    suite = get_suite(condition.suite)
    readings = []
    values = _published_values(condition)
    for agent in agents:
        if agent not in condition.measures:
            ran = (agent, condition.suite) in material.outcomes()
            command = "" if ran else missing.get((condition.suite, agent), "")
            readings.append(Reading(agent, (), command))
            continue
        mine = _values_for(people, condition, agent)
        values.update(mine)
        found = find(suite.sentences, AgentMeasures(condition.measures[agent], mine))
        sentences = tuple(
            ShownFinding(
                one.text,
                tuple(measure.title for measure in one.measures),
                _typical(material, condition, agent, one),
            )
            for one in found
        )
        readings.append(Reading(agent, sentences))
    known = [name for name in suite.card if name in condition.headline]
    names = known or [next(iter(condition.headline), suite.headline[0])]
    shown = {name: {agent: condition.get(agent, name) for agent in agents} for name in names}
    plane = None
    if suite.styles and len(names) > 1:
        across, up = (
            Axis(
                measure_title(suite.name, name),
                shown[name],
                _style_scale(shown[name]),
                ends,
                values.get(name),
            )
            for name, ends in zip(names, ((LEFT, RIGHT), (BOTTOM, TOP)), strict=False)
        )
        plane = draw_plane(across, up)
    charts = tuple(
        Chart(
            name,
            measure_title(suite.name, name),
            measure_words(suite.name, name),
            Markup() if plane else _draw(condition, name, shown[name], values.get(name)),
            tuple(_values(material, condition, shown[name])),
        )
        for name in names
    )
    return Panel(condition.suite, condition.key, condition.words, charts, tuple(readings), plane)


def _values(
    material: Material, condition: Condition, shown: Mapping[str, Measure | None]
) -> Iterator[Value]:
    """Yield the value of each agent."""
    for agent, measure in shown.items():
        if measure is None:
            ran = (agent, condition.suite) in material.outcomes()
            yield Value("not asked under this condition" if ran else "not run")
            continue
        badges = tuple(_badges(material, condition.suite, agent, measure))
        if is_determined(measure):
            interval = measure_text(measure).removeprefix(number := estimate_text(measure))
            yield Value(number, interval.lstrip(), badges)
        else:
            yield Value(UNDETERMINED, "", badges)


def _draw(
    condition: Condition,
    name: str,
    shown: Mapping[str, Measure | None],
    people: PeoplesValue | None,
) -> Markup:
    """Return the chart of a measure, with a line for each agent."""
    marks = dict(_marks(condition, name, shown))
    scale = scale_of([one for one in shown.values() if one is not None])
    if get_suite(condition.suite).styles:
        scale, marks = _style_scale(shown), {"0": 0.0}
    if people is not None:
        marks["people"] = people.value
    return draw_chart(shown, marks, scale, measure_title(condition.suite, name), people)


def _style_scale(shown: Mapping[str, Measure | None]) -> Scale:
    """Return a scale for a measure of a style: at most 1 from 0, with 0 in the middle part."""
    ends = [
        min(max(end, -1.0), 1.0)
        for one in shown.values()
        for end in ((one.estimate, one.low, one.high) if one else ())
        if end is not None
    ]
    return Scale(min(*STYLE_SCALE, *ends), max(*STYLE_SCALE, *ends))


def _published_values(condition: Condition) -> dict[str, PeoplesValue]:
    """Return the published values of people under this condition, known without a download."""
    compared = get_suite(condition.suite).people_comparison
    mine = dict(condition.labels)
    for labels, values in compared.published if compared else ():
        if all(mine.get(name) == value for name, value in labels.items()):
            return dict(values)
    return {}


def _values_for(people: _People, condition: Condition, agent: str) -> dict[str, PeoplesValue]:
    """Return people's values for an agent whose labels agree with those of the condition."""
    mine = dict(condition.labels)
    for (suite, who, labels), values in people.items():
        if (suite, who) == (condition.suite, agent) and all(
            mine.get(name) == value for name, value in labels
        ):
            return values
    return {}


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


def _marks(condition: Condition, name: str, agents: Iterable[str]) -> Iterator[tuple[str, float]]:
    """Yield the values of the baseline and of the exact agent, for the measure that has them.

    The baseline is the best attack on the design (`whybench.suites.zeros`).
    """
    suite = get_suite(condition.suite)
    if suite.scale is None or name != suite.headline[0]:
        return
    found = (condition.get(agent, name) for agent in agents)
    labels = next((one.labels for one in found if one is not None), None)
    if suite.zeros is not None and labels is not None:
        yield "baseline", suite.zeros.of(labels).value
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
