"""Measures as figures look them up: whose, under which condition, in which style."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from whybench.drawing.figure import is_people, is_published
from whybench.suites.contract import UserError
from whybench.suites.judge.figures.looks import condition_name, style_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from whybench.stats import Measure
    from whybench.suites.groups import Group


class StyledCondition(NamedTuple):
    """A condition and a style of reply."""

    condition: str
    style: str

    @classmethod
    def of(cls, found: Measure | Group) -> StyledCondition:
        """Return where a measure was taken, or where a group answered."""
        return cls(condition_name(found.labels), found.labels["style"])


def estimated(measures: Iterable[Measure], *names: str) -> list[Measure]:
    """Return the measures of these names that have an estimate.

    A figure without anything to draw is a mistake of the caller's.
    """
    found = [m for m in measures if m.name in names and m.estimate is not None]
    if not found:
        raise UserError(f"measures must hold an estimate of {' or '.join(names)}, got none")
    return found


def by_place(measures: Iterable[Measure]) -> dict[tuple[str, StyledCondition], dict[str, Measure]]:
    """Return measures by agent and place, then by name."""
    found: dict[tuple[str, StyledCondition], dict[str, Measure]] = {}
    for measure in measures:
        found.setdefault((measure.labels["agent"], StyledCondition.of(measure)), {})[
            measure.name
        ] = measure
    return found


def places_of(measures: Iterable[Measure]) -> list[StyledCondition]:
    """Return the places of measures, conditions and styles each in order of appearance."""
    agents = [m for m in measures if not is_people(m.labels["agent"])] or list(measures)
    met = {StyledCondition.of(measure) for measure in agents}
    conditions = dict.fromkeys(condition_name(m.labels) for m in agents)
    styles = sorted({place.style for place in met}, key=_style_order)
    return [
        place
        for condition in conditions
        for style in styles
        if (place := StyledCondition(condition, style)) in met
    ]


def _style_order(style: str) -> tuple[int, str]:
    known: Sequence[str] = ("direct", "cot", "confidence")
    return (known.index(style) if style in known else len(known), style)


def of_people(measures: Iterable[Measure], name: str) -> Measure | None:
    """Return people's measure of this name, if it is among them."""
    return next((m for m in measures if m.name == name and is_people(m.labels["agent"])), None)


def own_agents(agents: Iterable[str]) -> list[str]:
    """Return one's own among published agents, to be marked; none where all are one's own."""
    every = [agent for agent in dict.fromkeys(agents) if not is_people(agent)]
    own = [agent for agent in every if not is_published(agent)]
    return own if len(own) < len(every) else []


def name_place(place: StyledCondition) -> str:
    """Return a condition and a style in one line."""
    return f"{place.condition.replace(chr(10), ' ')}, {style_name(place.style)}"
