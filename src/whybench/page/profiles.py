"""Profiles: what each agent is able to, ability by ability.

A profile has a part for every installed suite, in a fixed order. What stands for a suite are its
headline measures, under every condition in which they were taken; nothing is averaged over suites.
An ability that was not measured says so, and how to measure it.

An estimate and its interval as a small picture in a line of a table.

All bars of a measure share one scale, so that they can be compared down the page. It runs from 0 to
1, or farther where an interval does, within bounds: one interval that goes far must not press all
others together, and is cut off. Words beside the bar say the same; it is hidden from readers of the
screen.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from markupsafe import Markup

from whybench.errors import Fence
from whybench.page.methods import abilities, companions, flag_words, measure_words
from whybench.stats import MeasureKey
from whybench.suites.references import REFERENCE
from whybench.suites.registry import get_suite, suite_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from whybench.page.material import Material, Measured
    from whybench.stats import Measure

__all__ = [
    "Ability",
    "Headline",
    "Profile",
    "Scale",
    "bar",
    "in_words",
    "is_headline",
    "profiles",
    "scale_of",
]


WIDTH, HEIGHT, EDGE = 180, 20, 6
"""Size of a bar, and the margin in which marks at its ends have room, in pixels."""

FARTHEST = (-1.0, 1.5)
"""No scale goes beyond these values."""


@dataclass(frozen=True)
class Scale:
    """The values at both ends of a bar."""

    low: float
    high: float

    def place(self, value: float) -> float:
        """Return where a value is drawn, in pixels from the left; at an end if it lies beyond."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(EDGE + share * (WIDTH - 2 * EDGE), 1)


def scale_of(measures: Iterable[Measure]) -> Scale:
    """Return a scale on which all of these measures have room, from 0 to 1 at least."""
    ends = [
        value
        for measure in measures
        for value in (measure.estimate, *_ends(measure), *_general_ends(measure))
        if value is not None
    ]
    low, high = FARTHEST
    return Scale(max(min(0.0, *ends, 0.0), low), min(max(1.0, *ends, 1.0), high))


def _ends(measure: Measure) -> tuple[float, ...]:
    """Return both ends of the interval, if there is one."""
    return () if measure.low is None or measure.high is None else (measure.low, measure.high)


def _general_ends(measure: Measure) -> tuple[float, ...]:
    """Return both ends of the interval for others like what was seen, if there is one."""
    low, high = measure.general_low, measure.general_high
    return () if low is None or high is None else (low, high)


def bar(measure: Measure, scale: Scale) -> Markup:
    """Draw a measure: its interval as a band, its estimate as a point, open if it is unsure.

    A lighter band behind is the interval for others like what was seen.
    """
    middle = HEIGHT / 2
    drawn = [
        f'<line class="axis" x1="{scale.place(scale.low)}" x2="{scale.place(scale.high)}" '
        f'y1="{middle:g}" y2="{middle:g}"/>'
    ]
    for tick in (0.0, 0.5, 1.0):
        x = scale.place(tick)
        drawn.append(
            f'<line class="axis" x1="{x}" x2="{x}" y1="{middle - 4:g}" y2="{middle + 4:g}"/>'
        )
    bands = {"interval general": _general_ends(measure), "interval": _ends(measure)}
    for kind, ends in bands.items():
        if ends:
            left, right = map(scale.place, ends)
            drawn.append(
                f'<rect class="{kind}" x="{left}" y="{middle - 3:g}" '
                f'width="{max(right - left, 1):.1f}" height="6" rx="1"/>'
            )
    if measure.estimate is not None:
        kind = "open" if "small_n" in measure.flags else "estimate"
        drawn.append(
            f'<circle class="{kind}" cx="{scale.place(measure.estimate)}" cy="{middle:g}" r="4"/>'
        )
    return Markup(  # numbers and our own words only
        f'<svg class="bar" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'aria-hidden="true" focusable="false">{"".join(drawn)}</svg>'
    )


NOT_A_CONDITION = ("agent", "design_hash")
"""Labels that do not tell conditions apart: of one agent, and for machines."""


@dataclass(frozen=True)
class Headline:
    """One headline measure under one condition, as it is shown.

    Attributes:
        name: The measure's name.
        meaning: What it says, in a line.
        condition: The labels that tell it from others of its name.
        bar: The picture.
        words: Estimate and interval in words.
        short: Estimate and interval in figures.
        basis: What the estimate rests on, in words.
        beside: What must stand beside it, in words.
        flags: What to know before trusting it, in words.
    """

    name: str
    meaning: str
    condition: str
    bar: Markup
    words: str
    short: str
    basis: str
    beside: tuple[str, ...]
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Ability:
    """One suite in a profile.

    Attributes:
        name: The suite.
        summary: What the agent does.
        headlines: Its headline measures; none if it was not measured.
        counts: How many answers have each outcome, in words; empty if there are none.
        absent: Why there is nothing, if so.
        command: How to measure it, if it can be.
    """

    name: str
    summary: str
    headlines: tuple[Headline, ...]
    counts: str = ""
    absent: str = ""
    command: str = ""


@dataclass(frozen=True)
class Profile:
    """One agent and its abilities."""

    agent: str
    abilities: tuple[Ability, ...]

    def absent(self) -> list[tuple[str, str]]:
        """Return what was not measured, in words, and the command for it, if there is one.

        Abilities that are missing for the same reason, and that no command can add, go together.
        """
        missing = [ability for ability in self.abilities if not ability.counts]
        reasons = dict.fromkeys(ability.absent for ability in missing if not ability.command)
        together = [
            (", ".join(a.name for a in missing if a.absent == reason) + f": {reason}", "")
            for reason in reasons
        ]
        alone = [
            (f"{ability.name}, which {ability.summary}: {ability.absent}", ability.command)
            for ability in missing
            if ability.command
        ]
        return [*alone, *together]


def profiles(
    material: Material,
    measured: Sequence[Measured],
    agents: Sequence[str],
    failures: Mapping[str, str] | None = None,
) -> list[Profile]:
    """Return the profiles of these agents.

    Args:
        material: What the page is made of.
        measured: Every measure of it.
        agents: Whose profiles.
        failures: What could not be measured, and why; see `measure_table`.
    """
    failed = dict(failures or {})
    shown = [found for found in measured if is_headline(found)]
    scales = {
        key: scale_of(found.measure for found in shown if (found.suite, found.measure.name) == key)
        for key in {(found.suite, found.measure.name) for found in shown}
    }
    outcomes = material.outcomes()
    present = abilities({*suite_names(), *(name for name, _ in material.tables)})
    found = []
    for agent in agents:
        parts = []
        for name in present:
            fence, told = Fence(), outcomes.get((agent, name), Counter())
            ability = Ability(name, get_suite(name).summary, (), counts=_counted(told))
            with fence.around(f"{name} cannot be shown"):
                ability = _ability(
                    name,
                    agent,
                    [one for one in shown if one.suite == name],
                    [one.measure for one in measured if one.suite == name],
                    scales,
                    told,
                )
            cause = failed.get(f"{name}, measures of {agent}")
            notes = [*fence.notes, *([f"{name} could not be measured: {cause}"] if cause else ())]
            parts.append(replace(ability, absent=notes[0]) if notes else ability)
        found.append(Profile(agent, tuple(parts)))
    return found


def is_headline(found: Measured) -> bool:
    """Say whether a measure stands for its suite: one of its headlines, overall."""
    return not found.measure.at and found.measure.name in get_suite(found.suite).headline


def in_words(measure: Measure) -> str:
    """Return an estimate with its interval, in words."""
    if measure.estimate is None:
        return "no estimate"
    if measure.low is None or measure.high is None:
        return f"{measure.estimate:.2f}, no interval"
    ends = f"95% interval {measure.low:.2f} to {measure.high:.2f}"
    if general := _general_ends(measure):
        ends += "; for others like these {:.2f} to {:.2f}".format(*general)
    return f"{measure.estimate:.2f} ({ends})"


def in_figures(measure: Measure) -> str:
    """Return an estimate with its interval, in figures."""
    if measure.estimate is None:
        return "–"
    ends = "" if measure.low is None else f" [{measure.low:.2f}, {measure.high:.2f}]"
    return f"{measure.estimate:.2f}{ends}"


def _ability(
    name: str,
    agent: str,
    shown: Sequence[Measured],
    every: Sequence[Measure],
    scales: Mapping[tuple[str, str], Scale],
    counts: Counter[str],
) -> Ability:
    about = get_suite(name)
    mine = [one.measure for one in shown if one.measure.labels.get("agent") == agent]
    if not counts:
        absent, command = _absent(name, agent)
        return Ability(name, about.summary, (), absent=absent, command=command)
    ranked = sorted(mine, key=lambda measure: about.headline.index(measure.name))
    telling = _telling([one.measure for one in shown])
    headlines = tuple(
        Headline(
            name=measure.name,
            meaning=measure_words(measure.name),
            condition=", ".join(
                f"{label} {measure.labels[label]}" for label in telling if label in measure.labels
            ),
            bar=bar(measure, scales[name, measure.name]),
            words=in_words(measure),
            short=in_figures(measure),
            basis=f"{measure.n:,} answers, {measure.units:,} sampled units; {measure.method}",
            beside=tuple(_companions(measure, every)),
            flags=tuple(map(flag_words, measure.flags)),
        )
        for measure in ranked
    )
    absent = "" if headlines else "answered, but no headline measure could be computed"
    return Ability(name, about.summary, headlines, counts=_counted(counts), absent=absent)


def _counted(counts: Counter[str]) -> str:
    """Return how many answers have each outcome, in words; nothing if there are none."""
    if not counts:
        return ""
    return (
        f"{counts.total():,} answers: {counts['scored']:,} scored, "
        f"{counts['no_answer']:,} no answer, {counts['error']:,} error"
    )


def _companions(measure: Measure, every: Sequence[Measure]) -> Iterator[str]:
    """Yield what must stand beside a measure, under the same condition."""
    for name, words in companions(measure.name).items():
        for other in every:
            same = other.key == MeasureKey(name) and other.labels == measure.labels
            if same and other.estimate is not None:
                yield f"{words}: {other.estimate:.2f}"


def _telling(measures: Sequence[Measure]) -> list[str]:
    """Return the labels that tell conditions apart; the design always does."""
    labels = dict.fromkeys(label for measure in measures for label in measure.labels)
    return [
        label
        for label in labels
        if label not in NOT_A_CONDITION
        and (
            label == "design"
            or len({measure.labels[label] for measure in measures if label in measure.labels}) > 1
        )
    ]


def _stands_for(name: str, agent: str) -> bool:
    """Whether a suite, if it is installed, says who stands for a mind."""
    mind = agent.removeprefix(REFERENCE).partition("[")[0]
    return name not in suite_names() or mind in get_suite(name).minds


def _absent(name: str, agent: str) -> tuple[str, str]:
    """Return why there is nothing of an agent in a suite, and the command that would change it."""
    reference = re.match(r"reference/(\w+)\.", agent)
    if reference:
        return f"not run: this reference agent answers {reference[1]} only", ""
    if agent.startswith(REFERENCE) and not _stands_for(name, agent):
        return "not run: no agent of the suite stands for this mind", ""
    if agent.startswith(("human/", "person/")):
        return "not asked", ""
    if agent.startswith("published/"):
        return "no published answers", ""
    model = agent.partition("[")[0]
    return "not run", f"whybench run {name} --model {model}"
